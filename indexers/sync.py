"""One sync of one source: found → compared → read → cut → embedded → written; what vanished is swept.

The index pulls: documents are read and embedded in small groups, as it has room for them, so that texts are embedded
many at a time and memory holds no more than a few groups.
"""

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias, assert_never

import numpy as np

from indexers.chunks import CHUNKER, Chunk, chunks, embedded_text
from indexers.document import Document, widens
from indexers.embedding import Embedder, Vectors
from indexers.index import Entry, Fingerprint, Index, Outcome
from indexers.sources import DocumentFailed, Failed, Item, Skipped, Source, within

EMPTY = "empty"
DOCUMENTS_AT_ONCE = 16
CHUNKS_AT_ONCE = 64

Progress: TypeAlias = Callable[[int, int | None], None]
"""How many of how many are done; the second is None until it is known."""
Check: TypeAlias = Callable[[Mapping[str, Fingerprint]], None]
"""Is told what is stored in the scopes of a run, by id, and may raise: then nothing is read or written."""


@dataclass(slots=True)
class Report:
    written: int = 0
    """Documents that were new, had changed, or got their vectors."""
    described: int = 0
    """Documents of which only access, link, time or people had changed."""
    widened: int = 0
    """Of those that were stored and are written anew or described: which more people can read now."""
    unchanged: int = 0
    swept: int = 0
    """Documents removed, since they have vanished or are empty now."""
    chunks: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """What is no document, by reason."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Name and reason of each document that could not be read or written; what is stored of it stays."""


async def sync(
    source: Source,
    index: Index,
    embedder: Embedder | None = None,
    *,
    on_progress: Progress | None = None,
    check: Check | None = None,
) -> Report:
    """Bring the index in line with the source.  Without an embedder, vectors that are there are left alone.

    Raises `SourceError`, `EmbeddingError`, `IndexFault` or what `check` raises; then nothing is removed, what was
    written stays, and the next run goes on from there.

    A run that comes to its end is noted as a visit to each scope of the source, with the time when it began, whether or
    not anything had changed: a document that fails does not hinder that, but a folder with stored documents does that
    could not be listed.
    """
    run = _Run(index, embedder, on_progress or (lambda done, total: None), check or (lambda stored: None))
    return await run(source)


async def embed(embedder: Embedder | None, pairs: Sequence[tuple[Document, Chunk]]) -> Vectors | None:
    """One row a chunk, each embedded under the title of its document; None without an embedder."""
    if embedder is None or not pairs:
        return None
    rows = []
    for start in range(0, len(pairs), CHUNKS_AT_ONCE):
        batch = pairs[start : start + CHUNKS_AT_ONCE]
        texts = [embedded_text(chunk) for _, chunk in batch]
        rows.append(await embedder.embed_documents(texts, titles=[document.title for document, _ in batch]))
    return np.concatenate(rows)


class _Sent(NamedTuple):
    """What was handed to the index, and is not told of yet; `chunks` None leaves text and vectors as they are."""

    name: str
    chunks: int | None
    widened: bool


class _Run:
    def __init__(self, index: Index, embedder: Embedder | None, on_progress: Progress, check: Check) -> None:
        self._index = index
        self._embedder = embedder
        self._on_progress = on_progress
        self._check = check
        self._report = Report()
        self._stored: Mapping[str, Fingerprint] = {}
        self._present: set[str] = set()
        self._kept: list[str] = []
        self._waiting: list[Item] = []
        self._sent: dict[str, _Sent] = {}

    async def __call__(self, source: Source) -> Report:
        if self._embedder is not None:
            await self._index.expect(self._embedder.name)
        began = datetime.now(UTC)
        scopes = await source.scopes()
        self._stored = await self._index.fingerprints(scopes)
        self._check(self._stored)
        async with aclosing(self._entries(source)) as entries, aclosing(self._index.write_all(entries)) as outcomes:
            async for outcome in outcomes:
                self._told(outcome)
        unlisted = await self._sweep()
        seen = [one for one in scopes if not any(within(part, one) or within(one, part) for part in unlisted)]
        await self._index.visited(dict.fromkeys(seen, began))
        return self._report

    async def _entries(self, source: Source) -> AsyncGenerator[Entry, None]:
        """What is new or has changed."""
        done = 0
        async with aclosing(source.found()) as found:
            async for one in found:
                match one:
                    case Item():
                        self._item(one)
                    case Skipped(reason):
                        self._report.skipped[reason] += 1
                    case Failed(name, reason, scope):
                        self._report.failed.append((name, reason))
                        self._kept.append(scope)
                    case _:
                        assert_never(one)
                if len(self._waiting) >= DOCUMENTS_AT_ONCE:
                    for entry in await self._work_off():
                        yield entry
                done += 1
                self._on_progress(done - len(self._waiting), source.total)
        for entry in await self._work_off():
            yield entry
        self._on_progress(done, done)

    def _item(self, item: Item) -> None:
        self._present.add(item.id)
        stored, wanted = self._stored.get(item.id), self._fingerprint(item)
        if stored is not None and _same_text(stored, wanted) and stored.facts == wanted.facts:
            self._report.unchanged += 1
        else:
            self._waiting.append(item)

    async def _work_off(self) -> list[Entry]:
        items, self._waiting = self._waiting, []
        version = time.time_ns() // 1000
        documents = await self._read(items)
        entries, fresh = [], []
        for item, document in zip(items, documents, strict=True):
            if document is None:
                continue
            if not document.text.strip():
                self._report.skipped[EMPTY] += 1
                self._present.discard(item.id)
            elif (stored := self._stored.get(item.id)) and _same_text(stored, self._fingerprint(item)):
                known = Fingerprint(stored.content, item.facts, stored.embedding)
                entries.append(Entry(document, None, None, known, version))
            else:
                fresh.append((item, document))
        entries += await self._made(fresh, version)
        names = {item.id: item.name for item in items}
        self._sent |= {one.document.id: self._as_sent(names[one.document.id], one) for one in entries}
        return entries

    def _as_sent(self, name: str, entry: Entry) -> _Sent:
        document, stored = entry.document, self._stored.get(entry.document.id)
        widened = stored is not None and bool(stored.access) and widens(stored.access, document.access)
        return _Sent(name, None if entry.chunks is None else len(entry.chunks), widened)

    def _told(self, outcome: Outcome) -> None:
        sent = self._sent.pop(outcome.document_id, _Sent(outcome.document_id, 0, False))
        self._report.widened += outcome.written and sent.widened
        if outcome.failure:
            self._report.failed.append((sent.name, outcome.failure))
        elif not outcome.written:
            self._report.unchanged += 1
        elif sent.chunks is None:
            self._report.described += 1
        else:
            self._report.written += 1
            self._report.chunks += sent.chunks

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

    async def _made(self, fresh: Sequence[tuple[Item, Document]], version: int) -> list[Entry]:
        cut = await asyncio.to_thread(lambda: [chunks(document.text, title=document.title) for _, document in fresh])
        pairs = [(document, one) for (_, document), many in zip(fresh, cut, strict=True) for one in many]
        vectors = await embed(self._embedder, pairs)
        start, entries = 0, []
        for (item, document), many in zip(fresh, cut, strict=True):
            rows = None if vectors is None else vectors[start : start + len(many)]
            entries.append(Entry(document, many, rows, self._fingerprint(item), version))
            start += len(many)
        return entries

    async def _sweep(self) -> set[str]:
        """Removes what has vanished; gives the parts that could not be listed and have something stored below them."""
        gone, unlisted = [], set[str]()
        for id in (id for id in self._stored if id not in self._present):
            keeping = {part for part in self._kept if within(id, part)}
            unlisted |= keeping - {id}
            if not keeping:
                gone.append(id)
        self._report.swept = await self._index.delete(gone)
        return unlisted

    def _fingerprint(self, item: Item) -> Fingerprint:
        content = hashlib.sha256(f"{CHUNKER} {item.content}".encode()).hexdigest()
        return Fingerprint(content, item.facts, self._embedder.name if self._embedder is not None else "")


def _same_text(stored: Fingerprint, wanted: Fingerprint) -> bool:
    return stored.content == wanted.content and wanted.embedding in ("", stored.embedding)
