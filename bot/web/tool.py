"""`web_search` as the research loop calls it: the same engines, and nothing private in a query."""

import asyncio
from collections.abc import Iterable

from bot.research.calling import call
from bot.research.types import Search, SearchFailed, SearchHit, SearchResults, TimeRange, WebHit
from bot.sentences import said
from bot.web import sentences
from bot.web.context import read_recency
from bot.web.engines import Query
from bot.web.outcome import Failure, error_of
from bot.web.sent import OnSent, Sent, queries
from bot.web.taint import Private
from bot.web.web import Web, query_text

STOPPED = (
    "the query was not sent, since it would carry {what} to a search engine; search again in the user's own words, "
    "without it"
)


class WebHits(list[WebHit]):
    """The hits of one search; `warnings` are sentences on what is partial."""

    def __init__(self, hits: Iterable[WebHit], warnings: Iterable[str] = ()) -> None:
        super().__init__(hits)
        self.warnings = list(warnings)


class WebSearchTool:
    """The `web_search` of one run.

    `said` is what the asker wrote: the question and their earlier turns.  `private` is what else the run holds:
    evidence, earlier answers, the hits of a run that goes on.  The run's search has to be `watching(search)`, so that
    what it finds counts as private too.  `on_sent` is told each query that went out.
    """

    def __init__(
        self, web: Web, *, said: Iterable[str], private: Iterable[str] = (), on_sent: OnSent = lambda _: None
    ) -> None:
        self._web = web
        self._on_sent = on_sent
        self._private = Private(said, private)
        self._judging = asyncio.Lock()
        self.failures: list[Failure] = []
        """Of the engines that did not search."""
        self.engines: list[str] = []
        """Those that did; the answer says who got a query."""

    def heard(self, text: str) -> None:
        """More that the asker said, while the run goes on."""
        self._private.heard(text)

    def watching(self, search: Search) -> Search:
        return _Watched(search, self._private)

    async def __call__(self, query: str, recency: str | None, news: bool) -> WebHits:
        """Raises `SearchFailed`, with the reason, where the web was not searched."""
        async with self._judging:
            what = await call(self._private.carried, query)  # in a thread: there may be much to compare with
        if what:
            raise SearchFailed(STOPPED.format(what=what))
        text = query_text(query)
        if not text:
            raise SearchFailed(said(sentences.NO_QUERY))
        limit, unknown = read_recency(recency)
        self._private.sent(text)
        try:
            found = await self._web.search(Query(text, limit, news, self._web.limits.results))
        except asyncio.CancelledError:  # Whoever it was that had it by then.
            self._on_sent(Sent(text))
            raise
        self.failures += found.failures
        self.engines += filter(None, [found.engine])
        for sent in queries(text, [found.engine], found.failures):
            self._on_sent(sent)
        if not found.engine:
            raise SearchFailed(error_of(found.failures))
        self._private.found_on_the_web(hit.url for hit in found.hits)
        return WebHits(found.hits, [*unknown, *found.notes])


def private_text(hits: Iterable[SearchHit | WebHit]) -> list[str]:
    """All that hits of the documents hold that a model may quote."""
    return [
        "\n".join(
            [
                hit.title,
                hit.content_snippet,
                hit.more,
                *hit.participants,
                hit.url,
                *(str(entry.get(part, "")) for entry in hit.thread_context for part in ("author", "snippet")),
            ]
        )
        for hit in hits
        if isinstance(hit, SearchHit)
    ]


class _Watched:
    """A search whose hits are private from then on."""

    def __init__(self, search: Search, private: Private) -> None:
        self._search = search
        self._private = private

    async def search(
        self,
        query: str,
        *,
        person: str | None = None,
        time_range: TimeRange | None = None,
        sources: list[str] | None = None,
        limit: int = 20,
    ) -> list[SearchHit] | SearchResults:
        found = await self._search.search(query, person=person, time_range=time_range, sources=sources, limit=limit)
        self._private.add(private_text(found.hits if isinstance(found, SearchResults) else found))
        return found

    async def available_sources(self) -> list[str]:
        return await self._search.available_sources()
