"""What the terminal says: events, answers and hits as plain lines.  No I/O."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, assert_never

from bot.research.events import (
    AnswerDelta,
    ClarifyCall,
    ClarifyResponse,
    Error,
    Event,
    FinalAnswer,
    SearchCall,
    SearchError,
    SearchResult,
    WebSearch,
)
from bot.research.types import SearchHit, Source
from bot.research.untrusted import readable
from bot.sentences import (
    NO_ANSWER,
    NO_CONTENT,
    NOTHING_FOUND,
    SEARCH_FAILED,
    SEARCH_FAILED_WEB,
    UNSOURCED,
    sentence,
)
from bot.web.links import links_in
from bot.web.outcome import NO_RESULTS

SHOWN_WHEN_NO_ANSWER = 5
TITLES = 3
WITHOUT_LABEL = ("engine_failed", "no_content", "no_synthesis")
"""Stop reasons whose text already says that it is no answer."""

_NO_CLAIMS = frozenset(
    text.removesuffix(".") for one in (NOTHING_FOUND, SEARCH_FAILED, SEARCH_FAILED_WEB) for text in one.values()
)
"""Answers that state nothing which a source could back."""


def step(event: Event) -> str:
    """The line for one event; empty for those that are shown otherwise."""
    match event:
        case SearchCall():
            return _begun(event)
        case SearchResult():
            titles = " · ".join(list(dict.fromkeys(map(one_line, event.top_titles)))[:TITLES])
            return f"  {event.num_hits} found{': ' if titles else ''}{titles}"
        case SearchError():
            return f"  Could not search {_place(event.web)}: {one_line(event.error)}"
        case WebSearch():
            return _from_the_web(event)
        case Error():
            return readable(event.message)
        case ClarifyCall() | ClarifyResponse() | AnswerDelta() | FinalAnswer():
            return ""
        case _:
            assert_never(event)


def answer(final: FinalAnswer, found: Sequence[SearchHit]) -> str:
    """The answer as Markdown: the contract's two literals become a sentence and what was found, and an answer that
    no source backs says so."""
    if final.stop_reason in ("no_content", "no_synthesis"):
        if not found:
            return sentence(NO_CONTENT, final.language)
        best = [f"- **{one_line(hit.title)}**: {one_line(hit.content_snippet)}" for hit in found[:SHOWN_WHEN_NO_ANSWER]]
        return "\n".join([sentence(NO_ANSWER, final.language), "", *best])
    text = readable(final.text)
    if final.grounded or final.stop_reason in WITHOUT_LABEL or text.removesuffix(".") in _NO_CLAIMS:
        return text
    return f"{text}\n\n*{sentence(UNSOURCED, final.language)}*"


def footnote(source: Source) -> str:
    """`[1] Title (sender, date)`, without the link."""
    details = ", ".join(one_line(part) for part in (source["sender"], source["date"]) if part)
    title = one_line(source["title"]) or one_line(source["source_id"]) or source["source"]
    return f"[{source['ref']}] {title}{f' ({details})' if details else ''}"


def scores(hit: SearchHit) -> str:
    """The fused score, and the two it was made of; empty for what was listed by time, and never scored."""
    if not (hit.score or hit.bm25_score or hit.vector_score):
        return ""
    return f"score {hit.score:.4f}  bm25 {hit.bm25_score:.3g}  vector {hit.vector_score:.3f}"


def notes(warnings: Iterable[str]) -> list[str]:
    """Each warning once, as a line."""
    return [f"Note: {one_line(warning)}" for warning in dict.fromkeys(warnings)]


def one_line(text: str) -> str:
    """Without line breaks, and without what would steer the terminal."""
    return " ".join(readable(text).split())


def _begun(event: SearchCall) -> str:
    match event.arguments:
        case {"url": link} if event.web and "query" not in event.arguments:
            return f"Reading {one_line(str(link))}"
        case arguments:
            return f"Searching {_place(event.web)}{_for(arguments)}"


def _from_the_web(event: WebSearch) -> str:
    """A message that names a page has it read, and nothing searched."""
    by = f", by {one_line(event.engine)}" if event.engine else ""
    if not links_in(event.query):
        made = "Searched" if event.error in (None, NO_RESULTS) else "Could not search"
        outcome = readable(event.error) if event.error else f"{len(event.sources)} found"
        return f"{made} the web for “{one_line(event.query)}”{by}: {outcome}"
    pages = ", ".join(one_line(source["url"]) for source in event.sources)
    return readable(event.error) if event.error else f"Read {pages}{by}"


def _place(web: bool) -> str:
    return "the web" if web else "the documents"


def _for(arguments: Mapping[str, Any]) -> str:
    query = one_line(str(arguments.get("query") or ""))
    filters = ", ".join(
        f"{one_line(name)} {_value(value)}" for name, value in arguments.items() if name != "query" and value
    )
    return (f" for “{query}”" if query else "") + (f" ({filters})" if filters else "")


def _value(value: object) -> str:
    match value:
        case Mapping():
            return " ".join(f"{key} {_value(item)}" for key, item in value.items() if item)
        case list():
            return ", ".join(_value(item) for item in value)
        case _:
            return one_line(str(value))
