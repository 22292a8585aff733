"""Hybrid search over an index, on behalf of an audience."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from urllib.parse import urldefrag

import numpy as np

from bot.research.types import SearchFailed, SearchHit, SearchResults, TimeRange
from bot.search import threads
from bot.search.freshness import DAYS, asks_for_the_latest
from bot.search.fusion import Fusion
from bot.search.hits import Shape, hits
from bot.search.ranking import Found, find
from bot.search.sentences import NO_VECTORS, NOT_EMBEDDED, NOT_FINITE, OTHER_VECTORS
from bot.search.upcoming import CALENDAR, asks_for_coming_events
from bot.sentences import said
from indexers.document import Audience
from indexers.embedding import Embedder, EmbeddingError, Vectors
from indexers.index import Filter, Index, IndexFault, Question

logger = logging.getLogger(__name__)

QUERY_CHARS = 10_000
"""Of a question; what comes after is not looked for."""
EMBEDDED_CHARS = 2_000
"""Of these, what is embedded."""
UNREADABLE = "the index could not be read"
LINKED = 20
"""Passages of one document that somebody named by its link, from its beginning."""
WIDER = 10
"""Times as many candidates, where a document with hundreds of passages, or a long thread, fills the usual number."""


class HybridSearch:
    """Search over one index; without an embedder, lexical only.  Index and embedder stay the caller's to close.

    `floor` is the cosine below which a candidate that shares no word with the question is no hit: the embedder's own
    unless given.  The rest is as `Shape` has it.
    """

    def __init__(
        self,
        index: Index,
        embedder: Embedder | None = None,
        *,
        fusion: Fusion | None = None,
        floor: float | None = None,
        per_document: int = 3,
        thread_cap: int = threads.CAP,
        fresh_days: float = DAYS,
        read_more: int = 0,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._fusion = fusion or Fusion()
        self._floor = floor
        self._shape = Shape(per_document, thread_cap, fresh_days, read_more)

    def for_audience(
        self, audience: Audience, zone: tzinfo | None = None, *, question: str = "", sources: Sequence[str] = ()
    ) -> "AudienceSearch":
        """What this audience may find; `zone` is the asker's, in which "upcoming" begins with today.

        `question` is what was asked: where it wants the latest, so does every search, whatever a model makes of it.
        Where `sources` are given, nothing else is found, whichever a search asks for.
        """
        bare = Filter(audience, sources=tuple(source.lower() for source in sources) or None)
        return AudienceSearch(self, bare, zone or UTC, asks_for_the_latest(question))

    async def find(self, query: str, where: Filter, limit: int, *, latest: bool = False) -> SearchResults:
        """Hits, best first, and sentences on what was degraded.

        Where one long document or thread takes all the candidates, more are asked for, so that it does not hide the
        others.
        """
        vector, warnings = await self._vector(query)
        floor = self._floor
        if floor is None:
            floor = self._embedder.floor if self._embedder is not None and vector is not None else 0.0
        question, asked = Question(query, vector), self._asked(where) if latest else None
        for candidates in (self._fusion.candidates, WIDER * self._fusion.candidates):
            fusion = replace(self._fusion, candidates=candidates)
            found = await find(self._index, question, where, fusion, floor)
            listed = await hits(self._index, found, query, where, limit=limit, shape=self._shape, asked=asked)
            if len(found.fused) < candidates or len(listed) >= limit:
                break
        return SearchResults(listed, [*warnings, *found.degraded])

    async def recent(self, where: Filter, limit: int, *, upcoming: bool = False) -> SearchResults:
        """Newest first; `upcoming`: the nearest first."""
        chunks = await self._index.recent(where, WIDER * limit, upcoming=upcoming)
        found = Found(dict.fromkeys(chunks, 0.0))
        return SearchResults(await hits(self._index, found, "", where, limit=limit, shape=self._shape))

    async def linked(self, urls: Collection[str], where: Filter, limit: int) -> list[SearchHit]:
        chunks = await self._index.linked(urls, where, limit)
        shape = Shape(per_document=0, thread_cap=self._shape.thread_cap)
        found = Found(dict.fromkeys(chunks, 0.0))
        listed = await hits(self._index, found, "", where, limit=limit, shape=shape)
        whole = await self._index.passages(chunks, where)
        return [
            replace(hit, content_snippet=whole[hit.chunk_id].text) if hit.chunk_id in whole else hit for hit in listed
        ]

    async def readable(self, chunk: str, where: Filter) -> bool:
        return bool(await self._index.passages([chunk], where))

    async def sources(self, audience: Audience) -> list[str]:
        return await self._index.sources(audience)

    async def read_at(self, audience: Audience) -> dict[str, datetime]:
        """By source, when what the audience may read of it was last brought up to date.  Raises `SearchFailed`."""
        try:
            return await self._index.read_at(audience)
        except IndexFault as fault:
            logger.warning("the sources could not be read: %s", fault)
            raise SearchFailed(UNREADABLE) from fault

    def _asked(self, where: Filter) -> datetime | None:
        """The moment from which age counts: now, or the end of a range that is past; None for no age at all."""
        now = datetime.now(UTC)
        return min(now, where.end or now) if self._shape.fresh_days else None

    async def _vector(self, query: str) -> tuple[Vectors | None, list[str]]:
        if self._embedder is None:
            return None, []
        stored = await self._index.embedding()
        if not stored:
            return None, [said(NO_VECTORS)]
        if stored != self._embedder.name:
            return None, [said(OTHER_VECTORS, stored=stored, model=self._embedder.name)]
        try:
            vector = await self._embedder.embed_query(query[:EMBEDDED_CHARS])
        except EmbeddingError as error:
            return None, [said(NOT_EMBEDDED, reason=error)]
        return _usable(vector)


def _usable(vector: Vectors) -> tuple[Vectors | None, list[str]]:
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length):
        return None, [said(NOT_FINITE)]
    return (vector / np.float32(length) if length else None), []


@dataclass(frozen=True, slots=True)
class AudienceSearch:
    """What `bot.research` searches: bound to an audience and to sources, which no argument can widen."""

    _search: HybridSearch
    _bare: Filter
    _zone: tzinfo
    _latest: bool

    async def search(
        self,
        query: str,
        *,
        person: str | None = None,
        time_range: TimeRange | None = None,
        sources: list[str] | None = None,
        limit: int = 20,
    ) -> SearchResults:
        """Hits, best first.  With filters and no words the newest documents, with neither nothing.

        Raises `SearchFailed` where the index cannot be read.
        """
        start, end = time_range or (None, None)
        named = self._among([source.strip().lower() for source in sources or ()])
        if named == ():
            return SearchResults([])
        where = Filter(self._bare.audience, (person or "").strip(), start, end, named)
        try:
            return await self._results(query.strip()[:QUERY_CHARS], where, max(limit, 0))
        except IndexFault as fault:
            logger.warning("search failed: %s", fault)
            raise SearchFailed(UNREADABLE) from fault

    async def linked(self, url: str) -> list[SearchHit]:
        """The document whose link this is, if the audience may read it, from its beginning; a fragment and a slash at
        the end make no other link.  Raises `SearchFailed` where the index cannot be read."""
        page = urldefrag(url).url.rstrip("/")
        if not page:
            return []
        try:
            return await self._search.linked({url, page, f"{page}/"}, self._bare, LINKED)
        except IndexFault as fault:
            logger.warning("a link could not be looked up: %s", fault)
            raise SearchFailed(UNREADABLE) from fault

    async def readable(self, chunk: str) -> bool:
        """Whether this passage is there still and the audience may read it.  Raises `SearchFailed`."""
        try:
            return await self._search.readable(chunk, self._bare)
        except IndexFault as fault:
            logger.warning("a passage could not be looked up: %s", fault)
            raise SearchFailed(UNREADABLE) from fault

    async def available_sources(self) -> list[str]:
        """The connected sources of which the audience may read anything."""
        try:
            there = await self._search.sources(self._bare.audience)
        except IndexFault as fault:
            raise SearchFailed(UNREADABLE) from fault
        return [source for source in there if self._among([source])]

    def _among(self, named: Sequence[str]) -> tuple[str, ...] | None:
        """Of the sources that a search asks for, those that it may have; None for every one, () for none."""
        allowed = self._bare.sources
        if allowed is None or not named:
            return tuple(named) or allowed
        return tuple(source for source in named if source in allowed)

    async def _results(self, query: str, where: Filter, limit: int) -> SearchResults:
        if (coming := await self._coming(query, where)) is not None:
            return await self._search.recent(coming, limit, upcoming=True)
        if query:
            latest = self._latest or asks_for_the_latest(query)
            return await self._search.find(query, where, limit, latest=latest)
        return SearchResults([]) if where == self._bare else await self._search.recent(where, limit)

    async def _coming(self, query: str, where: Filter) -> Filter | None:
        """The filter of a list of coming events, if that is what is asked for."""
        only_calendar = where.sources == (CALENDAR,)
        today = datetime.now(self._zone).replace(hour=0, minute=0, second=0, microsecond=0)
        if query:
            if not asks_for_coming_events(query, only_calendar=only_calendar) or not await self._has_calendar(where):
                return None
            return replace(where, sources=(CALENDAR,), start=max(where.start or today, today))
        listed = only_calendar and where.start is not None and where.start >= today
        return where if listed else None

    async def _has_calendar(self, where: Filter) -> bool:
        allowed = where.sources is None or CALENDAR in where.sources
        return allowed and CALENDAR in await self._search.sources(where.audience)
