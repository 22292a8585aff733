"""The index as it is at one moment, whatever is written to it meanwhile: which heads it has, and how many chunks."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from elastic_transport import ObjectApiResponse
from elasticsearch import ApiError, TransportError

from indexers.index.elasticsearch.client import Server
from indexers.index.elasticsearch.records import Head, head_of
from indexers.index.elasticsearch.state import State

PAGE = 1_000
"""Heads read at a time."""
BUCKETS = 20_000
KEEP = "10m"
"""For which it lives between two pages, since whoever reads may embed each document meanwhile."""
CLOSING_SECONDS = 2.0


class Snapshot:
    def __init__(self, server: Server, id: str) -> None:
        self.id = id
        self._server = server

    async def heads(self, query: Mapping[str, Any], page: int = PAGE) -> AsyncGenerator[Head, None]:
        """Those that match, in the order of their documents."""
        after: dict[str, Any] = {}
        while True:
            answer = await self._search(query=query, size=page, sort=["document"], **after)
            hits = answer["hits"]["hits"]
            for hit in hits:
                yield head_of(hit["_source"])
            if len(hits) < page:
                return
            after = {"search_after": hits[-1]["sort"]}

    async def counts(self, query: Mapping[str, Any], *fields: str) -> AsyncGenerator[tuple[tuple[str, ...], int], None]:
        """How many of the records that match have each combination of values in some fields."""
        sources = [{field: {"terms": {"field": field}}} for field in fields]
        after: dict[str, Any] = {}
        while True:
            every = {"composite": {"sources": sources, "size": BUCKETS, **after}}
            answer = await self._search(query=query, size=0, aggregations={"every": every})
            buckets = answer["aggregations"]["every"]["buckets"]
            for bucket in buckets:
                yield tuple(bucket["key"][field] for field in fields), bucket["doc_count"]
            if len(buckets) < BUCKETS:
                return
            after = {"after": buckets[-1]["key"]}

    async def _search(self, **body: Any) -> ObjectApiResponse[Any]:
        with self._server.faults():
            answer = await self._server.reader.search(
                pit={"id": self.id, "keep_alive": KEEP},
                track_total_hits=False,
                allow_partial_search_results=False,
                **body,
            )
        self.id = answer["pit_id"]
        return answer


@asynccontextmanager
async def snapshot(state: State) -> AsyncIterator[Snapshot]:
    """With all that was written until now, which every reader sees from then on."""
    server, names = state.server, state.names
    with server.faults():
        await server.writer.indices.refresh(index=names.write)
        opened = await server.reader.open_point_in_time(index=names.read, keep_alive=KEEP)
    found = Snapshot(server, opened["id"])
    try:
        yield found
    finally:
        closing = server.reader.options(request_timeout=CLOSING_SECONDS * server.patience, max_retries=0)
        with suppress(ApiError, TransportError):  # it ends by itself, and what is on its way says more
            await closing.close_point_in_time(id=found.id)
