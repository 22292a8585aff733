"""A collection with judgements and vectors, as `README.md` beside such collections describes it."""

import gzip
import io
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from indexers.chunks import Chunk
from indexers.document import Document
from indexers.embedding import EmbeddingError, Vectors
from indexers.index import Fingerprint
from indexers.index.embedded import EmbeddedIndex

MODEL = "all-MiniLM-L6-v2"


@dataclass(frozen=True)
class Collection:
    documents: list[dict[str, str]]
    queries: list[dict[str, str]]
    relevant: dict[str, dict[str, int]]
    document_vectors: Vectors
    query_vectors: Vectors


class GivenVectors:
    """An embedder that knows the vectors of a collection's queries, and nothing else."""

    name = MODEL
    languages = "English"

    def __init__(self, collection: Collection, floor: float = 0.0) -> None:
        self.dimensions = collection.query_vectors.shape[1]
        self.floor = floor
        texts = (query["text"] for query in collection.queries)
        self._vectors = dict(zip(texts, collection.query_vectors, strict=True))

    async def embed_documents(self, texts: Sequence[str], *, titles: Sequence[str] = ()) -> Vectors:
        raise EmbeddingError("only the queries of the collection have vectors")

    async def embed_query(self, text: str) -> Vectors:
        return self._vectors[text]


def read(folder: Path) -> Collection:
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    relevant: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        relevant[query][document] = int(grade)
    return Collection(documents, queries, relevant, _vectors(folder, "docs"), _vectors(folder, "queries"))


async def fill(
    index: EmbeddedIndex, documents: Sequence[dict[str, str]], vectors: Vectors | None, source: str = "files"
) -> None:
    """One chunk a document."""
    now = datetime.now(UTC)
    for place, document in enumerate(documents):
        await index.write(
            Document(f"{source}:{document['_id']}", source, document["title"], document["text"], now),
            [Chunk(0, (), document["text"])],
            None if vectors is None else vectors[place : place + 1],
            Fingerprint("", "", "" if vectors is None else MODEL),
        )


def _vectors(folder: Path, name: str) -> Vectors:
    packed = gzip.decompress((folder / f"minilm_{name}_int8.npy.gz").read_bytes())
    vectors = np.load(io.BytesIO(packed)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
