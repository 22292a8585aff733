"""Reading pages for a message: ours first, Firecrawl where a page shows itself only to a browser."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from indexers.reading import FetchFailed, Note, PageText, ReadingError, Unreadable

OURS = "Footnote"
"""Whose reader it was, as the answer says it."""
LEAST_SECONDS = 2.0
"""With less left, no second reader begins."""

_ONLY_A_BROWSER = ("captcha", "javascript", "forbidden", "rate_limited", "empty")


class GivenAway(ReadingError):
    """A page was not read by us, for the reason of `ours`, nor by `reader`, who was given its address too."""

    def __init__(self, ours: ReadingError, reader: str) -> None:
        super().__init__(str(ours))
        self.kind = ours.kind
        self.reader = reader


class PageReader(Protocol):
    """`indexers.reading.Reader`."""

    async def read(self, url: str, *, limit_chars: int, seconds: float) -> PageText: ...


class Scraper(Protocol):
    @property
    def name(self) -> str: ...

    async def read(self, url: str, *, seconds: float) -> str: ...


@dataclass(frozen=True, slots=True)
class Read:
    """The text of a page, who read it, and in what way it is not the whole text."""

    text: str
    by: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Pages:
    reader: PageReader
    scraper: Scraper | None = None

    async def read(self, url: str, *, chars: int, seconds: float) -> Read:
        """The first `chars` characters of a page, within `seconds`.  Raises `ReadingError`, which is `GivenAway` where
        the scraper failed too.

        The scraper gets no address that our own guard has not let pass before.
        """
        until = asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout_at(until):
                page = await self.reader.read(url, limit_chars=chars, seconds=seconds)
        except TimeoutError:
            raise FetchFailed("timeout") from None
        except Unreadable as unreadable:
            return await self._scraped(url, chars, until, unreadable)
        return Read(page.text, OURS, page.notes)

    async def _scraped(self, url: str, chars: int, until: float, unreadable: Unreadable) -> Read:
        seconds = until - asyncio.get_running_loop().time()
        if self.scraper is None or unreadable.kind not in _ONLY_A_BROWSER or seconds < LEAST_SECONDS:
            raise unreadable
        try:
            async with asyncio.timeout_at(until):
                text = await self.scraper.read(url, seconds=seconds)
        except (ReadingError, TimeoutError):
            raise GivenAway(unreadable, self.scraper.name) from None
        return Read(text[:chars], self.scraper.name, ("cut",) if len(text) > chars else ())
