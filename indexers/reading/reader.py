"""Reads a page: fetched, its text extracted, and kept for a while."""

import asyncio
import re
import time
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self
from urllib.parse import urldefrag, urlsplit

from indexers.reading.cutting import cut
from indexers.reading.extractor import Extractor
from indexers.reading.failures import FetchFailed, Unreadable, UnreadableKind
from indexers.reading.fetching import Resolver, fetch
from indexers.reading.guard import PORTS
from indexers.reading.kinds import charset, kind_of
from indexers.reading.places import Places
from indexers.reading.types import Extracted, Kind, Page, PageText
from indexers.reading.walls import A_PAGE

MOST_SECONDS = 120.0
"""However long a caller would wait."""
KEPT_SECONDS = 600.0
KEPT_PAGES = 64
LONGEST = 40_000
"""Characters of a page that are kept."""
PAGES = 20
"""Of a PDF."""
AT_ONE_HOST = 3
"""Requests at one time, for whomever: as many as one search reads, all of which may lie on one site."""

_STATUSES: dict[int, UnreadableKind] = {
    401: "login",
    402: "paywall",
    403: "forbidden",
    404: "not_found",
    407: "forbidden",
    410: "not_found",
    429: "rate_limited",
    451: "forbidden",
}
_LOGIN_PATH = re.compile(r"/(?:log-?in|sign-?in|signon|sso|auth|authenticate|saml2?|oauth2?)(?:[/.?]|$)", re.IGNORECASE)


@dataclass
class _Flight:
    """One address that is being read, by the first of those who asked for it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0
    failure: FetchFailed | Unreadable | None = None


class Reader:
    """Owns the child processes and a small cache; one a process.

    async with Reader() as reader:
        page = await reader.read("https://example.com/")

    Those who ask for one address at one time share one request, and its failure; no failure is kept beyond that.
    """

    def __init__(
        self,
        *,
        allow: frozenset[tuple[str, int]] = frozenset(),
        resolver: Resolver | None = None,
        ports: frozenset[int] = PORTS,
        own_hosts: frozenset[str] = frozenset(),
        extractor: Extractor | None = None,
        kept_seconds: float = KEPT_SECONDS,
    ) -> None:
        """`allow` and `resolver` are for tests; `ports` are what is open of public addresses; `own_hosts` are names of
        our own services, never a page.

        An `extractor` that is given stays the caller's to close.
        """
        self._allow = allow
        self._resolver = resolver
        self._ports = ports
        self._own_hosts = own_hosts
        self._kept_seconds = kept_seconds
        self._lent = extractor is not None
        self._extractor = extractor or Extractor()
        self._kept: dict[str, tuple[float, PageText]] = {}
        self._flights: dict[str, _Flight] = {}
        self._places = Places(AT_ONE_HOST)

    async def read(self, url: str, *, limit_chars: int = 6_000, seconds: float = 15.0) -> PageText:
        """The page's text, cut at `limit_chars`.  `seconds` is for all of it.

        Raises `Refused`, `FetchFailed` or `Unreadable`.
        """
        try:
            async with asyncio.timeout(seconds):
                page = await self._shared(url)
        except TimeoutError:
            raise FetchFailed("timeout") from None
        text = cut(page.text, limit_chars)
        if text == page.text or "cut" in page.notes:
            return replace(page, text=text)
        return replace(page, text=text, notes=(*page.notes, "cut"))

    async def aclose(self) -> None:
        if not self._lent:
            await self._extractor.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _shared(self, url: str) -> PageText:
        """Reads the page, unless somebody else has just done so.

        Whoever comes first reads, in their own task and time; when they give up before the end, the next one does.
        """
        key = urldefrag(url).url
        flight = self._flights.setdefault(key, _Flight())
        flight.waiting += 1
        try:
            async with flight.lock:
                if flight.failure:
                    raise flight.failure
                return self._recalled(key) or await self._led(flight, key, url)
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                self._flights.pop(key, None)

    async def _led(self, flight: _Flight, key: str, url: str) -> PageText:
        try:
            page = await self._read(url)
        except (FetchFailed, Unreadable) as failure:
            flight.failure = failure
            raise
        self._kept[key] = time.monotonic(), page
        while len(self._kept) > KEPT_PAGES:
            del self._kept[next(iter(self._kept))]
        return page

    def _recalled(self, key: str) -> PageText | None:
        since, page = self._kept.get(key, (0.0, None))
        if page is not None and time.monotonic() - since < self._kept_seconds:
            return page
        self._kept.pop(key, None)
        return None

    async def _read(self, url: str) -> PageText:
        await self._extractor.warm()  # loading goes on while the page comes
        async with self._places.at(_host(url)):
            page = await fetch(
                url,
                allow=self._allow,
                resolver=self._resolver,
                seconds=MOST_SECONDS,
                ports=self._ports,
                own_hosts=self._own_hosts,
            )
        kind = kind_of(page.content_type, page.body)
        if not 200 <= page.status < 300:
            raise await self._refusal(page, kind)
        if kind is None:
            raise FetchFailed("unsupported")
        extracted = await self._extract(page, kind)
        if _led_to_login(url, page.url) and len(extracted.text) < A_PAGE:
            raise Unreadable("login")
        return PageText(page.url, extracted.title, extracted.text, extracted.notes)

    async def _refusal(self, page: Page, kind: Kind | None) -> Unreadable:
        """What the status means; what stands on the page is never read as its text."""
        default: UnreadableKind = "server_error" if page.status >= 500 else "status"
        if kind == "html":
            try:
                await self._extract(page, kind)
            except Unreadable as unreadable:
                if unreadable.kind == "captcha" or (unreadable.kind == "login" and page.status == 403):
                    return Unreadable(unreadable.kind, page.status)
        return Unreadable(_STATUSES.get(page.status, default), page.status)

    async def _extract(self, page: Page, kind: Kind) -> Extracted:
        return await self._extractor.extract(
            page.body, kind, charset=charset(page.content_type), chars=LONGEST, pages=PAGES, web=True
        )


def _host(url: str) -> str:
    """ "" for what is no address, which the guard refuses."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _led_to_login(asked: str, final: str) -> bool:
    return bool(_LOGIN_PATH.search(urlsplit(final).path)) and not _LOGIN_PATH.search(urlsplit(asked).path)
