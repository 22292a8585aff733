"""One question by the way that it asks for: from the documents, from them and the web, or from the web alone."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from bot import sentences
from bot.engine import Engine
from bot.engine.recorded import RecordedEngine
from bot.research import (
    Event,
    FinalAnswer,
    Message,
    ResearchAgent,
    ResearchResult,
    Role,
    RunState,
    Search,
    SearchCall,
    SearchHit,
)
from bot.research.calling import call
from bot.web import (
    Asked,
    Failure,
    OnSent,
    Web,
    WebSearchResult,
    WebSearchTool,
    asks_for_the_web,
    by_one_search,
    private_text,
    search_web,
)


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
        on_checkpoint: Callable[[RunState], Any] | None,
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
    on_checkpoint: Callable[[RunState], Any] | None = None
    on_reply: Callable[[Mapping[str, Any]], None] | None = None
    """Told each reply of the model, from which the run can be played again."""
    on_sent: OnSent = lambda _: None
    """Told what goes out of the house."""
    _notes: list[str] = field(default_factory=list)
    _tool: WebSearchTool | None = None

    async def run(
        self,
        query: str,
        *,
        history: Sequence[Message] = (),
        hints: Sequence[str] = (),
        evidence: Sequence[SearchHit] = (),
        said: Sequence[str] = (),
        resume: RunState | None = None,
    ) -> ResearchResult:
        """As `ResearchAgent.run`; `said` is what the asker wrote in this conversation, replies to what was asked back
        included, which alone may go to a search engine besides the question."""
        if self.asked.refused:
            self._notes.append(sentences.said(sentences.WEB_OFF))
        from_the_web = self.asked.way == "web" and resume is None  # only the loop leaves a state
        result = await self._from_the_web(query, history, hints, evidence) if from_the_web else None
        if result is None:
            result = await self._in_the_loop(query, history, hints, evidence, said, resume)
        result.warnings = list(dict.fromkeys([*result.warnings, *self._told(result.language)]))
        return result

    async def _from_the_web(
        self, query: str, history: Sequence[Message], hints: Sequence[str], evidence: Sequence[SearchHit]
    ) -> ResearchResult | None:
        """None where the question names an address that is not opened: it is one for the documents then."""
        link, question = self.asked.link, self.asked.question  # what the question forwards goes to no engine
        self.on_event(SearchCall({"url": link} if link else {"query": question}, web=True))
        found = await search_web(link or question, web=self.ways.web)
        if found.kind == "refused":
            self._notes.append(sentences.said(sentences.LINK_NOT_OPENED, why=found.failures[0].words))
            return None
        for sent in by_one_search(found, self.ways.web.limits.pages, link):
            self.on_sent(sent)
        found.query = question.strip() if link else found.query
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
            evidence=evidence,
        )

    async def _in_the_loop(
        self,
        query: str,
        history: Sequence[Message],
        hints: Sequence[str],
        evidence: Sequence[SearchHit],
        said: Sequence[str],
        resume: RunState | None,
    ) -> ResearchResult:
        search = self.search
        if self.asked.way == "both":
            mine = {turn.content for turn in history if turn.role is Role.USER and turn.content in said}
            others = [turn.content for turn in history if turn.content not in mine]
            others += [query] if query != self.asked.question else []  # it forwards what somebody else wrote
            before = resume.refs().values() if resume else ()  # a run that goes on has found something already
            private = [*others, *hints, *private_text([*evidence, *before])]
            told = [self.asked.question, *said]
            self._tool = WebSearchTool(self.ways.web, said=told, private=private, on_sent=self.on_sent)
            search = self._tool.watching(search)
        agent = self.ways.agent(
            RecordedEngine(self.engine, self.on_reply) if self.on_reply else self.engine,
            search,
            on_event=self._emit,
            clarify_handler=self.clarify_handler and self._asked_back,
            clock=self.clock,
            web_search=self._tool,
            on_checkpoint=self.on_checkpoint and self._checkpoint,
        )
        return await agent.run(query, history=history, hints=hints, evidence=evidence, resume=resume)

    async def _asked_back(self, question: str) -> Any:
        """What the asker replies at once is theirs, as the question is."""
        assert self.clarify_handler is not None  # else the agent has its own
        reply = await call(self.clarify_handler, question)
        if self._tool is not None and isinstance(reply, str):
            self._tool.heard(reply)
        return reply

    async def _checkpoint(self, state: RunState) -> None:
        """Whoever goes on from there says also who has got a query so far."""
        assert self.on_checkpoint is not None
        if self._tool is not None:
            for note in self._named(self._tool.engines, self._tool.failures):
                state.warn(sentences.in_language(note, state.language))
        await call(self.on_checkpoint, state)

    def _tell(self, found: WebSearchResult) -> None:
        """What the answer has to say of its search: whether it was made, and who got the query."""
        if self.asked.link:
            read = sentences.said(sentences.PAGE_READ, engine=found.engine)
            self._notes.append(read if found.error is None else found.error)
            return
        if found.outcome == "failed":
            self._notes.append(sentences.said(sentences.WEB_NOT_SEARCHED, why=found.error))
        elif found.outcome == "empty":
            self._notes.append(sentences.said(sentences.WEB_EMPTY))
        self._notes += self._named([found.engine], found.failures)

    def _named(self, engines: Sequence[str], failures: Sequence[Failure]) -> list[str]:
        """Who got the query, and who may have got it."""
        got = dict.fromkeys([*(failure.engine for failure in failures if failure.answered), *engines])
        tried = dict.fromkeys(failure.engine for failure in failures if failure.asked and failure.engine not in got)
        told = ((sentences.ENGINES_ASKED, got), (sentences.ENGINES_TRIED, tried))
        named = [(note, ", ".join(filter(None, names))) for note, names in told]
        return [sentences.said(note, engines=names) for note, names in named if names]

    def _emit(self, event: Event) -> None:
        if isinstance(event, FinalAnswer):
            event = replace(event, warnings=list(dict.fromkeys([*event.warnings, *self._told(event.language)])))
        self.on_event(event)

    def _told(self, language: str) -> list[str]:
        if self._tool is not None:
            self._notes += self._named(self._tool.engines, self._tool.failures)
            self._tool = None
        return [sentences.in_language(note, language) for note in self._notes]
