"""That something has happened once, and when."""

from collections.abc import Callable

from bot.store.documents import Document, Documents


class Marks:
    def __init__(self, documents: Documents, clock: Callable[[], float]) -> None:
        """`clock` gives seconds since the epoch."""
        self._documents = documents
        self._clock = clock

    async def note(self, what: str) -> bool:
        """Note that it has happened: True for one caller only, over restarts and over several processes."""
        return await self._documents.create("mark", what, Document(b"", self._clock()))

    async def since(self, what: str) -> float | None:
        """For how many seconds it is noted; None where it is not."""
        document = await self._documents.get("mark", what)
        return self._clock() - document.at if document else None

    async def remove(self, what: str) -> None:
        """It may happen anew."""
        await self._documents.delete("mark", what)
