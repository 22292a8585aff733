"""The research agent: what it is built from, and how a run begins."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.engine import Engine, Message, Role
from bot.language import detect
from bot.research.calling import call
from bot.research.citations import strip_citations
from bot.research.clarify import ask_in_terminal
from bot.research.deadline import Deadline
from bot.research.events import Event
from bot.research.evidence import render_evidence
from bot.research.ledger import BYTES_PER_TOKEN, room
from bot.research.planner import Planner
from bot.research.prompts import system_prompt
from bot.research.run import Run
from bot.research.shaping import usable_hits, usable_web_hits
from bot.research.speaker import Speaker
from bot.research.state import Hit, RunState
from bot.research.toolbox import Toolbox
from bot.research.types import ResearchResult, Search, WebHit

logger = logging.getLogger(__name__)

DEFAULT_PLANNER_MODEL = "gemma4:31b"


class ResearchAgent:
    """Answers questions by research.  Holds no state of a run: one agent may run several at once."""

    def __init__(
        self,
        engine: Engine,
        search: Search,
        *,
        model: str = DEFAULT_PLANNER_MODEL,
        max_iterations: int = 5,
        temperature: float = 0.3,
        max_tokens: int = 1500,
        num_ctx: int = 16384,
        clarify_handler: Callable[[str], Any] | None = None,
        on_event: Callable[[Event], None] | None = None,
        available_sources: Sequence[str] | None = None,
        web_search: Callable[[str, str | None, bool], Any] | None = None,
        on_checkpoint: Callable[[RunState], Any] | None = None,
        clock: Callable[[], datetime] | None = None,
        run_timeout: float = 600,
        step_timeout: float = 300,
        clarify_timeout: float | None = None,
    ) -> None:
        self._planner = Planner(engine, model, temperature, max_tokens, num_ctx, step_timeout)
        self._search = search
        self._max_iterations = max_iterations
        self._clarify_handler = clarify_handler or ask_in_terminal
        self._on_event = on_event
        self._available_sources = available_sources
        self._web_search = web_search
        self._on_checkpoint = on_checkpoint
        self._clock = clock or (lambda: datetime.now().astimezone())
        self._run_timeout = run_timeout
        self._clarify_timeout = clarify_timeout

    async def run(
        self,
        query: str,
        *,
        history: Sequence[Message | Mapping[str, Any]] | None = None,
        hints: Sequence[str] | None = None,
        evidence: Sequence[Hit] | None = None,
        resume: RunState | None = None,
    ) -> ResearchResult:
        """Research `query` and answer it.

        `history` gives a follow-up its referent; `hints` are what the caller established about this query;
        `evidence` is what the caller already holds, citable as refs 1..n; `resume` goes on from a checkpoint, with
        the query, history, hints and evidence that it began with.  Raises `Waiting` when the clarify handler did,
        and `CancelledError` when cancelled; otherwise it always ends in a result and one `FinalAnswer`.
        """
        now = self._clock()
        if resume is None:
            state = await self._begin(query, now, history or (), hints or (), evidence or ())
        else:
            state = resume.model_copy(update={"system": self._system(now, resume.sources)}).snapshot()
        deadline = Deadline(self._run_timeout, state.seconds)
        speaker = Speaker(self._on_event)
        toolbox = self._toolbox(state, speaker, deadline, now)
        run = Run(state, self._planner, toolbox, speaker, deadline, save=self._save, now=now)
        return await run.result()

    async def _begin(
        self,
        query: str,
        now: datetime,
        history: Sequence[Message | Mapping[str, Any]],
        hints: Sequence[str],
        evidence: Sequence[Hit],
    ) -> RunState:
        sources = await self._sources()
        stated = [hint.strip() for hint in hints if hint.strip()]
        given = _usable(evidence)
        return RunState(
            query=query,
            language=await asyncio.to_thread(detect, query),  # its first use takes most of a second
            hints=stated,
            evidence=given,
            sources=sources,
            system=self._system(now, sources),
            history=[turn for turn in map(earlier_turn, history) if turn],
            question=[
                Message(Role.USER, query),
                *(Message(Role.SYSTEM, hint) for hint in stated),
                *self._evidence_message(given),
            ],
        )

    def _system(self, now: datetime, sources: Sequence[str]) -> Message:
        web = self._web_search is not None
        return Message(Role.SYSTEM, system_prompt(now, sources, self._max_iterations, web=web))

    def _evidence_message(self, evidence: list[Hit]) -> list[Message]:
        if not evidence:
            return []
        half = room(self._planner.num_ctx, self._planner.max_tokens, None) * BYTES_PER_TOKEN // 2
        return [Message(Role.USER, render_evidence(dict(enumerate(evidence, 1)), secrets.token_hex(8), half))]

    async def _sources(self) -> list[str]:
        if self._available_sources is not None:
            return list(self._available_sources)
        try:
            async with asyncio.timeout(self._planner.step_timeout):
                return [str(source) for source in await self._search.available_sources()]
        except Exception as error:
            logger.exception("the connected sources could not be read: %s", type(error).__name__, exc_info=False)
            return []

    def _toolbox(self, state: RunState, speaker: Speaker, deadline: Deadline, now: datetime) -> Toolbox:
        return Toolbox(
            state=state,
            search=self._search,
            web_search=self._web_search,
            clarify_handler=self._clarify_handler,
            say=speaker.say,
            now=now,
            deadline=deadline,
            max_iterations=self._max_iterations,
            step_timeout=self._planner.step_timeout,
            clarify_timeout=self._clarify_timeout,
        )

    async def _save(self, state: RunState) -> None:
        """Hands out a checkpoint; a store that fails costs the resuming, not the answer."""
        if self._on_checkpoint is None:
            return
        try:
            await call(self._on_checkpoint, state.snapshot())
        except Exception:
            logger.exception("a checkpoint could not be kept")


def earlier_turn(turn: Message | Mapping[str, Any]) -> Message | None:
    """An earlier turn as it is sent: only user and assistant, only non-blank, the assistant's without its marks."""
    role, content = (turn.role, turn.content) if isinstance(turn, Message) else (turn.get("role"), turn.get("content"))
    if role not in (Role.USER, Role.ASSISTANT) or not isinstance(content, str):
        return None
    said = strip_citations(content) if role == Role.ASSISTANT else content
    return Message(Role(role), said) if said.strip() else None


def _usable(evidence: Sequence[Hit]) -> list[Hit]:
    return [hit for hit in evidence if (usable_web_hits([hit]) if isinstance(hit, WebHit) else usable_hits([hit]))]
