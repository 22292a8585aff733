"""Chunks that no head names, and heads whose chunks are not all there: how they are found.

A writer that dies, or comes late, leaves them: what it wrote for a new document of one chunk is marked by nothing, and
what is sent may arrive when others are done.  A chunk that no head names would be found by readers for ever.
"""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, TypeAlias

from indexers.index import Fingerprint
from indexers.index.elasticsearch.reading import by_id, every_head
from indexers.index.elasticsearch.records import Head, chunk_ids, fingerprint_of, head_id, in_id
from indexers.index.elasticsearch.snapshots import Snapshot, snapshot
from indexers.index.elasticsearch.state import State
from indexers.index.names import askable

NEVER = Fingerprint("", "")
"""Fits no document, so that it is written again, or removed if it has vanished."""
AT_ONCE = 1_000
SHOWN = ("hits.hits._id", "hits.hits._seq_no", "hits.hits._primary_term", "hits.hits.sort")

Records: TypeAlias = dict[str, dict[str, int]]
"""Of the chunks of a document, by id: where each was written."""


async def fingerprints(state: State, scopes: Sequence[str]) -> dict[str, Fingerprint]:
    """Of every document in some scopes of which there is anything; `NEVER` where there is more or less than its head
    says."""
    found: dict[str, Fingerprint] = {}
    async with snapshot(state) as now:
        for scope in askable(scopes):
            found |= await _in_scope(now, scope)
    return found


async def _in_scope(now: Snapshot, scope: str) -> dict[str, Fingerprint]:
    found, odd = {}, []
    async with aclosing(now.counts(_below(scope, _a_chunk()), "document")) as counts:
        chunks = {document: count async for (document,), count in counts}
    async with aclosing(now.heads(_below(scope, every_head()))) as heads:
        async for head in heads:
            count = chunks.pop(head.document, 0)
            if not head.staged and count != (head.holds.count if head.holds else 0):
                odd.append(head.document)
            elif not head.removed:
                found[head.document] = fingerprint_of(head)
    return found | await _never(now, [*odd, *chunks])


async def _never(now: Snapshot, documents: Sequence[str]) -> dict[str, Fingerprint]:
    """With the access of what can be read of each."""
    access: dict[str, set[str]] = {document: set() for document in documents}
    for start in range(0, len(documents), AT_ONCE):
        some = documents[start : start + AT_ONCE]
        among = {"bool": {"filter": [_a_chunk(), {"terms": {"document": some}}]}}
        async with aclosing(now.counts(among, "document", "access")) as counts:
            async for (document, principal), _ in counts:
                access[document].add(principal)
    return {document: replace(NEVER, access=frozenset(of_it)) for document, of_it in access.items()}


async def shown(state: State, documents: Sequence[str]) -> dict[str, Records]:
    """The chunks of some documents that a search sees, by the id of the head that each document has, or would have."""
    found: dict[str, Records] = {head_id(document): {} for document in documents}
    query = {"bool": {"filter": [_a_chunk(), {"terms": {"document": askable(documents)}}]}}
    after: dict[str, Any] = {}
    while True:
        with state.server.faults():
            answer = await state.server.writer.search(
                index=state.names.write,
                query=query,
                size=AT_ONCE,
                sort=["_seq_no"],  # there are no two alike
                source=False,
                seq_no_primary_term=True,
                track_total_hits=False,
                allow_partial_search_results=False,
                filter_path=SHOWN,
                **after,
            )
        hits = answer.body.get("hits", {}).get("hits", ())
        for hit in hits:
            head, _ = in_id(hit["_id"])
            found[head][hit["_id"]] = {"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]}
        if len(hits) < AT_ONCE:
            return found
        after = {"search_after": hits[-1]["sort"]}


async def whole(state: State, head: Head, seen: Records) -> bool:
    """Whether the chunks that a head names are there; those that a search has not seen may just not be shown yet."""
    ids = [] if head.holds is None else chunk_ids(head.document, head.holds)
    unseen = [id for id in ids if id not in seen]
    found = await by_id(state.server, state.names.write, unseen, source=False) if unseen else []
    return all(one["found"] for one in found)


def _a_chunk() -> dict[str, Any]:
    return {"exists": {"field": "place"}}


def _below(name: str, what: dict[str, Any]) -> dict[str, Any]:
    """What is of a document, or of what lies below it."""
    either = [{"term": {"document": name}}, {"prefix": {"document": f"{name}/"}}]
    return {"bool": {"filter": [what], "should": either, "minimum_should_match": 1}}
