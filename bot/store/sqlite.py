"""The store as one SQLite file."""

import asyncio
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, TypeVar

from bot.store import Store
from bot.store.documents import Document, Kind, StoreError
from bot.store.migration import since_2, since_3

T = TypeVar("T")

VERSION = 4
SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (
    kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1,
    status TEXT NOT NULL, user TEXT NOT NULL, at REAL NOT NULL, body BLOB NOT NULL, place TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (kind, id)
) WITHOUT ROWID;
"""
INDEXES = """
CREATE INDEX IF NOT EXISTS documents_status ON documents (kind, status, at);
CREATE INDEX IF NOT EXISTS documents_user ON documents (kind, user, at);
CREATE INDEX IF NOT EXISTS documents_place ON documents (kind, place, at);
"""
COLUMNS = "body, at, status, user, place, version"
INSERT = "INTO documents (kind, id, body, at, status, user, place) VALUES (?, ?, ?, ?, ?, ?, ?)"
AFTER_ALL = "\U0010ffff"
"""Comes after whatever an id may go on with."""


class SQLiteDocuments:
    """One thread owns the connection, so calls take effect in the order in which they were made; one whose caller was
    cancelled takes effect all the same."""

    def __init__(self, database: sqlite3.Connection, owner: ThreadPoolExecutor) -> None:
        self._database = database
        self._owner = owner

    async def create(self, kind: Kind, id: str, document: Document) -> bool:
        return await self._write(f"INSERT OR IGNORE {INSERT}", (kind, id, *_values(document))) == 1

    async def get(self, kind: Kind, id: str) -> Document | None:
        rows = await self._read(f"SELECT {COLUMNS} FROM documents WHERE kind = ? AND id = ?", (kind, id))
        return Document(*rows[0]) if rows else None

    async def put(self, kind: Kind, id: str, document: Document) -> None:
        await self._write(
            f"INSERT {INSERT} ON CONFLICT DO UPDATE SET body = excluded.body, at = excluded.at, "
            "status = excluded.status, user = excluded.user, place = excluded.place, version = version + 1",
            (kind, id, *_values(document)),
        )

    async def replace(self, kind: Kind, id: str, document: Document) -> bool:
        update = (
            "UPDATE documents SET body = ?, at = ?, status = ?, user = ?, place = ?, version = version + 1 "
            "WHERE kind = ? AND id = ? AND version = ?"
        )
        return await self._write(update, (*_values(document), kind, id, document.version)) == 1

    async def delete(self, kind: Kind, id: str) -> None:
        await self._write("DELETE FROM documents WHERE kind = ? AND id = ?", (kind, id))

    async def find(
        self,
        kind: Kind,
        *,
        status: str = "",
        user: str = "",
        place: str = "",
        begins: str = "",
        before: float | None = None,
        limit: int = 100,
    ) -> list[tuple[str, Document]]:
        conditions = {"kind = ?": kind, "status = ?": status, "user = ?": user, "place = ?": place, "at < ?": before}
        conditions |= {"id >= ?": begins, "id < ?": begins and begins + AFTER_ALL}
        asked = {condition: value for condition, value in conditions.items() if value not in ("", None)}
        rows = await self._read(
            f"SELECT id, {COLUMNS} FROM documents WHERE {' AND '.join(asked)} ORDER BY at DESC, id LIMIT ?",
            (*asked.values(), limit),
        )
        return [(id, Document(*values)) for id, *values in rows]

    async def prune(self, kind: Kind, before: float, *, statuses: Sequence[str] = ()) -> None:
        among = f"AND status IN ({', '.join('?' * len(statuses))})" if statuses else ""
        await self._write(f"DELETE FROM documents WHERE kind = ? AND at < ? {among}", (kind, before, *statuses))

    async def clear(self) -> None:
        await self._write("DELETE FROM documents", ())

    async def _read(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return await self._run(lambda: self._database.execute(query, values).fetchall())

    async def _write(self, statement: str, values: Sequence[Any]) -> int:
        def write() -> int:
            with self._database:
                return self._database.execute(statement, values).rowcount

        return await self._run(write)

    async def _run(self, work: Callable[[], T]) -> T:
        def told() -> T:
            try:
                return work()
            except sqlite3.Error as error:
                raise StoreError(f"What the bot keeps cannot be used ({error}); mend the disk or its file.") from error

        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._owner, told))


@asynccontextmanager
async def open_documents(path: Path) -> AsyncIterator[SQLiteDocuments]:
    """The documents in the file `path`, made with its folder where it is missing.

    Raises `StoreError` where the file cannot be used.
    """
    loop = asyncio.get_running_loop()
    owner = ThreadPoolExecutor(1, thread_name_prefix="store")
    try:
        database = await loop.run_in_executor(owner, _connect, path)
        try:
            yield SQLiteDocuments(database, owner)
        finally:
            await loop.run_in_executor(owner, database.close)
    finally:
        owner.shutdown(wait=False)


@asynccontextmanager
async def open_store(path: Path, *, clock: Callable[[], float] = time.time) -> AsyncIterator[Store]:
    """The store in the file `path`.  `clock` gives seconds since the epoch.  Raises as `open_documents` does."""
    async with open_documents(path) as documents:
        yield Store(documents, clock=clock)


def copy(source: Path, target: Path) -> None:
    """Copy a database of ours as it stands at one moment, whoever writes to it, into an empty file.

    Raises `StoreError` where it cannot be read or written; the copy is gone then.
    """
    try:
        there = sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)
        with closing(there), closing(sqlite3.connect(target)) as empty:
            there.backup(empty)
    except sqlite3.Error as error:
        target.unlink(missing_ok=True)
        raise StoreError(f"{source} cannot be copied to {target} ({error}); mend the file or the disk.") from error


def _values(document: Document) -> tuple[bytes, float, str, str, str]:
    return document.body, document.at, document.status, document.user, document.place


def _connect(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)  # it holds what people asked, in direct messages too
        database = sqlite3.connect(path, timeout=5)
        try:
            _prepare(database, path)
        except BaseException:
            database.close()
            raise
    except (OSError, sqlite3.Error, json.JSONDecodeError) as error:
        raise StoreError(f"The state in {path} cannot be used ({error}); mend the file or move it away.") from error
    return database


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise StoreError(
            f"The state in {path} was written by a newer Footnote (schema {version}, this one knows {VERSION}); "
            "update Footnote or move the file away."
        )
    database.execute("PRAGMA journal_mode = WAL")
    # With WAL this outlives a killed process; only a power cut may lose the newest claims.
    database.execute("PRAGMA synchronous = NORMAL")
    if version == VERSION:
        return
    with database:
        database.execute("BEGIN IMMEDIATE")
        database.execute(SCHEMA)
        if version in (1, 2):
            since_2(database, version)
        elif version == 3:
            since_3(database)
        for statement in filter(str.strip, INDEXES.split(";")):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {VERSION}")
