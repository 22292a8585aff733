"""A question run again with what its searches found then, by the same loop."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from bot.engine import Engine, EngineError, ScriptExhausted
from bot.engine.scripted import ScriptedEngine
from bot.eval.case import Case
from bot.research import (
    Clarification,
    ResearchAgent,
    ResearchResult,
    Search,
    SearchFailed,
    SearchHit,
    Source,
    ToolInvocation,
    WebHit,
)
from bot.research.clarify import NO_ANSWER
from bot.research.types import TimeRange

Hit = TypeVar("Hit", SearchHit, WebHit)

FROM_THE_WEB = "It was answered from the web alone, which is not run again."
UNSEARCHED = (
    "It was answered without a search; what the run was given is not kept then, so only --recorded runs it again."
)
ENDED = "The recorded replies ended before the answer: a setting of the loop is another one now."


class MakesAgent(Protocol):
    """`bot.wiring.agent` with its settings."""

    def __call__(
        self,
        engine: Engine,
        search: Search,
        *,
        clarify_handler: Callable[[str], Any],
        clock: Callable[[], datetime],
        web_search: Callable[..., Any] | None,
    ) -> ResearchAgent: ...


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of a case; without an answer, `note` says why."""

    case: Case
    answer: str = ""
    sources: tuple[Source, ...] = ()
    seconds: float = 0.0
    note: str = ""

    @property
    def same(self) -> bool:
        return self.answer == self.case.answer and self.sources == self.case.sources


async def replay(case: Case, agent: MakesAgent, engine: Engine | None = None) -> Replayed:
    """Run a case again with `engine`, or with the replies that were recorded."""
    if case.way == "web":
        return Replayed(case, note=FROM_THE_WEB)
    if engine is not None and not (case.connected or case.searches):
        return Replayed(case, note=UNSEARCHED)
    began, record = time.monotonic(), _Record(case)
    made = agent(
        engine or ScriptedEngine([_reply(reply) for reply in case.replies]),
        record,
        clarify_handler=record.clarify,
        clock=lambda: datetime.fromtimestamp(case.asked_at, UTC),
        web_search=record.web if record.asked_the_web else None,
    )
    try:
        result: ResearchResult = await made.run(
            case.question,
            history=[turn.model_dump() for turn in case.history],
            hints=case.hints,
            evidence=case.evidence,
        )
    except ScriptExhausted:
        return Replayed(case, note=ENDED)
    return Replayed(case, result.answer, tuple(result.sources), time.monotonic() - began)


def _reply(recorded: dict[str, Any]) -> dict[str, Any] | EngineError:
    return EngineError(str(recorded["error"])) if "error" in recorded else recorded


class _Record:
    """Answers searches and questions from what was recorded: the same call gets what it got; one with the same query
    gets that; any other all that was ever found."""

    def __init__(self, case: Case) -> None:
        self._connected = case.connected
        self._left = list(case.searches)
        self._calls = case.searches
        self.asked_the_web = any(call.tool_name == "web_search" for call in case.searches)

    async def available_sources(self) -> list[str]:
        return list(self._connected)

    async def search(
        self,
        query: str,
        *,
        person: str | None = None,
        time_range: TimeRange | None = None,
        sources: list[str] | None = None,
        limit: int = 20,
    ) -> list[SearchHit]:
        start, end = time_range or (None, None)
        dates = {"start": start and start.isoformat(), "end": end and end.isoformat()} if time_range else None
        wanted = {"query": query, "person": person, "time_range": dates, "sources": sources, "limit": limit}
        found = self._recorded("search", wanted)
        every = [hit for call in self._calls for hit in call.raw_hits]
        return (found.raw_hits if found else list({hit.chunk_id: hit for hit in every}.values()))[:limit]

    async def web(self, query: str, recency: str | None, news: bool) -> list[WebHit]:
        found = self._recorded("web_search", {"query": query, "recency": recency, "news": news})
        every = [hit for call in self._calls for hit in call.web_hits]
        return found.web_hits if found else list({hit.url: hit for hit in every}.values())

    async def clarify(self, question: str) -> Clarification:
        found = self._recorded("clarify", {"question": question}, any_of=True)
        return Clarification(found.response, found.raw_hits) if found else Clarification(NO_ANSWER)

    def _recorded(self, tool: str, wanted: dict[str, Any], *, any_of: bool = False) -> ToolInvocation | None:
        """The call that was made then, each given once as long as there are others.  Raises `SearchFailed`."""
        query = next(iter(wanted))
        for calls in (self._left, self._calls):
            of_tool = [call for call in calls if call.tool_name == tool]
            found = (
                [call for call in of_tool if call.arguments == wanted]
                or [call for call in of_tool if call.arguments.get(query) == wanted[query]]
                or (of_tool if any_of and calls is self._left else [])
            )
            if found:
                return self._taken(found)
        return None

    def _taken(self, found: Sequence[ToolInvocation]) -> ToolInvocation:
        first = found[0]
        self._left = [call for call in self._left if call is not first]
        if first.error:
            raise SearchFailed(first.error)
        return first
