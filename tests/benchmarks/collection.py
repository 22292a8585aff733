"""Collections with judgements and vectors, for the benchmarks."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bot.eval.collection import Embedded, Text
from indexers.embedding import EmbeddingError, Vectors
from indexers.sync import Progress


class GivenVectors:
    """An embedder that knows the vectors of a collection's queries, and nothing else."""

    languages = "English"

    def __init__(self, queries: Sequence[Text], embedded: Embedded, floor: float = 0.0) -> None:
        self.name = embedded.name
        self.dimensions = embedded.queries.shape[1]
        self.floor = floor
        self._vectors = dict(zip((query.text for query in queries), embedded.queries, strict=True))

    async def embed_documents(self, texts: Sequence[str], *, titles: Sequence[str] = ()) -> Vectors:
        raise EmbeddingError("only the queries of the collection have vectors")

    async def embed_query(self, text: str) -> Vectors:
        return self._vectors[text]


def folders(named: Sequence[Path] = ()) -> list[Path]:
    """The collections that are named, or lie in a folder that is; by FOOTNOTE_COLLECTIONS unless any is."""
    held = named or [Path(one) for one in os.environ.get("FOOTNOTE_COLLECTIONS", "").split(os.pathsep) if one]
    found = [one for folder in held for one in (folder, *sorted(folder.iterdir()))]
    return [one for one in found if (one / "qrels.tsv").is_file()]


@contextmanager
def silent(name: str) -> Iterator[Progress]:
    """Progress that nobody looks at."""
    yield lambda done, total: None
