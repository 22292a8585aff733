"""The store as a small index in Elasticsearch, for several replicas of the bot.

A get sees what was written last, whoever wrote it.  A search sees what was written before the last refresh, so each is
preceded by one, which costs next to nothing where nothing was written.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from elastic_transport import TransportError
from elasticsearch import ApiError, BadRequestError, ConflictError, NotFoundError, UnsupportedProductError

from bot.store.documents import Document, Kind, StoreError
from bot.store.migration import place_of_run
from bot.store.sources import PROPERTIES, SETTINGS, document_of, key_of, source_of
from indexers.index import IndexFault
from indexers.index.elasticsearch.client import BLOCKED, Server, connected, fault, kind_of

SCHEMA = 2
"""Raise it when the mapping changes: what is there is brought forward when it is opened."""
SECONDS = 8.0
"""Of one request; somebody waits for each."""
PAUSES = (0.1, 0.4)
"""Seconds before a write is tried again of which nobody knows whether it took effect."""
OPENING = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""Seconds between two looks whether an index can be read already."""
PAGE = 500
_PASSING = (429, 502, 503, 504)


class _Unknown(StoreError):
    """Nobody knows whether the request took effect."""


class ElasticsearchDocuments:
    """Made by `open_documents`."""

    def __init__(self, server: Server, index: str) -> None:
        """`index` is an alias: a write to what is gone makes nothing."""
        self._server = server
        self._client = server.reader.options(request_timeout=SECONDS * server.patience)
        self._once = self._client.options(max_retries=0)
        self._index = index

    async def create(self, kind: Kind, id: str, document: Document) -> bool:
        return await self._write(kind, id, document, op_type="create")

    async def get(self, kind: Kind, id: str) -> Document | None:
        found = await self._get(kind, id)
        return document_of(found) if found else None

    async def put(self, kind: Kind, id: str, document: Document) -> None:
        await self._write(kind, id, document)

    async def replace(self, kind: Kind, id: str, document: Document) -> bool:
        number, term = document.version
        return await self._write(kind, id, document, if_seq_no=number, if_primary_term=term)

    async def delete(self, kind: Kind, id: str) -> None:
        with _faults(self._server):
            await self._client.options(ignore_status=404).delete(index=self._index, id=key_of(kind, id))

    async def find(
        self,
        kind: Kind,
        *,
        status: str = "",
        user: str = "",
        place: str = "",
        begins: str = "",
        before: float | None = None,
        limit: int = 100,
    ) -> list[tuple[str, Document]]:
        terms = {"kind": kind, "status": status, "user": user, "place": place}
        filters: list[Any] = [{"term": {name: value}} for name, value in terms.items() if value]
        if begins:
            filters.append({"prefix": {"id": begins}})
        if before is not None:
            filters.append({"range": {"at": {"lt": before}}})
        with _faults(self._server):
            await self._client.indices.refresh(index=self._index)
            found = await self._client.search(
                index=self._index,
                query={"bool": {"filter": filters}},
                sort=[{"at": "desc"}, {"id": "asc"}],
                size=limit,
                seq_no_primary_term=True,
                track_total_hits=False,
            )
        return [(str(hit["_source"]["id"]), document_of(hit)) for hit in found["hits"]["hits"]]

    async def prune(self, kind: Kind, before: float, *, statuses: Sequence[str] = ()) -> None:
        filters: list[Any] = [{"term": {"kind": kind}}, {"range": {"at": {"lt": before}}}]
        if statuses:
            filters.append({"terms": {"status": list(statuses)}})
        await self._delete_all({"bool": {"filter": filters}})

    async def clear(self) -> None:
        await self._delete_all({"match_all": {}})

    async def everything(self) -> AsyncIterator[tuple[Kind, str, Document]]:
        """All that is kept, as it stands at one moment."""
        with _faults(self._server):
            await self._client.indices.refresh(index=self._index)
            moment = (await self._client.open_point_in_time(index=self._index, keep_alive="5m"))["id"]
            after: dict[str, Any] = {}
            try:
                while hits := await self._at(moment, after):
                    for hit in hits:
                        yield hit["_source"]["kind"], str(hit["_source"]["id"]), document_of(hit)
                    after = {"search_after": hits[-1]["sort"]}
            finally:
                await self._client.options(ignore_status=404).close_point_in_time(id=moment)

    async def _at(self, moment: str, after: dict[str, Any]) -> list[dict[str, Any]]:
        pit = {"id": moment, "keep_alive": "5m"}
        found = await self._client.search(pit=pit, sort=["_shard_doc"], size=PAGE, seq_no_primary_term=True, **after)
        hits: list[dict[str, Any]] = found["hits"]["hits"]
        return hits

    async def _delete_all(self, query: dict[str, Any]) -> None:
        """Delete what is found now, but for what is written at the same moment."""
        with _faults(self._server):
            await self._client.indices.refresh(index=self._index)
            after: dict[str, Any] = {}
            while hits := await self._page(query, after):
                deletions = [{"delete": {"_id": hit["_id"], **_unchanged(hit)}} for hit in hits]
                await self._client.bulk(index=self._index, operations=deletions)
                after = {"search_after": hits[-1]["sort"]}

    async def _page(self, query: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
        sort = [{"kind": "asc"}, {"id": "asc"}]
        found = await self._client.search(
            index=self._index, query=query, sort=sort, size=PAGE, source=False, seq_no_primary_term=True, **after
        )
        hits: list[dict[str, Any]] = found["hits"]["hits"]
        return hits

    async def _get(self, kind: Kind, id: str) -> Mapping[str, Any] | None:
        with _faults(self._server):
            found = (await self._client.options(ignore_status=404).get(index=self._index, id=key_of(kind, id))).body
        if kind_of(found):
            raise StoreError(_gone(self._server))
        return found if found["found"] else None

    async def _write(self, kind: Kind, id: str, document: Document, **how: Any) -> bool:
        """Whether it was written.  Where no answer comes nobody knows, so it is looked for before the next try."""
        mark = uuid.uuid4().hex
        source = source_of(kind, id, document, mark)
        unknown: StoreError | None = None
        for pause in (0.0, *PAUSES):
            if unknown is not None:
                await asyncio.sleep(pause * self._server.patience)
                if await self._holds(kind, id, mark):
                    return True
            try:
                with _faults(self._server):
                    await self._once.index(
                        index=self._index, id=key_of(kind, id), document=source, require_alias=True, **how
                    )
                return True
            except ConflictError:  # It may be with ourselves: aiohttp, too, sends again where a connection broke.
                return await self._holds(kind, id, mark)
            except _Unknown as error:
                unknown = error
        raise unknown or AssertionError

    async def _holds(self, kind: Kind, id: str, mark: str) -> bool:
        found = await self._get(kind, id)
        return found is not None and found["_source"]["write"] == mark


@asynccontextmanager
async def open_documents(
    url: str, *, api_key: str = "", ca_certs: Path | None = None, prefix: str = "footnote", patience: float = 1.0
) -> AsyncIterator[ElasticsearchDocuments]:
    """The documents in the index `<prefix>-state` of the Elasticsearch at `url`, made where it is missing.

    `patience` multiplies every limit and pause.  Raises `StoreError` where the server or the index is of no use.
    """
    name = f"{prefix}-state"
    try:
        async with connected(url, api_key=api_key, ca_certs=ca_certs, patience=patience) as server:
            with _faults(server):
                await _prepare(server, name)
            documents = ElasticsearchDocuments(server, name)
            await _answers(documents, patience)
            yield documents
    except IndexFault as error:
        raise StoreError(str(error)) from error


async def _prepare(server: Server, name: str) -> None:
    try:
        described = await server.reader.indices.get_mapping(index=name)
    except NotFoundError:
        await _make(server, name)
        described = await server.reader.indices.get_mapping(index=name)
    [(index, about)] = described.items()
    schema = int(about["mappings"].get("_meta", {}).get("schema", 0))
    if schema > SCHEMA:
        raise StoreError(
            f"The state in Elasticsearch ({name}) was written by a newer Footnote (schema {schema}, this one knows "
            f"{SCHEMA}); update Footnote, or set ELASTICSEARCH_PREFIX to another name."
        )
    if schema < SCHEMA:
        await server.writer.indices.put_mapping(index=index, properties=PROPERTIES)
        await _give_places(ElasticsearchDocuments(server, name))
        await server.writer.indices.put_mapping(index=index, meta={"schema": SCHEMA})


async def _give_places(documents: ElasticsearchDocuments) -> None:
    """What another process writes meanwhile has its place then, too."""
    async for kind, id, document in documents.everything():
        if kind == "run" and not document.place:
            await documents.replace(kind, id, replace(document, place=place_of_run(document)))


async def _answers(documents: ElasticsearchDocuments, patience: float) -> None:
    """Wait a little for an index that another process has just made, or that its server is just opening."""
    for pause in OPENING:
        try:
            await documents.get("mark", "opened")
            return
        except _Unknown:
            await asyncio.sleep(pause * patience)
    await documents.get("mark", "opened")


async def _make(server: Server, name: str) -> None:
    mappings = {"dynamic": "strict", "_meta": {"schema": SCHEMA}, "properties": PROPERTIES}
    try:
        await server.writer.indices.create(
            index=f"{name}-1", aliases={name: {"is_write_index": True}}, settings=SETTINGS, mappings=mappings
        )
    except BadRequestError as error:  # Another process was first.
        if error.error != "resource_already_exists_exception":
            raise


@contextmanager
def _faults(server: Server) -> Iterator[None]:
    """Turns the client's errors into ours, but for `ConflictError`."""
    try:
        yield
    except ConflictError:
        raise
    except (ApiError, TransportError, UnsupportedProductError) as error:
        raise _error(error, server) from error


def _error(error: Exception, server: Server) -> StoreError:
    kind = kind_of(error.body) if isinstance(error, ApiError) else ""
    if kind == "index_not_found_exception":
        return StoreError(_gone(server))
    if kind == BLOCKED:
        return StoreError(
            f"The state in the Elasticsearch at {server.address} is read-only; see whether its disk is full."
        )
    told = str(fault(error, server.address))
    return StoreError(told) if isinstance(error, ApiError) and error.status_code not in _PASSING else _Unknown(told)


def _gone(server: Server) -> str:
    return f"The state in the Elasticsearch at {server.address} is gone; restart `footnote run`, which makes it anew."


def _unchanged(hit: Mapping[str, Any]) -> dict[str, int]:
    return {"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]}
