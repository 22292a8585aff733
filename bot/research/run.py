"""One run: ask the model, run what it calls, until it answers or a limit ends it."""

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from bot.engine import Message, Role, ToolCall
from bot.research.deadline import Deadline
from bot.research.draft import Draft
from bot.research.events import Error, FinalAnswer
from bot.research.evidence import digest
from bot.research.finish import allowed_by_asker, finish, needs_repair
from bot.research.jsonable import jsonable, valid
from bot.research.ledger import fit_history, fold_results, room, tokens_of
from bot.research.planner import EngineLost, Planner
from bot.research.prompts import BUDGET_SPENT, WRITE_NOW
from bot.research.reply import Reply, read_reply
from bot.research.shaping import source_of
from bot.research.speaker import Speaker
from bot.research.state import RunState
from bot.research.synthesis import repair_messages, synthesis_messages
from bot.research.toolbox import Toolbox
from bot.research.types import ResearchResult, StopReason, Waiting
from bot.research.untrusted import readable
from bot.sentences import CUT_OFF, ENGINE_FAILED, HISTORY_DROPPED, NO_CONTENT, OUT_OF_TIME, sentence

NOTHING_WRITTEN = "(model returned no content and no tool calls)"
NO_SYNTHESIS = "(no synthesis available — the search budget was exhausted and the model returned no text response)"


@dataclass(frozen=True, slots=True)
class Ending:
    text: str
    reason: StopReason
    cut: bool = False


class Run:
    """The loop over one `RunState`, which it changes as it goes."""

    def __init__(
        self,
        state: RunState,
        planner: Planner,
        toolbox: Toolbox,
        speaker: Speaker,
        deadline: Deadline,
        *,
        save: Callable[[RunState], Awaitable[None]],
        now: datetime,
    ) -> None:
        self.state = state
        self._planner = planner
        self._toolbox = toolbox
        self._deadline = deadline
        self._speaker = speaker
        self._save = save
        self._now = now
        self._nonce = secrets.token_hex(8)

    async def result(self) -> ResearchResult:
        """Runs to the end.  Raises `Waiting` when a clarify answer comes later, and nothing else that a model, a
        search or a person can cause."""
        ending: Ending | None = None
        reason: StopReason = "deadline"
        try:
            async with self._deadline:
                ending = await self._turns()
                reason = "budget"
        except EngineLost:
            self._tell_engine_lost()
            reason = "engine_failed"
        return self._conclude(ending or await self._forced(reason))

    async def _turns(self) -> Ending | None:
        """The ordinary turns; None when they are used up."""
        await self._run_pending()
        while self.state.turns <= self._toolbox.max_iterations:
            self.state.turns += 1
            ending = await self._turn()
            if ending is not None:
                return ending
        return None

    async def _turn(self) -> Ending | None:
        state = self.state
        if self._toolbox.spent and not state.told_budget:
            state.transcript.append(Message(Role.USER, BUDGET_SPENT))
            state.told_budget = True
        reply = await self._plan()
        if reply.lost and not state.asked_again:
            state.asked_again = True
            reply = await self._plan()
        if reply.calls:
            await self._run_calls(reply)
            return None
        if reply.text:
            return Ending(reply.text, "answered", reply.cut)
        if reply.cut:  # it thought, or began a call, until the limit
            state.warn(sentence(CUT_OFF, state.language))
        if not state.searches and not state.evidence:
            return Ending(NOTHING_WRITTEN, "no_content")
        state.transcript.append(Message(Role.USER, WRITE_NOW))
        await self._checkpoint()
        return None

    async def _plan(self) -> Reply:
        """One call of the engine on the transcript, within its window, with the tools that the budget still allows."""
        state, planner = self.state, self._planner
        tools = None if self._toolbox.spent else self._toolbox.specs
        limit = room(planner.num_ctx, planner.max_tokens, tools)
        fixed = [state.system, *state.question]
        transcript = fold_results(state.transcript, limit - tokens_of([*fixed, *state.history]))
        kept = fit_history([*fixed, *transcript], state.history, limit)
        transcript = fold_results(transcript, limit - tokens_of([*fixed, *kept]), newest_too=True)
        if len(kept) < len(state.history):
            state.history = kept
            state.warn(sentence(HISTORY_DROPPED, state.language))
        return await self._ask([state.system, *kept, *state.question, *transcript], tools)

    async def _run_calls(self, reply: Reply) -> None:
        """Records the assistant's message with all its calls, then gives each its tool message, in their order."""
        state = self.state
        state.pending = [ToolCall(valid(call.id), valid(call.name), jsonable(call.arguments)) for call in reply.calls]
        state.attempted = 0
        named = [replace(call, name=_recorded(call.name)) for call in state.pending]
        state.transcript.append(Message(Role.ASSISTANT, reply.text, tool_calls=named))
        await self._checkpoint()
        await self._run_pending()

    async def _run_pending(self) -> None:
        state = self.state
        while state.pending:
            call = state.pending[0]
            try:
                content = await self._toolbox.run(call)
            except Waiting:
                await self._checkpoint()
                raise
            state.transcript.append(Message(Role.TOOL, content, name=_recorded(call.name), tool_call_id=call.id))
            state.pending, state.clarified = state.pending[1:], None
            await self._checkpoint()

    async def _forced(self, reason: StopReason) -> Ending:
        """The forced synthesis; without a word from it, what was found.

        One that is being written when the run's limit comes has one step's time to end, as one begun at the limit has.
        """
        if reason == "engine_failed" and not self.state.refs():
            return self._without_text(reason)
        reply, left = None, max(0.0, self._deadline.left)
        self._deadline = Deadline(left + self._planner.step_timeout)
        try:
            async with self._deadline:
                reply = await self._synthesise()
        except EngineLost:
            if reason != "engine_failed":
                self._tell_engine_lost()
        if reason == "budget" and self._deadline.used > left:
            reason = "deadline"
        if reply is not None and reply.text:
            return Ending(reply.text, reason, reply.cut)
        if reason == "budget":
            return Ending(NO_SYNTHESIS, "no_synthesis") if reply else self._without_text("engine_failed")
        return self._without_text(reason)

    async def _synthesise(self) -> Reply:
        """Written from a fresh prompt, and repaired once when it cites nothing that there is."""
        state, planner = self.state, self._planner
        limit = room(planner.num_ctx, planner.max_tokens, None)
        messages = synthesis_messages(state, self._now, self._nonce, limit)
        reply = await self._ask(messages, None, synthesis=True)
        if not needs_repair(reply.text, state.refs()):
            return reply
        try:
            repaired = await self._ask(repair_messages(messages, reply.text, state), None, synthesis=True)
        except EngineLost:
            return reply
        return repaired if repaired.text else reply

    async def _ask(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] | None, *, synthesis: bool = False
    ) -> Reply:
        """One call of the engine, read and counted; its text streams out as a gated draft."""
        state = self.state
        refs = {ref: source_of(hit, ref) for ref, hit in state.refs().items()}
        draft = Draft(refs, allowed_by_asker(state))
        self._speaker.begin_reply()
        state.iterations += 1
        raw = await self._planner.generate(
            messages,
            tools=tools,
            on_text=lambda piece: self._speaker.draft(draft.feed(readable(piece))),
            deadline=self._deadline,
            synthesis=synthesis,
        )
        reply = read_reply(raw, self._toolbox.names if tools else [], self._toolbox.names)
        for kind in state.usage:
            state.usage[kind] += reply.usage.get(kind, 0)
        if reply.text and not reply.calls:
            self._speaker.draft(draft.finish())
        return reply

    def _tell_engine_lost(self) -> None:
        self._speaker.say(Error(sentence(ENGINE_FAILED, self.state.language)))

    def _found(self) -> str:
        """A cited digest of what was found, if anything was."""
        refs = self.state.refs()
        return digest(refs, self.state.language) if refs else ""

    def _without_text(self, reason: StopReason) -> Ending:
        nothing = OUT_OF_TIME if reason == "deadline" else ENGINE_FAILED
        return Ending(self._found() or sentence(nothing, self.state.language), reason)

    def _conclude(self, ending: Ending) -> ResearchResult:
        state = self.state
        finished = finish(ending.text, state, cut=ending.cut)
        if not finished.text:  # all of it was addresses and numbers of nothing
            instead = finish(self._found() or sentence(NO_CONTENT, state.language), state)
            finished = replace(instead, dropped_citations=finished.dropped_citations)
        if ending.cut:
            state.warn(sentence(CUT_OFF, state.language))
        result = ResearchResult(
            answer=finished.text,
            iterations=state.iterations,
            tool_calls=state.invocations,
            usage=state.usage,
            sources=finished.sources,
            grounded=bool(finished.sources),
            stop_reason=ending.reason,
            warnings=state.warnings,
            dropped_citations=finished.dropped_citations,
            language=state.language,
            passages=finished.passages,
        )
        self._speaker.say(
            FinalAnswer(
                result.answer, result.sources, result.stop_reason, result.grounded, result.language, result.warnings
            )
        )
        return result

    async def _checkpoint(self) -> None:
        self.state.seconds = self._deadline.used
        await self._save(self.state)


def _recorded(name: str) -> str:
    """A call without a name is an unknown tool, and is written down as a search, since templates need a name."""
    return name or "search"
