"""A filter as the embedded index applies it: as conditions of a statement, and as values to compare arrays with.

Both come from the same two queries, so that the two lists of a search can not disagree about who may read what.
"""

import json
import re
import sqlite3
import unicodedata
from dataclasses import dataclass
from typing import Any

from indexers.document import Audience
from indexers.index import Filter
from indexers.index.names import askable

# Each set of the audience is numbered; a set of principals passes when it meets all of them.
_ACCESS = """
    SELECT p.access FROM json_each(:audience) AS a JOIN principals AS p ON p.principal = json_extract(a.value, '$[1]')
    GROUP BY p.access HAVING count(DISTINCT json_extract(a.value, '$[0]')) = :sets
"""
_PERSON = """
    SELECT i.document FROM participants AS i WHERE i.person IN (
        SELECT e.id FROM people AS e
        WHERE NOT EXISTS (SELECT 1 FROM json_each(:person) AS w WHERE instr(e.folded, w.value) = 0)
    )
"""
# The unary plus keeps SQLite from starting at these lists and looking each row of the full text up again, which is
# two hundred times as slow.
_CONDITIONS = {
    "audience": f"+d.access IN ({_ACCESS})",
    "person": f"+d.id IN ({_PERSON})",
    "start": "+d.time >= :start",
    "end": "+d.time <= :end",
    "sources": "+d.source IN (SELECT value FROM json_each(:sources))",
}

_AROUND = '<>()[]{}"“”«»,;:!?'
"""What people and models write around a name."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a row's columns may be; None where anything goes."""

    access: list[int] | None
    documents: list[int] | None
    start: float | None
    end: float | None
    sources: tuple[str, ...] | None


def conditions(where: Filter) -> tuple[str, dict[str, Any]]:
    """An expression over `documents AS d`, and its parameters."""
    values = _values(where)
    return " AND ".join(_CONDITIONS[key] for key in _CONDITIONS if key in values) or "1", values


def of_audience(audience: Audience) -> tuple[str, dict[str, Any]]:
    return conditions(Filter(audience))


def allowed(connection: sqlite3.Connection, where: Filter) -> Allowed:
    values = _values(where)

    def column(key: str, query: str) -> list[int] | None:
        return [row[0] for row in connection.execute(query, values)] if key in values else None

    return Allowed(
        column("audience", _ACCESS), column("person", _PERSON), values.get("start"), values.get("end"), where.sources
    )


def fold(name: str) -> str:
    """Without case and accents."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def person_words(person: str) -> list[str]:
    """What all must stand in one name, handle or address; an address, wherever it stands, is enough."""
    # Of a zero nothing would be compared that comes after it.
    words = [word.strip(_AROUND).lstrip("@") for word in fold(person).replace("\0", "\ufffd").split()]
    words = [re.sub("['’]s$", "", word.removeprefix("mailto:")) for word in words]
    addresses = [word for word in words if "@" in word]
    return addresses[:1] or list(filter(None, words)) or words[:1]


def _values(where: Filter) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if where.audience:
        pairs = [
            (number, one) for number, principals in enumerate(where.audience) for one in askable(sorted(principals))
        ]
        values |= {"audience": json.dumps(pairs), "sets": len(where.audience)}
    if words := person_words(where.person):
        values["person"] = json.dumps(words)
    if where.start is not None:
        values["start"] = where.start.timestamp()
    if where.end is not None:
        values["end"] = where.end.timestamp()
    if where.sources is not None:
        values["sources"] = json.dumps(askable(where.sources))
    return values
