"""From scored chunks to hits: no document fills the list, and each hit has its snippet and its thread."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping

from bot.research.types import SearchHit
from bot.search import threads
from bot.search.ranking import Scores
from bot.search.snippets import CHARS, excerpt, stems
from indexers.chunks import heading_at
from indexers.index import Filter, Index, Passage, Surroundings, document_of
from indexers.index.matching import STOP_WORDS

HEADING_CHARS = 100
STOP_STEMS = stems(" ".join(STOP_WORDS))
_SPARE = 10
"""Candidates read beyond the limit, for those that are gone by then."""


async def hits(
    index: Index, scores: Mapping[str, Scores], query: str, where: Filter, *, limit: int, per_document: int, cap: int
) -> list[SearchHit]:
    """At most `limit` hits in the order of `scores`, at most `per_document` of one document (0: any number)."""
    wanted = capped(scores, per_document)[: limit + _SPARE]
    stored = await index.passages(wanted, where)
    shown = [stored[one] for one in wanted if one in stored][:limit]
    in_threads = [passage for passage in shown if passage.thread_id]
    around = await index.around(in_threads, where.audience, cap, whole=False) if in_threads and cap else {}
    return await asyncio.to_thread(_assemble, shown, scores, stems(query) - STOP_STEMS, around, cap)


def capped(ids: Iterable[str], most: int) -> list[str]:
    """Those that are left when each document has at most so many (0: any number)."""
    seen: Counter[str] = Counter()
    kept = []
    for one in ids:
        document = document_of(one)
        seen[document] += 1
        if not most or seen[document] <= most:
            kept.append(one)
    return kept


def _assemble(
    passages: Iterable[Passage],
    scores: Mapping[str, Scores],
    wanted: frozenset[str],
    around: Mapping[str, Surroundings],
    cap: int,
) -> list[SearchHit]:
    return [
        SearchHit(
            chunk_id=passage.chunk_id,
            document_id=passage.document_id,
            chunk_idx=passage.ordinal,
            title=passage.title,
            content_snippet=passage_snippet(passage, wanted),
            source=passage.source,
            timestamp=passage.timestamp.isoformat(),
            participants=list(passage.participants),
            score=scores[passage.chunk_id].fused,
            bm25_score=scores[passage.chunk_id].lexical,
            vector_score=scores[passage.chunk_id].dense,
            thread_id=passage.thread_id,
            thread_context=threads.context(around.get(passage.chunk_id, Surroundings()), cap),
            url=passage.url,
        )
        for passage in passages
    ]


def passage_snippet(passage: Passage, wanted: frozenset[str]) -> str:
    """The part that matches, after the heading that it stands under where that is out of sight."""
    text = passage.text.strip()
    start, part = excerpt(text, wanted, CHARS)
    heading = heading_at(text, passage.headings, start)
    if not heading or len(heading) > HEADING_CHARS or heading == passage.title or text[start:].lstrip().startswith("#"):
        return part
    lead = f"{heading}: "
    return lead + excerpt(text, wanted, CHARS - len(lead))[1]
