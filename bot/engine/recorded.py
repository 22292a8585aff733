"""An engine whose replies are kept, so that a run can be played again."""

from asyncio import CancelledError
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.engine import Engine, Message

KEPT = ("content", "tool_calls", "usage", "done_reason")


class RecordedEngine:
    """`engine`, with each reply told to `on_reply` as it came; one that failed is told as its `error`, in words that
    hold nothing of the cause."""

    def __init__(self, engine: Engine, on_reply: Callable[[Mapping[str, Any]], None]) -> None:
        self._engine = engine
        self._on_reply = on_reply
        self.slot = getattr(engine, "slot", None)
        """Its place in a queue, if it has one."""

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
        try:
            reply = await self._engine.generate(
                messages,
                model=model,
                temperature=temperature,
                max_tokens=max_tokens,
                num_ctx=num_ctx,
                tools=tools,
                on_text=on_text,
            )
        except (Exception, CancelledError) as error:
            self._on_reply({"error": type(error).__name__})
            raise
        self._on_reply({name: reply[name] for name in KEPT if name in reply} if isinstance(reply, Mapping) else {})
        return reply
