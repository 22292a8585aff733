"""The index in Elasticsearch 9: one record a chunk, and one a document that says which of them hold.

A search goes `passes` (two lists, completed) → `vocabulary` (which words say nothing) → `queries` (what is asked) →
`searching` (one request) → `hidden` (what may not be seen); then `reading` (passages, threads) → `memory` (what is not
read twice while the index stays as it is) → `ahead` (threads that were read with the passages, for the next step).

A document comes in by `writing`, in `groups` of several, as the records that `records` makes for `mapping`; `strays`
finds what a dead writer left.  Nothing here needs a paid licence; who may read what is our own filter's to say.
"""

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Collection,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from elasticsearch import AuthorizationException

from indexers.chunks import Chunk
from indexers.document import Audience, Document
from indexers.embedding import Vectors
from indexers.index import (
    Completion,
    Entry,
    Filter,
    Fingerprint,
    IndexFault,
    IndexMissing,
    Outcome,
    Passage,
    Question,
    Ranking,
    Surroundings,
    degraded_by,
)
from indexers.index.elasticsearch import mapping, reading, removals, strays
from indexers.index.elasticsearch.client import Busy, Server, connected
from indexers.index.elasticsearch.mapping import Meta, Names
from indexers.index.elasticsearch.passes import Passes
from indexers.index.elasticsearch.searching import Searches
from indexers.index.elasticsearch.state import State
from indexers.index.elasticsearch.visits import read_at, visited, visits
from indexers.index.elasticsearch.writing import Writing

__all__ = ["ElasticsearchIndex", "open_elasticsearch", "scratch_elasticsearch"]

PREFIX = "footnote"
ANALYZER = "english"
STARTING = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds between looks at a new index."""


@asynccontextmanager
async def open_elasticsearch(
    url: str,
    *,
    api_key: str = "",
    ca_certs: Path | None = None,
    prefix: str = PREFIX,
    analyzer: str = ANALYZER,
    create: bool = False,
    patience: float = 1.0,
) -> "AsyncIterator[ElasticsearchIndex]":
    """The index whose names begin with `prefix`, in the Elasticsearch at `url`; `create` makes it, for whoever writes.

    `analyzer` is the language of the texts, as Elasticsearch names it; `patience` multiplies every limit and pause, for
    a server that is slow.  Raises `IndexMissing` where nothing was indexed
    yet, `IndexMismatch` where it was made otherwise, and other `IndexFault`s where the server is of no use.
    """
    names = Names.of(prefix)
    async with connected(url, api_key=api_key, ca_certs=ca_certs, patience=patience) as server:
        yield await _opened(server, names, analyzer, create=create)


@asynccontextmanager
async def scratch_elasticsearch(
    url: str, *, api_key: str = "", ca_certs: Path | None = None, prefix: str = PREFIX, analyzer: str = ANALYZER
) -> "AsyncIterator[ElasticsearchIndex]":
    """An empty index beside the one whose names begin with `prefix`; it is gone afterwards, however that comes."""
    names = Names.of(f"{prefix}-scratch-{uuid4().hex}")
    async with connected(url, api_key=api_key, ca_certs=ca_certs) as server:
        try:
            index = await _opened(server, names, analyzer, create=True)
        except asyncio.CancelledError:
            await _remove(server, names)
            raise
        try:
            yield index
        finally:
            await _remove(server, names)


async def _opened(server: Server, names: Names, analyzer: str, *, create: bool) -> "ElasticsearchIndex":
    meta = await _meta(server, names, analyzer, create)
    mapping.check(meta, analyzer)
    index = ElasticsearchIndex(State(server, names, meta))
    await index.begin()
    return index


async def _remove(server: Server, names: Names) -> None:
    """Removes every version of an index; gives up soon, since somebody waits for the end."""
    with server.faults():
        for index in await server.reader.indices.get(index=f"{names.prefix}-v*", features=["aliases"]):
            if names.number_of(index) is not None:
                await server.reader.indices.delete(index=index)


async def _meta(server: Server, names: Names, analyzer: str, create: bool) -> Meta:
    with server.faults():
        found = await mapping.read_meta(server.reader, names.read)
        if found is None and create:
            await mapping.create(server.writer, names.version(1), analyzer, names)
            found = await mapping.read_meta(server.reader, names.read)
    if found is None:
        raise IndexMissing(
            f"There is no index {names.read} in the Elasticsearch at {server.address}; make one with `footnote index "
            "files PATH`, or bring the one that you have there with `footnote index migrate`."
        )
    return found[1]


class ElasticsearchIndex:
    """Made by `open_elasticsearch`."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._searches = Searches(state.server, state.names)
        self._passes = Passes(self._searches)

    async def begin(self) -> None:
        """Shows what a dead writer may have left unshown; an index that another process has just made is waited for."""
        for pause in STARTING:
            with suppress(Busy):
                return await self._look()
            await asyncio.sleep(pause)
        return await self._look()

    async def _look(self) -> None:
        with self._state.server.faults(), suppress(AuthorizationException):  # a key may be good for searches only
            await self._state.server.reader.indices.refresh(index=self._state.names.read)
        await self._searches.run([], ())

    async def rank(self, question: Question, where: Filter, k: int, *, again: bool = False) -> Ranking:
        dimensions = (await self._state.now()).dimensions
        ranking = await self._passes.rank(question, where, k, dimensions=dimensions, again=again)
        return replace(ranking, degraded=(*ranking.degraded, *degraded_by(question, dimensions)))

    async def complete(
        self, question: Question, chunks: Collection[str], where: Filter, *, refined: Vectors | None = None, k: int = 0
    ) -> Completion:
        dimensions = self._state.meta.dimensions
        return await self._passes.complete(question, chunks, where, refined, k, dimensions=dimensions)

    async def vectors(self, chunks: Sequence[str]) -> dict[str, Vectors]:
        return await self._passes.vectors(chunks) if chunks else {}

    async def recent(self, where: Filter, k: int, *, upcoming: bool = False) -> list[str]:
        return await reading.recent(self._searches, where, k, upcoming=upcoming)

    async def linked(self, urls: Collection[str], where: Filter, k: int) -> list[str]:
        return await reading.linked(self._searches, urls, where, k)

    async def passages(
        self, chunks: Sequence[str], where: Filter, *, threads: int = 0, moment: Hashable = None
    ) -> dict[str, Passage]:
        return await reading.passages(self._searches, chunks, where, threads, moment)

    async def around(self, passages: Sequence[Passage], audience: Audience, k: int) -> dict[str, Surroundings]:
        return await reading.around(self._searches, passages, audience, k)

    async def sources(self, audience: Audience) -> list[str]:
        return await reading.sources(self._searches, audience)

    async def read_at(self, audience: Audience) -> dict[str, datetime]:
        return await read_at(self._searches, audience)

    async def embedding(self) -> str:
        return (await self._state.now()).embedding

    async def expect(self, embedding: str) -> None:
        await self._state.look()
        mapping.expect(self._state.meta, embedding)

    async def fingerprints(self, scopes: Sequence[str]) -> dict[str, Fingerprint]:
        return await strays.fingerprints(self._state, scopes)

    async def visited(self, visits: Mapping[str, datetime]) -> None:
        await visited(self._state, visits)

    async def visits(self) -> dict[str, datetime]:
        return await visits(self._state)

    async def count(self) -> int:
        held = {"exists": {"field": "generation"}}
        with self._state.server.faults():
            answer = await self._state.server.reader.count(index=self._state.names.read, query=held)
        return int(answer["count"])

    async def stored(self) -> AsyncGenerator[Entry, None]:
        async with aclosing(reading.heads(self._state, reading.every_head(), reading.SHORT_PAGE)) as heads:
            async for head in heads:
                if (entry := await reading.entry(self._state, head)) is not None:
                    yield entry

    async def write(
        self, document: Document, chunks: Sequence[Chunk], vectors: Vectors | None, fingerprint: Fingerprint
    ) -> None:
        await self._write_one(Entry(document, chunks, vectors, fingerprint))

    async def describe(self, document: Document, fingerprint: Fingerprint) -> None:
        await self._write_one(Entry(document, None, None, fingerprint))

    async def delete(self, documents: Iterable[str]) -> int:
        removed, failures = 0, []
        async with aclosing(self._written(each(documents))) as outcomes:
            async for outcome in outcomes:
                removed += outcome.written
                failures += [outcome.failure] if outcome.failure else []
        if removed:
            await removals.forget(self._state)
        if failures:
            told = "A document" if len(failures) == 1 else f"{len(failures)} documents"
            raise IndexFault(f"{told} could not be removed: {failures[0]}.")
        return removed

    async def write_all(self, entries: AsyncIterable[Entry]) -> AsyncGenerator[Outcome, None]:
        async with aclosing(self._written(entries)) as outcomes:
            async for outcome in outcomes:
                yield outcome

    async def remove(self) -> None:
        """Remove the whole index, and every version of it."""
        await _remove(self._state.server, self._state.names)

    async def _write_one(self, entry: Entry) -> None:
        async with aclosing(self._written(each([entry]))) as outcomes:
            failures = [outcome.failure async for outcome in outcomes if outcome.failure]
        if failures:
            raise IndexFault(f"The document could not be written: {failures[0]}.")

    def _written(self, entries: AsyncIterable[Entry | str]) -> AsyncGenerator[Outcome, None]:
        self._passes.forget()
        self._searches.forget()
        return Writing(self._state)(entries)


async def each(items: Iterable[Entry | str]) -> AsyncGenerator[Entry | str, None]:
    for item in items:
        yield item
