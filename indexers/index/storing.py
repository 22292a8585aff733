"""What the embedded index writes: a document in one transaction, its rows in every table or in none."""

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence

from indexers.chunks import Chunk, headings_in
from indexers.embedding import Vectors
from indexers.index import REMOVAL_KEPT, Entry, IndexMismatch
from indexers.index.filters import fold
from indexers.index.matrix import to_blob
from indexers.index.schema import meta, set_meta, writing


def expect(connection: sqlite3.Connection, embedding: str, dimensions: int | None = None) -> None:
    """Refuses vectors that can not be compared with those that are stored."""
    stored, width = meta(connection, "embedding"), meta(connection, "dimensions")
    if embedding and stored and (stored != embedding or (dimensions and dimensions != width)):
        path = connection.execute("PRAGMA database_list").fetchone()[2]
        raise IndexMismatch(
            f"The index holds vectors of {stored} ({width} dimensions), and this run would add vectors of {embedding}"
            f"{f' ({dimensions} dimensions)' if dimensions else ''}; go back to that model, or delete the index {path} "
            "and index the documents again."
        )


def write(connection: sqlite3.Connection, entry: Entry) -> bool:
    """Whether it was written: not where a newer state is stored, or nothing that could be described."""
    with writing(connection) as version:
        row, read = _row(connection, entry.document.id)
        if read > entry.version or (entry.chunks is None and row is None):
            return False
        if entry.vectors is not None and len(entry.vectors):
            expect(connection, entry.fingerprint.embedding, entry.vectors.shape[1])
            set_meta(connection, "embedding", entry.fingerprint.embedding)
            set_meta(connection, "dimensions", entry.vectors.shape[1])
        if row is not None and entry.chunks is not None:
            _remove_chunks(connection, row)
        row = _put_document(connection, row, entry, version)
        if entry.chunks is not None:
            _put_chunks(connection, row, entry.chunks, entry.vectors)
    return True


def delete(connection: sqlite3.Connection, documents: Iterable[str]) -> int:
    removed, now = 0, time.time_ns() // 1000
    for document in documents:
        with writing(connection) as version:
            row, _ = _row(connection, document)
            if row is not None:
                _remove_chunks(connection, row)
                connection.execute("DELETE FROM participants WHERE document = ?", (row,))
                connection.execute("DELETE FROM documents WHERE id = ?", (row,))
                connection.execute("INSERT INTO removed VALUES (?, ?)", (version, row))
                connection.execute("INSERT OR REPLACE INTO removals VALUES (?, ?)", (document, now))
                removed += 1
    if removed:
        with writing(connection):
            connection.execute("DELETE FROM removals WHERE read < ?", (now - REMOVAL_KEPT,))
    return removed


def _row(connection: sqlite3.Connection, document: str) -> tuple[int | None, int]:
    """The row of a document, and the version of what is stored, or when it was removed."""
    row = connection.execute("SELECT id, read FROM documents WHERE key = ?", (document,)).fetchone()
    if row is not None:
        return int(row[0]), int(row[1])
    gone = connection.execute("SELECT read FROM removals WHERE key = ?", (document,)).fetchone()
    return None, 0 if gone is None else int(gone[0])


def _put_document(connection: sqlite3.Connection, row: int | None, entry: Entry, version: int) -> int:
    document, fingerprint = entry.document, entry.fingerprint
    values = {
        "id": row,
        "key": document.id,
        "access": _access(connection, document.access),
        "time": document.timestamp.timestamp(),
        "source": document.source,
        "thread": document.thread_id,
        "version": version,
        "timestamp": document.timestamp.isoformat(),
        "title": document.title.replace("\0", " "),
        "url": document.url,
        "content": fingerprint.content,
        "facts": fingerprint.facts,
        "embedding": fingerprint.embedding,
        "read": entry.version,
    }
    connection.execute(f"INSERT OR REPLACE INTO documents ({', '.join(values)}) VALUES (:{', :'.join(values)})", values)
    row, _ = _row(connection, document.id)
    assert row is not None
    connection.execute("DELETE FROM participants WHERE document = ?", (row,))
    connection.executemany(
        "INSERT INTO participants VALUES (?, ?, ?)",
        [(row, position, _person(connection, name)) for position, name in enumerate(document.participants)],
    )
    return row


def _put_chunks(connection: sqlite3.Connection, row: int, chunks: Sequence[Chunk], vectors: Vectors | None) -> None:
    for place, chunk in enumerate(chunks):
        values = (row, chunk.ordinal)
        number = connection.execute("INSERT INTO chunks (document, ordinal) VALUES (?, ?)", values).lastrowid
        topics = "\n".join([*chunk.headings, *headings_in(chunk.text)])
        # Behind a zero, nothing would be looked for.
        row_of_text = (number, *(text.replace("\0", " ") for text in ("\n".join(chunk.headings), topics, chunk.text)))
        connection.execute("INSERT INTO texts VALUES (?, ?, ?, ?)", row_of_text)
        if vectors is not None and vectors[place].any():
            connection.execute("INSERT INTO vectors VALUES (?, ?)", (number, to_blob(vectors[place])))
    connection.execute(
        "INSERT INTO words (rowid, body, title) SELECT id, body, title FROM searchable WHERE document = ?", (row,)
    )


def _remove_chunks(connection: sqlite3.Connection, row: int) -> None:
    # The full text forgets a chunk only when it is told exactly what it was given: before anything else changes.
    connection.execute(
        "INSERT INTO words (words, rowid, body, title) SELECT 'delete', id, body, title FROM searchable "
        "WHERE document = ?",
        (row,),
    )
    of_document = "chunk IN (SELECT id FROM chunks WHERE document = ?)"
    connection.execute(f"DELETE FROM vectors WHERE {of_document}", (row,))
    connection.execute(f"DELETE FROM texts WHERE {of_document}", (row,))
    connection.execute("DELETE FROM chunks WHERE document = ?", (row,))


def _access(connection: sqlite3.Connection, access: Iterable[str]) -> int:
    principals = json.dumps(sorted(access))
    found = connection.execute("SELECT id FROM access_sets WHERE principals = ?", (principals,)).fetchone()
    if found is not None:
        return int(found[0])
    number = connection.execute("INSERT INTO access_sets (principals) VALUES (?)", (principals,)).lastrowid
    assert number is not None
    connection.executemany("INSERT INTO principals VALUES (?, ?)", [(one, number) for one in sorted(access)])
    return number


def _person(connection: sqlite3.Connection, name: str) -> int:
    connection.execute("INSERT OR IGNORE INTO people (name, folded) VALUES (?, ?)", (name, fold(name)))
    return int(connection.execute("SELECT id FROM people WHERE name = ?", (name,)).fetchone()[0])
