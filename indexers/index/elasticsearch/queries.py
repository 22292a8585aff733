"""What is asked of Elasticsearch: a filter, words and vectors as bodies of searches.  No I/O.

The filter stands in both lists, inside `knn` too: beside it, it would be applied to the nearest that were found.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from indexers.document import Audience
from indexers.embedding import Vectors
from indexers.index import Filter, Passage
from indexers.index.elasticsearch.memory import Moment
from indexers.index.elasticsearch.records import VISITS, group_of, in_place
from indexers.index.filters import person_words
from indexers.index.matching import Wanted, wanted
from indexers.index.names import askable

FIELDS = ["body", "heading^2"]
"""Weighed within one BM25, as the embedded index does it; the body holds the title and the headings too.  nDCG@10 of
all fused is .741 and .447 on SciFact and Cranfield; adding the heading's own score at .3 or .2 gives .730 and .443, or
.739 and .444."""
COUNTED = ("body", "body.plain")
PLAIN_WEIGHT = 0.5
"""Of the words as they stand against their stems, whichever is more: it finds other word forms than the analyzer's."""
CANDIDATES = 200
"""Looked at for the nearest, at least."""
MOST = 10_000
"""Hits of one search, for the server."""
SECONDS = "10s"
"""Of one search, on the server."""
GENERATIONS = 4
"""Of one chunk, that may be there while it is written and after crashes."""
MOST_SOURCES = 10_000
LONGEST_NAME = 1_000
"""Characters of a person that is asked for: no name has as many."""
STATES = 100_000
"""That the pattern of a person may come to; a few long words in any order are many."""

BARE: dict[str, Any] = {"_source": False, "stored_fields": "_none_", "track_total_hits": False, "timeout": SECONDS}
"""Without what takes longest to fetch."""

PLACE: dict[str, Any] = {"docvalue_fields": ["place"]}
VECTORS: dict[str, Any] = {"docvalue_fields": ["place", "half"]}
LINES: dict[str, Any] = {"docvalue_fields": ["line"]}
CARDS: dict[str, Any] = {"docvalue_fields": ["card"]}
"""What is fetched of a chunk: its place, or more, of which the place is the beginning."""


def preference(audience: Audience) -> str:
    """The same copy of the index for the same reader, so that equals do not change places."""
    return hashlib.blake2b(repr([sorted(one) for one in audience]).encode(), digest_size=8).hexdigest()


def clauses(where: Filter) -> list[dict[str, Any]]:
    """What a record must meet."""
    found: list[dict[str, Any]] = [{"terms": {"access": askable(sorted(one))}} for one in where.audience]
    if split := person_words(where.person):
        found += _person([word for word in split if word])
    if where.start is not None or where.end is not None:
        bounds = {"gte": where.start, "lte": where.end}
        found.append({"range": {"time": {name: at.timestamp() for name, at in bounds.items() if at is not None}}})
    if where.sources is not None:
        found.append({"terms": {"source": askable(where.sources)}})
    return found


def asked(text: str) -> Wanted:
    return wanted(text.encode("utf-8", "replace").decode())


def words(found: Wanted) -> dict[str, Any] | None:
    """The query of the lexical list; None where there is nothing to look for."""
    whole = [{"match_phrase": {"body.plain": phrase}} for phrase in found.phrases]
    if not found.words:
        return {"bool": {"should": whole, "minimum_should_match": 1}} if whole else None
    query = " ".join(found.words)
    either = [
        {"combined_fields": {"query": query, "fields": FIELDS}},
        {"match": {"body.plain": {"query": query, "boost": PLAIN_WEIGHT}}},
    ]
    return {"bool": {"should": [{"dis_max": {"queries": either}}, *whole], "minimum_should_match": 1}}


def lexical(query: dict[str, Any], where: Filter, k: int) -> dict[str, Any]:
    return {**BARE, "size": min(k, MOST), "query": {"bool": {"must": [query], "filter": clauses(where)}}}


def dense(vector: Vectors, where: Filter, k: int) -> dict[str, Any]:
    """The nearest chunks, each with how near it is by its whole vector, as `cosine` reads it."""
    near = _near(vector, where, k) | {"rescore_vector": {"oversample": 1}}
    return {**BARE, "size": min(k, MOST), "query": {"knn": near}}


def cosine(score: float) -> float:
    return 2 * score - 1


def nearest(vector: Vectors, query: dict[str, Any] | None, where: Filter, k: int) -> dict[str, Any]:
    """The nearest chunks, each with the score of its words: how near they are is worked out from their vectors."""
    near = _near(vector, where, k) | {"boost": 0}
    return {
        **BARE,
        "size": min(k, MOST),
        "query": {"bool": {"must": [{"knn": near}], "should": [query] if query else []}},
    }


def _near(vector: Vectors, where: Filter, k: int) -> dict[str, Any]:
    return {
        "field": "embedding",
        "query_vector": np.asarray(vector, np.float32),
        "k": min(k, MOST),
        "num_candidates": min(max(k, CANDIDATES), MOST),
        "filter": clauses(where),
    }


def given(chunks: Collection[str], query: dict[str, Any] | None, where: Filter) -> dict[str, Any]:
    """Those of the chunks that pass, each with the score of its words, 0 where there are none."""
    among = [{"terms": {"chunk": askable(chunks)}}, *clauses(where)]
    return {
        **BARE,
        "size": min(GENERATIONS * len(chunks), MOST),
        "query": {"bool": {"filter": among, "should": [query] if query else []}},
    }


def counts(words: Sequence[str], audience: Audience) -> dict[str, Any]:
    """In how many chunks that the audience may read each word stands, and how many there are at all."""
    either = [{"bool": {"should": [{"match": {field: word}} for field in COUNTED]}} for word in words]
    return {
        "size": 0,
        "track_total_hits": False,
        "timeout": SECONDS,
        "query": {"bool": {"filter": clauses(Filter(audience))}},
        "aggs": {"words": {"filters": {"filters": [*either, {"exists": {"field": "place"}}]}}},
    }


def counted(answer: Mapping[str, Any]) -> tuple[list[int], int]:
    """The counts of the words in their order, and of all chunks."""
    *words, total = (int(bucket["doc_count"]) for bucket in answer["aggregations"]["words"]["buckets"])
    return words, total


def moment() -> dict[str, Any]:
    """The documents that are being written, each with the generation that may be seen; and by what another state of
    the index is told from this one.  The server caches it."""
    return {
        "size": 0,
        "track_total_hits": False,
        "query": {"exists": {"field": "transit"}},
        "aggs": {
            "places": {"terms": {"field": "transit", "size": MOST_SOURCES}},
            "all": {
                "global": {},
                "aggs": {
                    "index": {"terms": {"field": "_index", "size": 1}},
                    "last": {"max": {"field": "_seq_no"}},
                    "versions": {"stats": {"field": "version"}},
                },
            },
        },
    }


def in_transit(answer: Mapping[str, Any]) -> dict[str, str]:
    """Of each document that is being written, or was when a writer died, the generation that may be seen."""
    return dict(in_place(bucket["key"]) for bucket in answer["aggregations"]["places"]["buckets"])


def at(answer: Mapping[str, Any]) -> Moment:
    """Which index it is, how many records it has, the number of its last change, and when its documents were read: an
    index that was made anew may have the same number of records and of changes."""
    everything = answer["aggregations"]["all"]
    names = tuple(bucket["key"] for bucket in everything["index"]["buckets"])
    versions = everything["versions"]
    return names, everything["doc_count"], everything["last"]["value"], versions["max"], versions["sum"]


def documents(where: Filter, *, with_chunks: bool) -> dict[str, Any]:
    """Heads of what may be seen."""
    seen: list[dict[str, Any]] = [{"exists": {"field": "generation"}}]
    if with_chunks:
        seen.append({"range": {"count": {"gt": 0}}})
    return {"bool": {"filter": [*seen, *clauses(where)]}}


def recent(where: Filter, k: int, *, upcoming: bool) -> dict[str, Any]:
    order = [{"time": "asc" if upcoming else "desc"}, {"document": "asc"}]
    return {**BARE, "size": min(k, MOST), "query": documents(where, with_chunks=True), "sort": order}


def linked(urls: Collection[str], where: Filter, k: int) -> dict[str, Any]:
    query = {"bool": {"filter": [{"terms": {"url": askable(urls)}}, *clauses(where)]}}
    return {**BARE, "size": min(k, MOST), "query": query, "sort": ["document", "ordinal"]} | PLACE


def sources(audience: Audience) -> dict[str, Any]:
    return {
        "size": 0,
        "track_total_hits": False,
        "query": documents(Filter(audience), with_chunks=False),
        "aggs": {
            "sources": {
                "terms": {"field": "source", "size": MOST_SOURCES},
                "aggs": {"read": {"max": {"field": "version"}}},
            }
        },
    }


def visits(most: int = MOST) -> dict[str, Any]:
    """The latest."""
    return {
        "size": most,
        "track_total_hits": False,
        "timeout": SECONDS,
        "query": {"term": {"group": VISITS}},
        "_source": ["document", "time"],
        "sort": [{"time": "desc"}, {"document": "asc"}],
    }


def sources_below(scopes: Sequence[str], audience: Audience) -> dict[str, Any]:
    """The sources of each of some scopes, in their order."""
    below = [{"bool": {"should": [{"term": {"document": one}}, {"prefix": {"document": f"{one}/"}}]}} for one in scopes]
    return {
        "size": 0,
        "track_total_hits": False,
        "timeout": SECONDS,
        "query": documents(Filter(audience), with_chunks=False),
        "aggs": {
            "scopes": {
                "filters": {"filters": below},
                "aggs": {"sources": {"terms": {"field": "source", "size": MOST_SOURCES}}},
            }
        },
    }


ORDER = ("time", "document", "ordinal")


def together(groups: Collection[str], audience: Audience, size: int) -> dict[str, Any]:
    """The chunks of some groups, in no order."""
    among = [{"terms": {"group": askable(sorted(groups))}}, *clauses(Filter(audience))]
    return {**BARE, "size": size, "query": {"bool": {"filter": among}}}


def beside(passage: Passage, audience: Audience, k: int, *, before: bool) -> dict[str, Any]:
    """The `k` chunks before or after a passage, the nearest first."""
    order = "desc" if before else "asc"
    return {
        **together([group(passage)], audience, min(k, MOST)),
        "sort": [{name: order} for name in ORDER],
        "search_after": list(position(passage)),
    }


def group(passage: Passage) -> str:
    return group_of(passage.source, passage.thread_id, passage.document_id)


def position(passage: Passage) -> tuple[float, str, int]:
    return passage.timestamp.timestamp(), passage.document_id, passage.ordinal


def _person(words: list[str]) -> list[dict[str, Any]]:
    """All the words in one name, in any order; of very many, the longest in one and the others in any."""
    if not words:
        return [{"exists": {"field": "people"}}]
    joined: list[str] = []
    apart = sorted(set(words), key=len)
    if sum(map(len, apart)) > LONGEST_NAME:
        return [{"match_none": {}}]
    states = 1
    while apart and (not joined or states * (len(apart[-1]) + 1) <= STATES):
        states *= len(apart[-1]) + 1
        joined.append(apart.pop())
    return [_containing(joined), *(_containing([word]) for word in apart)]


def _containing(words: list[str]) -> dict[str, Any]:
    pattern = "&".join(f".*{_escaped(word)}.*" for word in words)
    if len(pattern.encode("utf-16-le", "surrogatepass")) > 2 * LONGEST_NAME:  # in its units, the server refuses it
        return {"match_none": {}}
    return {"regexp": {"people": {"value": pattern, "flags": "INTERSECTION", "max_determinized_states": STATES}}}


def _escaped(word: str) -> str:
    return "".join(character if character.isalnum() else f"\\{character}" for character in word)
