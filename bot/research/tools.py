"""The tools that the planner is offered, and what it meant by the arguments it gave them.  No I/O."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.research import sourcenames
from bot.research.timerange import parse_time_range
from bot.research.types import TimeRange

MOST_HITS = 20
RECENCIES = ("day", "week", "month", "year")

_SOFT_SWITCH = re.compile(r"\s*/(?:no_?)?think\s*", re.IGNORECASE)
_FALSE = {"", "false", "no", "0", "none", "null", "off"}


def _function(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


SEARCH_TOOL_SPEC: dict[str, Any] = _function(
    "search",
    "Search the team's own documents, by keyword and by meaning. Use the filters whenever the question names a "
    "person, a time or a source. Returns numbered hits, the best with a snippet and, where the search read on, with "
    "more of the text around it; cite them by their ref.",
    {
        "query": {
            "type": "string",
            "description": "The topic in plain words. May be empty when the filters alone carry the request. "
            "Keep a word such as latest or current: what is new then comes first.",
        },
        "person": {"type": "string", "description": "Part of the name or address of someone involved."},
        "time_range": {
            "type": "object",
            "description": "ISO 8601; either end may be left out. A date alone as end means the end of that day.",
            "properties": {
                "start": {"type": "string", "description": "Such as 2026-11-01 or 2026-11-01T09:00:00+01:00."},
                "end": {"type": "string", "description": "Such as 2026-11-30."},
            },
        },
        "sources": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Only these sources, by their names in the connected list.",
        },
        "limit": {"type": "integer", "description": "At most this many hits, 1 to 20; 20 unless said."},
    },
    ["query"],
)
WEB_SEARCH_TOOL_SPEC: dict[str, Any] = _function(
    "web_search",
    "Search the public web: for questions about the world rather than the team's documents, when the user asks for "
    "sites or links, or when the documents hold nothing. Returns numbered results; cite them by their ref.",
    {
        "query": {"type": "string", "description": "What to search for; no private text of the documents."},
        "recency": {"type": "string", "enum": list(RECENCIES), "description": "Only results this recent."},
        "news": {"type": "boolean", "description": "News outlets first."},
    },
    ["query"],
)
CLARIFY_TOOL_SPEC: dict[str, Any] = _function(
    "clarify",
    "Ask the user one specific question. Only after at least one search, when what was found leaves the question "
    "ambiguous or far too broad.",
    {"question": {"type": "string", "description": "One specific question."}},
    ["question"],
)


class Refused(Exception):
    """A call that is not made; its text is the error that the planner is told."""


@dataclass(frozen=True, slots=True)
class SearchArguments:
    query: str
    person: str | None
    time_range: TimeRange | None
    sources: list[str] | None
    limit: int

    def normalised(self) -> dict[str, Any]:
        """As `ToolInvocation.arguments` records them."""
        return {
            "query": self.query,
            "person": self.person,
            "time_range": self.time_range and dict(zip(("start", "end"), map(_iso, self.time_range), strict=True)),
            "sources": self.sources,
            "limit": self.limit,
        }


@dataclass(frozen=True, slots=True)
class WebArguments:
    query: str
    recency: str | None
    news: bool

    def normalised(self) -> dict[str, Any]:
        return {"query": self.query, "recency": self.recency, "news": self.news}


def read_search_arguments(raw: Mapping[str, Any], *, connected: Sequence[str], now: datetime) -> SearchArguments:
    """What the planner meant.  Raises `Refused` for a source that is not connected, `BadTimeRange` for a time range
    that cannot be read; anything else is read as well as it can be."""
    return SearchArguments(
        query=_query(raw),
        person=_text(raw.get("person")) or None,
        time_range=parse_time_range(raw.get("time_range"), now),
        sources=read_sources(raw.get("sources"), connected),
        limit=_limit(raw.get("limit")),
    )


def read_web_arguments(raw: Mapping[str, Any]) -> WebArguments:
    query = _query(raw)
    if not query:
        raise Refused("web_search needs a non-empty query")
    recency = _text(raw.get("recency")).lower()
    news = raw.get("news")
    wants_news = news.strip().lower() not in _FALSE if isinstance(news, str) else bool(news)
    return WebArguments(query, recency if recency in RECENCIES else None, wants_news)


def read_question(raw: Mapping[str, Any]) -> str:
    question = _first(raw, "question", "query", "text", "message", "prompt")
    if not question:
        raise Refused("clarify needs a question")
    return question


def _query(raw: Mapping[str, Any]) -> str:
    query = _first(raw, "query", "q", "search_query", "text", "keywords", "question")
    return "" if _SOFT_SWITCH.fullmatch(query) else query


def _first(raw: Mapping[str, Any], *names: str) -> str:
    """The argument under its own name, else under one that models write in its place."""
    return next((_text(raw[name]) for name in names if raw.get(name) is not None), "")


def _text(value: object) -> str:
    match value:
        case str():
            return value.strip()
        case list():
            return " ".join(filter(None, map(_text, value)))
        case bool() | None:
            return ""
        case int() | float():
            return str(value)
        case _:
            return ""


def _limit(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return MOST_HITS
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return MOST_HITS
    return max(1, min(MOST_HITS, int(number))) if math.isfinite(number) else MOST_HITS


def read_sources(value: object, connected: Sequence[str]) -> list[str] | None:
    """The connected sources that are named; None where none is.  Raises `Refused` for one that is not connected."""
    named = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    wanted = [name for name in map(_text, named) if name]
    found: list[str] = []
    for name in wanted:
        matches = sourcenames.connected(name, connected)
        if not matches:
            listed = ", ".join(connected) if connected else "none"
            raise Refused(f"the source {name[:60]!r} is not connected; the connected sources are: {listed}")
        found += [match for match in matches if match not in found]
    return found or None


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
