"""One question at a time in a thread, the oldest first: the next has those before it in its history."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import TypeAlias
from weakref import WeakValueDictionary

from bot.store import Run, Store, StoreError

EVERY = (0.5, 5.0)
"""Seconds between two looks at what other processes are at, at least and at most: the longer it takes, the rarer."""
LONGEST = 1800.0
"""Seconds for which another process is waited for."""

Age: TypeAlias = tuple[float, str, int]
"""When a question was asked, its key, and how often one came into a line: the order of the line.  Nobody waits for a
younger one that is not at work, so two never wait for each other, in whatever processes they are."""

_coming = count()


class _Thread:
    """The line of a thread in this process."""

    def __init__(self) -> None:
        self.present: set[Age] = set()
        self.at_work: Age | None = None
        self.moved = asyncio.Event()

    def is_turn_of(self, age: Age) -> bool:
        return self.at_work is None and min(self.present) == age

    def leave(self, age: Age) -> None:
        self.present.discard(age)
        if self.at_work == age:
            self.at_work = None
        self.moved.set()


class Lines:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._threads: WeakValueDictionary[tuple[str, str], _Thread] = WeakValueDictionary()

    def of(self, run: Run) -> "Line":
        return Line(self._store, run, self._threads.setdefault((run.channel, run.thread_ts), _Thread()))


class Line:
    """A question in the line of its thread, which goes over all processes."""

    def __init__(self, store: Store, run: Run, here: _Thread) -> None:
        self._store = store
        self._run = run
        self._here = here
        self._age = (run.at, run.key, next(_coming))

    @property
    def busy(self) -> bool:
        """Another question of the thread is answered here."""
        return bool(self._here.present - {self._age})

    @asynccontextmanager
    async def turn(self, waits: Callable[[], None]) -> AsyncIterator[None]:
        """Begins when its turn comes, and holds up those after it; `waits` is called when that takes long."""
        here, age = self._here, self._age
        here.present.add(age)
        try:
            await self._first_here(waits)
            # Whoever comes after it here waits for it, so one of a thread looks elsewhere.
            with suppress(TimeoutError, StoreError):
                async with asyncio.timeout(LONGEST):
                    await self._first_elsewhere(waits)
            await self._first_here(waits)
            here.at_work = age
            yield
        finally:
            here.leave(age)

    async def _first_here(self, waits: Callable[[], None]) -> None:
        if not self._here.is_turn_of(self._age):
            waits()
        while not self._here.is_turn_of(self._age):
            self._here.moved.clear()
            await self._here.moved.wait()

    async def _first_elsewhere(self, waits: Callable[[], None]) -> None:
        began = asyncio.get_running_loop().time()
        while await self._comes_after_others():
            waits()
            waited = asyncio.get_running_loop().time() - began
            await asyncio.sleep(min(max(waited / 8, EVERY[0]), EVERY[1]))

    async def _comes_after_others(self) -> bool:
        """Another process is at an older question of the thread."""
        others = await self._store.processes() - {self._store.process}
        if not others:
            return False
        before = await self._store.at_work(self._run.channel, self._run.thread_ts)
        return any(one.owner in others and (one.at, one.key) < self._age[:2] for one in before)
