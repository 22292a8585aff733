"""One sync of one source: found → compared → read → cut → embedded → written; what vanished is swept.

Documents go through in small groups, so that texts are embedded many at a time and memory holds no more than a group.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TypeAlias, assert_never

import numpy as np

from indexers.chunks import CHUNKER, Chunk, chunks, embedded_text
from indexers.document import Document
from indexers.embedding import Embedder, Vectors
from indexers.index import Fingerprint, Index
from indexers.sources import DocumentFailed, Failed, Item, Skipped, Source, within

EMPTY = "empty"
DOCUMENTS_AT_ONCE = 16
CHUNKS_AT_ONCE = 64

Progress: TypeAlias = Callable[[int, int | None], None]
"""How many of how many are done; the second is None until it is known."""


@dataclass(slots=True)
class Report:
    written: int = 0
    """Documents that were new, had changed, or got their vectors."""
    described: int = 0
    """Documents of which only access, link, time or people had changed."""
    unchanged: int = 0
    swept: int = 0
    """Documents removed, since they have vanished or are empty now."""
    chunks: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """What is no document, by reason."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Name and reason of each document that could not be read; what is stored of it stays."""


async def sync(
    source: Source, index: Index, embedder: Embedder | None = None, *, on_progress: Progress | None = None
) -> Report:
    """Bring the index in line with the source.  Without an embedder, vectors that are there are left alone.

    Raises `SourceError`, `EmbeddingError` or `IndexFault`; then nothing is removed, what was written stays, and the
    next run goes on from there.
    """
    run = _Run(index, embedder, on_progress or (lambda done, total: None))
    return await run(source)


class _Run:
    def __init__(self, index: Index, embedder: Embedder | None, on_progress: Progress) -> None:
        self._index = index
        self._embedder = embedder
        self._on_progress = on_progress
        self._report = Report()
        self._stored: Mapping[str, Fingerprint] = {}
        self._present: set[str] = set()
        self._kept: list[str] = []
        self._waiting: list[Item] = []

    async def __call__(self, source: Source) -> Report:
        if self._embedder is not None:
            await self._index.expect(self._embedder.name)
        self._stored = await self._index.fingerprints(await source.scopes())
        done = 0
        async with aclosing(source.found()) as found:
            async for one in found:
                match one:
                    case Item():
                        await self._item(one)
                    case Skipped(reason):
                        self._report.skipped[reason] += 1
                    case Failed(name, reason, scope):
                        self._report.failed.append((name, reason))
                        self._kept.append(scope)
                    case _:
                        assert_never(one)
                done += 1
                self._on_progress(done - len(self._waiting), source.total)
        await self._work_off()
        self._on_progress(done, done)
        await self._sweep()
        return self._report

    async def _item(self, item: Item) -> None:
        self._present.add(item.id)
        stored, wanted = self._stored.get(item.id), self._fingerprint(item)
        if stored is not None and _same_text(stored, wanted) and stored.facts == wanted.facts:
            self._report.unchanged += 1
            return
        self._waiting.append(item)
        if len(self._waiting) >= DOCUMENTS_AT_ONCE:
            await self._work_off()

    async def _work_off(self) -> None:
        items, self._waiting = self._waiting, []
        documents = await self._read(items)
        fresh = []
        for item, document in zip(items, documents, strict=True):
            if document is None:
                continue
            if not document.text.strip():
                self._report.skipped[EMPTY] += 1
                self._present.discard(item.id)
            elif (stored := self._stored.get(item.id)) and _same_text(stored, self._fingerprint(item)):
                await self._index.describe(document, Fingerprint(stored.content, item.facts, stored.embedding))
                self._report.described += 1
            else:
                fresh.append((item, document))
        await self._write(fresh)

    async def _read(self, items: Sequence[Item]) -> list[Document | None]:
        async def read(item: Item) -> Document | None:
            try:
                return await item.read()
            except DocumentFailed as failure:
                self._report.failed.append((item.name, str(failure)))
                return None

        async with asyncio.TaskGroup() as tasks:
            reading = [tasks.create_task(read(item)) for item in items]
        return [task.result() for task in reading]

    async def _write(self, fresh: Sequence[tuple[Item, Document]]) -> None:
        cut = await asyncio.to_thread(lambda: [chunks(document.text, title=document.title) for _, document in fresh])
        vectors = await self._embedded(
            [(document, one) for (_, document), many in zip(fresh, cut, strict=True) for one in many]
        )
        start = 0
        for (item, document), many in zip(fresh, cut, strict=True):
            rows = None if vectors is None else vectors[start : start + len(many)]
            await self._index.write(document, many, rows, self._fingerprint(item))
            start += len(many)
            self._report.written += 1
            self._report.chunks += len(many)

    async def _embedded(self, pairs: Sequence[tuple[Document, Chunk]]) -> Vectors | None:
        if self._embedder is None or not pairs:
            return None
        rows = []
        for start in range(0, len(pairs), CHUNKS_AT_ONCE):
            batch = pairs[start : start + CHUNKS_AT_ONCE]
            texts = [embedded_text(chunk) for _, chunk in batch]
            rows.append(await self._embedder.embed_documents(texts, titles=[document.title for document, _ in batch]))
        return np.concatenate(rows)

    async def _sweep(self) -> None:
        gone = [
            id for id in self._stored if id not in self._present and not any(within(id, scope) for scope in self._kept)
        ]
        self._report.swept = await self._index.delete(gone)

    def _fingerprint(self, item: Item) -> Fingerprint:
        content = hashlib.sha256(f"{CHUNKER} {item.content}".encode()).hexdigest()
        return Fingerprint(content, item.facts, self._embedder.name if self._embedder is not None else "")


def _same_text(stored: Fingerprint, wanted: Fingerprint) -> bool:
    return stored.content == wanted.content and wanted.embedding in ("", stored.embedding)
