"""The engine as a run calls it: one set of parameters, one way to fail."""

import logging
from asyncio import timeout
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.engine import Engine, EngineError, Message, ScriptExhausted
from bot.research.deadline import Deadline

logger = logging.getLogger(__name__)


class EngineLost(Exception):
    """The engine failed, stalled or broke off."""


@dataclass(frozen=True, slots=True)
class Planner:
    """The engine with the parameters that every call of a run shares; `step_timeout` in seconds."""

    engine: Engine
    model: str
    temperature: float
    max_tokens: int
    num_ctx: int
    step_timeout: float

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None,
        on_text: Callable[[str], None],
        deadline: Deadline,
        synthesis: bool,
    ) -> Mapping[str, Any]:
        """One call, once the model is free.  Raises `EngineLost`; only a test's own exhausted script passes."""
        try:
            async with self._free_model(deadline, synthesis), timeout(self.step_timeout):
                return await self.engine.generate(
                    messages,
                    model=self.model,
                    temperature=self.temperature,
                    max_tokens=self.max_tokens,
                    num_ctx=self.num_ctx,
                    tools=tools,
                    on_text=on_text,
                )
        except ScriptExhausted:
            raise
        except Exception as error:
            # An engine's own sentence says what mends it and holds no text; of any other error only the kind is safe.
            said = str(error) if isinstance(error, EngineError) else type(error).__name__
            logger.warning("the engine failed: %s", said)
            raise EngineLost from error

    @asynccontextmanager
    async def _free_model(self, deadline: Deadline, synthesis: bool) -> AsyncIterator[None]:
        """Waits until the engine's queue, if it has one, gives its turn; that wait counts toward no deadline."""
        slot = getattr(self.engine, "slot", None)
        async with AsyncExitStack() as held:
            if slot is not None:
                with deadline.paused():
                    await held.enter_async_context(slot(synthesis=synthesis))
            yield
