"""Firecrawl, in the cloud or self-hosted: searches, and reads pages that show themselves only to a browser.

A search goes through firecrawl-py's transport and not through its `search()`, whose reader loses the whole answer for
one malformed hit.
"""

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx
from firecrawl.v2.client_async import AsyncFirecrawlClient
from firecrawl.v2.utils.error_handler import FirecrawlError

from bot.research.types import WebHit
from bot.sentences import said
from bot.web import sentences
from bot.web.engines import EngineFailed, Found, Query, Recency
from bot.web.engines.answers import (
    Item,
    complaint,
    first,
    hit,
    hits,
    mapping,
    own_words,
    parsed,
    redacted,
    refusal,
    section,
)
from bot.web.engines.service import ANSWER_BYTES
from bot.web.limits import ENGINE_TIMEOUT_S
from bot.web.outcome import FailureKind
from indexers.reading import FetchFailed, Unreadable

URL = "https://api.firecrawl.dev"

_LIMITS: dict[Recency, str] = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}
_KINDS: dict[int, FailureKind] = {403: "blocked"}


class Firecrawl:
    """To be entered, and left when no search or page is under way; the transport asks once and never again."""

    name = "Firecrawl"

    def __init__(self, key: str = "", *, url: str = URL, seconds: float = ENGINE_TIMEOUT_S) -> None:
        self._key = key
        self._cloud = (urlsplit(url).hostname or "").endswith("firecrawl.dev")
        self._milliseconds = int(seconds * 1000)
        self._client = AsyncFirecrawlClient(api_key=key, api_url=url, timeout=seconds, max_retries=1)
        transport = self._client.async_http_client._client
        transport.headers["Accept-Encoding"] = "identity"
        transport.event_hooks = {"response": [_measure]}

    async def search(self, query: Query) -> Found:
        sections = ("news", "web") if query.news else ("web",)
        asked = {
            "query": query.text,
            "limit": query.limit,
            "sources": [{"type": name} for name in sections],
            "timeout": self._milliseconds,
            **({"tbs": _LIMITS[query.recency]} if query.recency else {}),
        }
        answer = await self._post("/v2/search", asked)
        data = self._data(answer)
        if not self._cloud and all(data.get(name) is None for name in sections):
            # A self-hosted one tells the failure of what it searches with in this way.
            raise EngineFailed("bad_response", said(sentences.BACKEND_SILENT))
        rows = [row for name in sections for row in section(data.get(name))]
        return Found(hits(rows, _hit, query.limit, complaint=complaint(answer, [self._key])), self._notes(query))

    async def read(self, url: str, *, seconds: float) -> str:
        """The main text of a page as Markdown.  Raises `Unreadable` or `FetchFailed`, as reading it ourselves does.

        The address must have passed the guard before: it is fetched by somebody else's machine.
        """
        try:
            document = await self._client.scrape(
                url,
                formats=["markdown"],
                only_main_content=True,
                timeout=int(seconds * 1000),
                auto_resume=False,
            )
        except EngineFailed as error:
            raise FetchFailed("too_large") from error
        except (FirecrawlError, httpx.HTTPError, ValueError, TypeError, AttributeError, KeyError) as error:
            raise FetchFailed("bad_answer") from error
        status = getattr(document.metadata, "status_code", None) or 200
        if status >= 400:  # which is told as a success
            raise Unreadable("status", status)
        if not (document.markdown or "").strip():
            raise Unreadable("empty", status)
        return str(document.markdown)

    async def aclose(self) -> None:
        await self._client.async_http_client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _post(self, path: str, asked: dict[str, object]) -> Item:
        try:
            response = await self._client.async_http_client.post(path, asked)
        except httpx.TimeoutException:
            raise EngineFailed("timeout") from None
        except httpx.HTTPError as error:
            raise EngineFailed("unreachable") from error
        if response.status_code == 200:
            return mapping(parsed(response.content))
        try:
            body = parsed(response.content)
        except EngineFailed:
            body = None
        wait = response.headers.get("Retry-After")
        raise refusal(response.status_code, mapping(body), retry_after=wait, secrets=[self._key], kinds=_KINDS)

    def _data(self, answer: Item) -> Item:
        """The sections of an answer; an older server gives a bare list of web results, and none where it failed."""
        data = answer.get("data")
        if answer.get("success") is not True or not isinstance(data, dict | list):
            raise EngineFailed("bad_response", redacted(own_words(answer), [self._key]))
        return data if isinstance(data, dict) else {"web": data} if data else {}

    def _notes(self, query: Query) -> list[str]:
        """A self-hosted one that searches with SearXNG drops both filters and does not say so."""
        if self._cloud or not (query.recency or query.news):
            return []
        news = said(sentences.THE_NEWS)
        if query.recency is None:
            return [said(sentences.LIMIT_UNSURE, asked=news)]
        limit = said(sentences.THE_LIMIT, last=said(sentences.LAST[query.recency]))
        both = said(sentences.BOTH, one=limit, other=news)
        return [said(sentences.LIMIT_UNSURE, asked=both if query.news else limit)]


class _Measured(httpx.AsyncByteStream):
    """A body that ends with `EngineFailed` where it is beyond all measure."""

    def __init__(self, body: httpx.AsyncByteStream) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._body:
            size += len(piece)
            if size > ANSWER_BYTES:
                raise EngineFailed("bad_response", said(sentences.TOO_LONG))
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()


async def _measure(response: httpx.Response) -> None:
    """For what the transport would read whole, however much it is; what is packed it would unpack, too."""
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise EngineFailed("bad_response", said(sentences.TOO_LONG))
    assert isinstance(response.stream, httpx.AsyncByteStream)
    response.stream = _Measured(response.stream)


def _hit(row: Item) -> WebHit | None:
    about = mapping(row.get("metadata"))
    return hit(
        first(row.get("title"), about.get("title")),
        row.get("url") or about.get("sourceURL") or about.get("url"),
        first(row.get("description"), row.get("snippet"), about.get("description")),
        when=row.get("date"),
    )
