"""What is remembered of documents that were removed, and for how long."""

import time
from typing import Any

from indexers.index import REMOVAL_KEPT
from indexers.index.elasticsearch.state import State

AT_ONCE = 1_000


async def forget(state: State) -> None:
    """Deletes the oldest heads of removed documents, but for those that were written again meanwhile."""
    before = time.time_ns() // 1000 - REMOVAL_KEPT
    query = {
        "bool": {
            "filter": [{"range": {"version": {"lt": before}}}],
            "must_not": [{"exists": {"field": name}} for name in ("generation", "transit")],
        }
    }
    client, index = state.server.writer, state.names.write
    with state.server.faults():
        answer = await client.search(index=index, size=AT_ONCE, source=False, seq_no_primary_term=True, query=query)
        if operations := [_delete(hit) for hit in answer["hits"]["hits"]]:
            await client.bulk(index=index, operations=operations)


def _delete(hit: dict[str, Any]) -> dict[str, Any]:
    return {"delete": {"_id": hit["_id"], "if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]}}
