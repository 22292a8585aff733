"""Every document of the embedded index, as it was written: for whoever takes them elsewhere."""

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import numpy as np

from indexers.chunks import Chunk
from indexers.document import Document
from indexers.embedding import Vectors
from indexers.index import Entry, Fingerprint
from indexers.index.lookup import vectors_of
from indexers.index.schema import meta, reading

PAGE = 32
"""Documents read at a time."""

_DOCUMENTS = """
    SELECT id, key, source, title, timestamp, url, thread, content, facts, embedding, read, access
    FROM documents WHERE key > ? ORDER BY key LIMIT ?
"""
_CHUNKS = """
    SELECT c.id, c.ordinal, t.headings, t.text FROM chunks AS c JOIN texts AS t ON t.chunk = c.id
    WHERE c.document = ? ORDER BY c.ordinal
"""
_PEOPLE = """
    SELECT e.name FROM participants AS i JOIN people AS e ON e.id = i.person WHERE i.document = ? ORDER BY i.position
"""


def page(connection: sqlite3.Connection, after: str) -> list[Entry]:
    """The documents whose ids come next; none at the end."""
    with reading(connection):
        return list(_entries(connection, connection.execute(_DOCUMENTS, (after, PAGE)).fetchall()))


def _entries(connection: sqlite3.Connection, rows: Iterable[Any]) -> Iterator[Entry]:
    for row, key, source, title, timestamp, url, thread, content, facts, embedding, read, access in rows:
        parts = connection.execute(_CHUNKS, (row,)).fetchall()
        cut = [Chunk(ordinal, tuple(above.split("\n")) if above else (), text) for _, ordinal, above, text in parts]
        document = Document(
            id=key,
            source=source,
            title=title,
            text="".join(chunk.text for chunk in cut),
            timestamp=datetime.fromisoformat(timestamp),
            url=url,
            participants=tuple(_column(connection, _PEOPLE, row)),
            thread_id=thread,
            access=frozenset(_column(connection, "SELECT principal FROM principals WHERE access = ?", access)),
        )
        vectors = _vectors(connection, [part[0] for part in parts])
        yield Entry(document, cut, vectors, Fingerprint(content, facts, embedding), read)


def _vectors(connection: sqlite3.Connection, chunks: list[int]) -> Vectors | None:
    held = vectors_of(connection, chunks)
    if not held:
        return None
    rows = np.zeros((len(chunks), int(meta(connection, "dimensions") or 0)), np.float32)
    for place, chunk in enumerate(chunks):
        rows[place] = held.get(chunk, 0.0)
    return rows


def _column(connection: sqlite3.Connection, statement: str, row: int) -> list[str]:
    return [value for (value,) in connection.execute(statement, (row,))]
