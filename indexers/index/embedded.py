"""The embedded index: one SQLite file for text, access and vectors, and the vectors once more in memory."""

import asyncio
import sqlite3
import threading
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeAlias, TypeVar

from indexers.chunks import Chunk
from indexers.document import Audience, Document
from indexers.embedding import Vectors
from indexers.index import (
    Completion,
    Entry,
    Filter,
    Fingerprint,
    IndexFault,
    IndexMissing,
    Outcome,
    Passage,
    Question,
    Ranking,
    Surroundings,
    lookup,
    storing,
)
from indexers.index.names import askable
from indexers.index.passes import Passes
from indexers.index.schema import connect, faults, meta
from indexers.index.storable import problem
from indexers.index.stored import page
from indexers.index.visits import read_at, visited, visits

T = TypeVar("T")
Connection: TypeAlias = sqlite3.Connection


@asynccontextmanager
async def open_index(path: Path, *, create: bool = False) -> "AsyncIterator[EmbeddedIndex]":
    """The index in the file `path`; `create` makes it, for whoever writes.

    Raises `IndexMissing` where nothing was indexed yet, and other `IndexFault`s where the file is of no use.
    """
    index = EmbeddedIndex(path)
    await asyncio.to_thread(index.open, create=create)
    try:
        yield index
    finally:
        await asyncio.to_thread(index.close)


@dataclass(slots=True)
class _File:
    """What belongs to one file, and to no other that may come to lie at the same path."""

    inode: int
    passes: Passes = field(default_factory=Passes)
    idle: list[Connection] = field(default_factory=list)


class EmbeddedIndex:
    """Made by `open_index`.  Reads run side by side, each on a connection of its own; writes one after the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._file = _File(0)
        self._writer: Connection | None = None
        # Held by the thread, not by the task: a cancelled writer's thread still has the connection.
        self._writing = threading.Lock()
        self._closed = False

    def open(self, *, create: bool) -> None:
        with faults(self.path):
            connection = connect(self.path, create=create)
            self._file = _File(self.path.stat().st_ino, idle=[connection])

    def close(self) -> None:
        with self._writing, self._lock:
            self._closed = True
            for connection in (*self._file.idle, *([self._writer] if self._writer else [])):
                connection.close()
            self._file.idle.clear()
            self._writer = None

    async def rank(self, question: Question, where: Filter, k: int, *, again: bool = False) -> Ranking:
        return await self._read(lambda connection, passes: passes.rank(connection, question, where, k))

    async def complete(
        self, question: Question, chunks: Collection[str], where: Filter, *, refined: Vectors | None = None, k: int = 0
    ) -> Completion:
        return await self._read(
            lambda connection, passes: passes.complete(connection, question, chunks, where, refined, k)
        )

    async def vectors(self, chunks: Sequence[str]) -> dict[str, Vectors]:
        def work(connection: Connection, _: Passes) -> dict[str, Vectors]:
            rows = lookup.rows_of(connection, chunks, Filter(()))
            return {rows[row]: vector for row, vector in lookup.vectors_of(connection, rows).items()}

        return await self._read(work)

    async def recent(self, where: Filter, k: int, *, upcoming: bool = False) -> list[str]:
        return await self._read(lambda connection, _: lookup.recent(connection, where, k, upcoming=upcoming))

    async def linked(self, urls: Collection[str], where: Filter, k: int) -> list[str]:
        return await self._read(lambda connection, _: lookup.linked(connection, urls, where, k))

    async def passages(
        self, chunks: Sequence[str], where: Filter, *, threads: int = 0, moment: Hashable = None
    ) -> dict[str, Passage]:
        return await self._read(lambda connection, _: lookup.passages(connection, chunks, where))

    async def around(self, passages: Sequence[Passage], audience: Audience, k: int) -> dict[str, Surroundings]:
        return await self._read(
            lambda connection, _: {one.chunk_id: lookup.around(connection, one, audience, k) for one in passages}
        )

    async def sources(self, audience: Audience) -> list[str]:
        return await self._read(lambda connection, _: lookup.sources(connection, audience))

    async def read_at(self, audience: Audience) -> dict[str, datetime]:
        return await self._read(lambda connection, _: read_at(connection, audience))

    async def embedding(self) -> str:
        return await self._read(lambda connection, _: str(meta(connection, "embedding") or ""))

    async def expect(self, embedding: str) -> None:
        await self._read(lambda connection, _: storing.expect(connection, embedding))

    async def fingerprints(self, scopes: Sequence[str]) -> dict[str, Fingerprint]:
        return await self._read(lambda connection, _: lookup.fingerprints(connection, askable(scopes)))

    async def write(
        self, document: Document, chunks: Sequence[Chunk], vectors: Vectors | None, fingerprint: Fingerprint
    ) -> None:
        await self._put_one(Entry(document, chunks, vectors, fingerprint))

    async def describe(self, document: Document, fingerprint: Fingerprint) -> None:
        await self._put_one(Entry(document, None, None, fingerprint))

    async def write_all(self, entries: AsyncIterable[Entry]) -> AsyncGenerator[Outcome, None]:
        async for entry in entries:
            yield await self._put(entry)

    async def visited(self, visits: Mapping[str, datetime]) -> None:
        await self._write(lambda connection: visited(connection, visits))

    async def visits(self) -> dict[str, datetime]:
        return await self._read(lambda connection, _: visits(connection))

    async def count(self) -> int:
        return await self._read(lambda connection, _: lookup.count(connection))

    async def stored(self) -> AsyncGenerator[Entry, None]:
        last = ""

        def following(connection: Connection, _: Passes) -> list[Entry]:
            return page(connection, last)

        while entries := await self._read(following):
            for entry in entries:
                yield entry
            last = entries[-1].document.id

    async def delete(self, documents: Iterable[str]) -> int:
        return await self._write(lambda connection: storing.delete(connection, askable(documents)))

    async def _put_one(self, entry: Entry) -> None:
        if failure := (await self._put(entry)).failure:
            raise IndexFault(f"The document could not be written: {failure}.")

    async def _put(self, entry: Entry) -> Outcome:
        if failure := await asyncio.to_thread(problem, entry):
            return Outcome(entry.document.id, False, failure)
        return Outcome(entry.document.id, await self._write(lambda connection: storing.write(connection, entry)))

    async def _read(self, work: Callable[[Connection, Passes], T]) -> T:
        def on_idle() -> T:
            with faults(self.path), self._borrowed() as (connection, passes):
                return work(connection, passes)

        return await asyncio.to_thread(on_idle)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        def on_writer() -> T:
            with self._writing, faults(self.path):
                if self._writer is None:
                    self._writer = connect(self.path, create=False)
                return work(self._writer)

        return await asyncio.to_thread(on_writer)

    @contextmanager
    def _borrowed(self) -> Iterator[tuple[Connection, Passes]]:
        with self._lock:
            self._notice_another_file()
            file = self._file
            connection = file.idle.pop() if file.idle else None
        connection = connection or connect(self.path, create=False)
        try:
            yield connection, file.passes
        finally:
            with self._lock:
                if self._closed or file is not self._file:
                    connection.close()
                else:
                    file.idle.append(connection)

    def _notice_another_file(self) -> None:
        """Whoever deletes the index to make it anew need not restart what searches it.

        While a connection holds the old file open, the new one cannot have its inode.
        """
        try:
            inode = self.path.stat().st_ino
        except FileNotFoundError as error:
            raise IndexMissing(f"The index at {self.path} is gone; index the documents again.") from error
        if inode != self._file.inode:
            for connection in self._file.idle:
                connection.close()
            self._file = _File(inode)
