"""The vectors of the embedded index, resident in memory, and the exact nearest of them.

The matrix follows the file: before each search the index's version is read, and the documents that were written since,
by whatever process, are dropped from the matrix and loaded anew.
"""

import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.embedding import Vectors
from indexers.index.filters import Allowed
from indexers.index.schema import meta, reading

DEAD_SHARE = 0.2
"""Rows of replaced documents that are carried along, at most."""

_FACTS = np.dtype([("chunk", "i8"), ("document", "i8"), ("time", "f8"), ("access", "i8"), ("source", "i4")])
_FETCHED = 4096
_GROWTH = 1.25


@dataclass(frozen=True, slots=True)
class Rows:
    """One row a chunk that has a vector.  Never changed: a reader keeps what it was given."""

    facts: NDArray[np.void]
    alive: NDArray[np.bool_]
    vectors: Vectors
    names: tuple[str, ...] = ()
    """The source of each number in the facts."""

    def passing(self, allowed: Allowed) -> NDArray[np.bool_]:
        mask = self.alive.copy()
        if allowed.access is not None:
            mask &= np.isin(self.facts["access"], allowed.access)
        if allowed.documents is not None:
            mask &= np.isin(self.facts["document"], allowed.documents)
        if allowed.start is not None:
            mask &= self.facts["time"] >= allowed.start
        if allowed.end is not None:
            mask &= self.facts["time"] <= allowed.end
        if allowed.sources is not None:
            mask &= np.isin(self.facts["source"], [n for n, name in enumerate(self.names) if name in allowed.sources])
        return mask

    def nearest(self, vector: Vectors, mask: NDArray[np.bool_], k: int) -> list[tuple[int, float]]:
        """The `k` best chunks and their cosines, best first, equals by chunk."""
        k = min(k, int(np.count_nonzero(mask)))
        if k < 1:
            return []
        # Not `@`: its threads would wait for each other on cores that other searches use.
        cosines = np.where(mask, np.vecdot(self.vectors, vector), -np.inf)
        best = np.flatnonzero(cosines >= np.partition(cosines, -k)[-k])
        best = best[np.lexsort((self.facts["chunk"][best], -cosines[best]))][:k]
        return [(int(self.facts["chunk"][row]), float(cosines[row])) for row in best]


def to_blob(vector: Vectors) -> bytes:
    return vector.astype(np.float16).tobytes()


def from_blobs(blobs: list[bytes]) -> Vectors:
    """One row a blob, of length 1 again."""
    vectors: Vectors = np.frombuffer(b"".join(blobs), np.float16).reshape(len(blobs), -1).astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return vectors


class Matrix:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = -1
        # The vectors of the rows are the first part of the room; new ones are put behind them.
        self._room: Vectors = np.empty((0, 0), np.float32)
        self._rows = Rows(np.empty(0, _FACTS), np.empty(0, np.bool_), self._room)

    def rows(self, connection: sqlite3.Connection) -> Rows:
        """What the file holds now."""
        with self._lock, reading(connection):
            version = int(meta(connection, "version") or 0)
            if version != self._version:
                self._follow(connection)
                self._version = version
            return self._rows

    def _follow(self, connection: sqlite3.Connection) -> None:
        dimensions = int(meta(connection, "dimensions") or 0)
        if dimensions != self._room.shape[1]:
            self._version = -1
            self._room = np.empty((0, dimensions), np.float32)
            self._rows = Rows(np.empty(0, _FACTS), np.empty(0, np.bool_), self._room)
        if len(self._rows.facts):
            changed = [row[0] for row in connection.execute(_CHANGED, {"since": self._version})]
            alive = self._rows.alive & ~np.isin(self._rows.facts["document"], changed)
            self._rows = replace(self._rows, alive=alive)
        self._append(connection)
        if np.count_nonzero(self._rows.alive) < (1 - DEAD_SHARE) * len(self._rows.alive):
            self._compact()

    def _append(self, connection: sqlite3.Connection) -> None:
        since = {"since": self._version}
        count = connection.execute(f"SELECT count(*) {_NEW}", since).fetchone()[0]
        if not count:
            return
        end = len(self._rows.facts)
        self._make_room(end + count)
        names = list(self._rows.names)
        facts = [self._rows.facts]
        for block in _blocks(connection.execute(f"SELECT {_COLUMNS} {_NEW} ORDER BY c.id", since)):
            self._room[end : end + len(block)] = from_blobs([row[5] for row in block])
            facts.append(np.array([(*row[:4], _number(names, row[4])) for row in block], _FACTS))
            end += len(block)
        alive = np.concatenate([self._rows.alive, np.ones(count, np.bool_)])
        self._rows = Rows(np.concatenate(facts), alive, self._room[:end], tuple(names))

    def _make_room(self, rows: int) -> None:
        held = len(self._rows.facts)
        if rows > len(self._room):
            room = np.empty((int(rows * _GROWTH) if held else rows, self._room.shape[1]), np.float32)
            room[:held] = self._rows.vectors
            self._room = room

    def _compact(self) -> None:
        alive = self._rows.alive
        self._room = self._rows.vectors[alive]
        self._rows = Rows(self._rows.facts[alive], alive[alive], self._room, self._rows.names)


_CHANGED = """
    SELECT id FROM documents WHERE version > :since UNION ALL SELECT document FROM removed WHERE version > :since
"""
_COLUMNS = "c.id, c.document, d.time, d.access, d.source, v.vector"
_NEW = """
    FROM documents AS d JOIN chunks AS c ON c.document = d.id JOIN vectors AS v ON v.chunk = c.id
    WHERE d.version > :since
"""


def _blocks(cursor: sqlite3.Cursor) -> Iterator[list[Any]]:
    while block := cursor.fetchmany(_FETCHED):
        yield block


def _number(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)
