"""What an event has to hold for anything to be made of it.  No I/O."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_NEEDED = {
    "agent_session_stopped": ("channel", "thread_ts", "user"),
    "app_home_opened": ("user",),
    "app_mention": ("channel", "ts"),
    "member_joined_channel": ("channel", "user"),
    "member_left_channel": ("channel", "user"),
    "message": ("channel", "ts"),
    "message message_changed": ("channel", "message.ts"),
    "message message_deleted": ("channel", "deleted_ts"),
    "reaction_added": ("reaction",),
    "reaction_added message": ("reaction", "item.channel", "item.ts"),
}
"""By type, and subtype or what it is about."""
_EDITED = ("edited", "message.edited")
_TS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def lacking(event: Mapping[str, Any]) -> str:
    """The first field that an event lacks, or has in a form that nothing can be made of; "" where it has all."""
    return next((path for path in _needed(event) if not _is_there(path, _at(event, path))), "")


def _needed(event: Mapping[str, Any]) -> Iterator[str]:
    kind, about = event.get("type"), event.get("subtype") or _at(event, "item.type")
    yield from _NEEDED.get(f"{kind} {about}") or _NEEDED.get(str(kind), ())
    for edited in _EDITED:
        if kind in ("message", "app_mention") and _at(event, edited):
            yield f"{edited}.ts"


def _is_there(path: str, value: Any) -> bool:
    return isinstance(value, str) and bool(_TS.fullmatch(value) if path.endswith("ts") else value)


def _at(event: Mapping[str, Any], path: str) -> Any:
    value: Any = event
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
