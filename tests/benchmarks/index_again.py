"""A second `footnote index files` of 5,000 unchanged files against the first, with the embeddings of all-MiniLM-L6-v2.

In process, on the embedded index, and on Elasticsearch where ELASTICSEARCH_URL names one.  The model is fetched into
the cache of the tests where it is not there yet.  Takes minutes, nearly all of them for the first run.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

from indexers.embedding import Embedder
from indexers.embedding.minilm import MiniLmEmbedder
from indexers.index import Index
from indexers.index.elasticsearch import scratch_elasticsearch
from indexers.index.embedded import open_index
from indexers.reading import Extractor
from indexers.sources.files import Files
from indexers.sync import Report, sync
from tests.benchmarks.index_files import make
from tests.benchmarks.table import Row, show
from tests.fakes.minilm import fetched_minilm

FILES = 5_000
BAR = 0.05


def run(files: int = FILES) -> list[Row]:
    embedder = MiniLmEmbedder(fetched_minilm())
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "documents"
        make(folder, files)
        opened: dict[str, Callable[[], AbstractAsyncContextManager[Index]]] = {
            "embedded": partial(open_index, Path(scratch) / "index.sqlite", create=True)
        }
        if url := os.environ.get("ELASTICSEARCH_URL"):
            opened["Elasticsearch"] = partial(scratch_elasticsearch, url)
        return [asyncio.run(_row(name, open_, folder, files, embedder)) for name, open_ in opened.items()]


async def _row(
    name: str, opened: Callable[[], AbstractAsyncContextManager[Index]], folder: Path, files: int, embedder: Embedder
) -> Row:
    async with opened() as index:
        first, report = await _timed(folder, index, embedder)
        assert (report.written, report.failed) == (files, [])
        again, report = await _timed(folder, index, embedder)
        assert (report.unchanged, report.written) == (files, 0)
    what = f"index {files:,} unchanged files with embeddings ÷ the first time, {name}"
    return Row(what, f"{again / first:.3f} ({again:.1f} s / {first:.1f} s)", f"≤ {BAR}", again / first <= BAR)


async def _timed(folder: Path, index: Index, embedder: Embedder) -> tuple[float, Report]:
    async with Extractor() as extractor:
        began = time.perf_counter()
        report = await sync(Files([folder], extractor), index, embedder)
        return time.perf_counter() - began, report


if __name__ == "__main__":
    rows = run()
    sys.stdout.write(show(rows) + "\n")
    sys.exit(not all(row.ok for row in rows))
