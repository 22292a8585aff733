"""What goes into a run and what comes out of it: hits, tool invocations, the result."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias

from typing_extensions import TypedDict  # pydantic reads that of typing from Python 3.12 on


@dataclass(frozen=True, slots=True)
class WebHit:
    """One public-web result."""

    title: str
    url: str
    site: str = ""
    date: str = ""
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One chunk that a search found.

    `timestamp` is an ISO 8601 string with offset, `score` the fused score, `bm25_score` and `vector_score` the raw
    ones (0.0 where a leg did not see the chunk).  `thread_context` holds
    `{"chunk_idx", "timestamp", "author", "snippet"}`, oldest first.  `more` is the text around the snippet, snippet
    included, where the search looked a second time.
    """

    chunk_id: str
    document_id: str
    chunk_idx: int
    title: str
    content_snippet: str
    source: str
    timestamp: str
    participants: list[str]
    score: float
    bm25_score: float
    vector_score: float
    thread_id: str = ""
    thread_context: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""
    more: str = ""


class Source(TypedDict):
    """A source as the client is given it; `ref` is its footnote number."""

    ref: int
    title: str
    sender: str
    date: str
    source: str
    source_id: str
    url: str


@dataclass(slots=True)
class ToolInvocation:
    """One tool call and what came back; `arguments` are the normalised ones."""

    arguments: dict[str, Any]
    num_results: int = 0
    top_titles: list[str] = field(default_factory=list)
    raw_hits: list[SearchHit] = field(default_factory=list)
    tool_name: str = "search"
    response: str = ""
    web_hits: list[WebHit] = field(default_factory=list)
    error: str = ""


StopReason: TypeAlias = Literal["answered", "budget", "deadline", "no_content", "no_synthesis", "engine_failed"]


@dataclass(slots=True)
class ResearchResult:
    answer: str
    iterations: int
    tool_calls: list[ToolInvocation]
    usage: dict[str, int] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    grounded: bool = False
    """The answer cites at least one source of this run."""
    stop_reason: StopReason = "answered"
    warnings: list[str] = field(default_factory=list)
    dropped_citations: int = 0
    language: str = "en"
    """ISO 639-1 of the question, `en` when unsure."""
    passages: list[SearchHit | WebHit] = field(default_factory=list)
    """What each of `sources` rests on, in their order."""


@dataclass(frozen=True, slots=True)
class SearchResults:
    """What a search may return in place of a bare list: hits, and sentences on what was degraded."""

    hits: list[SearchHit]
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Clarification:
    """What a clarify handler may give in place of a bare text: with what came with it, citable as hits are."""

    text: str
    enclosed: Sequence[SearchHit] = ()


class SearchFailed(Exception):
    """A search could not be made; its text is told to the planner and the user, so it holds no secret."""


class Waiting(Exception):
    """Raised by a clarify handler whose answer comes later: the run ends without a terminal event and is resumed."""


TimeRange: TypeAlias = tuple[datetime | None, datetime | None]


class Search(Protocol):
    """The documents, as one audience may see them."""

    async def search(
        self,
        query: str,
        *,
        person: str | None = None,
        time_range: TimeRange | None = None,
        sources: list[str] | None = None,
        limit: int = 20,
    ) -> list[SearchHit] | SearchResults: ...

    async def available_sources(self) -> list[str]: ...
