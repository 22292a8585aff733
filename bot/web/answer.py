"""Answers one message from the web: searched first, then one call of the model, then the gates of the loop."""

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from bot.engine import Engine, Message, Role
from bot.language import detect
from bot.research.agent import DEFAULT_PLANNER_MODEL, earlier_turn
from bot.research.deadline import Deadline
from bot.research.draft import Draft
from bot.research.events import AnswerDelta, Error, Event, FinalAnswer, WebSearch
from bot.research.evidence import digest, render_evidence
from bot.research.finish import allowed_by_asker, finish
from bot.research.ledger import BYTES_PER_TOKEN, fit_history, room, tokens_of
from bot.research.planner import EngineLost, Planner
from bot.research.prompts import spoken
from bot.research.reply import Reply, read_reply
from bot.research.run import NOTHING_WRITTEN
from bot.research.shaping import source_of, top_titles, usable_hits
from bot.research.state import RunState
from bot.research.types import ResearchResult, SearchHit, StopReason, ToolInvocation, WebHit
from bot.research.untrusted import readable
from bot.sentences import CUT_OFF, ENGINE_FAILED, HISTORY_DROPPED, NO_CONTENT, in_language, sentence
from bot.web.context import search_web
from bot.web.engines.answers import site
from bot.web.outcome import WebSearchResult, WebSource
from bot.web.rendering import render_context
from bot.web.web import Web

logger = logging.getLogger(__name__)

CONVERSATION = """\
Besides, this was said in the conversation before the question. It may be cited by its numbers, whatever is said of \
sources above."""
ITS_SHARE = 4
"""One part of so many of the model's window is for what was said before."""
SHARES = (1.0, 0.6, 0.35, 0.2, 0.1, 0.05)
"""Of the text of each source, the most that fits the model's window."""


async def answer(
    engine: Engine,
    question: str,
    *,
    model: str = DEFAULT_PLANNER_MODEL,
    web: Web | None = None,
    history: Sequence[Message | Mapping[str, Any]] | None = None,
    hints: Sequence[str] | None = None,
    on_event: Callable[[Event], None] | None = None,
    timezone: tzinfo | None = None,
    found: WebSearchResult | None = None,
    evidence: Sequence[SearchHit] = (),
    temperature: float = 0.3,
    max_tokens: int = 1500,
    num_ctx: int = 16384,
    step_timeout: float = 300,
) -> ResearchResult:
    """Searches the web for `question`, and answers it from what was found.

    `history` and `hints` are as in the research loop, `timezone` is the asker's; `found` is a search for this message
    that was made before; `evidence` is what was said in the conversation, citable behind the pages.  Ends in a result
    and one `FinalAnswer`, whatever fails; only a cancellation passes.
    """

    def emit(event: Event) -> None:
        if on_event is None:
            return
        try:
            on_event(event)
        except Exception:
            logger.exception("a listener failed on %s", type(event).__name__)

    result = await search_web(question, web=web) if found is None else found
    emit(WebSearch(result.query, result.engine, result.event()["sources"], result.error))
    planner = Planner(engine, model, temperature, max_tokens, num_ctx, step_timeout)
    turns = [turn for turn in map(earlier_turn, history or ()) if turn]
    writer = _Answer(planner, emit, datetime.now(timezone).astimezone(timezone), result, usable_hits(evidence))
    return await writer.written(question, turns, [hint.strip() for hint in hints or () if hint.strip()])


class _Answer:
    """One answer from one search."""

    def __init__(
        self,
        planner: Planner,
        emit: Callable[[Event], None],
        now: datetime,
        result: WebSearchResult,
        conversation: list[SearchHit],
    ) -> None:
        self._planner = planner
        self._emit = emit
        self._now = now
        self._result = result
        self._pages = [] if result.error is not None else _hits(result)
        self._conversation = conversation

    async def written(self, question: str, history: list[Message], hints: list[str]) -> ResearchResult:
        system = Message(
            Role.SYSTEM, Path(__file__).with_name("prompt.md").read_text("utf-8").format(now=spoken(self._now))
        )
        asked = [*(Message(Role.SYSTEM, hint) for hint in hints), Message(Role.USER, question)]
        state = RunState(
            query=question,
            language=detect(question),
            hints=hints,
            evidence=[*self._pages, *self._conversation],
            system=system,
            history=history,
            question=[*asked[:-1], *self._context([system, *asked]), asked[-1]],
        )
        for note in (*self._result.notes, *self._result.remarks):
            state.warn(in_language(note, state.language))
        self._fit(state)
        try:
            reply = await self._reply(state)
        except EngineLost:
            self._emit(Error(sentence(ENGINE_FAILED, state.language)))
            return self._conclude(state, self._found(state) or sentence(ENGINE_FAILED, state.language), "engine_failed")
        if not reply.text:
            return self._conclude(state, NOTHING_WRITTEN, "no_content")
        return self._conclude(state, reply.text, "answered", cut=reply.cut)

    def _context(self, fixed: list[Message]) -> list[Message]:
        """The sources, each with as much of its text as fits beside what is fixed, and what was said before."""
        limit = room(self._planner.num_ctx, self._planner.max_tokens, None)
        before = self._before(limit)
        for share in SHARES:
            context = Message(Role.USER, render_context(_shortened(self._result, share), self._now))
            if tokens_of([*fixed, *before, context]) <= limit:
                break
        return [context, *before]

    def _before(self, limit: int) -> list[Message]:
        """What was said in the conversation, numbered behind the pages."""
        if not self._conversation:
            return []
        refs = dict(enumerate(self._conversation, len(self._pages) + 1))
        shown = render_evidence(refs, secrets.token_hex(8), limit * BYTES_PER_TOKEN // ITS_SHARE)
        return [Message(Role.USER, f"{CONVERSATION}\n{shown}")]

    def _fit(self, state: RunState) -> None:
        limit = room(self._planner.num_ctx, self._planner.max_tokens, None)
        kept = fit_history([state.system, *state.question], state.history, limit)
        if len(kept) < len(state.history):
            state.history = kept
            state.warn(sentence(HISTORY_DROPPED, state.language))

    async def _reply(self, state: RunState) -> Reply:
        """The one call of the model; its text streams out as a gated draft."""
        refs = {ref: source_of(hit, ref) for ref, hit in state.refs().items()}
        draft = Draft(refs, allowed_by_asker(state))
        state.iterations += 1
        async with Deadline(self._planner.step_timeout) as deadline:  # stands still while the model is not free
            raw = await self._planner.generate(
                [state.system, *state.history, *state.question],
                tools=None,
                on_text=lambda piece: self._say(draft.feed(readable(piece))),
                deadline=deadline,
                synthesis=True,
            )
        if deadline.expired:
            raise EngineLost
        reply = read_reply(raw, (), ())
        state.usage = reply.usage
        if reply.text:
            self._say(draft.finish())
        return reply

    def _say(self, delta: str) -> None:
        if delta:
            self._emit(AnswerDelta(delta))

    def _found(self, state: RunState) -> str:
        refs = state.refs()
        return digest(refs, state.language) if refs else ""

    def _conclude(self, state: RunState, text: str, reason: StopReason, *, cut: bool = False) -> ResearchResult:
        finished = finish(text, state, cut=cut)
        if not finished.text:  # all of it was addresses and numbers of nothing
            instead = finish(self._found(state) or sentence(NO_CONTENT, state.language), state)
            finished = replace(instead, dropped_citations=finished.dropped_citations)
        if cut:
            state.warn(sentence(CUT_OFF, state.language))
        result = ResearchResult(
            answer=finished.text,
            iterations=state.iterations,
            tool_calls=[_invocation(self._result)],
            usage=state.usage,
            sources=finished.sources,
            grounded=bool(finished.sources),
            stop_reason=reason,
            warnings=state.warnings,
            dropped_citations=finished.dropped_citations,
            language=state.language,
            passages=finished.passages,
        )
        self._emit(
            FinalAnswer(
                result.answer, result.sources, result.stop_reason, result.grounded, result.language, result.warnings
            )
        )
        return result


def _hits(result: WebSearchResult) -> list[WebHit]:
    """The sources as hits that can be cited, in their order, with the text of the page where it was read."""
    given = result.hits or [WebHit(source.title, source.url, site(source.url)) for source in result.sources]
    return [
        replace(hit, snippet=source.text or source.snippet) for hit, source in zip(given, result.sources, strict=True)
    ]


def _shortened(result: WebSearchResult, share: float) -> WebSearchResult:
    if share == 1.0:
        return result

    def short(source: WebSource) -> WebSource:
        return replace(source, text=_head(source.text, share), snippet=_head(source.snippet, share))

    return WebSearchResult(
        result.query,
        result.engine,
        map(short, result.sources),
        result.error,
        outcome=result.outcome,
        notes=result.notes,
        remarks=result.remarks,
    )


def _head(text: str, share: float) -> str:
    return text if not text else f"{text[: max(1, int(len(text) * share))]}\n[The text is cut.]"


def _invocation(result: WebSearchResult) -> ToolInvocation:
    hits = _hits(result)
    return ToolInvocation(
        {"query": result.query, "recency": None, "news": False},
        num_results=len(hits),
        top_titles=top_titles(hits),
        tool_name="web_search",
        web_hits=hits,
        error="" if result.outcome in ("ok", "partial", "empty") else result.error or "",
    )
