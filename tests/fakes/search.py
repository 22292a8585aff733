"""A corpus search that plays a list of results, and the hits to put in it."""

import asyncio
from typing import Any

from bot.research import SearchHit, SearchResults


def hit(number: int = 1, **changes: Any) -> SearchHit:
    values: dict[str, Any] = {
        "chunk_id": f"files:doc{number}#0",
        "document_id": f"files:doc{number}",
        "chunk_idx": 0,
        "title": f"Document {number}",
        "content_snippet": f"The passage of document {number}.",
        "source": "files",
        "timestamp": "2026-11-24T10:00:00+01:00",
        "participants": ["Ada Lovelace", "ada@example.com"],
        "score": 0.9,
        "bm25_score": 7.5,
        "vector_score": 0.61,
    }
    return SearchHit(**{**values, **changes})


def hits(count: int, first: int = 1) -> list[SearchHit]:
    return [hit(number) for number in range(first, first + count)]


class FakeSearch:
    """Each call plays the next result: hits, `SearchResults`, an exception to raise, or an event to wait for; after the
    last, no hits.

    `calls` records the arguments of each call.
    """

    def __init__(
        self, *results: list[SearchHit] | SearchResults | BaseException | asyncio.Event, sources: Any = ("files",)
    ) -> None:
        self._results = list(results)
        self._sources = sources
        self.calls: list[dict[str, Any]] = []
        self.asked_for_sources = 0

    async def search(self, query: str, **filters: Any) -> list[SearchHit] | SearchResults:
        self.calls.append({"query": query, **filters})
        result = self._results.pop(0) if self._results else []
        if isinstance(result, BaseException):
            raise result
        if isinstance(result, asyncio.Event):
            await result.wait()
            return []
        return result

    async def available_sources(self) -> list[str]:
        self.asked_for_sources += 1
        if isinstance(self._sources, BaseException):
            raise self._sources
        return list(self._sources)
