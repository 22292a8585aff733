"""Answering questions: each is begun, gone on with, stopped, answered anew or taken back here."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from bot import sentences
from bot.language import detect
from bot.sentences import sentence
from bot.slack.api.outbox import Mark, Refusal
from bot.slack.messages import notices
from bot.slack.messages.blocks import said
from bot.slack.messages.links import words
from bot.slack.messages.render import draft, steps
from bot.slack.messages.writers import Writers
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.means import Means, Shown
from bot.slack.questions.privacy import is_to_be_placed
from bot.slack.questions.question import Question
from bot.slack.questions.running import Running, Stop, wished
from bot.slack.questions.withdrawal import Withdrawal
from bot.slack.tasks import survive
from bot.store import Run
from bot.web import asked as asked_for
from indexers.slack_text import plain

logger = logging.getLogger(__name__)

FAREWELL = 2.0
"""Seconds that a cancelled answer may take for its last word."""
ASKS_FOR_QUIET = ("quiet", "quiet!", "quiet.", "be quiet", "silence", "silence !", "silence.")
ASKS_FOR_HELP = ("", "help", "help!", "help?", "?", "aide", "aide !", "aide ?")


class Answerer:
    def __init__(
        self,
        means: Means,
        writers: Writers,
        *,
        private: Callable[[Run], Coroutine[Any, Any, None]],
        bot_user: str,
    ) -> None:
        """`private` answers in private what may have been answered in its thread so far."""
        self._private = private
        self.running = Running()
        self._means = means
        self._store = means.store
        self._outbox = means.outbox
        self.withdrawal = Withdrawal(means.store, means.outbox)
        self._bot_user = bot_user
        self._writers = writers

    async def answer(self, run: Run, message: Shown | None = None, *, look: bool = False) -> None:
        """Answer the question of a run of this process, from where it stands, in its thread or in `message`.

        With `look`, messages of it may be there of which nobody knows.  However it ends, a last word says so; only
        cancellation of all is raised, and leaves the run to be gone on with.
        """
        with self.running.about(run.key):
            await self._answer(run, message, look=look)

    async def _answer(self, run: Run, message: Shown | None, *, look: bool) -> None:
        instead = wished(run)
        if instead is not None and instead.why != "stopped":
            await survive(self._instead(run, instead, look=look), f"what is done in place of {run.key}")
            return
        asked = Inbound.of(run.asked)
        text = plain(asked.text, {}, own=self._bot_user)
        if self.is_quieted(asked):
            await survive(self._quiet(run, asked, text, look), f"quiet in {run.key}")
            return
        if asked_for(text).question.strip().lower() in ASKS_FOR_HELP and (text or not asked.files):
            await survive(self._help(run, asked, text, look), f"help in {run.key}")
            return
        shows = draft if message is None else steps
        language = await self._language(asked, text)
        stopped = partial(self.running.stop, run.key, Stop("stopped", run.user))
        writer = message or self._writers.writer(run, language, look=look, stopped=stopped)
        lost = partial(self.running.stop, run.key, Stop("elsewhere"))
        question = Question(self._means, run, asked, language, writer, shows, lost=lost)
        with self.running.at(run.key):
            try:
                if not await survive(question.answer(), f"the answer to {run.key}"):
                    await survive(question.end(sentences.APOLOGY), f"the apology for {run.key}")
                stop = wished(question.run)
            except asyncio.CancelledError:
                stop = self.running.stopped(run.key)
                if stop is None:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(FAREWELL):
                            await question.leave()
                    raise
        if stop is not None:
            await survive(self._stop(question, stop), f"the end of {run.key}")
        await question.message.drop()

    async def _stop(self, question: Question, stop: Stop) -> None:
        """What becomes of a question that somebody ended; the latest wish stands."""
        if stop.why == "elsewhere":
            logger.warning("%s: another process goes on with it", question.run.key)
            return
        kept = await self._store.run(question.run.key)
        stop = (kept and wished(kept)) or stop
        logger.info("%s: %s", question.run.key, stop.why)
        if stop.why == "stopped":
            name = await self._means.contexts.name(stop.user)
            await question.end(sentences.STOPPED, status="stopped", name=name)
            return
        if stop.why != "readers":
            await question.message.leave()
        elif await question.delivered():
            return
        else:
            await question.message.drop()  # What it shows may be for others.
        await self._instead(question.run, stop, messages=question.message.messages)

    async def _instead(self, run: Run, stop: Stop, *, messages: Sequence[str] = (), look: bool = False) -> None:
        if stop.why == "anew":
            await self._again(run, messages, look)
        elif stop.why == "readers":
            await self._go_on(run, messages, look)
        else:
            await self.withdrawal.withdraw(run, messages)

    async def _again(self, run: Run, messages: Sequence[str], look: bool) -> None:
        """Answer a question anew, in the messages of its answer, unless it is to be answered in private now."""

        def anew(kept: Run) -> Run:
            if wished(kept) != Stop("anew"):  # Something else is wished since.
                return kept.model_copy(update={"messages": tuple(messages or kept.messages)})
            bare = {name: field.default for name, field in Run.model_fields.items() if name in _OF_AN_ATTEMPT}
            known = {"messages": tuple(messages or kept.messages), "attempt": kept.attempt + 1, "status": "open"}
            asked = kept.anew or kept.asked
            away = {"thread_ts": "", "messages": ()} if is_to_be_placed(Inbound.of(asked)) else {}
            return kept.model_copy(update={**bare, **known, **away, "asked": asked})

        run = await self._store.change(run.key, anew)
        await (self.answer(run, look=look) if run.thread_ts else self._private(run))

    async def _go_on(self, run: Run, messages: Sequence[str], look: bool) -> None:
        """Go on with a question from where it stands, for those who can read its thread now."""

        def looked(kept: Run) -> Run:
            status = "open" if wished(kept) == Stop("readers") else kept.status
            return kept.model_copy(update={"messages": tuple(messages or kept.messages), "status": status})

        await self.answer(await self._store.change(run.key, looked), look=look)

    async def _language(self, asked: Inbound, text: str) -> str:
        """Of the words; where there are none, of whoever wrote none."""
        has_words = any(map(str.isalpha, text))
        return detect(text) if has_words else await self._means.contexts.language(asked.user)

    async def _help(self, run: Run, asked: Inbound, text: str, look: bool) -> None:
        language = await self._language(asked, text)
        told = sentence(sentences.HELP, "fr" if text.startswith("aide") else language)
        await self._say(run, asked, told, look)

    def is_quieted(self, message: Inbound) -> bool:
        """Whether a message asks the bot to answer in its thread only when it is mentioned."""
        if message.direct or message.command or message.to_others:
            return False
        return plain(message.own_text, {}, own=self._bot_user).lower() in ASKS_FOR_QUIET

    async def _quiet(self, run: Run, asked: Inbound, text: str, look: bool) -> None:
        await self._store.change_thread(*asked.thread, lambda thread: thread.model_copy(update={"quiet": True}))
        language = "fr" if text.lower().startswith("silence") else "en"
        await self._say(run, asked, sentence(notices.QUIET, language), look)

    async def _say(self, run: Run, asked: Inbound, told: str, look: bool) -> None:
        """Answer with a sentence, where the answer is, if there is one."""
        part = said([words(told)])[0]
        mark = Mark(run.key, "0")
        try:
            if run.messages:
                await self._outbox.edit(run.channel, run.messages[0], part, mark)
            else:
                await self._outbox.post(*asked.thread, part, mark, look=look)
        except (Refusal, TimeoutError) as error:
            logger.warning("%s: a word was not taken (%s)", run.key, error)
        await self._store.change(run.key, lambda kept: kept.model_copy(update={"status": "done"}))


_OF_AN_ATTEMPT = frozenset(
    (
        *("audience", "state", "asked_back", "since", "reply", "parts", "turn", "steps", "seconds", "lines"),
        *("stopping", "anew", "deleted", "spoken", "quotes", "doubted", "made_of", "traceless"),
    )
)
