"""From scored chunks to hits: none of a few documents or threads fills the list, and each hit has what is around it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TypeVar

from bot.research.types import SearchHit
from bot.search import reading, threads
from bot.search.freshness import DAYS, kept
from bot.search.ranking import Found
from bot.search.snippets import CHARS, excerpt, stems
from indexers.chunks import heading_at
from indexers.index import Filter, Index, Passage, Surroundings, document_of
from indexers.index.matching import STOP_WORDS

T = TypeVar("T")

ALONE = Surroundings()
HEADING_CHARS = 100
STOP_STEMS = stems(" ".join(STOP_WORDS))
_SHORT = 500
"""Characters of a question up to which its hits are made in a millisecond or two, and a thread would add a third."""
_SPARE = 10
"""Candidates read beyond the limit, for those that are gone by then."""
_BY_AGE = 100
"""Candidates among which the new ones are lifted."""
_MORE = 200
"""Candidates read where a thread would have filled the list."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a list of hits is made."""

    per_document: int = 3
    """Of one document, and of one thread, at most; 0 for any number."""
    thread_cap: int = threads.CAP
    """Entries around a hit in a thread."""
    fresh_days: float = DAYS
    """After which half of what age can cost is lost, where the latest is asked for; 0 for never."""
    read_more: int = 0
    """Of the best hits, those around which is read more than a snippet shows."""


@dataclass(frozen=True, slots=True)
class _Listed:
    shown: list[Passage]
    scores: Mapping[str, float]
    stored: dict[str, Passage]
    """These, and others that were read with them."""


async def hits(
    index: Index,
    found: Found,
    query: str,
    where: Filter,
    *,
    limit: int,
    shape: Shape,
    asked: datetime | None = None,
) -> list[SearchHit]:
    """At most `limit` hits, best first; with the moment at which the latest was `asked` for, what is new is lifted."""
    listed = await _listed(index, found, where, limit, shape, asked)
    in_threads = [passage for passage in listed.shown if passage.thread_id]
    near: dict[str, Surroundings] = {}
    if in_threads and shape.thread_cap:
        near = await index.around(in_threads, where.audience, shape.thread_cap)
    best = listed.shown[: shape.read_more]
    stored = listed.stored | await reading.whole(index, best, near, where.audience)
    wanted = stems(query) - STOP_STEMS

    def assemble() -> list[SearchHit]:
        more = reading.more(best, stored, near, wanted)
        return [
            _hit(passage, listed.scores[passage.chunk_id], found, wanted, near, shape.thread_cap, more)
            for passage in listed.shown
        ]

    return assemble() if len(query) <= _SHORT else await asyncio.to_thread(assemble)


async def _listed(
    index: Index, found: Found, where: Filter, limit: int, shape: Shape, asked: datetime | None
) -> _Listed:
    left = capped(found.fused, shape.per_document)
    order = list(islice(left, max(limit + _SPARE, _BY_AGE if asked else 0)))
    threads_of = limit if shape.thread_cap and not asked else 0
    wanted = [*order, *reading.beside(order[: shape.read_more])]
    stored = await index.passages(wanted, where, threads=threads_of, moment=found.moment)
    listed = _placed(order, found.fused, stored, shape, asked)
    if len(listed.shown) < limit and (more := list(islice(left, _MORE))):
        stored |= await index.passages(more, where, moment=found.moment)
        listed = _placed([*order, *more], found.fused, stored, shape, asked)
    return replace(listed, shown=listed.shown[:limit])


def _placed(
    order: Iterable[str],
    scores: Mapping[str, float],
    stored: dict[str, Passage],
    shape: Shape,
    asked: datetime | None,
) -> _Listed:
    passages = [stored[one] for one in order if one in stored]
    if asked is not None:
        scores = {one.chunk_id: scores[one.chunk_id] * kept(one.timestamp, asked, shape.fresh_days) for one in passages}
        passages.sort(key=lambda one: -scores[one.chunk_id])
    apart = _at_most(passages, shape.per_document, lambda one: (one.source, one.thread_id) if one.thread_id else None)
    return _Listed(list(apart), scores, stored)


def capped(ids: Iterable[str], most: int) -> Iterator[str]:
    """Those that are left when each document has at most so many (0: any number)."""
    return _at_most(ids, most, document_of)


def _at_most(items: Iterable[T], most: int, group: Callable[[T], Hashable]) -> Iterator[T]:
    """Those that are left when each group has at most so many (0: any number); None is no group."""
    seen: Counter[Hashable] = Counter()
    for one in items:
        named = group(one)
        seen[named] += 1
        if not most or named is None or seen[named] <= most:
            yield one


def _hit(
    passage: Passage,
    score: float,
    found: Found,
    wanted: frozenset[str],
    near: Mapping[str, Surroundings],
    cap: int,
    more: Mapping[str, str],
) -> SearchHit:
    return SearchHit(
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        chunk_idx=passage.ordinal,
        title=passage.title,
        content_snippet=passage_snippet(passage, wanted),
        source=passage.source,
        timestamp=passage.timestamp.isoformat(),
        participants=list(passage.participants),
        score=score,
        bm25_score=found.lexical.get(passage.chunk_id, 0.0),
        vector_score=found.dense.get(passage.chunk_id, 0.0),
        thread_id=passage.thread_id,
        thread_context=threads.context(near.get(passage.chunk_id, ALONE), cap),
        url=passage.url,
        more=more.get(passage.chunk_id, ""),
    )


def passage_snippet(passage: Passage, wanted: frozenset[str]) -> str:
    """The part that matches, after the heading that it stands under where that is out of sight."""
    text = passage.text.strip()
    start, part = excerpt(text, wanted, CHARS)
    heading = heading_at(text, passage.headings, start)
    if not heading or len(heading) > HEADING_CHARS or heading == passage.title or text[start:].lstrip().startswith("#"):
        return part
    lead = f"{heading}: "
    return lead + excerpt(text, wanted, CHARS - len(lead))[1]
