"""The two passes of a search over Elasticsearch.

The chunks that the first pass found come with their words' score and their vector, so that the second need ask for the
rest only; how near a chunk is, is worked out here, exactly, from the same vectors for both.
"""

import logging
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import gt
from typing import Any

import numpy as np

from indexers.embedding import Vectors
from indexers.embedding.vectors import comparable
from indexers.index import DEGRADED, Completion, Filter, IndexFault, Question, Ranking
from indexers.index.elasticsearch import queries
from indexers.index.elasticsearch.records import from_halves
from indexers.index.elasticsearch.searching import Searches
from indexers.index.elasticsearch.vocabulary import Vocabulary
from indexers.index.matching import Wanted

logger = logging.getLogger(__name__)

REMEMBERED = 32
"""Questions between their passes."""
SECONDS = 5.0
"""For so long."""
EQUALS = 1_000
"""Asked for, where there are more as good as the last one."""
NOTHING = Wanted([], [])


@dataclass(slots=True)
class Found:
    """What is known of some chunks: the score of the words that are looked for (absent: none matches), and their
    vectors."""

    asked: Wanted
    chunks: set[str] = field(default_factory=set)
    lexical: dict[str, float] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    """Of `vectors`, by chunk."""
    vectors: Vectors | None = None
    at: float = field(default_factory=time.monotonic)

    def add(self, hits: Mapping[str, Mapping[str, Any]]) -> None:
        self.chunks |= hits.keys()
        halves = []
        for chunk, hit in hits.items():
            if hit["_score"]:
                self.lexical[chunk] = hit["_score"]
            if chunk not in self.rows and "half" in hit["fields"]:
                self.rows[chunk] = len(self.rows)
                halves.append(hit["fields"]["half"][0])
        if halves:
            vectors = from_halves(halves)
            self.vectors = vectors if self.vectors is None else np.concatenate([self.vectors, vectors])

    def cosines(self, against: Vectors | None, chunks: Iterable[str]) -> dict[str, float]:
        if self.vectors is None or (against := comparable(against, self.vectors.shape[1])) is None:
            return {}
        # Not `@`: it takes the last rows another way, so that equal vectors would not be equally near.
        cosines = np.vecdot(self.vectors, against).tolist()
        return {chunk: cosines[self.rows[chunk]] for chunk in chunks if chunk in self.rows}

    def vectors_of(self, chunks: Iterable[str]) -> dict[str, Vectors]:
        if self.vectors is None:
            return {}
        return {chunk: self.vectors[self.rows[chunk]] for chunk in chunks if chunk in self.rows}


class Passes:
    def __init__(self, searches: Searches) -> None:
        self._searches = searches
        self._vocabulary = Vocabulary()
        self._between: dict[tuple[str, Filter], Found] = {}

    def forget(self) -> None:
        self._vocabulary.forget()
        self._between.clear()

    async def rank(self, question: Question, where: Filter, k: int, *, dimensions: int, again: bool) -> Ranking:
        """The best of both lists.  Where others are as good as the last one, more is asked for, so that not the server
        but the order of their names decides which of them belong to these."""
        if k < 1:
            return Ranking()
        ranking, whole = await self._ranked(question, where, k, k, dimensions, again)
        if not whole and k < EQUALS:
            ranking, _ = await self._ranked(question, where, k, EQUALS, dimensions, again)
        return ranking

    async def _ranked(
        self, question: Question, where: Filter, k: int, most: int, dimensions: int, again: bool
    ) -> tuple[Ranking, bool]:
        asked = self._vocabulary.telling(queries.asked(question.text), where.audience)
        bodies = _lists(asked, question.vector, where, most + 1, dimensions, again)
        if not bodies:
            return Ranking(), True
        if uncounted := self._vocabulary.lacking(asked, where.audience):
            bodies["counts"] = queries.counts(uncounted, where.audience)
        answers = dict(zip(bodies, await self._searches.attempt(list(bodies.values()), where.audience), strict=True))
        moment = self._searches.memory.moment
        if isinstance(counted := answers.pop("counts", None), dict):
            self._vocabulary.learn(uncounted, where.audience, counted)
            if self._vocabulary.telling(asked, where.audience) != asked:
                return await self._ranked(question, where, k, most, dimensions, again)
        faults = [answer for answer in answers.values() if isinstance(answer, IndexFault)]
        if len(faults) == len(answers):
            raise faults[0]
        ranking = replace(self._ranking(question, where, asked, answers, again), moment=moment)
        whole = not any(len(scores) > most and _is_open(scores, k) for scores in (ranking.lexical, ranking.dense))
        return replace(ranking, lexical=_first(ranking.lexical, k), dense=_first(ranking.dense, k)), whole

    def _ranking(
        self,
        question: Question,
        where: Filter,
        asked: Wanted,
        answers: Mapping[str, dict[str, Any] | IndexFault],
        again: bool,
    ) -> Ranking:
        lists: dict[str, dict[str, dict[str, Any]]] = {}
        for name, answer in answers.items():
            if isinstance(answer, IndexFault):
                logger.warning("one list of a search failed: %s", answer)
            else:
                lists[name] = self._searches.hits(answer)
        degraded = tuple(DEGRADED[name] for name in answers if name not in lists)
        words, near = lists.get("lexical", {}), lists.get("dense", {})
        lexical = {chunk: hit["_score"] for chunk, hit in words.items()}
        if again:
            found = Found(asked)
            found.add(words | near)
            dense = found.cosines(question.vector, near)
            if not degraded:
                self._remember((question.text, where), found)
        else:
            dense = {chunk: queries.cosine(hit["_score"]) for chunk, hit in near.items()}
        return Ranking(_best_first(lexical), _best_first(dense), degraded)

    async def complete(
        self,
        question: Question,
        chunks: Collection[str],
        where: Filter,
        refined: Vectors | None,
        k: int,
        *,
        dimensions: int,
    ) -> Completion:
        found = self._recall((question.text, where))
        words = queries.words(found.asked)
        bodies = []
        if lacking := [chunk for chunk in chunks if chunk not in found.chunks]:
            bodies.append(queries.given(lacking, words, where) | queries.VECTORS)
        if k > 0 and (vector := comparable(refined, dimensions)) is not None:
            bodies.append(queries.nearest(vector, words, where, k) | queries.VECTORS)
        answers = await self._searches.run(bodies, where.audience) if bodies else []
        asked = found.chunks.intersection(chunks)
        for answer in answers:
            hits = self._searches.hits(answer)
            found.add(hits)
            asked |= hits.keys()
        lexical = {chunk: score for chunk, score in found.lexical.items() if chunk in asked}
        return Completion(lexical, found.cosines(question.vector, asked), found.cosines(refined, asked))

    async def vectors(self, chunks: Sequence[str]) -> dict[str, Vectors]:
        for found in reversed(self._between.values()):
            if found.chunks.issuperset(chunks) and _is_fresh(found):
                return found.vectors_of(chunks)
        everything = Filter(())
        [answer] = await self._searches.run([queries.given(chunks, None, everything) | queries.VECTORS], ())
        found = Found(NOTHING)
        found.add(self._searches.hits(answer))
        return found.vectors_of(chunks)

    def _remember(self, key: tuple[str, Filter], found: Found) -> None:
        self._between.pop(key, None)
        while len(self._between) >= REMEMBERED:
            del self._between[next(iter(self._between))]
        self._between[key] = found

    def _recall(self, key: tuple[str, Filter]) -> Found:
        """Once, and not for long: what is stored may change."""
        found = self._between.pop(key, None)
        if found is not None and _is_fresh(found):
            return found
        text, where = key
        return Found(self._vocabulary.telling(queries.asked(text), where.audience))


def _lists(
    asked: Wanted, vector: Vectors | None, where: Filter, k: int, dimensions: int, again: bool
) -> dict[str, dict[str, Any]]:
    """What is asked for each list."""
    words, bodies = queries.words(asked), {}
    if words is not None:
        fetched = queries.VECTORS if again and vector is not None else queries.PLACE
        bodies["lexical"] = queries.lexical(words, where, k) | fetched
    if (vector := comparable(vector, dimensions)) is not None:
        if again:
            bodies["dense"] = queries.nearest(vector, words, where, k) | queries.VECTORS
        else:
            bodies["dense"] = queries.dense(vector, where, k) | queries.PLACE
    return bodies


def _first(scores: Mapping[str, float], k: int) -> dict[str, float]:
    return dict(islice(scores.items(), k))


def _is_open(scores: Mapping[str, float], k: int) -> bool:
    """Whether others that were not asked for may be as good as the last of the best `k`."""
    ordered = list(scores.values())
    return ordered[k - 1] == ordered[-1]


def _is_fresh(found: Found) -> bool:
    return time.monotonic() - found.at < SECONDS


def _best_first(scores: dict[str, float]) -> dict[str, float]:
    """Equals by name."""
    values = list(scores.values())
    if all(map(gt, values, values[1:])):  # as they came
        return scores
    return {one: -below for below, one in sorted((-score, one) for one, score in scores.items())}
