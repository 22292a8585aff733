"""The web as one process has it: engines in their order, each with its breaker, and what reads pages."""

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from bot.research.addresses import canonical
from bot.research.types import WebHit
from bot.research.untrusted import visible
from bot.sentences import Said, joined, said
from bot.web import sentences
from bot.web.breaker import Breaker
from bot.web.engines import EngineFailed, Found, Query, SearchEngine
from bot.web.limits import QUERY_CHARS, Limits
from bot.web.outcome import Failure
from bot.web.pages import Pages

logger = logging.getLogger(__name__)

OFF = Failure("", "off", asked=False)
_SAME_PAGE = re.compile(r"^https?://(?:www\.)?")


@dataclass(frozen=True, slots=True)
class Searched:
    """`engine` is the one that answered, "" where none did; `failures` those that were to be asked before it."""

    engine: str
    hits: list[WebHit] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


class Web:
    """`engines` are asked in their order, the next one only when one failed; `off` is the setting that asks none."""

    def __init__(
        self,
        engines: Sequence[SearchEngine],
        pages: Pages,
        *,
        limits: Limits | None = None,
        off: bool = False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.limits = limits or Limits()
        self.pages = pages
        self.off = off
        self._engines = [(engine, Breaker(clock)) for engine in engines]

    @property
    def engines(self) -> list[SearchEngine]:
        """In the order in which they are asked."""
        return [engine for engine, _ in self._engines]

    async def search(self, query: Query) -> Searched:
        """What the first engine that works found; the failures of all where none does.  Raises nothing of its own."""
        if self.off:
            return Searched("", failures=[OFF])
        failures: list[Failure] = []
        try:
            async with asyncio.timeout(self.limits.search_seconds):
                for engine, breaker in self._engines:
                    found = await self._asked(engine, breaker, query)
                    if isinstance(found, Found):
                        return await self._answered(engine, breaker, query, found, failures)
                    failures.append(found)
        except TimeoutError:
            failures.append(Failure("", "timeout"))
        return Searched("", failures=failures)

    async def _answered(
        self, engine: SearchEngine, breaker: Breaker, query: Query, found: Found, failures: list[Failure]
    ) -> Searched:
        """Where a filter leaves nothing, the same engine is asked once more without it, and that is said."""
        stood_in = [said(sentences.STOOD_IN, failure=one.sentence, engine=engine.name) for one in failures]
        notes = [*stood_in, *found.notes]
        if found.hits or not (query.recency or query.news):
            return Searched(engine.name, distinct(found.hits), notes, failures)
        wider = await self._asked(engine, breaker, replace(query, recency=None, news=False))
        if isinstance(wider, Failure):
            again = said(sentences.ASKED_AGAIN, failure=wider.sentence)
            return Searched(engine.name, [], [*notes, again], failures)
        if not wider.hits:
            return Searched(engine.name, [], notes, failures)
        widened = said(sentences.WIDENED, engine=engine.name, filters=_filters(query))
        return Searched(engine.name, distinct(wider.hits), [*notes, widened, *wider.notes], failures)

    async def _asked(self, engine: SearchEngine, breaker: Breaker, query: Query) -> Found | Failure:
        if breaker.resting:
            return replace(breaker.resting, asked=False)
        try:
            async with asyncio.timeout(self.limits.engine_seconds):
                found = await engine.search(query)
        except EngineFailed as error:
            failure = Failure(engine.name, error.kind, error.words, error.retry_after, asked=error.kind != "no_key")
        except TimeoutError:
            failure = Failure(engine.name, "timeout")
        except Exception as error:  # noqa: BLE001 - whatever an engine does, the next one is asked
            failure = Failure(engine.name, "unforeseen", type(error).__name__)
        else:
            breaker.answered()
            return found
        logger.info("%s did not search: %s", engine.name, failure.kind)  # whoever asked is told so anyway
        breaker.failed(failure)
        return failure


def query_text(message: str) -> str:
    """What of a message goes to an engine: one line, cut between two words."""
    line = " ".join(visible(message).split())
    if len(line) <= QUERY_CHARS:
        return line
    head = line[: QUERY_CHARS + 1].rpartition(" ")[0]
    return head or line[:QUERY_CHARS]


def distinct(hits: Iterable[WebHit]) -> list[WebHit]:
    """Each page once: an engine may list one as web and as news, with and without `www.`, with and without tracking."""
    pages: dict[str, WebHit] = {}
    for hit in hits:
        pages.setdefault(_SAME_PAGE.sub("", canonical(hit.url) or hit.url).rstrip("/"), hit)
    return list(pages.values())


def _filters(query: Query) -> Said:
    news = [said(sentences.IN_THE_NEWS)] if query.news else []
    return joined([*news, *([said(sentences.FROM_LAST[query.recency])] if query.recency else [])])
