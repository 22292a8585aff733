"""When the embedded index was last brought in line with its sources, though nothing may have changed."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime

from indexers.document import Audience
from indexers.index.filters import of_audience
from indexers.index.names import askable

_KEY = "visit:"
"""Before a scope, in `meta`: an index that was made before there were visits is not refused."""
_MICROSECONDS = 1_000_000


def visited(connection: sqlite3.Connection, visits: Mapping[str, datetime]) -> None:
    times = {_KEY + scope: round(visits[scope].timestamp() * _MICROSECONDS) for scope in askable(visits)}
    # No new version of the index: no document has changed.
    connection.execute(
        "INSERT INTO meta SELECT key, value FROM json_each(?) WHERE true "
        "ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)",
        (json.dumps(times),),
    )


def visits(connection: sqlite3.Connection) -> dict[str, datetime]:
    return {scope: _time(at) for scope, at in _visits(connection).items()}


def read_at(connection: sqlite3.Connection, audience: Audience) -> dict[str, datetime]:
    condition, values = of_audience(audience)
    newest: dict[str, int] = dict(
        connection.execute(
            f"SELECT d.source, max(d.read) FROM documents AS d WHERE {condition} GROUP BY d.source ORDER BY 1", values
        ).fetchall()
    )
    for scope, at in _visits(connection).items():
        for source in [source for source, read in newest.items() if read < at]:
            if _has(connection, scope, source, audience):
                newest[source] = at
    return {source: _time(read) for source, read in newest.items()}


def _visits(connection: sqlite3.Connection) -> dict[str, int]:
    """By scope, the latest first."""
    rows = connection.execute(
        "SELECT substr(key, length(:key) + 1), value FROM meta WHERE substr(key, 1, length(:key)) = :key "
        "ORDER BY value DESC, key",
        {"key": _KEY},
    )
    return dict(rows.fetchall())


def _has(connection: sqlite3.Connection, scope: str, source: str, audience: Audience) -> bool:
    """Whether the audience may read a document of the source in the scope."""
    condition, values = of_audience(audience)
    found = connection.execute(
        "SELECT 1 FROM documents AS d WHERE (d.key = :scope OR (d.key > :scope || '/' AND d.key < :scope || '0')) "
        f"AND d.source = :source AND {condition} LIMIT 1",
        {**values, "scope": scope, "source": source},
    )
    return found.fetchone() is not None


def _time(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / _MICROSECONDS, UTC)
