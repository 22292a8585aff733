"""The two passes of a search over the embedded index."""

import logging
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from indexers.document import Audience
from indexers.embedding import Vectors
from indexers.embedding.vectors import comparable
from indexers.index import DEGRADED, Completion, Filter, Question, Ranking, degraded_by, lookup
from indexers.index.filters import allowed
from indexers.index.matching import Expression, match
from indexers.index.matrix import Matrix
from indexers.index.schema import meta, reading

logger = logging.getLogger(__name__)

T = TypeVar("T")

WORDS = 10_000
QUESTIONS = 500
AUDIENCES = 100
"""How many are remembered: words with their frequency and questions with their expression, for each audience."""


class Passes:
    """Keeps what the two passes of one search, and later searches, have in common: the vectors, what a question comes
    to as an expression, and how frequent its words are."""

    def __init__(self) -> None:
        self._matrix = Matrix()
        # The vectors are compared while SQLite looks for the words.
        self._beside = ThreadPoolExecutor(os.cpu_count())
        self._known: dict[Audience, _Known] = {}

    def rank(self, connection: sqlite3.Connection, question: Question, where: Filter, k: int) -> Ranking:
        vector, text = question.vector, question.text
        look = _attempted(lambda: self._look(connection, vector, where, k))
        looking = look if isinstance(look, Exception) else self._beside.submit(_attempted, look)
        with reading(connection):
            lexical = _attempted(
                lambda: lookup.lexical(connection, self._expression(connection, text, where.audience), where, k)
            )
            dense = looking if isinstance(looking, Exception) else looking.result()
            lists = {"lexical": lexical, "dense": dense}
            found = {name: rows for name, rows in lists.items() if not isinstance(rows, Exception)}
            if isinstance(lexical, Exception) and (vector is None or isinstance(dense, Exception)):
                raise lexical
            names = lookup.names_of(connection, {row for rows in found.values() for row, _ in rows})
            other = degraded_by(question, int(meta(connection, "dimensions") or 0))
        degraded = (*(DEGRADED[name] for name in lists if name not in found), *other)
        return Ranking(_named(found.get("lexical", ()), names), _named(found.get("dense", ()), names), degraded)

    def complete(
        self,
        connection: sqlite3.Connection,
        question: Question,
        chunks: Collection[str],
        where: Filter,
        refined: Vectors | None,
        k: int,
    ) -> Completion:
        near = self._look(connection, refined, where, k)()
        with reading(connection):
            names = lookup.rows_of(connection, chunks, where) | lookup.names_of(connection, {row for row, _ in near})
            lexical = lookup.lexical_of(connection, self._expression(connection, question.text, where.audience), names)
            vectors = lookup.vectors_of(connection, names)
        return Completion(
            _named(lexical.items(), names), _cosines(vectors, question.vector, names), _cosines(vectors, refined, names)
        )

    def _look(
        self, connection: sqlite3.Connection, vector: Vectors | None, where: Filter, k: int
    ) -> Callable[[], list[tuple[int, float]]]:
        """The search for the nearest, which any thread can make."""
        if vector is None or k < 1:
            return list
        rows = self._matrix.rows(connection)
        if comparable(vector, rows.vectors.shape[1]) is None:
            return list
        mask = rows.passing(allowed(connection, where))
        return lambda: rows.nearest(vector, mask, k)

    def _expression(self, connection: sqlite3.Connection, text: str, audience: Audience) -> Expression:
        known = self._known_to(connection, audience)

        def frequency(word: str, most: int) -> int:
            if word not in known.counts:
                known.counts[word] = lookup.frequency(connection, word, most, audience)
            return known.counts[word]

        if text not in known.expressions:
            known.expressions[text] = match(text, frequency, known.size)
        return known.expressions[text]

    def _known_to(self, connection: sqlite3.Connection, audience: Audience) -> "_Known":
        """An audience learns nothing of what it may not read, not even that a word stands there."""
        version = lookup.version(connection)
        known = self._known.pop(audience, None)
        if known is None or known.version != version or known.full:
            known = _Known(version, lookup.size(connection, audience))
        self._known[audience] = known  # the last asked for is the last to go
        while len(self._known) > AUDIENCES:
            del self._known[next(iter(self._known))]
        return known


@dataclass(slots=True)
class _Known:
    """What holds until something is written."""

    version: int = -1
    size: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    expressions: dict[str, Expression] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        return len(self.counts) > WORDS or len(self.expressions) > QUESTIONS


def _attempted(act: Callable[[], T]) -> T | Exception:
    """What comes of it, or why nothing does."""
    try:
        return act()
    except (sqlite3.Error, MemoryError) as error:
        logger.warning("one list of a search failed: %s", error)
        return error


def _named(scores: Iterable[tuple[int, float]], names: dict[int, str]) -> dict[str, float]:
    """A chunk that was replaced meanwhile has no name any more, and is left out."""
    return {names[row]: score for row, score in scores if row in names}


def _cosines(vectors: dict[int, Vectors], against: Vectors | None, names: dict[int, str]) -> dict[str, float]:
    if not vectors or (against := comparable(against, len(next(iter(vectors.values()))))) is None:
        return {}
    cosines = np.stack(list(vectors.values())) @ against
    return {names[row]: float(cosine) for row, cosine in zip(vectors, cosines, strict=True)}
