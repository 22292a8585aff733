"""How many questions are worked on and were begun lately, of somebody or somewhere, over all processes and restarts."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, TypeAlias
from weakref import WeakValueDictionary

from pydantic import BaseModel, ConfigDict

from bot.store.bodies import as_document, as_record
from bot.store.documents import Documents

MINUTE = 60.0
AT_WORK = ("open", "stopping")

Begun: TypeAlias = tuple[str, float]
"""The key of a run, and when it was begun, in seconds since the epoch."""
Excess: TypeAlias = Literal["", "at once", "in a minute"]
_Change: TypeAlias = Callable[[Sequence[Begun]], Awaitable[Sequence[Begun] | Excess]]


class Tally(BaseModel):
    """What is counted."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    begun: tuple[Begun, ...] = ()


class Tallies:
    """Nothing is taken off when a run ends or waits: how it stands is looked up once that matters, so that a process
    that dies leaves nothing counted."""

    def __init__(self, documents: Documents, clock: Callable[[], float]) -> None:
        """`clock` gives seconds since the epoch."""
        self._documents = documents
        self._clock = clock
        # Those of one process wait for each other, rather than try again and again.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def add(self, of: str, key: str, *, at_once: int = 0, in_a_minute: int = 0) -> Excess:
        """Count the run `key`, which is begun, unless that were too many; which it is.  0 is no limit."""

        async def add(begun: Sequence[Begun]) -> Sequence[Begun] | Excess:
            now = self._clock()
            others = await self._room([other for other, _ in begun if other != key], at_once) if at_once else []
            if at_once and len(others) >= at_once:
                return "at once"
            if in_a_minute and sum(now - at < MINUTE for _, at in begun) >= in_a_minute:
                return "in a minute"
            return [*(one for one in begun if one[0] in others or now - one[1] < MINUTE), (key, now)]

        return await self._change(of, add)

    async def keep(self, of: str, key: str) -> None:
        """Count a run that was begun before, and is worked on again, as long as it is."""

        async def keep(begun: Sequence[Begun]) -> Sequence[Begun] | Excess:
            return begun if any(other == key for other, _ in begun) else ((key, 0.0), *begun)

        await self._change(of, keep)

    async def take_back(self, of: str, key: str) -> None:
        """Count the run once less: it was not begun after all."""

        async def take_back(begun: Sequence[Begun]) -> Sequence[Begun] | Excess:
            last = max((place for place, (other, _) in enumerate(begun) if other == key), default=None)
            return [one for place, one in enumerate(begun) if place != last]

        await self._change(of, take_back)

    async def _change(self, of: str, change: _Change) -> Excess:
        """Change what is counted, or tell why not; `change` may be called again where somebody was first."""
        async with self._locks.setdefault(of, asyncio.Lock()):
            while True:
                document = await self._documents.get("tally", of)
                begun = as_record(Tally, document).begun if document else ()
                changed = await change(begun)
                if isinstance(changed, str):
                    return changed
                if tuple(changed) == begun:
                    return ""
                new = as_document(Tally(begun=tuple(changed)), self._clock(), old=document)
                write = self._documents.replace if document else self._documents.create
                if await write("tally", of, new):
                    return ""

    async def _room(self, keys: Sequence[str], at_once: int) -> list[str]:
        """Those of the runs that may be at work, as far as had to be looked up until there is room for one more."""
        counted = list(dict.fromkeys(keys))
        for key in tuple(counted):
            if len(counted) < at_once:
                break
            run = await self._documents.get("run", key)
            if run is None or run.status not in AT_WORK:
                counted.remove(key)
        return counted
