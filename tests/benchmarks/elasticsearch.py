"""Search and indexing on Elasticsearch against bare requests to the same server, in one run: ratios.

SciFact with its vectors, every ten documents one thread.  Needs ELASTICSEARCH_URL and FOOTNOTE_COLLECTIONS.  Client and
server share the machine, so what the client works is in the figures.  Every search is timed while the index stays as it
is, after the same was asked before, as the server, too, has seen every request before; and in rows of their own, where
its words were not looked for before in the passages that it finds; and as the first of an index that has just been
opened, which knows no passage and no word yet.
"""

import os
import statistics
import sys
import time
from asyncio import run as run_loop
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias
from uuid import uuid4

from elasticsearch import AsyncElasticsearch
from elasticsearch.helpers import async_streaming_bulk

from bot.eval.collection import Collection, Text, read
from bot.search import Fusion, HybridSearch, snippets
from bot.search.hybrid import AudienceSearch
from indexers.chunks import Chunk
from indexers.document import EVERYTHING, Document
from indexers.index import Entry, Filter, Fingerprint, Index
from indexers.index.elasticsearch import ElasticsearchIndex, each, open_elasticsearch, queries, records
from indexers.index.elasticsearch.client import connected
from indexers.index.elasticsearch.mapping import Names
from indexers.index.elasticsearch.writing import REQUEST_BYTES
from tests.benchmarks import peers
from tests.benchmarks.collection import GivenVectors, folders
from tests.benchmarks.table import Row, calibration, show

QUERIES = 60
ROUNDS = 6
"""Of which the first two warm the server."""
WARM = 2
HYBRID = ("whole", "plain fusion")
WRITTEN = 3_000
LIMIT = 20
PLAIN = Fusion(completion=False, feedback=0.0)
ALL = Filter(EVERYTHING)
BARE = ["hits.hits._score", "hits.hits.fields"]

Act: TypeAlias = Callable[[Text], Awaitable[object]]
Write: TypeAlias = Callable[[ElasticsearchIndex, Sequence[Entry], AsyncElasticsearch, str], Awaitable[float]]


def run() -> list[Row]:
    url, scifact = os.environ.get("ELASTICSEARCH_URL", ""), [one for one in folders() if one.name == "scifact"]
    if not url or not scifact:
        return [Row("Elasticsearch: no ELASTICSEARCH_URL, or no SciFact in FOOTNOTE_COLLECTIONS", "", "", False)]
    return run_loop(_measured(url, read(scifact[0])))


async def _measured(url: str, collection: Collection) -> list[Row]:
    prefix = f"footnote-benchmark-{uuid4().hex}"
    async with open_elasticsearch(url, prefix=prefix, create=True) as index, connected(url) as server:
        try:
            async for outcome in index.write_all(entries(collection)):
                assert outcome.written, outcome
            await peers.fill(server.writer, f"{prefix}-peers", collection)
            times = await _times(url, prefix, collection)
        finally:
            await server.writer.indices.delete(index=f"{prefix}-peers", ignore_unavailable=True)
            await index.remove()
    leg = max(times["lexical"], times["dense"])
    without = times["plain fusion without threads"]
    alone = "one list alone, 100 hits without text (lexical / dense)"

    def both(when: str) -> str:
        return " / ".join(f"{times[f'{name}, {when}'] / leg:.2f}" for name in HYBRID)

    return [
        Row(alone, _both(times, "lexical", "dense"), "", True),
        Row(f"{alone}, fetched as we do", _both(times, "lexical, as we do", "dense, as we do"), "", True),
        _ratio("hybrid search, whole ÷ the slower list alone", times["whole"], leg, 2.0),
        _ratio("hybrid search, plain fusion ÷ the slower list alone", times["plain fusion"], leg, 1.3),
        Row("both, for words that were never looked for ÷ the slower list alone", both("new words"), "", True),
        Row("both, as the first search of an index just opened ÷ the slower list alone", both("first"), "", True),
        *(_ratio(f"plain fusion, no threads ÷ {name}", without, times[name], 0.8) for name in peers.PEERS),
        *await _bulk(url, collection),
    ]


async def _times(url: str, prefix: str, collection: Collection) -> dict[str, float]:
    """Milliseconds of each way to search, medians."""
    times: dict[str, list[float]] = defaultdict(list)
    async with open_elasticsearch(url, prefix=prefix) as index, connected(url) as server:
        acts = _ways(index, collection) | _bare(server.reader, prefix, collection)
        for round_ in range(ROUNDS):
            for query in collection.queries[:QUERIES]:
                spent = {name: await _spent(act, query) for name, act in acts.items()}
                if round_ >= WARM:
                    _add(times, spent)
        for query in collection.queries[:QUERIES]:
            for name in HYBRID:
                _forget_words()
                _add(times, {f"{name}, new words": await _spent(acts[name], query)})
            _add(times, await _first(url, prefix, collection, query))
    return {name: statistics.median(of_one) for name, of_one in times.items()}


def _add(times: dict[str, list[float]], spent: Mapping[str, float]) -> None:
    for name, milliseconds in spent.items():
        times[name].append(milliseconds)


def _forget_words() -> None:
    """As if none had been looked for in any passage."""
    for remembered in (snippets._folded, snippets._beginning, snippets._foreign):
        remembered.cache_clear()


async def _first(url: str, prefix: str, collection: Collection, query: Text) -> dict[str, float]:
    spent = {}
    for name in HYBRID:
        async with open_elasticsearch(url, prefix=prefix) as index:
            _forget_words()
            spent[f"{name}, first"] = await _spent(_ways(index, collection)[name], query)
    return spent


async def _spent(act: Act, query: Text) -> float:
    began = time.perf_counter()
    await act(query)
    return (time.perf_counter() - began) * 1000


def _ways(index: Index, collection: Collection) -> dict[str, Act]:
    assert collection.embedded
    embedder = GivenVectors(collection.queries, collection.embedded, collection.embedded.floor)
    whole = HybridSearch(index, embedder).for_audience(EVERYTHING)
    plain = HybridSearch(index, embedder, fusion=PLAIN).for_audience(EVERYTHING)
    without = HybridSearch(index, embedder, fusion=PLAIN, thread_cap=0).for_audience(EVERYTHING)

    def act(search: AudienceSearch, *, threads: bool = True) -> Act:
        async def act(query: Text) -> None:
            found = await search.search(query.text, limit=LIMIT)
            assert len(found.hits) == LIMIT
            assert not found.warnings
            assert bool(found.hits[0].thread_context) == threads

        return act

    return {
        "whole": act(whole),
        "plain fusion": act(plain),
        "plain fusion without threads": act(without, threads=False),
    }


def _bare(client: AsyncElasticsearch, prefix: str, collection: Collection) -> dict[str, Act]:
    """Each list alone, as a plain search with nothing but `_source: false`, and with what spares us most of the
    fetching; and other libraries."""
    assert collection.embedded
    vectors = dict(zip((one.id for one in collection.queries), collection.embedded.queries, strict=True))
    index = Names.of(prefix).read

    def alone(**fetched: Any) -> tuple[Act, Act]:
        async def search(**body: Any) -> int:
            found = await client.search(index=index, size=100, source=False, **fetched, **body)
            return len(found["hits"]["hits"])

        async def lexical(query: Text) -> None:
            words = queries.words(queries.asked(query.text))
            assert await search(query={"bool": {"must": [words], "filter": queries.clauses(ALL)}})

        async def dense(query: Text) -> None:
            near = {"field": "embedding", "query_vector": vectors[query.id], "k": 100}
            near |= {"num_candidates": queries.CANDIDATES, "filter": queries.clauses(ALL)}
            assert await search(knn=near) == 100

        return lexical, dense

    lexical, dense = alone()
    lexical_bare, dense_bare = alone(stored_fields="_none_", **queries.PLACE, track_total_hits=False, filter_path=BARE)

    def act(search: peers.Search) -> Act:
        async def act(query: Text) -> None:
            assert len(await search(client, f"{prefix}-peers", query.text, vectors[query.id].tolist())) == LIMIT

        return act

    lists = {"lexical": lexical, "dense": dense, "lexical, as we do": lexical_bare, "dense, as we do": dense_bare}
    return lists | {name: act(search) for name, search in peers.PEERS.items()}


async def _bulk(url: str, collection: Collection) -> list[Row]:
    """Our writing, against the same records sent without a question."""
    written = [entry async for entry in entries(collection)][:WRITTEN]
    ours, bare = [], []
    for _ in range(ROUNDS - WARM):
        ours.append(await _timed(url, written, _write))
        bare.append(await _timed(url, written, _send))
    ratio = statistics.median(bare) / statistics.median(ours)
    speed = f"{ratio:.2f} ({len(written) / statistics.median(ours):,.0f} documents/s)"
    return [Row("indexing with vectors ÷ bare async_streaming_bulk, throughput", speed, "≥ 0.9", ratio >= 0.9)]


async def _timed(url: str, written: Sequence[Entry], write: Write) -> float:
    """Seconds in an index of its own, which has its first document already."""
    prefix = f"footnote-benchmark-{uuid4().hex}"
    async with open_elasticsearch(url, prefix=prefix, create=True) as index, connected(url) as server:
        try:
            await _write(index, written[:1], server.writer, prefix)
            return await write(index, written[1:], server.writer, prefix)
        finally:
            await index.remove()


async def _write(index: ElasticsearchIndex, written: Sequence[Entry], client: AsyncElasticsearch, prefix: str) -> float:
    began = time.perf_counter()
    async for outcome in index.write_all(each(written)):
        assert outcome.written, outcome
    return time.perf_counter() - began


async def _send(index: ElasticsearchIndex, written: Sequence[Entry], client: AsyncElasticsearch, prefix: str) -> float:
    actions = [action for entry in written for action in _actions(entry)]
    name = Names.of(prefix).write
    began = time.perf_counter()
    async for ok, item in async_streaming_bulk(client, actions, index=name, max_chunk_bytes=REQUEST_BYTES):
        assert ok, item
    await client.indices.refresh(index=name)
    return time.perf_counter() - began


def _actions(entry: Entry) -> Iterator[dict[str, Any]]:
    chunks = records.chunk_records(entry)
    head = records.new_head(entry, chunks)
    assert head.holds
    for id, chunk in zip(records.chunk_ids(head.document, head.holds), chunks, strict=True):
        yield {"_op_type": "index", "_id": id, **chunk, **records.packed(chunk, head.holds.name)}
    yield {"_op_type": "create", "_id": records.head_id(head.document), "_source": head.record()}


async def entries(collection: Collection) -> AsyncIterator[Entry]:
    """Every ten documents one thread."""
    assert collection.embedded
    began, name = datetime(2026, 1, 1, tzinfo=UTC), collection.embedded.name
    for number, one in enumerate(collection.documents):
        document = Document(
            id=f"files:{one.id}",
            source="files",
            title=one.title,
            text=one.text,
            timestamp=began + timedelta(minutes=number),
            participants=("Ada Lovelace",),
            thread_id=f"thread {number // 10}",
            access=frozenset({"workspace"}),
        )
        vectors = collection.embedded.documents[number : number + 1]
        yield Entry(document, [Chunk(0, (), one.text)], vectors, Fingerprint("", "", name))


def _ratio(what: str, ours: float, theirs: float, bar: float) -> Row:
    return Row(what, f"{ours / theirs:.2f} ({ours:.1f} ms)", f"≤ {bar}", ours / theirs <= bar)


def _both(times: Mapping[str, float], *names: str) -> str:
    return f"{' / '.join(f'{times[name]:.1f}' for name in names)} ms"


if __name__ == "__main__":
    rows = [calibration(), *run()]
    sys.stdout.write(show(rows) + "\n")
    sys.exit(not all(row.ok for row in rows))
