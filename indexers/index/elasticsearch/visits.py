"""When an index in Elasticsearch was last brought in line with its sources, though nothing may have changed."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from indexers.document import Audience
from indexers.index import IndexFault
from indexers.index.elasticsearch import queries
from indexers.index.elasticsearch.client import BLOCKED, fault_of, kind_of, refusal
from indexers.index.elasticsearch.records import visit, visit_id
from indexers.index.elasticsearch.searching import Searches
from indexers.index.elasticsearch.state import State
from indexers.index.names import askable

LOOKED_AT = 1_000
"""Of the latest visits, for how fresh something is."""


async def visited(state: State, visits: Mapping[str, datetime]) -> None:
    # The time is the version: the server keeps the later of two.
    operations = [
        part
        for scope in askable(visits)
        for part in (
            {"index": {"_id": visit_id(scope), "version": _version(visits[scope]), "version_type": "external_gte"}},
            visit(scope, visits[scope].timestamp()),
        )
    ]
    if not operations:
        return
    with state.server.faults():
        answer = await state.server.writer.bulk(index=state.names.write, operations=operations, refresh=True)
    for told in (item["index"] for item in answer["items"]):
        if told["status"] not in (200, 201, 409):
            raise _fault(told, state.server.address)


async def visits(state: State) -> dict[str, datetime]:
    with state.server.faults():
        answer = await state.server.writer.search(
            index=state.names.read, allow_partial_search_results=False, **_arguments(queries.visits())
        )
    return _times(answer.body)


async def read_at(searches: Searches, audience: Audience) -> dict[str, datetime]:
    bodies = [queries.sources(audience), queries.visits(LOOKED_AT)]
    found, kept = await searches.run(bodies, audience)
    buckets = sorted(found["aggregations"]["sources"]["buckets"], key=lambda bucket: str(bucket["key"]))
    newest = {bucket["key"]: datetime.fromtimestamp(bucket["read"]["value"] / 1_000_000, UTC) for bucket in buckets}
    later = {scope: at for scope, at in _times(kept).items() if any(read < at for read in newest.values())}
    if later:
        [answer] = await searches.run([queries.sources_below(list(later), audience)], audience)
        for at, bucket in zip(later.values(), answer["aggregations"]["scopes"]["buckets"], strict=True):
            for source in (one["key"] for one in bucket["sources"]["buckets"]):
                newest[source] = max(newest.get(source, at), at)
    return newest


def _times(answer: Mapping[str, Any]) -> dict[str, datetime]:
    records = [hit["_source"] for hit in answer.get("hits", {}).get("hits", ())]
    return {record["document"]: datetime.fromtimestamp(record["time"], UTC) for record in records}


def _version(at: datetime) -> int:
    return round(at.timestamp() * 1_000_000)


def _arguments(body: Mapping[str, Any]) -> dict[str, Any]:
    """A body as the client takes it."""
    return {name.removeprefix("_"): value for name, value in body.items()}


def _fault(told: Mapping[str, Any], address: str) -> IndexFault:
    kind = kind_of(told)
    if kind == BLOCKED:
        return fault_of(told["status"], kind, address)
    return IndexFault(f"That the index is up to date could not be noted: {refusal(told['status'], kind)}; try again.")
