"""Turns bytes into text in child processes that are killed when they take too much."""

from types import TracebackType
from typing import Self

from indexers.reading.types import Extracted, Kind


class Extractor:
    """A few child processes that read one page or file each at a time, web pages and local files alike.

    async with Extractor() as extractor:
        extracted = await extractor.extract(body, "pdf", chars=None, pages=None)
    """

    def __init__(self, *, workers: int = 2, seconds: float = 5.0, megabytes: int = 1024) -> None:
        """`seconds` of CPU and `megabytes` of memory are what one page or file may take."""
        raise NotImplementedError

    async def extract(
        self, body: bytes, kind: Kind, *, charset: str = "", chars: int | None = 40_000, pages: int | None = 20
    ) -> Extracted:
        """The text, at most `chars` characters of it, of a PDF at most the first `pages` pages; None is no limit.

        `charset` is what the sender called it, "" where nobody did.  Raises `Unreadable`.
        """
        raise NotImplementedError

    async def aclose(self) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
