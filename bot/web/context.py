"""The web for one message: it is searched, or the page that the message names is read."""

import asyncio
import logging
from dataclasses import replace
from typing import get_args

from bot.research.types import WebHit
from bot.web.engines import Query, Recency
from bot.web.limits import NAMED_PAGE_CHARS
from bot.web.links import links_in
from bot.web.outcome import NO_RESULTS, Failure, FailureKind, Outcome, WebSearchResult, WebSource, error_of
from bot.web.settings import configured, open_web
from bot.web.web import OFF, Searched, Web, query_text
from indexers.reading import ReadingError, Refused

logger = logging.getLogger(__name__)

BLANK = "The web search needs a query."


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
        return WebSearchResult(text, error=BLANK)
    limit, unknown = read_recency(recency)
    found = await web.search(Query(text, limit, news, web.limits.results))
    if not found.engine:
        return _failed(text, found.failures)
    if not found.hits:
        return WebSearchResult(
            text, found.engine, error=NO_RESULTS, notes=[*unknown, *found.notes], failures=found.failures
        )
    return await _with_pages(text, replace(found, notes=[*unknown, *found.notes]), web)


def read_recency(given: str | None) -> tuple[Recency | None, list[str]]:
    """One of the limits that engines know, and the note where it is none."""
    for known in get_args(Recency):
        if given is not None and given.strip().lower() == known:
            return known, []
    unknown = given is not None and bool(given.strip())
    return None, ["There is no such limit in time; day, week, month and year are."] if unknown else []


async def _named_page(message: str, url: str, web: Web) -> WebSearchResult:
    """One source, that page; nothing is searched in its place."""
    try:
        page = await web.pages.read(url, chars=NAMED_PAGE_CHARS, seconds=web.limits.page_seconds)
    except ReadingError as error:
        kind: FailureKind = "refused" if isinstance(error, Refused) else "unread"
        return _failed(message, [Failure("", kind, str(error))])
    source = WebSource(1, url, url, text=_noted(page.text, page.notes))
    return WebSearchResult(message, page.by, [source])


async def _with_pages(text: str, found: Searched, web: Web) -> WebSearchResult:
    """The results as sources, the first ones with the text of their page, all read at the same time."""
    async with asyncio.TaskGroup() as reading:
        pages = [reading.create_task(_page(hit, web)) for hit in found.hits[: web.limits.pages]]
    texts = [page.result() for page in pages]
    sources = [
        WebSource(ref, hit.title or hit.url, hit.url, hit.snippet, texts[ref - 1][0] if ref <= len(texts) else "")
        for ref, hit in enumerate(found.hits, 1)
    ]
    notes = [*found.notes, *(note for _, note in texts if note)]
    outcome: Outcome = "partial" if notes else "ok"
    return WebSearchResult(
        text, found.engine, sources, outcome=outcome, notes=notes, hits=found.hits, failures=found.failures
    )


async def _page(hit: WebHit, web: Web) -> tuple[str, str]:
    """The text of a result's page, and a note where it could not be read."""
    try:
        page = await web.pages.read(hit.url, chars=web.limits.page_chars, seconds=web.limits.page_seconds)
    except ReadingError as error:
        reason = str(error)
    except Exception as error:
        logger.exception("a page could not be read: %s", type(error).__name__, exc_info=False)
        reason = "Reading it failed."
    else:
        return _noted(page.text, page.notes), ""
    return "", f"{hit.site or hit.url} was not read, only what the search says of it is known: {reason}"


def _noted(text: str, notes: tuple[str, ...]) -> str:
    return "\n".join([text, *(f"[{note}]" for note in notes)])


def _failed(query: str, failures: list[Failure]) -> WebSearchResult:
    return WebSearchResult(query, error=error_of(failures), failures=failures)
