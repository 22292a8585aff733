"""The store as one SQLite file."""

import asyncio
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from bot.store import CLAIMS_KEPT, StoreError, Thread, Turn
from indexers.document import Audience

T = TypeVar("T")

VERSION = 2
PRUNE_EVERY = 3600.0
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claims_at ON claims (at);
CREATE TABLE IF NOT EXISTS threads (
    channel TEXT NOT NULL, thread_ts TEXT NOT NULL, root_asked INTEGER NOT NULL, at REAL NOT NULL,
    web INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (channel, thread_ts)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS askers (
    channel TEXT NOT NULL, thread_ts TEXT NOT NULL, asker TEXT NOT NULL,
    PRIMARY KEY (channel, thread_ts, asker)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS turns (
    id INTEGER PRIMARY KEY, channel TEXT NOT NULL, thread_ts TEXT NOT NULL, ts TEXT NOT NULL, asker TEXT NOT NULL,
    question TEXT NOT NULL, answer TEXT NOT NULL, sources TEXT NOT NULL, audience TEXT NOT NULL, at REAL NOT NULL,
    UNIQUE (channel, ts)
);
CREATE INDEX IF NOT EXISTS turns_thread ON turns (channel, thread_ts);
PRAGMA user_version = {VERSION};
"""
SINCE_1 = "ALTER TABLE threads ADD COLUMN web INTEGER NOT NULL DEFAULT 0;"


class SQLiteStore:
    """Made by `open_store`.  One thread owns the connection, so calls take effect in the order in which they were
    made; one whose caller was cancelled takes effect all the same."""

    def __init__(self, database: sqlite3.Connection, owner: ThreadPoolExecutor, clock: Callable[[], float]) -> None:
        self._database = database
        self._owner = owner
        self._clock = clock
        self._pruned = float("-inf")

    async def claim(self, key: str) -> bool:
        return await self._run(lambda: self._claim(key))

    async def thread(self, channel: str, thread_ts: str) -> Thread | None:
        return await self._run(lambda: self._thread(channel, thread_ts))

    async def asked(self, channel: str, thread_ts: str, asker: str, *, root: bool, web: bool = False) -> None:
        await self._run(lambda: self._asked(channel, thread_ts, asker, root, web))

    async def turns(self, channel: str, thread_ts: str, *, limit: int = 20) -> list[Turn]:
        return await self._run(lambda: self._turns(channel, thread_ts, limit))

    async def add_turn(self, channel: str, thread_ts: str, turn: Turn) -> None:
        await self._run(lambda: self._add_turn(channel, thread_ts, turn))

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._owner, work))

    def _claim(self, key: str) -> bool:
        now = self._clock()
        with self._database:
            if now - self._pruned > PRUNE_EVERY:
                self._database.execute("DELETE FROM claims WHERE at < ?", (now - CLAIMS_KEPT,))
                self._pruned = now
            return self._database.execute("INSERT OR IGNORE INTO claims VALUES (?, ?)", (key, now)).rowcount == 1

    def _thread(self, channel: str, thread_ts: str) -> Thread | None:
        where = "WHERE channel = ? AND thread_ts = ?"
        row = self._database.execute(f"SELECT root_asked, web FROM threads {where}", (channel, thread_ts)).fetchone()
        if row is None:
            return None
        askers = self._database.execute(f"SELECT asker FROM askers {where}", (channel, thread_ts))
        return Thread(bool(row[0]), frozenset(asker for (asker,) in askers), bool(row[1]))

    def _asked(self, channel: str, thread_ts: str, asker: str, root: bool, web: bool) -> None:
        with self._database:
            self._database.execute(
                "INSERT INTO threads (channel, thread_ts, root_asked, web, at) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET root_asked = max(root_asked, excluded.root_asked), "
                "web = max(web, excluded.web)",
                (channel, thread_ts, root, web, self._clock()),
            )
            self._database.execute("INSERT OR IGNORE INTO askers VALUES (?, ?, ?)", (channel, thread_ts, asker))

    def _turns(self, channel: str, thread_ts: str, limit: int) -> list[Turn]:
        rows = self._database.execute(
            "SELECT ts, asker, question, answer, sources, audience FROM turns "
            "WHERE channel = ? AND thread_ts = ? ORDER BY id DESC LIMIT ?",
            (channel, thread_ts, limit),
        ).fetchall()
        return [
            Turn(ts, asker, question, answer, tuple(json.loads(sources)), _audience(audience))
            for ts, asker, question, answer, sources, audience in reversed(rows)
        ]

    def _add_turn(self, channel: str, thread_ts: str, turn: Turn) -> None:
        sources = json.dumps(turn.sources)
        audience = json.dumps([sorted(principals) for principals in turn.audience])
        values = (channel, thread_ts, turn.ts, turn.asker, turn.question, turn.answer, sources, audience, self._clock())
        with self._database:
            self._database.execute(
                "INSERT OR REPLACE INTO turns "
                "(channel, thread_ts, ts, asker, question, answer, sources, audience, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )


@asynccontextmanager
async def open_store(path: Path, *, clock: Callable[[], float] = time.time) -> AsyncIterator[SQLiteStore]:
    """The store in the file `path`, made with its folder where it is missing.

    `clock` gives seconds since the epoch.  Raises `StoreError` where the file cannot be used.
    """
    loop = asyncio.get_running_loop()
    owner = ThreadPoolExecutor(1, thread_name_prefix="store")
    try:
        database = await loop.run_in_executor(owner, _connect, path)
        try:
            yield SQLiteStore(database, owner, clock)
        finally:
            await loop.run_in_executor(owner, database.close)
    finally:
        owner.shutdown(wait=False)


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
    except (OSError, sqlite3.Error) as error:
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
    if version < VERSION:
        database.executescript(f"BEGIN IMMEDIATE; {SINCE_1 if version == 1 else ''} {SCHEMA} COMMIT;")


def _audience(text: str) -> Audience:
    return tuple(frozenset(principals) for principals in json.loads(text))
