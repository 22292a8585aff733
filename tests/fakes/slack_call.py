"""What the parts of the fake Slack share: a call, how it is read, and the time."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Reply: TypeAlias = dict[str, Any]


class Refused(Exception):
    """Slack answers `ok: false` with this error."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.error = error
        self.more = more


def invalid_arguments(*messages: str) -> Refused:
    return Refused("invalid_arguments", response_metadata={"messages": [f"[ERROR] {message}" for message in messages]})


@dataclass(frozen=True)
class Call:
    """A call as it came, its arguments merged from query, form and JSON."""

    method: str
    args: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        if self.args.get(name) in (None, ""):
            raise invalid_arguments(f"missing required field: {name}")
        return self.args[name]

    def __contains__(self, name: str) -> bool:
        return name in self.args

    def get(self, name: str, default: Any = None) -> Any:
        return self.args.get(name, default)

    def parsed(self, name: str) -> Any:
        """What was given as JSON, or as JSON in a string."""
        value = self.args.get(name)
        try:
            return json.loads(value) if isinstance(value, str) and value else value
        except ValueError:
            error = {"blocks": "invalid_blocks_format", "metadata": "invalid_metadata_format"}.get(name)
            raise (Refused(error) if error else invalid_arguments(f"{name} is no JSON")) from None

    def flag(self, name: str) -> bool:
        return str(self.args.get(name) or "").lower() in ("1", "true")


Methods: TypeAlias = Mapping[str, tuple[Callable[[Call], Reply], str]]
"""By name: what is done, and the scope that it needs; `{kind}` in it stands for the kind of the channel."""


class Clock:
    """Slack's time in seconds: that of `source`, which a test may replace, and what was skipped with `advance`."""

    def __init__(self) -> None:
        self.source: Callable[[], float] = time.time
        self._ahead = 0.0

    def __call__(self) -> float:
        return self.source() + self._ahead

    def advance(self, seconds: float) -> None:
        self._ahead += seconds


def page(call: Call, items: list[Any], most: int) -> tuple[list[Any], Reply]:
    """One page of `items`, and what leads to the next."""
    cursor = str(call.get("cursor") or "0")
    if not cursor.isdecimal() or int(cursor) > len(items):
        raise Refused("invalid_cursor")
    start, limit = int(cursor), min(int(call.get("limit") or most), most)
    end = start + limit
    return items[start:end], {"response_metadata": {"next_cursor": str(end)}} if end < len(items) else {}
