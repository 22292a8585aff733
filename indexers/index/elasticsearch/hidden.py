"""What searches find of documents that are being written, or were when a writer died, and that may not be seen.

It is dropped from a list after this was cut at its size, so that it may have taken the place of something else.  No
I/O.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from indexers.index import IndexFault, document_of
from indexers.index.elasticsearch.queries import MOST
from indexers.index.elasticsearch.records import unpacked

MORE = 2
"""Times what was dropped: so many more are asked for."""
PLACED = ("place", "line", "card")
"""What begins with where a chunk stands."""

Answer: TypeAlias = dict[str, Any] | IndexFault


def hits_of(answer: Mapping[str, Any] | IndexFault) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = [] if isinstance(answer, IndexFault) else answer.get("hits", {}).get("hits", [])
    return hits


def drop(answer: Answer, visible: Mapping[str, str]) -> int:
    """How much was dropped; `visible` has the generation that may be seen of each document with several."""
    if not visible:
        return 0
    hits = hits_of(answer)
    before = len(hits)
    hits[:] = [hit for hit in hits if _may_be_seen(hit, visible)]
    return before - len(hits)


def _may_be_seen(hit: Mapping[str, Any], visible: Mapping[str, str]) -> bool:
    fields = hit.get("fields", {})
    for packed in (fields[name] for name in PLACED if name in fields):
        [[chunk, generation, *_]] = unpacked(packed)
        return bool(visible.get(document_of(chunk), generation) == generation)
    return True


def hides_others(body: Mapping[str, Any], answer: Answer, dropped: int, wanted: int) -> bool:
    """Whether more of what is wanted may stand behind what was dropped."""
    left = len(hits_of(answer))
    return left < wanted and left + dropped >= body["size"] < MOST


def cut(answer: Answer, size: int) -> Answer:
    del hits_of(answer)[size:]
    return answer


def wider(body: Mapping[str, Any], dropped: int) -> dict[str, Any]:
    """The same search, for more."""
    size = min(body["size"] + MORE * dropped, MOST)
    return {**body, "size": size, "query": _reaching(body["query"], size)}


def _reaching(query: dict[str, Any], k: int) -> dict[str, Any]:
    """A search for the nearest finds as many as it is told, whatever the size is."""
    if "knn" in query:
        near = query["knn"]
        return {"knn": near | {"k": k, "num_candidates": max(k, near["num_candidates"])}}
    must = query.get("bool", {}).get("must")
    return {"bool": query["bool"] | {"must": [_reaching(one, k) for one in must]}} if must else query
