"""What becomes of a message: the answer to a question that the bot asked back, a question, or nothing."""

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

from bot.language import detect
from bot.slack.api.outbox import Outbox
from bot.slack.messages.blocks import notice
from bot.slack.questions.answer import Answerer
from bot.slack.questions.channels import is_question
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.limits import Limits, TooMany
from bot.slack.questions.privacy import private, wants_privacy
from bot.slack.questions.taking_up import taken_up
from bot.slack.tasks import Start, survive
from bot.store import Lost, Run, Store
from indexers.slack_text import plain

logger = logging.getLogger(__name__)


class Closed(Exception):
    """The bot is stopping; what is not taken up now, Slack delivers again to the next one."""


class Desk:
    def __init__(
        self,
        *,
        store: Store,
        answerer: Answerer,
        private: Callable[[Run], Coroutine[Any, Any, None]],
        outbox: Outbox,
        limits: Limits,
        start: Start,
    ) -> None:
        """`private` answers in private; `start` starts an answer, which is cancelled when the bot stops."""
        self._private = private
        self._store = store
        self._outbox = outbox
        self.limits = limits
        self._answerer = answerer
        self._start = start
        self._closed = False
        self._receiving = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def close(self) -> None:
        """Take up nothing more; what is being taken up is waited for."""
        self._closed = True
        await self._idle.wait()

    async def receive(self, message: Inbound) -> None:
        """Take up a message that is for the bot and start what is to be done about it; returns at once.

        The same message comes in several events, and each may be delivered again: one call takes it up.  Raises
        `Closed`, and `StoreError` where it cannot be taken up.
        """
        waiting = await self._waiting(message)
        if waiting and self._answerer.is_quieted(message):
            waiting = None
        # Who wishes for a private answer to what is asked has not answered it.
        question = await self._question(message) if not waiting or wants_privacy(message) else None
        if not (waiting or question):
            return
        with self.receiving():
            if question:
                await self._ask(question)
            elif waiting:
                await self._take_reply(waiting.key, waiting.asks, message)

    @contextmanager
    def receiving(self) -> Iterator[None]:
        """While it lasts the desk does not close: what is taken up is started, too.  Raises `Closed`."""
        if self._closed:
            raise Closed
        self._receiving += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._receiving -= 1
            if not self._receiving:
                self._idle.set()

    async def begin(
        self,
        run: Run,
        answer: Callable[[Run], Coroutine[Any, Any, None]],
        *,
        failed: Callable[[Run], bool] = lambda run: False,
    ) -> bool:
        """Take up a question and start to answer it, unless that was done and has not `failed`.  Raises `TooMany` where
        it will not be."""
        begun = await taken_up(self._store, run, failed=failed)
        if begun is None:
            return False
        try:
            await self.limits.take(begun, run.user)
        except TooMany:
            await self._store.change(run.key, lambda kept: kept.model_copy(update={"status": "stopped"}))
            raise
        self._start(answer(begun))
        return True

    def go_on(self, run: Run, *, look: bool = True) -> None:
        """Start to answer a run of this process from where it stands."""
        self._start(self._answerer.answer(run, look=look))

    def resume(self, run: Run) -> None:
        """Start to answer a question that was left, from where it stands, and note what was to be noted before."""
        self.go_on(run)
        self._start(self._noted(run))

    async def _noted(self, run: Run) -> None:
        await survive(self._note(run), f"the thread of {run.key}")

    async def go_on_without(self, run: Run) -> None:
        """Start to answer a run that has waited long enough for what it asked back."""
        await self._answered(run.key, run.asks, None)

    async def _ask(self, message: Inbound) -> None:
        run = Run(
            key=message.key,
            channel=message.channel,
            thread_ts=message.thread_ts,
            user=message.user,
            asked=asdict(message),
        )
        try:
            if wants_privacy(message):
                await self.begin(private(message, message.key), self._private)
            elif await self.begin(run, self._answerer.answer):
                await self._note(run)
        except TooMany as many:
            if not message.unasked:
                self._start(self._refuse(message, many.told))

    async def _note(self, run: Run) -> None:
        """Who asks in the thread; what a shortcut is used on was no question to the bot."""
        asked = Inbound.of(run.asked)
        if not asked.unasked:
            root = asked.is_root and (asked.command or asked.key == run.key)
            await self._store.asked(*asked.thread, asked.user, root=root)

    async def _refuse(self, message: Inbound, told: dict[str, str]) -> None:
        part = notice(told, detect(plain(message.text, {})))
        # Slack shows such a word in a thread only where somebody has replied already.
        await self._outbox.whisper(
            message.channel, message.user, part, thread_ts="" if message.is_root else message.thread_ts
        )

    async def _waiting(self, message: Inbound) -> Run | None:
        """The run that waits in the thread of the message for an answer: of several, the one that asked last."""
        thread = await self._store.thread(*message.thread)
        for key in reversed(thread.asking if thread is not None else ()):
            run = await self._store.run(key)
            if run is not None and run.waits:
                return run
        return None

    async def reply(self, key: str, asks: str, message: Inbound) -> bool:
        """Answer a question that a run has asked back, as its `asks` was then: False where that does not wait any more,
        or not there.  Raises as `receive` does."""
        with self.receiving():
            run = await self._store.run(key)
            there = run is not None and (run.channel, run.thread_ts) == message.thread
            return there and await self._take_reply(key, asks, message)

    async def _take_reply(self, key: str, asks: str, message: Inbound) -> bool:
        # What was claimed by a process that died before it could note the reply, is noted now.
        if await self._store.claim(message.key, target=key) or await self._store.claimed_for(message.key) == key:
            logger.info("%s: answers what was asked back", message.key)
            return await self._answered(key, asks, message)
        return False

    async def _answered(self, key: str, asks: str, message: Inbound | None) -> bool:
        """Note the reply, or that there was none, where it is awaited still; where nobody is at the run, it is gone on
        with here."""
        taken = went_on = False
        by, reply = (message.key, json.dumps(asdict(message))) if message else ("", "")
        helpers = {message.user} if message else set()

        def note(run: Run) -> Run:
            nonlocal taken, went_on
            taken = run.waits and run.asks == asks and not (by and by in run.replies)
            went_on = taken and run.status == "waiting"
            if not taken:
                return run
            owned = {"status": "open", "owner": self._store.process} if went_on else {}
            noted = {"reply": reply, "replies": (*run.replies, by), "helpers": run.helpers | helpers}
            return run.model_copy(update={**noted, **owned})

        try:
            run = await self._store.change(key, note, own=False)
        except Lost:
            return False
        if went_on:
            await self.limits.keep(run)
            self.go_on(run, look=not run.messages)
        return taken

    async def _question(self, message: Inbound) -> Inbound | None:
        """The message as a question to answer, or None: a mention, anything in a direct message, a follow-up, or what
        asks nobody, in a channel where that is answered, too."""
        if message.mentioned or message.direct:
            return message
        if message.to_others:
            return None
        thread = None if message.is_root else await self._store.thread(*message.thread)
        if thread is not None and thread.quiet:
            return None
        if thread is not None and thread.root_asked and message.user in thread.askers:
            return message
        if not is_question(message.own_text) or not (await self._store.settings(message.channel)).unmentioned:
            return None
        return replace(message, unasked=True)
