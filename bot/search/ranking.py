"""From a question to scored chunks: two passes over an index, fused."""

import logging
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from bot.search.fusion import Fusion, filled, fuse, refined
from bot.search.sentences import UNCOMPLETED, of_the_index
from bot.sentences import said
from indexers.index import Completion, Filter, Index, IndexFault, Question, Ranking

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """Chunks, best first; a sentence on each list that is missing; and the state in which the index was.

    All scores are by chunk id: fused ones of every chunk; BM25 and the cosine of those that the list saw.
    """

    fused: dict[str, float]
    lexical: Mapping[str, float] = field(default_factory=dict)
    dense: Mapping[str, float] = field(default_factory=dict)
    degraded: list[str] = field(default_factory=list)
    moment: Hashable = None


async def find(index: Index, question: Question, where: Filter, fusion: Fusion, floor: float) -> Found:
    """What both passes find.

    A chunk that shares no word with the question counts from a cosine of `floor` on.
    """
    twice = fusion.completion or bool(fusion.feedback)
    ranking = await index.rank(question, where, fusion.candidates, again=twice)
    near = {one: cosine for one, cosine in ranking.dense.items() if one in ranking.lexical or cosine >= floor}
    first = fuse(ranking.lexical, near, fusion, floor=floor)
    if not near or not twice or ranking.degraded:
        degraded = [*map(of_the_index, ranking.degraded)]
        return Found(first, ranking.lexical, near, degraded, ranking.moment)
    try:
        completion = await _second_pass(index, question, where, fusion, first, near)
    except IndexFault as fault:
        logger.warning("the second pass of a search failed: %s", fault)
        return Found(first, ranking.lexical, near, [said(UNCOMPLETED)], ranking.moment)
    lexical, dense = _lists(completion, ranking, near, fusion, floor)
    fused = fuse(lexical, dense, fusion, floor=floor)
    return Found(fused, completion.lexical | ranking.lexical, completion.dense | near, moment=ranking.moment)


async def _second_pass(
    index: Index,
    question: Question,
    where: Filter,
    fusion: Fusion,
    first: Mapping[str, float],
    near: Mapping[str, float],
) -> Completion:
    moved = None
    if question.vector is not None and fusion.feedback:
        best = list(first)[: fusion.feedback_from]
        moved = refined(question.vector, list((await index.vectors(best)).values()), fusion.feedback)
    known = list(first if fusion.completion else near)
    return await index.complete(question, known, where, refined=moved, k=0 if moved is None else fusion.reach)


def _lists(
    completion: Completion, ranking: Ranking, near: Mapping[str, float], fusion: Fusion, floor: float
) -> tuple[dict[str, float], dict[str, float]]:
    """The two lists to fuse: completed, or as they came with the second look in place of the first."""
    known = completion.lexical.keys() | ranking.lexical.keys()
    dense = {
        one: cosine
        for one, cosine in (completion.refined or completion.dense or near).items()
        if one in known or completion.dense.get(one, -1.0) >= floor
    }
    if not fusion.completion:
        return ranking.lexical, dense
    ids = completion.lexical.keys() | dense.keys()
    return (
        filled(completion.lexical, ids, 0.0) if completion.lexical else {},
        filled(dense, ids, min(dense.values())) if dense else {},
    )
