"""Keeps those who ask one site at one time to a few.  No I/O of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Site:
    places: asyncio.Semaphore
    inside: int = 0
    """Those who have a place, and those who wait for one."""


@dataclass(frozen=True, slots=True)
class Places:
    """`most` places at each site; whoever comes when all are taken waits for one.  A site that nobody asks is
    forgotten."""

    most: int
    _sites: dict[str, _Site] = field(default_factory=dict)

    @asynccontextmanager
    async def at(self, site: str) -> AsyncIterator[None]:
        held = self._sites.setdefault(site, _Site(asyncio.Semaphore(self.most)))
        held.inside += 1
        try:
            async with held.places:
                yield
        finally:
            held.inside -= 1
            if not held.inside:
                del self._sites[site]
