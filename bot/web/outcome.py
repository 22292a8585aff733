"""What a web search came to.

There are four outcomes, and an outage is never told as "nothing found", nor an empty result as an outage: `ok`;
`empty`, an engine that works found nothing; `failed`, the web was not searched; `partial`, sources with something to be
said of them, in `notes`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from bot.research.types import WebHit
from bot.sentences import Said, joined, said
from bot.web import sentences
from bot.web.sentences import with_words

NO_RESULTS = said(sentences.NO_RESULTS)
TIMED_OUT = said(sentences.TIMED_OUT)
FAILED = said(sentences.FAILED)

Outcome: TypeAlias = Literal["ok", "empty", "failed", "partial"]
FailureKind: TypeAlias = Literal[
    "no_key",
    "bad_key",
    "no_credits",
    "rate_limited",
    "timeout",
    "unreachable",
    "bad_request",
    "bad_response",
    "blocked",
    "unforeseen",
    "off",
    "refused",
    "unread",
]
"""The first ten are an engine's; `off` is a setting; a named page was `refused` by the guard, or is `unread`."""

_UNANSWERED: tuple[FailureKind, ...] = ("timeout", "unreachable", "unforeseen")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one engine did not search, or why a page was not read; `words` are its own, without secrets.

    `engine` is "" where it is not one alone: the whole search took too long, or the web is off.
    """

    engine: str
    kind: FailureKind
    words: str = ""
    retry_after: float | None = None
    """Seconds after which the engine wants to be asked again, where it said so."""
    asked: bool = True
    """Whether the query went out; not to an engine without a key, nor to one that rests."""

    @property
    def answered(self) -> bool:
        """Whether the engine got the query for certain, since it said something to it."""
        return self.asked and self.kind not in _UNANSWERED

    @property
    def sentence(self) -> Said:
        if not self.engine and self.kind == "timeout":
            return TIMED_OUT
        if not self.engine and self.kind == "unforeseen":
            return said(sentences.FAILED_BY, name=self.words) if self.words else FAILED
        return with_words(said(sentences.FAILURES[self.kind], engine=self.engine), self.words)


def error_of(failures: Sequence[Failure]) -> Said:
    """What is told where no engine searched: the reason of each, by its name where there are several."""
    timed_out = [failure for failure in failures if failure.kind == "timeout"]
    if timed_out and (len(timed_out) == len(failures) or not timed_out[-1].engine):
        return TIMED_OUT
    if len(failures) == 1 and failures[0].kind == "unforeseen":
        return replace(failures[0], engine="").sentence
    return joined(dict.fromkeys(failure.sentence for failure in failures)) if failures else FAILED


@dataclass(frozen=True, slots=True)
class WebSource:
    """One numbered source; `text` is that of the page, "" where it was not read."""

    ref: int
    title: str
    url: str
    snippet: str = ""
    text: str = ""

    def public(self) -> dict[str, Any]:
        """What the client gets: page text never reaches it."""
        return {"ref": self.ref, "title": self.title, "url": self.url}


@dataclass(init=False, slots=True)
class WebSearchResult:
    """One web search for one message; `error` is None when there is something to read."""

    query: str
    engine: str
    """The one that answered."""
    sources: list[WebSource]
    error: str | None
    outcome: Outcome
    notes: list[str]
    """Sentences on what is partial; none beside an error."""
    remarks: list[str]
    """Sentences on a search that gave nothing, which is not partial: who was asked before, what was not applied."""
    hits: list[WebHit]
    """What the engine gave, one a source in the same order, with site and date; empty where nobody gave them."""
    failures: list[Failure]
    """Of engines that were asked and did not search, in order, and of a named page that was not read."""

    def __init__(
        self,
        query: str,
        engine: str = "",
        sources: Iterable[WebSource] = (),
        error: str | None = None,
        *,
        outcome: Outcome | None = None,
        notes: Iterable[str] = (),
        remarks: Iterable[str] = (),
        hits: Iterable[WebHit] = (),
        failures: Iterable[Failure] = (),
    ) -> None:
        """Raises `ValueError` for an error beside what is partial, of which there is something to read."""
        self.query = query
        self.engine = engine
        self.sources = list(sources)
        self.error = error
        self.outcome = outcome or self._follows()
        self.notes = list(notes)
        self.remarks = list(remarks)
        if error is not None and (self.notes or outcome == "partial"):
            raise ValueError("a search with an error is not partial, and has no notes")
        self.hits = list(hits)
        self.failures = list(failures)

    @property
    def kind(self) -> FailureKind | None:
        """Of the first failure, where the search failed."""
        return self.failures[0].kind if self.outcome == "failed" and self.failures else None

    def event(self) -> dict[str, Any]:
        """The `web_search` event without its type."""
        error = {} if self.error is None else {"error": self.error}
        return {
            "query": self.query,
            "engine": self.engine,
            "sources": [source.public() for source in self.sources],
            **error,
        }

    def _follows(self) -> Outcome:
        if self.error == NO_RESULTS or (self.error is None and not self.sources):
            return "empty"
        return "ok" if self.error is None else "failed"
