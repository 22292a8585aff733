"""Who may use the model next: a local model serves one request at a time, and many people ask."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bot.engine import Engine, Message


@dataclass(eq=False, slots=True)
class _Ticket:
    asker: str
    synthesis: bool
    number: int
    place: int = 0
    """In line; 0 when it is its turn."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class ModelQueue:
    """At most `parallel` slots are held at once.

    Who waits is served in this order: syntheses first, since an answer is almost there; then whoever holds the fewest
    slots; then whoever was served longest ago; an asker's own requests in the order they came.
    """

    def __init__(self, parallel: int) -> None:
        if parallel < 1:
            raise ValueError(f"a queue needs at least one slot, not {parallel}")
        self._free = parallel
        self._waiting: list[_Ticket] = []
        self._held: Counter[str] = Counter()
        self._served: dict[str, int] = {}
        self._tickets = 0
        self._turns = 0

    def bind(self, engine: Engine, *, asker: str, on_place: Callable[[int], None] | None = None) -> "QueuedEngine":
        """The engine for one asker: its `slot` waits here, its `generate` is the engine's own.

        `on_place` is told the place in line when there is a wait (1 is next), again when it changes, and 0 at the end
        of the wait.
        """
        return QueuedEngine(self, engine, asker, on_place)

    @asynccontextmanager
    async def slot(
        self, asker: str, *, synthesis: bool = False, on_place: Callable[[int], None] | None = None
    ) -> AsyncIterator[None]:
        """Wait for a slot and hold it; leaving early, by cancellation too, leaves no trace."""
        self._tickets += 1
        ticket = _Ticket(asker, synthesis, self._tickets)
        self._waiting.append(ticket)
        self._advance()
        try:
            await self._turn(ticket, on_place)
            yield
        finally:
            self._leave(ticket)
            self._advance()

    async def _turn(self, ticket: _Ticket, on_place: Callable[[int], None] | None) -> None:
        # The one who waits tells its own place, so that a failing `on_place` hurts nobody else in line.
        told = 0
        while ticket.place:
            if on_place is not None and ticket.place != told:
                on_place(ticket.place)
            told = ticket.place
            ticket.changed.clear()
            await ticket.changed.wait()
        if told and on_place is not None:
            on_place(0)

    def _leave(self, ticket: _Ticket) -> None:
        if ticket in self._waiting:
            self._waiting.remove(ticket)
            return
        self._free += 1
        self._held[ticket.asker] -= 1
        if not self._held[ticket.asker]:
            del self._held[ticket.asker]
        if not self._held and not self._waiting:
            self._served.clear()  # nobody is there whose turn it could decide

    def _advance(self) -> None:
        line = self._line()
        while self._free and line:
            ticket = line[0]
            self._waiting.remove(ticket)
            self._free -= 1
            self._held[ticket.asker] += 1
            self._turns += 1
            self._served[ticket.asker] = self._turns
            self._place(ticket, 0)
            line = self._line()
        for place, ticket in enumerate(line, 1):
            self._place(ticket, place)

    def _place(self, ticket: _Ticket, place: int) -> None:
        ticket.place = place
        ticket.changed.set()

    def _line(self) -> list[_Ticket]:
        """Those who wait, in the order in which they would be served if nobody else came."""
        before: Counter[str] = Counter()
        keys: dict[_Ticket, tuple[bool, int, int, int, int]] = {}
        for ticket in sorted(self._waiting, key=lambda ticket: (not ticket.synthesis, ticket.number)):
            ahead = before[ticket.asker]  # by then this asker will have been served so many times more
            served = self._served.get(ticket.asker, 0)
            keys[ticket] = (not ticket.synthesis, self._held[ticket.asker] + ahead, ahead, served, ticket.number)
            before[ticket.asker] += 1
        return sorted(self._waiting, key=keys.__getitem__)


class QueuedEngine:
    """An engine as one asker has it: `slot` is entered before each `generate`."""

    def __init__(
        self, queue: ModelQueue, engine: Engine, asker: str, on_place: Callable[[int], None] | None = None
    ) -> None:
        self._queue = queue
        self._engine = engine
        self._asker = asker
        self._on_place = on_place

    @asynccontextmanager
    async def slot(self, *, synthesis: bool = False) -> AsyncIterator[None]:
        async with self._queue.slot(self._asker, synthesis=synthesis, on_place=self._on_place):
            yield

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
        return await self._engine.generate(
            messages,
            model=model,
            temperature=temperature,
            max_tokens=max_tokens,
            num_ctx=num_ctx,
            tools=tools,
            on_text=on_text,
        )
