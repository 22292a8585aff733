"""What is remembered of documents that were removed, and for how long."""

import time
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from indexers.index import REMOVAL_KEPT, IndexFault
from indexers.index.elasticsearch import reading
from indexers.index.elasticsearch.client import kind_of
from indexers.index.elasticsearch.records import Head, head_id
from indexers.index.elasticsearch.state import State

AT_ONCE = 1_000
_STATES = [{"exists": {"field": name}} for name in ("generation", "transit")]
"""Of a head that is not removed."""


async def forget(state: State) -> None:
    """Deletes the oldest heads of removed documents, but for those that were written again meanwhile."""
    before = time.time_ns() // 1000 - REMOVAL_KEPT
    query = {"bool": {"filter": [{"range": {"version": {"lt": before}}}], "must_not": _STATES}}
    client, index = state.server.writer, state.names.write
    with state.server.faults():
        answer = await client.search(index=index, size=AT_ONCE, source=False, seq_no_primary_term=True, query=query)
        if operations := [_delete(hit) for hit in answer["hits"]["hits"]]:
            await client.bulk(index=index, operations=operations)


async def take_over(old: State, new: State) -> None:
    """What is removed from one index is remembered in another that has nothing of it, so that an older state of it
    that comes late is not taken there either."""
    removed = {"bool": {"filter": [reading.every_head()], "must_not": _STATES}}
    async with aclosing(reading.heads(old, removed, AT_ONCE)) as heads:
        waiting: list[Head] = []
        async for head in heads:
            waiting.append(head)
            if len(waiting) >= AT_ONCE:
                await _create(new, waiting)
                waiting = []
        await _create(new, waiting)


async def _create(state: State, heads: Sequence[Head]) -> None:
    """But for those that are there already."""
    if not heads:
        return
    operations = [part for head in heads for part in ({"create": {"_id": head_id(head.document)}}, head.record())]
    with state.server.faults():
        answer = await state.server.writer.bulk(index=state.names.write, operations=operations)
    for item in answer["items"]:
        if item["create"]["status"] not in (201, 409):
            raise IndexFault(f"What was removed could not be taken over ({kind_of(item['create'])}); try again.")


def _delete(hit: dict[str, Any]) -> dict[str, Any]:
    return {"delete": {"_id": hit["_id"], "if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]}}
