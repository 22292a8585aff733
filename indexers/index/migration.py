"""Takes what one index holds into another: as it is, or embedded anew."""

from collections.abc import AsyncGenerator, AsyncIterable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from indexers.embedding import Embedder
from indexers.index import Entry, Index
from indexers.sync import embed

CHUNKS_AT_ONCE = 64

Progress: TypeAlias = Callable[[int, int | None], None]
"""How many documents of how many have come through; the second is None where it is not known."""


@dataclass(slots=True)
class Moved:
    documents: int = 0
    chunks: int = 0
    kept: int = 0
    """Documents that are there already in the same or a newer state, or that were removed there since."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Id and reason."""


async def migrate(source: Index, target: Index, *, on_progress: Progress | None = None) -> Moved:
    """Everything of one index into another, with its vectors; nothing is embedded.

    Raises `IndexMismatch`, before anything is written, where the target has vectors of another model.
    """
    await target.expect(await source.embedding())
    total = await source.count()
    async with aclosing(source.stored()) as entries:
        moved = await pour(entries, target, on_progress, total)
    await target.visited(await source.visits())
    return moved


async def pour(
    entries: AsyncIterable[Entry], target: Index, on_progress: Progress | None = None, total: int | None = None
) -> Moved:
    """Writes a stream of documents and counts them."""
    moved, sizes = Moved(), dict[str, int]()

    async def sized() -> AsyncGenerator[Entry, None]:
        async for entry in entries:
            sizes[entry.document.id] = len(entry.chunks or ())
            yield entry

    async with aclosing(sized()) as counted, aclosing(target.write_all(counted)) as outcomes:
        async for outcome in outcomes:
            size = sizes.pop(outcome.document_id, 0)
            if outcome.failure:
                moved.failed.append((outcome.document_id, outcome.failure))
            elif outcome.written:
                moved.documents += 1
                moved.chunks += size
            else:
                moved.kept += 1
            if on_progress is not None:
                on_progress(moved.documents + moved.kept + len(moved.failed), total)
    return moved


async def embedded_anew(entries: AsyncIterable[Entry], embedder: Embedder) -> AsyncGenerator[Entry, None]:
    """The same documents with vectors of this embedder, many texts at a time."""
    group: list[Entry] = []
    held = 0
    async for entry in entries:
        group.append(entry)
        held += len(entry.chunks or ())
        if held >= CHUNKS_AT_ONCE:
            for one in await _embedded(group, embedder):
                yield one
            group, held = [], 0
    for one in await _embedded(group, embedder):
        yield one


async def _embedded(group: list[Entry], embedder: Embedder) -> list[Entry]:
    vectors = await embed(embedder, [(entry.document, chunk) for entry in group for chunk in entry.chunks or ()])
    start, done = 0, []
    for entry in group:
        count = len(entry.chunks or ())
        rows = None if vectors is None else vectors[start : start + count]
        done.append(replace(entry, vectors=rows, fingerprint=replace(entry.fingerprint, embedding=embedder.name)))
        start += count
    return done
