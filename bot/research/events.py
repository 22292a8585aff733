"""What a run says as it goes.

A run is zero or more of these, then exactly one `FinalAnswer`, last (none while it waits or when it is cancelled).
The union is closed: every reader matches all of it and ends in `assert_never`.  `as_dict()` gives the wire form.
"""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bot.research.types import SearchHit, Source, StopReason, WebHit


@dataclass(frozen=True, slots=True)
class SearchCall:
    """Before a search; `arguments` as the planner gave them."""

    arguments: dict[str, Any]
    web: bool = False

    def as_dict(self) -> dict[str, Any]:
        arguments = {**self.arguments, "tool": "web_search"} if self.web else dict(self.arguments)
        return {"type": "search_call", "arguments": arguments}


@dataclass(frozen=True, slots=True)
class SearchResult:
    num_hits: int
    top_titles: list[str]
    sources: list[Source]
    web: bool = False
    hits: list[SearchHit] | list[WebHit] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        return {
            "type": "search_result",
            **({"tool": "web_search"} if self.web else {}),
            "num_hits": self.num_hits,
            "top_titles": list(self.top_titles),
            "sources": list(self.sources),
        }


@dataclass(frozen=True, slots=True)
class SearchError:
    """A search that could not be made."""

    error: str
    web: bool = False

    def as_dict(self) -> dict[str, Any]:
        tool = {"tool": "web_search"} if self.web else {}
        return {"type": "search_result", **tool, "error": self.error, "sources": []}


@dataclass(frozen=True, slots=True)
class ClarifyCall:
    question: str

    def as_dict(self) -> dict[str, Any]:
        return {"type": "clarify_call", "question": self.question}


@dataclass(frozen=True, slots=True)
class ClarifyResponse:
    response: str

    def as_dict(self) -> dict[str, Any]:
        return {"type": "clarify_response", "response": self.response}


@dataclass(frozen=True, slots=True)
class WebSearch:
    """The web was searched for one message before the model answered."""

    query: str
    engine: str
    sources: list[dict[str, Any]]
    error: str | None = None

    def as_dict(self) -> dict[str, Any]:
        error = {} if self.error is None else {"error": self.error}
        return {"type": "web_search", "query": self.query, "engine": self.engine, "sources": self.sources, **error}


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    """A piece of a draft, already gated.  A search or clarify call voids those before it."""

    text: str

    def as_dict(self) -> dict[str, Any]:
        return {"type": "answer_delta", "text": self.text}


@dataclass(frozen=True, slots=True)
class Error:
    """The engine failed; `message` is a plain sentence without cause or trace."""

    message: str

    def as_dict(self) -> dict[str, Any]:
        return {"type": "error", "message": self.message}


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """The terminal event; `text` replaces every delta."""

    text: str
    sources: list[Source]
    stop_reason: StopReason = "answered"
    grounded: bool = False
    language: str = "en"
    warnings: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {"type": "final_answer", "text": self.text, "sources": list(self.sources)}


Event: TypeAlias = (
    SearchCall
    | SearchResult
    | SearchError
    | ClarifyCall
    | ClarifyResponse
    | WebSearch
    | AnswerDelta
    | Error
    | FinalAnswer
)
