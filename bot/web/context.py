"""The web for one message: it is searched, or the page that the message names is read."""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from bot.research.types import WebHit
from bot.sentences import Said, joined, said
from bot.web import sentences
from bot.web.engines import Query, Recency
from bot.web.limits import NAMED_PAGE_CHARS
from bot.web.links import links_in
from bot.web.outcome import NO_RESULTS, Failure, FailureKind, WebSearchResult, WebSource, error_of
from bot.web.sentences import reason
from bot.web.settings import configured, open_web
from bot.web.web import OFF, Searched, Web, query_text
from indexers.reading import NOTES, Note, ReadingError, Refused

logger = logging.getLogger(__name__)

GRACE = 0.5
"""Seconds beyond the limit of a search, within which it ends by itself and knows which engines it asked."""


async def search_web(
    query: str, *, recency: str | None = None, news: bool = False, web: Web | None = None
) -> WebSearchResult:
    """What the web has for a message: the top results, the first of them read; or the page that the message names.

    `recency` is day, week, month or year.  Without a `web` one is opened from the settings for this search alone.
    Never raises, but passes a cancellation on.
    """
    try:
        if web is not None:
            return await _searched(query, recency, news, web)
        async with open_web(configured()) as opened:
            return await _searched(query, recency, news, opened)
    except TimeoutError:
        return _failed(query, [Failure("", "timeout")])
    except Exception as error:
        logger.exception("the web search failed: %s", type(error).__name__, exc_info=False)
        return _failed(query, [Failure("", "unforeseen", type(error).__name__)])


async def _searched(message: str, recency: str | None, news: bool, web: Web) -> WebSearchResult:
    if web.off:
        return _failed(message, [OFF])
    if links := links_in(message):
        return await _named_page(message.strip(), links[0], web)
    text = query_text(message)
    if not text:
        return WebSearchResult(text, error=said(sentences.NO_QUERY))
    limit, unknown = read_recency(recency)
    async with asyncio.timeout(web.limits.search_seconds + GRACE):
        found = await web.search(Query(text, limit, news, web.limits.results))
    found = replace(found, notes=[*unknown, *found.notes])
    if not found.engine:
        return _failed(text, found.failures)
    if not found.hits:
        return WebSearchResult(text, found.engine, error=NO_RESULTS, remarks=found.notes, failures=found.failures)
    return await _with_pages(text, found, web)


def read_recency(given: str | None) -> tuple[Recency | None, list[str]]:
    """One of the limits that engines know, and the note where it is none."""
    for known in get_args(Recency):
        if given is not None and given.strip().lower() == known:
            return known, []
    unknown = given is not None and bool(given.strip())
    return None, [said(sentences.NO_SUCH_LIMIT)] if unknown else []


async def _named_page(message: str, url: str, web: Web) -> WebSearchResult:
    """One source, that page; nothing is searched in its place."""
    try:
        page = await web.pages.read(url, chars=NAMED_PAGE_CHARS, seconds=web.limits.page_seconds)
    except ReadingError as error:
        kind: FailureKind = "refused" if isinstance(error, Refused) else "unread"
        return _failed(message, [Failure("", kind, reason(error))])
    source = WebSource(1, url, url, text=_marked(page.text, page.notes))
    notes = _partly({url: page.notes})
    return WebSearchResult(message, page.by, [source], outcome="partial" if notes else "ok", notes=notes)


@dataclass(frozen=True, slots=True)
class _Page:
    """Of one result; `unread` is why there is no text."""

    text: str = ""
    notes: tuple[Note, ...] = ()
    unread: str = ""


async def _with_pages(text: str, found: Searched, web: Web) -> WebSearchResult:
    """The results as sources, the first ones with the text of their page, all read at the same time."""
    async with asyncio.TaskGroup() as reading:
        tasks = [reading.create_task(_page(hit, web)) for hit in found.hits[: web.limits.pages]]
    pages = [task.result() for task in tasks]
    texts = [page.text for page in pages] + [""] * (len(found.hits) - len(pages))
    sources = [
        WebSource(ref, hit.title or hit.url, hit.url, hit.snippet, texts[ref - 1])
        for ref, hit in enumerate(found.hits, 1)
    ]
    named = dict(zip(_names(found.hits), pages, strict=False))
    unread = [said(sentences.NOT_READ, page=name, reason=page.unread) for name, page in named.items() if page.unread]
    notes = [*found.notes, *unread, *_partly({name: page.notes for name, page in named.items()})]
    return WebSearchResult(
        text,
        found.engine,
        sources,
        outcome="partial" if notes else "ok",
        notes=notes,
        hits=found.hits,
        failures=found.failures,
    )


async def _page(hit: WebHit, web: Web) -> _Page:
    """The page of a result, as far as it could be read."""
    try:
        page = await web.pages.read(hit.url, chars=web.limits.page_chars, seconds=web.limits.page_seconds)
    except ReadingError as error:
        return _Page(unread=reason(error))
    except Exception as error:
        logger.exception("a page could not be read: %s", type(error).__name__, exc_info=False)
        return _Page(unread=said(sentences.READING_FAILED))
    return _Page(_marked(page.text, page.notes), page.notes)


def _names(hits: Sequence[WebHit]) -> list[str]:
    """What each result is called in a note; by its address where two would have one name."""
    names = [said(sentences.NAMED, title=hit.title, site=hit.site) for hit in hits]
    return [
        name if hit.title and hit.site and names.count(name) == 1 else hit.url
        for hit, name in zip(hits, names, strict=True)
    ]


def _partly(pages: Mapping[str, Iterable[Note]]) -> list[Said]:
    """A note for each way in which pages, by their names, were not read whole."""
    told = []
    for note in NOTES:
        if names := [name for name, notes in pages.items() if note in notes]:
            told.append(said(sentences.PARTLY_READ[note], pages=joined(names, ", ")))
    return told


def _marked(text: str, notes: Iterable[Note]) -> str:
    return "\n".join([text, *(f"[{NOTES[note]}]" for note in notes)])


def _failed(query: str, failures: list[Failure]) -> WebSearchResult:
    return WebSearchResult(query, error=error_of(failures), failures=failures)
