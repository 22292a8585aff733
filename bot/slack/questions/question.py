"""The life of one question, from the placeholder to the last word, over restarts."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import tzinfo
from typing import Any

from bot import sentences
from bot.research import Event, ResearchResult, RunState, Waiting
from bot.research.clarify import NO_ANSWER
from bot.research.jsonable import jsonable
from bot.sentences import sentence
from bot.slack.messages.blocks import PRIVATE, SHARE, answered, said, working
from bot.slack.messages.cards import card, kept
from bot.slack.messages.conclusion import Conclusion, conclude
from bot.slack.messages.last_word import Directly
from bot.slack.messages.links import words
from bot.slack.messages.render import Progress, begun, going_on, in_line
from bot.slack.messages.sources import today_in
from bot.slack.messages.stage import Stage
from bot.slack.questions.asking_back import AskingBack
from bot.slack.questions.audience import covers
from bot.slack.questions.context import Context
from bot.slack.questions.footer import footer
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.kept import KeptRun
from bot.slack.questions.means import Means, Shown
from bot.slack.questions.readers import LeftOut, made_of
from bot.slack.questions.trace import Trace
from bot.slack.questions.wanted import begins_with_the_web, wanted
from bot.store import Lost, Part, Run, Status, Turn
from bot.web import asked as asked_for

logger = logging.getLogger(__name__)


class Question:
    def __init__(
        self,
        means: Means,
        run: Run,
        asked: Inbound,
        language: str,
        message: Shown,
        shows: Callable[[Progress], str],
        *,
        lost: Callable[[], object],
    ) -> None:
        """`shows` gives what the message says of a run as far as it has got.  `lost` ends the run here: another process
        goes on with it."""
        self._shows = shows
        self._lost = lost
        self.message = message
        self._means = means
        self._asked = asked
        self._kept = KeptRun(means.store, means.endings, run)
        self._asking_back = AskingBack(means, self._kept, asked, message)
        self._language = language
        self._zone: tzinfo | None = None
        self._line = means.lines.of(run)
        self._stage = Stage(replace(begun(language, waits=self._line.busy), steps=run.lines), message.touch)
        self._trace = Trace(run.steps)
        self._spoken = list(run.spoken) if run.state else []
        self._overdue = False
        self._delivery: asyncio.Task[None] | None = None
        self._unasked = asked.unasked and not run.messages
        self._hidden = False
        """Who can read it is not known: nothing is shown of what is found."""

    @property
    def run(self) -> Run:
        return self._kept.run

    async def answer(self) -> None:
        """Go on from where the run stands, until its last word is delivered, it waits for somebody's answer, or
        somebody wants it stopped.
        """
        self.message.open(self._working, self._seen)
        if self.run.status == "stopping":
            return
        async with self._line.turn(lambda: self._begin(waits=True)):
            began = asyncio.get_running_loop().time()
            logger.info("%s: asked", self.run.key)
            try:
                context = await self._context()
                self._language, self._zone = context.settings.language or self._language, context.zone
                self._begin()
                if not context.query:  # There were files alone, and none could be read.
                    await self._end("\n".join(context.notes))
                    return
                while not await self._concluded(context, began):
                    if await self._asking_back.waits():
                        return
            except LeftOut as left_out:
                logger.info("%s: %s", self.run.key, left_out)
                await self._end(sentence(left_out.told, self._language), directly=left_out.directly)

    def _begin(self, *, waits: bool = False) -> None:
        state = begun(self._language, waits=waits, zone=self._zone)
        self._stage.show(replace(state, steps=self._stage.progress.steps))

    async def end(self, words_: dict[str, str], *, status: Status = "done", **values: str) -> None:
        """Put a sentence as the last word, where the answer is not on its way already, and somebody asked."""
        await self._end(sentence(words_, self._language, **values), status)

    async def _end(self, text: str, status: Status = "done", directly: Directly | None = None) -> None:
        if self._delivery is not None:
            await self._delivery
            return
        await self.message.close(() if self._unasked else said([words(text)]), directly)
        await self._over(status=status, state="")

    async def delivered(self) -> bool:
        """Whether the answer is given; waits for one that is on its way."""
        if self._delivery is None:
            return False
        await self._delivery
        return True

    async def leave(self) -> None:
        """Say that it goes on later, after a restart or somewhere else."""
        self._stage.show(going_on(self._stage.progress))
        await self.message.leave()

    async def _context(self) -> Context:
        """Raises `LeftOut` where what was found before is not for all who can read the thread now."""
        before = self.run.audience if self.run.state or self.run.parts else None
        context = await self._read(fresh=self.run.audience is not None)
        if before is not None and not covers(before, context.audience):
            self._hidden = await self._means.readers.hidden(before, self._asked)
            context = replace(context, audience=before)
        await self._kept.change(audience=context.audience)
        if before is None and self.run.doubted:  # Somebody came in while it was read.
            context = await self._read(fresh=True)
            await self._kept.change(audience=context.audience, doubted=False)
        return context

    async def _read(self, *, fresh: bool) -> Context:
        context = await self._means.contexts.read(self._asked, self._language, fresh=fresh)
        # `web:` is no part of it.
        context = replace(context, query=asked_for(context.query).question, own=asked_for(context.own).question)
        if self._asked.edited:
            edited = sentence(sentences.EDITED, self._language)
            context = replace(context, notes=(*context.notes, edited))
        return context

    async def _concluded(self, context: Context, began: float) -> bool:
        """Whether there is a last word, which is delivered then; else something was asked back."""
        if not self.run.parts:
            try:
                result = await self._research(context)
            except Waiting:
                return False
            result.language = context.settings.language or result.language
            overdue = (sentence(sentences.ANSWER_OVERDUE, self._language),) if self._overdue else ()
            conclusion = conclude(result, context.hinted, (*context.notes, *overdue))
            self._trace.used(result.usage)
            shown = bool(result.sources) or not self._unasked
            await self._kept.change(
                parts=await self._parts(result, conclusion, context) if shown else (),
                turn=self._as_turn(context, conclusion) if shown else None,
                made_of=made_of(self.run, context, result),
                quotes=tuple(map(kept, conclusion.passages)),
                spoken=tuple(self._spoken),
                seconds=self.run.seconds + asyncio.get_running_loop().time() - began,
                steps=self._trace.steps,
            )
            logger.info("%s: %s, %.1f s", self.run.key, result.stop_reason, self.run.seconds)
        directly = await self._means.readers.admit(self.run, self._language)
        # Whoever is cancelled now leaves the answer on its way.
        self._delivery = self._means.start(self._deliver(directly))
        await asyncio.shield(self._delivery)
        return True

    def _seen(self) -> Progress:
        """What may be shown of the run as it stands."""
        return begun(self._language) if self._hidden else self._stage.shown

    def _working(self) -> Part:
        """The message while the run goes on."""
        shown = self._seen()
        found = () if shown.draft.strip() else card(shown.found, today_in(shown.zone), self._language)
        return working(self._shows(shown), self.run.key, self._language, found)

    async def _parts(self, result: ResearchResult, conclusion: Conclusion, context: Context) -> tuple[Part, ...]:
        return answered(
            conclusion.pieces,
            self.run.key,
            result.language,
            today=today_in(context.zone),
            quoted=len(conclusion.passages),
            footer=await footer(result, self._trace, context, self._means.indexed),
            more=SHARE if self._asked.origin else "" if self._asked.direct else PRIVATE,
        )

    def _as_turn(self, context: Context, conclusion: Conclusion) -> Turn:
        return Turn(
            ts=self._asked.ts,
            asker=self._asked.user,
            question=context.own or context.query,
            answer=conclusion.text,
            sources=conclusion.sources,
            audience=context.audience,
        )

    async def _deliver(self, directly: Directly) -> None:
        delivered = await self.message.close(self.run.parts, directly)
        if delivered and self._unasked:  # From now on it is a conversation.
            await self._means.store.asked(*self._asked.thread, self._asked.user, root=self._asked.is_root)
        told = delivered and directly.here is None
        await self._over(self.run.turn if told else None, status="done")

    async def _over(self, turn: Turn | None = None, **values: Any) -> None:
        """Keep that there is a last word."""
        await self._kept.end(self._asked.thread, turn, **values, messages=self.message.messages, parts=())

    async def _research(self, context: Context) -> ResearchResult:
        asked = self._asked
        wants = wanted(asked, context, self._means.web(asked.as_written.channel))
        if begins_with_the_web(asked, wants):
            await self._means.store.asked(*asked.thread, asked.user, root=True, web=True)
        if self.run.reply is not None:
            self._overdue = not await self._asking_back.take_reply()
        agent = self._means.researcher(
            audience=context.audience,
            sources=context.settings.sources,
            asked=replace(wants, question=context.own),
            asker=asked.user,
            clock=context.now,
            clarify_handler=self._ask_back,
            on_event=self._note,
            on_place=lambda place: self._stage.show(in_line(self._stage.progress, place)),
            on_checkpoint=self._checkpoint,
            on_reply=lambda reply: self._spoken.append(jsonable(reply)),
            on_sent=self._trace.sent,
        )
        return await agent.run(
            context.query,
            history=context.history,
            hints=context.hints,
            evidence=context.evidence,
            said=(*context.said, *self.run.said),
            resume=RunState.model_validate_json(self.run.state) if self.run.state else None,
        )

    def _note(self, event: Event) -> None:
        self._trace.note(event)
        self._stage.note(event)

    async def _checkpoint(self, state: RunState) -> None:
        self._trace.checkpoint(state)
        kept = {"steps": self._trace.steps, "lines": self._stage.progress.steps, "spoken": tuple(self._spoken)}
        try:
            await self._kept.change(state=state.model_dump_json(), **kept)
        except Lost:
            self._lost()

    async def _ask_back(self, question: str) -> str:
        """Whoever asked nobody is not asked back."""
        if self._unasked:
            return NO_ANSWER
        try:
            return await self._asking_back.ask(question)
        except Lost:
            self._lost()
            return NO_ANSWER
