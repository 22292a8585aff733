"""How much of the web one message gets.  Times are in seconds."""

from dataclasses import dataclass

MAX_RESULTS = 8
SEARCH_TIMEOUT_S = 25.0
FETCH_TOP = 3
FETCH_TIMEOUT_S = 15.0
PAGE_CHARS = 6_000
NAMED_PAGE_CHARS = 2 * PAGE_CHARS
"""Of a page whose address the user wrote."""
QUERY_CHARS = 256
"""A query is text that leaves the house: no engine gets more of it."""
ENGINE_TIMEOUT_S = 12.0
"""For one engine, so that the next one still has its turn."""


@dataclass(frozen=True, slots=True)
class Limits:
    results: int = MAX_RESULTS
    search_seconds: float = SEARCH_TIMEOUT_S
    engine_seconds: float = ENGINE_TIMEOUT_S
    pages: int = FETCH_TOP
    """How many of the results are read."""
    page_seconds: float = FETCH_TIMEOUT_S
    page_chars: int = PAGE_CHARS
