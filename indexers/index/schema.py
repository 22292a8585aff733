"""The file of the embedded index: how it is opened, what version it has, how it is written in one transaction."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from indexers.index import IndexFault, IndexMismatch, IndexMissing

VERSION = 4
"""Of the schema; another one is refused, since the mend, indexing again, is cheap."""
BUSY_SECONDS = 30.0
CACHE_KIB = 16_384


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Turns SQLite's errors into ours."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise IndexFault(_sentence(path, str(error))) from error


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """A connection that any one thread at a time may use.  `create` makes the file, and its folder, where missing."""
    if create:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)  # the documents of a team are in it
    elif not path.exists():
        raise IndexMissing(f"There is no index at {path}; make one with `footnote index files PATH`.")
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, path, create)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """Everything read inside is of one moment."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[int]:
    """One transaction; gives the version that the index has once it is through."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = int(meta(connection, "version") or 0) + 1
        set_meta(connection, "version", version)
        yield version
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        raise


def meta(connection: sqlite3.Connection, key: str) -> str | int | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def set_meta(connection: sqlite3.Connection, key: str, value: str | int) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _prepare(connection: sqlite3.Connection, path: Path, create: bool) -> None:
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, VERSION):
        raise IndexMismatch(
            f"The index at {path} was made by another version of Footnote; delete it and index the documents again."
        )
    if version == 0 and not create:
        raise IndexMissing(f"The index at {path} is empty; fill it with `footnote index files PATH`.")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    if version == 0:
        script = files("indexers.index").joinpath("schema.sql").read_text("utf-8")
        connection.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version = {VERSION}; COMMIT;")


def _sentence(path: Path, reason: str) -> str:
    if "locked" in reason:
        return f"The index at {path} is being written by another process; try again in a moment."
    if "not a database" in reason or "malformed" in reason:
        return f"The index at {path} is damaged; delete it and index the documents again."
    return f"The index at {path} cannot be used: {reason}."
