"""Reads a page: fetched, its text extracted, and kept for a while."""

from types import TracebackType
from typing import Self

from indexers.reading.fetching import Resolver
from indexers.reading.types import PageText


class Reader:
    """Owns the child processes and a small cache; one a process.

    async with Reader() as reader:
        page = await reader.read("https://example.com/")

    Readers of one address at one time share one request; what failed is never kept.
    """

    def __init__(
        self, *, allow: frozenset[tuple[str, int]] = frozenset(), resolver: Resolver | None = None, workers: int = 2
    ) -> None:
        raise NotImplementedError

    async def read(self, url: str, *, limit_chars: int = 6_000, seconds: float = 15.0) -> PageText:
        """The page's text, cut at `limit_chars`.  `seconds` is for all of it.

        Raises `Refused`, `FetchFailed` or `Unreadable`.
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
