"""Makes one order out of two lists of scores.  No I/O.

nDCG@10 on SciFact and Cranfield with all-MiniLM-L6-v2 on the embedded index, by `tests/benchmarks/retrieval.py`:
lexical .692 and .388, dense .646 and .396, reciprocal rank .717 and .434, all of the below .740 and .445.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from indexers.embedding import Vectors


@dataclass(frozen=True, slots=True)
class Fusion:
    candidates: int = 100
    """Taken from each list."""
    lexical_weight: float = 0.5
    """Of BM25; the rest is the cosine's.  Flat between .4 and .6."""
    completion: bool = True
    """Ask for the scores that a candidate of one list has in the other."""
    feedback: float = 0.3
    """Weight of the best passages in a second look at how near the candidates are (Rocchio); 0 for none."""
    feedback_from: int = 3
    reach: int = 0
    """Chunks that the second look may find beside the candidates.  100 give a recall@100 of .798 on Cranfield in place
    of .786, the same on SciFact and the same nDCG@10 on both, for another search."""
    reciprocal_rank: bool = False
    """Fuse by rank in place of scores; also done where a list has no usable scores."""
    rank_constant: int = 60


def fuse(
    lexical: Mapping[str, float], dense: Mapping[str, float], fusion: Fusion, *, floor: float = 0.0
) -> dict[str, float]:
    """Fused scores by id, best first, equals by id.  Each list by id, in any order; one may be empty.

    Scores are stretched from no match at all (BM25 of 0, a cosine of `floor`, or the lowest where that is below) to
    the best: between the lowest and the best of two or three candidates lies nothing that could be compared.
    """
    if not lexical or not dense:
        scores = _of_one(lexical or dense)
    elif fusion.reciprocal_rank or not (_usable(lexical, dense) and _usable(dense, lexical)):
        matched = _by_rank({one: score for one, score in lexical.items() if score > 0}, fusion)
        scores = _sum(filled(matched, lexical, 0.0), _by_rank(dense, fusion), fusion)
    else:
        scores = _sum(_stretched(lexical, 0.0), _stretched(dense, floor), fusion)
    return {one: -below for below, one in sorted((-score, one) for one, score in scores.items())}


def filled(scores: Mapping[str, float], ids: Collection[str], missing: float) -> dict[str, float]:
    """A score for each id."""
    return {one: scores.get(one, missing) for one in ids}


def refined(vector: Vectors, best: Collection[Vectors], weight: float) -> Vectors | None:
    """The question's vector, moved towards the best passages; None where there is nothing to move it by."""
    if not best or not weight:
        return None
    moved: Vectors = vector + np.float32(weight) * np.mean(np.stack(list(best)), axis=0)
    length = float(np.linalg.norm(moved))
    return moved / np.float32(length) if length else None


def _usable(scores: Mapping[str, float], others: Mapping[str, float]) -> bool:
    """One score alone says nothing of how good it is, unless there is nothing else."""
    return len(scores) > 1 or others.keys() <= scores.keys()


def _of_one(scores: Mapping[str, float]) -> dict[str, float]:
    highest = max(scores.values(), default=0.0)
    return {one: max(score, 0.0) / highest if highest > 0 else 0.0 for one, score in scores.items()}


def _sum(lexical: Mapping[str, float], dense: Mapping[str, float], fusion: Fusion) -> dict[str, float]:
    weight, rest = fusion.lexical_weight, 1 - fusion.lexical_weight
    scores = {one: weight * score for one, score in lexical.items()}
    for one, score in dense.items():
        scores[one] = scores.get(one, 0.0) + rest * score
    return scores


def _stretched(scores: Mapping[str, float], nothing: float) -> dict[str, float]:
    """From 0 to 1."""
    lowest, highest = min(nothing, *scores.values()), max(scores.values())
    width = highest - lowest
    return {one: (score - lowest) / width if width else 1.0 for one, score in scores.items()}


def _by_rank(scores: Mapping[str, float], fusion: Fusion) -> dict[str, float]:
    order = sorted(scores, key=lambda one: (-scores[one], one))
    return {one: 1 / (fusion.rank_constant + rank) for rank, one in enumerate(order, 1)}
