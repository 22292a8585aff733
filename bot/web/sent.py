"""What goes out of the house for one question, and to whom."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from bot.web.outcome import Failure, WebSearchResult
from bot.web.pages import OURS


@dataclass(frozen=True, slots=True)
class Sent:
    what: str
    """A query; or, of a `page`, the address at which it is requested."""
    to: str = ""
    """Who got it, where that is known; a page's own site is not named."""
    page: bool = False


OnSent: TypeAlias = Callable[[Sent], None]


def queries(text: str, engines: Iterable[str], failures: Iterable[Failure]) -> list[Sent]:
    """A query, once for each engine that got it, or may have got it."""
    asked = dict.fromkeys([*(failure.engine for failure in failures if failure.asked), *filter(None, engines)])
    return [Sent(text, engine) for engine in asked]


def by_one_search(found: WebSearchResult, most_pages: int, link: str = "") -> list[Sent]:
    """Of a search before the answer: its query, and requests for the first pages that it found; or the one request for
    the page that was named."""
    if found.kind == "off":
        return []
    if link:
        return [Sent(link, "" if found.engine == OURS else found.engine, page=True)]
    read = [Sent(source.url, page=True) for source in found.sources[:most_pages]]
    return [*queries(found.query, [found.engine], found.failures), *read]
