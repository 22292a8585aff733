"""Quality on collections with judgements, on every backend: `python -m tests.benchmarks.retrieval DIR…`.

DIR is a folder such as `scifact` or `cranfield`, or one that holds them; else FOOTNOTE_COLLECTIONS names it.  Where
ELASTICSEARCH_URL names a server, it is measured too.  Beside what `footnote eval retrieval` measures, the steps of the
fusion.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bot.eval.collection import Collection, read
from bot.eval.metrics import Metrics
from bot.eval.retrieval import fill, fused, legs
from bot.search import Fusion
from indexers.index import Index
from indexers.index.elasticsearch import scratch_elasticsearch
from indexers.index.embedded import open_index
from tests.benchmarks.collection import folders, silent
from tests.benchmarks.table import Row, show

BARS = {"scifact": 0.735, "cranfield": 0.440}
APART = 0.01
SHAPES = {
    "reciprocal rank": Fusion(reciprocal_rank=True, completion=False, feedback=0.0),
    "plain min-max": Fusion(completion=False, feedback=0.0),
    "completed": Fusion(feedback=0.0),
    "completed, with feedback": Fusion(),
}
FUSED = "completed, with feedback"


def run(named: Sequence[Path] = ()) -> list[Row]:
    return [row for folder in folders(named) for row in asyncio.run(_measured(folder))]


async def _measured(folder: Path) -> list[Row]:
    collection, rows, reached = read(folder), [], []
    for backend in ("embedded", *(["Elasticsearch"] if os.environ.get("ELASTICSEARCH_URL") else [])):
        async with _empty(backend) as index:
            await fill(index, collection, silent)
            figures = await _figures(index, collection)
        rows += [_row(folder.name, backend, shape, figures) for shape in figures]
        reached.append(figures[FUSED].ndcg)
    if len(reached) > 1:
        apart = max(reached) - min(reached)
        rows.append(Row(f"{folder.name}: between the backends", f"{apart:.4f}", f"≤ {APART}", apart <= APART))
    return rows


@asynccontextmanager
async def _empty(backend: str) -> AsyncIterator[Index]:
    if backend == "embedded":
        with tempfile.TemporaryDirectory() as scratch:
            async with open_index(Path(scratch) / "index.sqlite", create=True) as index:
                yield index
    else:
        async with scratch_elasticsearch(os.environ["ELASTICSEARCH_URL"]) as index:
            yield index


async def _figures(index: Index, collection: Collection) -> dict[str, Metrics]:
    lexical, dense = await legs(index, collection, silent)
    shapes = {shape: await fused(index, collection, fusion, progress=silent) for shape, fusion in SHAPES.items()}
    return {"lexical": lexical, "dense": dense, **shapes}


def _row(name: str, backend: str, shape: str, figures: dict[str, Metrics]) -> Row:
    one = figures[shape]
    value = f"nDCG@10 {one.ndcg:.4f}  recall@100 {one.recall:.4f}  MRR {one.mrr:.4f}"
    if shape != FUSED:
        return Row(f"{name}, {backend}: {shape}", value, "", True)
    bar = max(BARS.get(name, 0.0), figures["lexical"].ndcg, figures["dense"].ndcg)
    return Row(f"{name}, {backend}: {shape}", value, f"nDCG@10 ≥ {bar:.3f}", one.ndcg >= bar)


if __name__ == "__main__":
    rows = run([Path(one) for one in sys.argv[1:]])
    sys.stdout.write((show(rows) if rows else "No collection: name a folder, or set FOOTNOTE_COLLECTIONS.") + "\n")
    sys.exit(not all(row.ok for row in rows))
