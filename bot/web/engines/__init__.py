"""What searches the web: the seam, and one file an engine beside this one."""

from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from bot.research.types import WebHit
from bot.sentences import said
from bot.web import sentences
from bot.web.limits import MAX_RESULTS
from bot.web.outcome import FailureKind

Recency: TypeAlias = Literal["day", "week", "month", "year"]


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    recency: Recency | None = None
    news: bool = False
    limit: int = MAX_RESULTS


@dataclass(frozen=True, slots=True)
class Found:
    """What an engine that works found; no hits means that there are none.  `notes` say what it could not apply."""

    hits: list[WebHit]
    notes: list[str] = field(default_factory=list)


class EngineFailed(Exception):
    """The engine did not search; `words` are its own, without secrets."""

    def __init__(self, kind: FailureKind, words: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(f"{kind}: {words}")
        self.kind: FailureKind = kind
        self.words = words
        self.retry_after = retry_after


class SearchEngine(Protocol):
    @property
    def name(self) -> str: ...

    async def search(self, query: Query) -> Found:
        """At most `query.limit` hits, each with the address exactly as the engine gave it.  Raises `EngineFailed`; the
        caller sets the time limit."""
        ...


def not_applied(engine: str, query: Query, *, recency: bool = True, news: bool = True) -> list[str]:
    """The notes for what an engine can not apply; `recency` and `news` say what it can."""
    notes: list[str] = []
    if query.recency is not None and not recency:
        notes.append(said(sentences.NO_RECENCY, engine=engine, last=said(sentences.LAST[query.recency])))
    if query.news and not news:
        notes.append(said(sentences.NO_NEWS, engine=engine))
    return notes
