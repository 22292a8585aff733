"""Documents to put into an index, and an embedder whose vectors a test can foretell."""

import re
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from indexers.chunks import chunks
from indexers.document import Document
from indexers.embedding import EmbeddingError, Vectors
from indexers.index import Entry, Fingerprint, Index

DIMENSIONS = 128
NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)


def document(name: str, text: str = "", **changes: Any) -> Document:
    """`name` is the id, with or without its source, and the title unless that is given."""
    source, bare = name.split(":", 1) if ":" in name else ("files", name)
    values: dict[str, Any] = {"source": source, "title": bare, "timestamp": NOON}
    values |= {"id": f"{source}:{bare}", "text": text or f"About {bare}.", **changes}
    return Document(**values)


async def put(index: Index, *documents: Document, embedder: "FakeEmbedder | None" = None) -> None:
    async def entries() -> AsyncIterator[Entry]:
        for one in documents:
            cut = chunks(one.text, title=one.title)
            vectors = None if embedder is None else await embedder.embed_documents([chunk.text for chunk in cut])
            name = "" if embedder is None else embedder.name
            yield Entry(one, cut, vectors, Fingerprint(f"content of {one.id}", "facts", name))

    async for outcome in index.write_all(entries()):
        assert not outcome.failure, outcome


class FakeEmbedder:
    """Texts are as near as they share words; `same` makes one word another, so that a text can be near to one with
    which it shares none.  `fails` is raised in place of a vector; `texts` and `titles` record what was embedded."""

    languages = "English"

    def __init__(self, *, name: str = "fake", floor: float = 0.3, same: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.floor = floor
        self.dimensions: int | None = DIMENSIONS
        self.fails: EmbeddingError | None = None
        self.texts: list[str] = []
        self.titles: list[str] = []
        self._same = same or {}

    async def embed_documents(self, texts: Sequence[str], *, titles: Sequence[str] = ()) -> Vectors:
        if self.fails is not None:
            raise self.fails
        self.texts += texts
        self.titles += titles
        return np.stack([self._vector(text) for text in texts])

    async def embed_query(self, text: str) -> Vectors:
        if self.fails is not None:
            raise self.fails
        return self._vector(text)

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(DIMENSIONS, np.float32)
        for word in re.findall(r"\w+", text.lower()):
            vector[zlib.crc32(self._same.get(word, word).encode()) % DIMENSIONS] += 1
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length else vector
