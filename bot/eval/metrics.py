"""What a ranking is worth to whoever asked.  No I/O.

The definitions are those of trec_eval.  Its packages bring scipy or numba, or need a compiler; this is three sums.
A grade above 0 says that a document is relevant, and how much; the ideal knows every grade that was given.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Grades: TypeAlias = Mapping[str, int]
"""Of the relevant documents, by id; at least one."""

NDCG_DEPTH = 10
DEPTH = 100


@dataclass(frozen=True, slots=True)
class Metrics:
    """Means over queries, each from 0 to 1."""

    ndcg: float
    recall: float
    mrr: float

    def as_json(self) -> dict[str, float]:
        return {f"ndcg@{NDCG_DEPTH}": self.ndcg, f"recall@{DEPTH}": self.recall, "mrr": self.mrr}


def mean(rankings: Iterable[tuple[Sequence[str], Grades]]) -> Metrics:
    """Over at least one ranking, each with the grades of its query."""
    each = [
        (ndcg(ranked, grades), recall(ranked, grades), reciprocal_rank(ranked, grades)) for ranked, grades in rankings
    ]
    return Metrics(*(math.fsum(values) / len(each) for values in zip(*each, strict=True)))


def ndcg(ranked: Sequence[str], grades: Grades, depth: int = NDCG_DEPTH) -> float:
    """Normalised discounted cumulative gain (Järvelin and Kekäläinen 2002): the grades of the first `depth`, each
    divided by log2(rank + 1), over what the ideal order would have gained."""
    ideal = sorted(grades.values(), reverse=True)
    return _gain([grades.get(one, 0) for one in ranked[:depth]]) / _gain(ideal[:depth])


def recall(ranked: Sequence[str], grades: Grades, depth: int = DEPTH) -> float:
    """The share of the relevant documents that is among the first `depth`."""
    return len(grades.keys() & set(ranked[:depth])) / len(grades)


def reciprocal_rank(ranked: Sequence[str], grades: Grades, depth: int = DEPTH) -> float:
    """1 over the rank of the first relevant document; 0 where none is among the first `depth`."""
    return next((1 / rank for rank, one in enumerate(ranked[:depth], 1) if one in grades), 0.0)


def _gain(grades: Sequence[int]) -> float:
    return math.fsum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))
