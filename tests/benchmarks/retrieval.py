"""Quality of the embedded index on collections with judgements: `python -m tests.benchmarks.retrieval DIR…`.

DIR is a folder such as `scifact` or `cranfield`, or one that holds them; else FOOTNOTE_COLLECTIONS names it.
"""

import asyncio
import math
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bot.search import Fusion, HybridSearch
from indexers.document import EVERYTHING
from indexers.index.embedded import EmbeddedIndex, open_index
from tests.benchmarks.collection import Collection, GivenVectors, fill, read
from tests.benchmarks.table import Row, show

BARS = {"scifact": 0.735, "cranfield": 0.440}
SHAPES = {
    "lexical": None,
    "dense": Fusion(lexical_weight=0.0, completion=False, feedback=0.0),
    "reciprocal rank": Fusion(reciprocal_rank=True, completion=False, feedback=0.0),
    "plain min-max": Fusion(completion=False, feedback=0.0),
    "completed": Fusion(feedback=0.0),
    "completed, with feedback": Fusion(),
}
FUSED = "completed, with feedback"


def run(folders: Sequence[Path] = ()) -> list[Row]:
    return [row for folder in _collections(folders) for row in asyncio.run(_measured(folder))]


def ndcg(ranked: Sequence[str], relevant: dict[str, int], depth: int = 10) -> float:
    gained = sum(relevant.get(one, 0) / math.log2(place + 2) for place, one in enumerate(ranked[:depth]))
    ideal = sorted(relevant.values(), reverse=True)[:depth]
    return gained / sum(grade / math.log2(place + 2) for place, grade in enumerate(ideal))


def recall(ranked: Sequence[str], relevant: dict[str, int]) -> float:
    return len(set(ranked) & relevant.keys()) / len(relevant)


async def _measured(folder: Path) -> list[Row]:
    collection = read(folder)
    with tempfile.TemporaryDirectory() as scratch:
        async with open_index(Path(scratch) / "index.sqlite", create=True) as index:
            await fill(index, collection.documents, collection.document_vectors)
            return [await _row(folder.name, shape, index, collection) for shape in SHAPES]


async def _row(name: str, shape: str, index: EmbeddedIndex, collection: Collection) -> Row:
    fusion = SHAPES[shape]
    embedder = None if fusion is None else GivenVectors(collection)
    search = HybridSearch(index, embedder, fusion=fusion, per_document=0).for_audience(EVERYTHING)
    gains, found = [], []
    for query in collection.queries:
        results = await search.search(query["text"], limit=100)
        ranked = [hit.document_id.partition(":")[2] for hit in results.hits]
        gains.append(ndcg(ranked, collection.relevant[query["_id"]]))
        found.append(recall(ranked, collection.relevant[query["_id"]]))
    reached = sum(gains) / len(gains)
    bar = BARS.get(name) if shape == FUSED else None
    value = f"nDCG@10 {reached:.4f}  recall@100 {sum(found) / len(found):.4f}"
    return Row(f"{name}: {shape}", value, "" if bar is None else f"nDCG@10 ≥ {bar}", bar is None or reached >= bar)


def _collections(folders: Sequence[Path]) -> list[Path]:
    named = folders or [Path(one) for one in os.environ.get("FOOTNOTE_COLLECTIONS", "").split(os.pathsep) if one]
    found = [one for folder in named for one in (folder, *sorted(folder.iterdir()))]
    return [one for one in found if (one / "qrels.tsv").is_file()]


if __name__ == "__main__":
    rows = run([Path(one) for one in sys.argv[1:]])
    sys.stdout.write((show(rows) if rows else "No collection: name a folder, or set FOOTNOTE_COLLECTIONS.") + "\n")
    sys.exit(not all(row.ok for row in rows))
