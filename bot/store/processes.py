"""The processes of the bot, and which of them live."""

import uuid
from collections.abc import Callable

from bot.store import alive
from bot.store.documents import Document, Documents

LEASE = 15.0
"""Seconds without a sign of life after which a process is thought dead."""
MOST = 1000


class Processes:
    def __init__(self, documents: Documents, clock: Callable[[], float], lease: float) -> None:
        self.own = uuid.uuid4().hex
        """This one's id."""
        self.lease = lease
        self._documents = documents
        self._clock = clock

    async def live(self) -> None:
        """A sign of life of this process; due several times in a `lease`."""
        await self._documents.put("process", self.own, Document(alive.mark().encode(), self._clock()))

    async def leave(self) -> None:
        """This process ends: what it leaves open is for others at once."""
        await self._documents.delete("process", self.own)

    async def living(self) -> set[str]:
        """Those that live: they gave a sign within the `lease`, and are not known to be gone."""
        living = set()
        for id, document in await self._documents.find("process", limit=MOST):
            if document.at < self._clock() - self.lease or alive.dead(document.body.decode()):
                await self._documents.delete("process", id)
            else:
                living.add(id)
        return living
