"""That somebody has come or gone lately: what another process remembers of who reads what may be of before."""

from collections.abc import Callable

from bot.store.documents import Document, Documents

LATELY = 180.0
"""Seconds: more than it is remembered for who is where, and than the clocks of two machines are apart."""


class Moves:
    """Found by their ids, so that each process sees at once what another has noted."""

    def __init__(self, documents: Documents, clock: Callable[[], float]) -> None:
        """`clock` gives seconds since the epoch."""
        self._documents = documents
        self._clock = clock

    async def note(self, of: str) -> None:
        """Somebody has come into this channel just now, or this person has left one."""
        await self._documents.put("move", of, Document(b"", self._clock()))

    async def lately(self, of: str) -> bool:
        document = await self._documents.get("move", of)
        return document is not None and self._clock() - document.at < LATELY
