"""One question at a time in a thread: the next has those before it in its history."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from weakref import WeakValueDictionary

from bot.store import Run, Store, StoreError

EVERY = 0.5
LONGEST = 1800.0
"""Seconds for which another process is waited for."""


class Lines:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._here: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    def of(self, run: Run) -> "Line":
        thread = (run.channel, run.thread_ts)
        return Line(self._store, run, self._here.setdefault(thread, asyncio.Lock()))


class Line:
    """A question in the line of its thread, which goes over all processes."""

    def __init__(self, store: Store, run: Run, here: asyncio.Lock) -> None:
        self._store = store
        self._run = run
        self._here = here

    @property
    def busy(self) -> bool:
        """A question before it is answered here."""
        return self._here.locked()

    @asynccontextmanager
    async def turn(self, waits: Callable[[], None]) -> AsyncIterator[None]:
        """Begins when its turn comes, and holds up those after it; `waits` is called when that takes long."""
        # First, since whoever has its turn here waits for nobody: two processes never wait for each other.
        with suppress(TimeoutError, StoreError):
            async with asyncio.timeout(LONGEST):
                while await self._comes_after_others():
                    waits()
                    await asyncio.sleep(EVERY)
        if self.busy:
            waits()
        async with self._here:
            yield

    async def _comes_after_others(self) -> bool:
        """Another process is at an older question of the thread."""
        others = await self._store.processes() - {self._store.process}
        if not others:
            return False
        run = self._run
        before = await self._store.at_work(run.channel, run.thread_ts)
        return any(one.owner in others and (one.at, one.key) < (run.at, run.key) for one in before)
