"""One question by the way that it asks for: from the documents, from them and the web, or from the web alone."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from bot import sentences
from bot.engine import Engine
from bot.research import Event, FinalAnswer, Message, ResearchAgent, ResearchResult, Role, Search, SearchCall, SearchHit
from bot.sentences import sentence
from bot.web import Asked, Web, WebSearchResult, WebSearchTool, asks_for_the_web, private_text, search_web


class MakesAgent(Protocol):
    """`bot.wiring.agent` with its settings."""

    def __call__(
        self,
        engine: Engine,
        search: Search,
        *,
        on_event: Callable[[Event], None],
        clarify_handler: Callable[[str], Any] | None,
        clock: Callable[[], datetime] | None,
        web_search: WebSearchTool | None,
    ) -> ResearchAgent: ...


@dataclass(frozen=True, slots=True)
class Ways:
    """What every question of a process is answered with; `answer` is `bot.web.answer` with the model's settings."""

    web: Web
    agent: MakesAgent
    answer: Callable[..., Awaitable[ResearchResult]]


def without_model(asked: Asked) -> Asked:
    """The same where nothing writes, and so nothing calls a tool: who asks for the web gets what the web says."""
    return replace(asked, way="web") if asked.way == "both" and asks_for_the_web(asked.question) else asked


@dataclass(slots=True)
class Research:
    """The research of one question; `search` is bound to its audience, and `asked.question` holds the asker's own
    words and nothing that they forward."""

    ways: Ways
    asked: Asked
    engine: Engine
    search: Search
    on_event: Callable[[Event], None] = lambda _: None
    clarify_handler: Callable[[str], Any] | None = None
    clock: Callable[[], datetime] | None = None
    _notes: list[tuple[dict[str, str], dict[str, str]]] = field(default_factory=list)
    _tool: WebSearchTool | None = None

    async def run(
        self,
        query: str,
        *,
        history: Sequence[Message] = (),
        hints: Sequence[str] = (),
        evidence: Sequence[SearchHit] = (),
        said: Sequence[str] = (),
    ) -> ResearchResult:
        """As `ResearchAgent.run`; `said` is what the asker wrote before in this conversation, which alone may go to a
        search engine besides the question."""
        if self.asked.refused:
            self._note(sentences.WEB_OFF)
        result = await self._from_the_web(query, history, hints) if self.asked.way == "web" else None
        if result is None:
            result = await self._in_the_loop(query, history, hints, evidence, said)
        result.warnings = [*result.warnings, *self._said(result.language)]
        return result

    async def _from_the_web(
        self, query: str, history: Sequence[Message], hints: Sequence[str]
    ) -> ResearchResult | None:
        """None where the question names an address that is not opened: it is one for the documents then."""
        message = self.asked.link or self.asked.question  # what the question forwards goes to no engine
        self.on_event(SearchCall({"query": message}, web=True))
        found = await search_web(message, web=self.ways.web)
        if found.kind == "refused":
            self._note(sentences.LINK_NOT_OPENED, why=found.failures[0].words)
            return None
        self._tell(found)
        return await self.ways.answer(
            self.engine,
            query,
            web=self.ways.web,
            history=history,
            hints=hints,
            on_event=self._emit,
            timezone=self.clock().tzinfo if self.clock else None,
            found=found,
        )

    async def _in_the_loop(
        self,
        query: str,
        history: Sequence[Message],
        hints: Sequence[str],
        evidence: Sequence[SearchHit],
        said: Sequence[str],
    ) -> ResearchResult:
        search = self.search
        if self.asked.way == "both":
            mine = {turn.content for turn in history if turn.role is Role.USER and turn.content in said}
            others = [turn.content for turn in history if turn.content not in mine]
            others += [query] if query != self.asked.question else []  # it forwards what somebody else wrote
            private = [*others, *private_text(evidence)]
            self._tool = WebSearchTool(self.ways.web, said=[self.asked.question, *mine], private=private)
            search = self._tool.watching(search)
        agent = self.ways.agent(
            self.engine,
            search,
            on_event=self._emit,
            clarify_handler=self.clarify_handler,
            clock=self.clock,
            web_search=self._tool,
        )
        return await agent.run(query, history=history, hints=hints, evidence=evidence)

    def _tell(self, found: WebSearchResult) -> None:
        """What the answer has to say of its search: whether it was made, and who got the query."""
        if found.outcome == "failed":
            self._note(sentences.WEB_NOT_SEARCHED, why=found.error or "")
        elif found.outcome == "empty":
            self._note(sentences.WEB_EMPTY)
        if self.asked.link and found.engine:
            self._note(sentences.PAGE_READ, engine=found.engine)
        asked = [failure.engine for failure in found.failures if failure.asked]
        if not self.asked.link:
            self._name([*asked, found.engine])

    def _name(self, engines: Sequence[str]) -> None:
        if named := list(dict.fromkeys(filter(None, engines))):
            self._note(sentences.ENGINES_ASKED, engines=", ".join(named))

    def _note(self, note: dict[str, str], **values: str) -> None:
        self._notes.append((note, values))

    def _emit(self, event: Event) -> None:
        if isinstance(event, FinalAnswer):
            event = replace(event, warnings=[*event.warnings, *self._said(event.language)])
        self.on_event(event)

    def _said(self, language: str) -> list[str]:
        if self._tool is not None:
            self._name(self._tool.engines)
            self._tool.engines = []
        return [sentence(note, language, **values) for note, values in self._notes]
