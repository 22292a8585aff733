"""An engine that plays a list of replies."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bot.engine import Message, ScriptExhausted

PIECE = 12
"""Characters handed to `on_text` at a time."""


class ScriptedEngine:
    """Plays `replies` in order, each a mapping with any of `content`, `tool_calls`, `usage`, `done_reason`, or an
    exception to raise.  `calls` records of every call a mapping with `messages` (a copy) and `tools`."""

    def __init__(self, replies: Iterable[Mapping[str, Any] | BaseException]) -> None:
        self._replies = list(replies)
        self.calls: list[dict[str, Any]] = []

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        model: str,
        temperature: float,
        max_tokens: int,
        num_ctx: int,
        tools: Sequence[Mapping[str, Any]] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Mapping[str, Any]:
        self.calls.append({"messages": copy.deepcopy(list(messages)), "tools": copy.deepcopy(tools)})
        if len(self.calls) > len(self._replies):
            raise ScriptExhausted(f"script exhausted: call {len(self.calls)}, but only {len(self._replies)} replies")
        reply = self._replies[len(self.calls) - 1]
        if isinstance(reply, BaseException):
            raise reply
        content = reply.get("content", "")
        if on_text is not None and isinstance(content, str):
            for start in range(0, len(content), PIECE):
                on_text(content[start : start + PIECE])
        return {"content": "", "tool_calls": [], "usage": {}, "done_reason": "stop", **reply}
