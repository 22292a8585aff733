"""What the embedded index reads: the lexical list, passages, threads, sources, fingerprints."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from indexers.document import Audience
from indexers.embedding import Vectors
from indexers.excerpts import opening
from indexers.index import Filter, Fingerprint, Line, Passage, Surroundings, chunk_id
from indexers.index.filters import conditions, of_audience
from indexers.index.matching import Expression
from indexers.index.matrix import from_blobs
from indexers.index.names import askable
from indexers.index.schema import meta, reading

TITLE_WEIGHT = 2.0
"""Of a word in the title or the headings against one in the text, which holds them too.  SQLite weighs within one BM25,
so that this does what a second field with weight .3 does elsewhere: nDCG@10 of the lexical list .692 and .388 on
SciFact and Cranfield, .686 and .380 without.  On our own pages, which have headings, the right part comes first for 19
questions of 24, for 14 without."""

_BM25 = f"-bm25(words, 1.0, {TITLE_WEIGHT})"
# CROSS JOIN: the full text first, then by key, whatever SQLite thinks of it.
_JOINED = "CROSS JOIN chunks AS c ON c.id = words.rowid CROSS JOIN documents AS d ON d.id = c.document"
_PASSAGE = """
    SELECT c.id, d.id, d.key, c.ordinal, d.source, d.title, t.headings, t.text, d.timestamp, d.thread, d.url
    FROM documents AS d JOIN chunks AS c ON c.document = d.id JOIN texts AS t ON t.chunk = c.id
"""


def frequency(connection: sqlite3.Connection, word: str, most: int, audience: Audience) -> int:
    """In how many chunks that the audience may read a word stands, counted up to `most`."""
    condition, values = of_audience(audience)
    counted = f"SELECT 1 FROM words {_JOINED if values else ''} WHERE words MATCH :word AND {condition} LIMIT :most"
    asked = {**values, "word": f'"{word}"', "most": most}
    return int(connection.execute(f"SELECT count(*) FROM ({counted})", asked).fetchone()[0])


def size(connection: sqlite3.Connection, audience: Audience) -> int:
    """How many chunks the audience may read."""
    condition, values = of_audience(audience)
    joined = "JOIN documents AS d ON d.id = c.document" if values else ""
    counted = f"SELECT count(*) FROM chunks AS c {joined} WHERE {condition}"
    return int(connection.execute(counted, values).fetchone()[0])


def count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])


def version(connection: sqlite3.Connection) -> int:
    """Another after every write."""
    return int(meta(connection, "version") or 0)


def lexical(connection: sqlite3.Connection, matched: Expression, where: Filter, k: int) -> list[tuple[int, float]]:
    """The best `k` chunks and their BM25, best first, equals by chunk."""
    best = _best(connection, matched, where, k, among=matched.rarest) if matched.rarest else []
    return best if len(best) >= k or not matched.whole else _best(connection, matched, where, k)


def _best(
    connection: sqlite3.Connection, matched: Expression, where: Filter, k: int, among: str = ""
) -> list[tuple[int, float]]:
    condition, values = conditions(where)
    narrowed = "AND +words.rowid IN (SELECT rowid FROM words WHERE words MATCH :among)"
    return connection.execute(
        f"SELECT words.rowid, {_BM25} AS score FROM words {_JOINED if values else ''} "
        f"WHERE words MATCH :whole {narrowed if among else ''} AND {condition} "
        "ORDER BY score DESC, words.rowid LIMIT :k",
        {**values, "whole": matched.whole, "among": among, "k": max(k, 0)},
    ).fetchall()


def lexical_of(connection: sqlite3.Connection, matched: Expression, chunks: Collection[int]) -> dict[int, float]:
    """The BM25 of those of the chunks that match."""
    if not matched.whole:
        return {}
    return dict(
        connection.execute(
            f"SELECT rowid, {_BM25} FROM words WHERE words MATCH ? AND +rowid IN (SELECT value FROM json_each(?))",
            (matched.whole, json.dumps(list(chunks))),
        ).fetchall()
    )


def vectors_of(connection: sqlite3.Connection, chunks: Collection[int]) -> dict[int, Vectors]:
    rows = connection.execute(
        "SELECT chunk, vector FROM vectors WHERE chunk IN (SELECT value FROM json_each(?))", (json.dumps(list(chunks)),)
    ).fetchall()
    return dict(zip((row[0] for row in rows), from_blobs([row[1] for row in rows]), strict=True)) if rows else {}


def names_of(connection: sqlite3.Connection, chunks: Collection[int]) -> dict[int, str]:
    """The chunk id of each row."""
    rows = connection.execute(
        "SELECT c.id, d.key, c.ordinal FROM chunks AS c JOIN documents AS d ON d.id = c.document "
        "WHERE c.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(chunks)),),
    )
    return {row: chunk_id(key, ordinal) for row, key, ordinal in rows}


def rows_of(connection: sqlite3.Connection, chunks: Iterable[str], where: Filter) -> dict[int, str]:
    """The chunk id by row, of those that pass."""
    condition, values = conditions(where)
    rows = connection.execute(
        "SELECT c.id, d.key, c.ordinal FROM json_each(:chunks) AS w "
        "CROSS JOIN documents AS d ON d.key = json_extract(w.value, '$[0]') "
        f"CROSS JOIN chunks AS c ON c.document = d.id AND c.ordinal = json_extract(w.value, '$[1]') WHERE {condition}",
        {**values, "chunks": json.dumps([place for one in askable(chunks) if (place := _place(one))])},
    )
    return {row: chunk_id(key, ordinal) for row, key, ordinal in rows}


def recent(connection: sqlite3.Connection, where: Filter, k: int, *, upcoming: bool) -> list[str]:
    condition, values = conditions(where)
    order = "ASC" if upcoming else "DESC"
    rows = connection.execute(
        "SELECT d.key, c.ordinal FROM documents AS d CROSS JOIN chunks AS c ON c.document = d.id AND c.ordinal = 0 "
        f"WHERE {condition} ORDER BY d.time {order}, d.key LIMIT :k",
        {**values, "k": max(k, 0)},
    )
    return [chunk_id(key, ordinal) for key, ordinal in rows]


def linked(connection: sqlite3.Connection, urls: Collection[str], where: Filter, k: int) -> list[str]:
    condition, values = conditions(where)
    rows = connection.execute(
        "SELECT d.key, c.ordinal FROM documents AS d CROSS JOIN chunks AS c ON c.document = d.id "
        f"WHERE d.url IN (SELECT value FROM json_each(:urls)) AND {condition} ORDER BY d.key, c.ordinal LIMIT :k",
        {**values, "urls": json.dumps(askable(urls)), "k": max(k, 0)},
    )
    return [chunk_id(key, ordinal) for key, ordinal in rows]


def passages(connection: sqlite3.Connection, chunks: Sequence[str], where: Filter) -> dict[str, Passage]:
    rows = json.dumps(list(rows_of(connection, chunks, where)))
    return {
        passage.chunk_id: passage
        for passage in _passages(
            connection, f"{_PASSAGE} WHERE c.id IN (SELECT value FROM json_each(:rows))", {"rows": rows}
        )
    }


def around(connection: sqlite3.Connection, passage: Passage, audience: Audience, k: int) -> Surroundings:
    condition, values = of_audience(audience)
    values |= {
        "time": passage.timestamp.timestamp(),
        "key": passage.document_id,
        "ordinal": passage.ordinal,
        "source": passage.source,
        "thread": passage.thread_id,
        "k": max(k, 0),
    }
    together = "d.source = :source AND d.thread = :thread AND d.thread <> ''" if passage.thread_id else "d.key = :key"

    def side(comparison: str, order: str) -> list[Line]:
        found = _passages(
            connection,
            f"{_PASSAGE} WHERE {together} AND (d.time, d.key, c.ordinal) {comparison} (:time, :key, :ordinal) "
            f"AND {condition} ORDER BY d.time {order}, d.key {order}, c.ordinal {order} LIMIT :k",
            values,
        )
        return [_line(one) for one in found]

    return Surroundings(side("<", "DESC")[::-1], side(">", "ASC"))


def sources(connection: sqlite3.Connection, audience: Audience) -> list[str]:
    condition, values = of_audience(audience)
    rows = connection.execute(f"SELECT DISTINCT d.source FROM documents AS d WHERE {condition} ORDER BY 1", values)
    return [source for (source,) in rows]


def fingerprints(connection: sqlite3.Connection, scopes: Sequence[str]) -> dict[str, Fingerprint]:
    found: dict[str, Fingerprint] = {}
    with reading(connection):
        sets = connection.execute("SELECT id, principals FROM access_sets")
        access = {number: frozenset[str](json.loads(principals)) for number, principals in sets}
        for scope in scopes:
            rows = connection.execute(
                "SELECT key, content, facts, embedding, access FROM documents "
                "WHERE key = :scope OR (key > :scope || '/' AND key < :scope || '0')",  # 0 is what follows the slash
                {"scope": scope},
            )
            found |= {
                key: Fingerprint(content, facts, embedding, access[number])
                for key, content, facts, embedding, number in rows
            }
    return found


def _line(one: Passage) -> Line:
    return Line(one.chunk_id, one.ordinal, one.timestamp.isoformat(), one.author, opening(one.text))


def _place(chunk: str) -> tuple[str, int] | None:
    """None for what is no id of a chunk."""
    document, _, ordinal = chunk.rpartition("#")
    return (document, int(ordinal)) if ordinal.isdecimal() else None


def _passages(connection: sqlite3.Connection, statement: str, values: dict[str, Any]) -> list[Passage]:
    rows = connection.execute(statement, values).fetchall()
    people = _participants(connection, {row[1] for row in rows})
    return [
        Passage(
            chunk_id(key, ordinal),
            key,
            ordinal,
            source,
            title,
            tuple(headings.split("\n")) if headings else (),
            text,
            datetime.fromisoformat(timestamp),
            tuple(people.get(document, ())),
            thread,
            url,
        )
        for _, document, key, ordinal, source, title, headings, text, timestamp, thread, url in rows
    ]


def _participants(connection: sqlite3.Connection, documents: set[int]) -> dict[int, list[str]]:
    people: dict[int, list[str]] = {}
    for document, name in connection.execute(
        "SELECT i.document, e.name FROM participants AS i JOIN people AS e ON e.id = i.person "
        "WHERE i.document IN (SELECT value FROM json_each(?)) ORDER BY i.document, i.position",
        (json.dumps(sorted(documents)),),
    ):
        people.setdefault(document, []).append(name)
    return people
