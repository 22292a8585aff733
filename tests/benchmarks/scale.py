"""Memory while 100,000 chunks are indexed, on either backend; and the embedded index with 200,000.

The texts are SciFact's, again and again with shuffled words and shaken vectors, ten chunks a document; what is measured
runs in a process of its own.  Takes some minutes.  Needs FOOTNOTE_COLLECTIONS, and ELASTICSEARCH_URL for its part.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from bot.eval.collection import Collection, read
from bot.search import HybridSearch
from indexers.chunks import Chunk
from indexers.document import EVERYTHING, Document
from indexers.index import Entry, Fingerprint, Index
from indexers.index.elasticsearch import scratch_elasticsearch
from indexers.index.embedded import open_index
from tests.benchmarks.collection import GivenVectors, folders
from tests.benchmarks.table import Row, show

CHUNKS = 100_000
A_DOCUMENT = 10
PEAK = 400
LATENCY = 150
RESIDENT = 700
ROUNDS = 3


def run() -> list[Row]:
    scifact = [str(one) for one in folders() if one.name == "scifact"]
    if not scifact:
        return [Row("100,000 chunks: no SciFact in FOOTNOTE_COLLECTIONS", "", "", False)]
    with tempfile.TemporaryDirectory() as scratch:
        file = str(Path(scratch) / "index.sqlite")
        rows = [_peak("embedded", _child("fill", scifact[0], file, "0"))]
        _child("fill", scifact[0], file, str(CHUNKS))
        found = _child("search", scifact[0], file)
    if os.environ.get("ELASTICSEARCH_URL"):
        rows.append(_peak("Elasticsearch", _child("fill", scifact[0], "", "0")))
    what = f"embedded search, {2 * CHUNKS:,} chunks"
    p95, resident = found["p95"], found["resident"]
    return [
        *rows,
        Row(f"{what}, p95", f"{p95:.0f} ms", f"≤ {LATENCY} ms", p95 <= LATENCY),
        Row(f"{what}, p50", f"{found['p50']:.0f} ms", "", True),
        Row(f"{what}, memory of the process", f"{resident:.0f} MB", f"≤ {RESIDENT} MB", resident <= RESIDENT),
    ]


def _peak(backend: str, told: dict[str, float]) -> Row:
    speed = CHUNKS / told["seconds"]
    value = f"{told['resident']:.0f} MB ({speed:,.0f} chunks/s)"
    return Row(f"indexing {CHUNKS:,} chunks, {backend}, peak memory", value, f"≤ {PEAK} MB", told["resident"] <= PEAK)


def _child(*arguments: str) -> dict[str, float]:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.scale", *arguments], stdout=subprocess.PIPE, check=True, text=True
    )
    told: dict[str, float] = json.loads(ran.stdout)
    return told


async def _fill(collection: Collection, file: str, first: int) -> dict[str, float]:
    opened = open_index(Path(file), create=True) if file else scratch_elasticsearch(os.environ["ELASTICSEARCH_URL"])
    async with opened as index:
        return await _written(index, collection, first)


async def _written(index: Index, collection: Collection, first: int) -> dict[str, float]:
    began = time.perf_counter()
    async for outcome in index.write_all(_entries(collection, first)):
        assert outcome.written, outcome
    return {"seconds": time.perf_counter() - began, "resident": _resident()}


async def _entries(collection: Collection, first: int) -> AsyncIterator[Entry]:
    assert collection.embedded
    chance, noise = random.Random(first), np.random.default_rng(first)
    count, began = len(collection.documents), datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(first, first + CHUNKS, A_DOCUMENT):
        places = [(number + step) % count for step in range(A_DOCUMENT)]
        texts = []
        for place in places:
            words = collection.documents[place].text.split()
            if number >= count:
                chance.shuffle(words)
            texts.append(" ".join(words))
        vectors = collection.embedded.documents[places] + noise.normal(0, 0.02, (A_DOCUMENT, 384))
        vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        title, at = collection.documents[places[0]].title, began + timedelta(minutes=number)
        yield Entry(
            Document(f"files:{number}", "files", title, "\n\n".join(texts), at),
            [Chunk(ordinal, (), text) for ordinal, text in enumerate(texts)],
            vectors,
            Fingerprint("", "", collection.embedded.name),
        )


async def _search(collection: Collection, file: str) -> dict[str, float]:
    assert collection.embedded
    rounds = []
    async with open_index(Path(file)) as index:
        search = HybridSearch(index, GivenVectors(collection.queries, collection.embedded)).for_audience(EVERYTHING)
        await search.search(collection.queries[0].text)
        for _ in range(ROUNDS):
            times = []
            for query in collection.queries:
                began = time.perf_counter()
                assert (await search.search(query.text)).hits
                times.append((time.perf_counter() - began) * 1000)
            rounds.append(np.percentile(times, [50, 95]))
    p50, p95 = sorted(rounds, key=lambda one: float(one[1]))[ROUNDS // 2]
    return {"p50": float(p50), "p95": float(p95), "resident": _resident()}


def _resident() -> float:
    """The most memory that this process has had, in MB."""
    [line] = [one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def _child_main(act: str, folder: str, file: str, first: str = "0") -> None:
    collection = read(Path(folder))
    work = _fill(collection, file, int(first)) if act == "fill" else _search(collection, file)
    sys.stdout.write(json.dumps(asyncio.run(work)))


if __name__ == "__main__":
    if sys.argv[1:]:
        _child_main(*sys.argv[1:])
    else:
        sys.stdout.write(show(run()) + "\n")
