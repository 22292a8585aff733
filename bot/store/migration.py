"""What older Footnotes kept, brought forward: the tables of the schemas 1 and 2, one for each thing that was kept, and
documents without a place."""

import json
import sqlite3
from collections import defaultdict
from typing import Any

from bot.store.bodies import as_record, body
from bot.store.documents import Document
from bot.store.records import Run, Thread, Turn
from bot.store.runs import place_of


def since_2(database: sqlite3.Connection, version: int) -> None:
    """Move what the old tables hold, and drop them; within the transaction of the caller."""
    for key, at in database.execute("SELECT key, at FROM claims").fetchall():
        claim = Run(key=key, channel="", thread_ts="", user="", asked={}, status="claim")
        _insert(database, "run", key, claim, at, "claim")
    askers, turns = defaultdict[tuple[str, str], set[str]](set), defaultdict[tuple[str, str], list[Turn]](list)
    for channel, thread_ts, asker in database.execute("SELECT channel, thread_ts, asker FROM askers"):
        askers[channel, thread_ts].add(asker)
    columns = "channel, thread_ts, ts, asker, question, answer, sources, audience"
    for channel, thread_ts, *values in database.execute(f"SELECT {columns} FROM turns ORDER BY id"):
        turns[channel, thread_ts].append(_turn(*values))
    column = "web" if version > 1 else "0"
    for channel, thread_ts, root, web, at in database.execute(
        f"SELECT channel, thread_ts, root_asked, {column}, at FROM threads"
    ).fetchall():
        place = channel, thread_ts
        thread = Thread(
            root_asked=bool(root), askers=frozenset(askers[place]), web=bool(web), turns=tuple(turns[place][-20:])
        )
        _insert(database, "thread", f"{channel}:{thread_ts}", thread, at, "")
    for table in ("claims", "threads", "askers", "turns"):
        database.execute(f"DROP TABLE {table}")


def since_3(database: sqlite3.Connection) -> None:
    """Give documents their places; within the transaction of the caller."""
    database.execute("ALTER TABLE documents ADD COLUMN place TEXT NOT NULL DEFAULT ''")
    for id, kept in database.execute("SELECT id, body FROM documents WHERE kind = 'run'").fetchall():
        place = place_of_run(Document(kept, 0.0))
        database.execute("UPDATE documents SET place = ? WHERE kind = 'run' AND id = ?", (place, id))


def place_of_run(document: Document) -> str:
    return place_of(as_record(Run, document))


def _turn(ts: str, asker: str, question: str, answer: str, sources: str, audience: str) -> Turn:
    return Turn(
        ts=ts,
        asker=asker,
        question=question,
        answer=answer,
        sources=tuple(json.loads(sources)),
        audience=tuple(frozenset(principals) for principals in json.loads(audience)),
    )


def _insert(database: sqlite3.Connection, kind: str, id: str, record: Any, at: float, status: str) -> None:
    database.execute(
        "INSERT OR IGNORE INTO documents (kind, id, body, at, status, user) VALUES (?, ?, ?, ?, ?, '')",
        (kind, id, body(record), at, status),
    )
