"""Measures search on a collection: words alone, meaning alone, and both fused as every search fuses them.

One chunk a document, no grouping, no filter.
"""

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeAlias

import numpy as np

from bot.eval.collection import Collection, Embedded, Text
from bot.eval.metrics import DEPTH, Metrics, mean
from bot.search import Fusion
from bot.search.ranking import find
from indexers.chunks import Chunk
from indexers.document import EVERYTHING, Document
from indexers.embedding import Embedder, Vectors
from indexers.index import Entry, Filter, Fingerprint, Index, IndexFault, Question, document_of
from indexers.sync import CHUNKS_AT_ONCE, embed
from indexers.sync import Progress as Tell

Progress: TypeAlias = Callable[[str], AbstractContextManager[Tell]]
"""Shows one piece of work under its name while it is entered."""

SOURCE = "eval"
WEIGHTS = tuple(step / 10 for step in range(11))
WHERE = Filter(EVERYTHING)
NOW = datetime.now(UTC)
"""One time for all, so that none is fresher than another."""


@dataclass(frozen=True, slots=True)
class Figures:
    lexical: Metrics
    dense: Metrics | None
    """None without vectors, as `fused` is."""
    fused: Metrics | None


async def with_vectors(collection: Collection, embedder: Embedder, progress: Progress) -> Collection:
    """The collection, embedded as an index is and as a question is.  Raises `EmbeddingError`."""
    rows: list[Vectors] = []
    with progress("Embedding the documents") as tell:
        for start in range(0, len(collection.documents), CHUNKS_AT_ONCE):
            batch = [(_document(one), _chunk(one)) for one in collection.documents[start : start + CHUNKS_AT_ONCE]]
            made = await embed(embedder, batch)
            assert made is not None
            rows.append(made)
            tell(start + len(batch), len(collection.documents))
    asked: list[Vectors] = []
    with progress("Embedding the queries") as tell:
        for query in collection.queries:
            asked.append(await embedder.embed_query(query.text))
            tell(len(asked), len(collection.queries))
    embedded = Embedded(np.concatenate(rows), np.stack(asked), embedder.name, embedder.floor)
    return replace(collection, embedded=embedded)


async def fill(index: Index, collection: Collection, progress: Progress) -> None:
    """Puts the documents into an empty index.  Raises `IndexFault`."""
    with progress("Indexing") as tell:
        done = 0
        async for outcome in index.write_all(_entries(collection)):
            if outcome.failure:
                raise IndexFault(f"A document of the collection could not be indexed: {outcome.failure}.")
            done += 1
            tell(done, len(collection.documents))


async def measure(
    index: Index, collection: Collection, fusion: Fusion, *, floor: float | None = None, progress: Progress
) -> Figures:
    """The figures of an index that holds the collection; `floor` is the embedder's own unless given.

    Raises `IndexFault`, also where one of the lists was not made: the figures would be worth nothing.
    """
    lexical, dense = await legs(index, collection, progress)
    if collection.embedded is None:
        return Figures(lexical, None, None)
    return Figures(lexical, dense, await fused(index, collection, fusion, floor=floor, progress=progress))


async def legs(index: Index, collection: Collection, progress: Progress) -> tuple[Metrics, Metrics]:
    """Each list alone, of `DEPTH`: words, meaning."""
    words, meanings = [], []
    with progress("Searching by words and by meaning") as tell:
        for question, grades in _questions(collection, tell):
            ranking = await index.rank(question, WHERE, DEPTH)
            _whole(ranking.degraded)
            words.append((_ids(ranking.lexical), grades))
            meanings.append((_ids(ranking.dense), grades))
    return mean(words), mean(meanings)


async def fused(
    index: Index,
    collection: Collection,
    fusion: Fusion,
    *,
    floor: float | None = None,
    progress: Progress,
    name: str = "Searching by both",
) -> Metrics:
    if floor is None:
        floor = collection.embedded.floor if collection.embedded else 0.0
    rankings = []
    with progress(name) as tell:
        for question, grades in _questions(collection, tell):
            found = await find(index, question, WHERE, fusion, floor)
            _whole(found.degraded)
            rankings.append((_ids(found.fused), grades))
    return mean(rankings)


async def sweep(
    index: Index, collection: Collection, fusion: Fusion, *, floor: float | None = None, progress: Progress
) -> dict[float, Metrics]:
    """Fused, by the share of the words, all else being as in `fusion`."""
    figures = {}
    for weight in WEIGHTS:
        one = replace(fusion, lexical_weight=weight)
        name = f"Searching with a weight of {weight:.1f}"
        figures[weight] = await fused(index, collection, one, floor=floor, progress=progress, name=name)
    return figures


def best_weight(figures: dict[float, Metrics], present: float) -> float:
    """That of the highest nDCG; of equals, the nearest to the present one."""
    return min(figures, key=lambda weight: (-figures[weight].ndcg, abs(weight - present)))


def _questions(collection: Collection, tell: Tell) -> Iterator[tuple[Question, dict[str, int]]]:
    for place, query in enumerate(collection.queries):
        vector = collection.embedded.queries[place] if collection.embedded else None
        known = vector is not None and vector.any()
        yield Question(query.text, vector if known else None), collection.relevant[query.id]
        tell(place + 1, len(collection.queries))


def _whole(degraded: Sequence[str]) -> None:
    if degraded:
        raise IndexFault(f"The figures would be wrong. {degraded[0]}")


def _ids(chunks: Iterable[str]) -> list[str]:
    return [document_of(one).removeprefix(f"{SOURCE}:") for one in chunks]


async def _entries(collection: Collection) -> AsyncGenerator[Entry, None]:
    embedded = collection.embedded
    for place, one in enumerate(collection.documents):
        rows = None if embedded is None else embedded.documents[place : place + 1]
        yield Entry(_document(one), [_chunk(one)], rows, Fingerprint("", "", "" if embedded is None else embedded.name))


def _document(text: Text) -> Document:
    return Document(f"{SOURCE}:{text.id}", SOURCE, text.title, text.text, NOW)


def _chunk(text: Text) -> Chunk:
    return Chunk(0, (), text.text)
