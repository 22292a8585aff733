"""Running the tool calls of a reply: what is refused, what is charged, what the planner is told."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any, TypeVar

from bot.engine import ToolCall
from bot.research.calling import call as call_plain_or_async
from bot.research.citations import strip_citations
from bot.research.clarify import NO_ANSWER
from bot.research.deadline import Deadline
from bot.research.events import ClarifyCall, ClarifyResponse, Event, SearchCall, SearchError, SearchResult
from bot.research.finish import allowed_by_asker
from bot.research.links import gate_links
from bot.research.shaping import (
    build_sources_for_client,
    build_web_sources_for_client,
    shape_results_for_model,
    shape_web_results_for_model,
    top_titles,
    usable_hits,
    usable_web_hits,
)
from bot.research.state import RunState, shown_hits
from bot.research.timerange import BadTimeRange
from bot.research.tools import (
    CLARIFY_TOOL_SPEC,
    SEARCH_TOOL_SPEC,
    WEB_SEARCH_TOOL_SPEC,
    Refused,
    read_question,
    read_search_arguments,
    read_web_arguments,
)
from bot.research.types import Clarification, Search, SearchFailed, SearchHit, ToolInvocation, Waiting, WebHit
from bot.research.untrusted import neutralise, readable
from bot.sentences import in_language

logger = logging.getLogger(__name__)

Hit = TypeVar("Hit", SearchHit, WebHit)

MOST_FAILURES = 2
MOST_CLARIFIES = 2
RESPONSE_CHARS = 2000

NOT_SEARCHED = {
    "search": "The documents were NOT searched: tell the user so, and never say the documents have nothing.",
    "web_search": "The web was NOT searched: tell the user so, and never say the web has nothing.",
}
REPEATED = "You made this very search before, as refs {first} to {last}: use what you have, or search differently."


class _Failed(Exception):
    """A search that could not be made; holds the reason that may be told."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of one run.  `run` never raises for anything that a model can emit."""

    state: RunState
    search: Search
    web_search: Callable[..., Any] | None
    clarify_handler: Callable[..., Any]
    say: Callable[[Event], None]
    now: datetime
    deadline: Deadline
    max_iterations: int
    step_timeout: float
    clarify_timeout: float | None

    @property
    def specs(self) -> list[dict[str, Any]]:
        web = [WEB_SEARCH_TOOL_SPEC] if self.web_search is not None else []
        return [SEARCH_TOOL_SPEC, *web, CLARIFY_TOOL_SPEC]

    @property
    def names(self) -> list[str]:
        return [spec["function"]["name"] for spec in self.specs]

    @property
    def spent(self) -> bool:
        return len(self.state.charged) >= self.max_iterations

    async def run(self, call: ToolCall) -> str:
        """Runs one call and gives the JSON for its tool message.  Raises only `Waiting`."""
        try:
            self._check(call.name)
            content = await self._tools()[call.name](call.arguments)
        except (Refused, BadTimeRange) as refusal:
            content = {"error": str(refusal)}
        return json.dumps(content, ensure_ascii=False)

    def _tools(self) -> dict[str, Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]]:
        return {"search": self._search, "web_search": self._web_search, "clarify": self._clarify}

    def _check(self, name: str) -> None:
        if name not in self.names:
            offered = ", ".join(f"'{offered}'" for offered in self.names)
            raise Refused(f"unknown tool '{name[:60]}'; available tools are {offered}")
        if self.spent:
            raise Refused(f"not run: the budget of {self.max_iterations} tool calls is spent; write the answer")
        if self.state.attempted >= self.max_iterations:
            raise Refused(f"not run: at most {self.max_iterations} calls of one reply are run")
        if self.state.failures.get(name, 0) >= MOST_FAILURES:
            raise Refused(f"not run: {name} failed {MOST_FAILURES} times in this run. {NOT_SEARCHED.get(name, '')}")

    async def _search(self, raw: dict[str, Any]) -> dict[str, Any]:
        arguments = read_search_arguments(raw, connected=self.state.sources, now=self.now)
        self.say(SearchCall(raw))
        return await self._made(
            ToolInvocation(arguments.normalised()),
            lambda: self.search.search(
                arguments.query,
                person=arguments.person,
                time_range=arguments.time_range,
                sources=arguments.sources,
                limit=arguments.limit,
            ),
        )

    async def _web_search(self, raw: dict[str, Any]) -> dict[str, Any]:
        assert self.web_search is not None  # else its name would be unknown
        arguments, search = read_web_arguments(raw), self.web_search
        self.say(SearchCall(raw, web=True))
        return await self._made(
            ToolInvocation(arguments.normalised(), tool_name="web_search"),
            lambda: call_plain_or_async(search, arguments.query, arguments.recency, arguments.news),
        )

    async def _made(self, invocation: ToolInvocation, search: Callable[[], Awaitable[Any]]) -> dict[str, Any]:
        """One search with its result event; what came of it, for the planner."""
        web, started = invocation.tool_name == "web_search", monotonic()
        try:
            async with self._attempt(invocation):
                found = await search()
                given = getattr(found, "hits", found)
                invocation.raw_hits = [] if web else usable_hits(_all_of(SearchHit, given))
                invocation.web_hits = usable_web_hits(_all_of(WebHit, given)) if web else []
        except _Failed as failure:
            return self._fail(invocation, str(failure))
        offset, note = len(self.state.refs()), self._same(invocation)
        hits = invocation.web_hits or invocation.raw_hits
        invocation.num_results, invocation.top_titles = len(hits), top_titles(hits)
        self.state.invocations.append(invocation)
        if web:
            sources = build_web_sources_for_client(invocation.web_hits, ref_offset=offset)
            shaped = shape_web_results_for_model(invocation.web_hits, ref_offset=offset)
        else:
            sources = build_sources_for_client(invocation.raw_hits, ref_offset=offset)
            shaped = shape_results_for_model(invocation.raw_hits, ref_offset=offset)
        told = list(getattr(found, "warnings", None) or ())
        for warning in told:
            self.state.warn(in_language(warning, self.state.language))
        warnings = [in_language(warning, "en") for warning in told]  # for the model, as all that it is told
        seconds = monotonic() - started
        self.say(SearchResult(len(hits), invocation.top_titles, sources, web, hits, warnings, seconds))
        return shaped | ({"warnings": warnings} if warnings else {}) | ({"note": note} if note else {})

    async def _clarify(self, raw: dict[str, Any]) -> dict[str, Any]:
        state = self.state
        if not state.searches:
            raise Refused("clarify is only available after at least one search call. Search first.")
        question = gate_links(strip_citations(readable(read_question(raw))), allowed_by_asker(state)).strip()
        if not question:
            raise Refused("clarify needs a question in words")
        if sum(invocation.tool_name == "clarify" for invocation in state.invocations) >= MOST_CLARIFIES:
            raise Refused(f"not asked: clarify can be used {MOST_CLARIFIES} times in a run")
        if state.clarified is None:
            self.say(ClarifyCall(question))
            answer = await self._ask(question)
        else:
            answer, state.enclosed = Clarification(state.clarified, state.enclosed), []
        state.attempted += 1
        return self._heard(question, answer)

    def _heard(self, question: str, answer: Clarification) -> dict[str, Any]:
        """Keep the person's answer; all of what came with it is shown, as it is theirs."""
        hits, offset = usable_hits(answer.enclosed), len(self.state.refs())
        self.state.invocations.append(
            ToolInvocation({"question": question}, len(hits), raw_hits=hits, tool_name="clarify", response=answer.text)
        )
        self.say(ClarifyResponse(answer.text))
        response, most = {"response": neutralise(answer.text, RESPONSE_CHARS)}, len(hits)
        return response | (
            shape_results_for_model(hits, detailed_top=most, total_cap=most, ref_offset=offset) if hits else {}
        )

    async def _ask(self, question: str) -> Clarification:
        """The person's answer; waiting for it counts toward no deadline, and a handler that fails gave none."""
        with self.deadline.paused():
            try:
                async with asyncio.timeout(self.clarify_timeout):
                    answer = await call_plain_or_async(self.clarify_handler, question)
            except Waiting:
                raise
            except Exception as error:
                logger.exception("clarify handler failed: %s", type(error).__name__, exc_info=False)
                return Clarification(NO_ANSWER)
        if isinstance(answer, Clarification):
            return answer
        return Clarification(NO_ANSWER if answer is None else str(answer))

    @asynccontextmanager
    async def _attempt(self, invocation: ToolInvocation) -> AsyncIterator[None]:
        """One search under its time limit; what goes wrong in it becomes `_Failed`, with a reason that may be told."""
        self.state.attempted += 1
        try:
            async with asyncio.timeout(self.step_timeout):
                yield
        except asyncio.CancelledError:
            if self.deadline.expired:  # the run goes on to its synthesis, so this call wants its end
                self._fail(invocation, TimeoutError.__name__)
            raise
        except SearchFailed as error:
            raise _Failed(str(error) or SearchFailed.__name__) from error
        except Exception as error:
            logger.warning("%s failed: %s", invocation.tool_name, type(error).__name__)
            raise _Failed(type(error).__name__) from error

    def _same(self, invocation: ToolInvocation) -> str:
        last = len(self.state.evidence)
        for earlier in self.state.charged:
            first, last = last + 1, last + len(shown_hits(earlier))
            if (earlier.tool_name, earlier.arguments) == (invocation.tool_name, invocation.arguments):
                return REPEATED.format(first=first, last=last) if last >= first else "This search was empty before."
        return ""

    def _fail(self, invocation: ToolInvocation, reason: str) -> dict[str, Any]:
        name = invocation.tool_name
        invocation.error = reason
        self.state.invocations.append(invocation)
        self.state.failures[name] = self.state.failures.get(name, 0) + 1
        self.say(SearchError(reason, web=name == "web_search"))
        return {"error": f"{name} failed: {reason.rstrip('.')}. {NOT_SEARCHED[name]}"}


def _all_of(kind: type[Hit], found: Any) -> list[Hit]:
    """What a search gave, if it is hits; anything else is a search that failed."""
    hits = list(found or [])
    if not all(isinstance(hit, kind) for hit in hits):
        raise TypeError(f"a search gives a list of {kind.__name__}")
    return hits
