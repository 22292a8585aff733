"""The command `/research`: the web is asked, in the channel where the bot is a member, else for the asker alone."""

import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, TypeAlias

from bot import sentences
from bot.language import detect
from bot.sentences import sentence
from bot.slack.api.outbox import Mark, Outbox, Refusal
from bot.slack.api.people import UNREACHABLE, People
from bot.slack.messages.blocks import said
from bot.slack.messages.links import words
from bot.slack.messages.split import split
from bot.slack.messages.whisper import Whisper
from bot.slack.questions.answer import ASKS_FOR_HELP, Answerer
from bot.slack.questions.desk import Closed, Desk
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.limits import TooMany
from bot.slack.tasks import Start, survive
from bot.store import Lost, Part, Run, Store, StoreError
from indexers.slack_text import plain, unnamed_channels, users

logger = logging.getLogger(__name__)

RESEARCH = "/research"

Send: TypeAlias = Callable[[str], Awaitable[bool]]


class Commands:
    def __init__(
        self,
        *,
        desk: Desk,
        store: Store,
        people: People,
        outbox: Outbox,
        answerer: Answerer,
        responding: Callable[[str], Send],
        start: Start,
        interval: float,
        in_direct_messages: bool,
    ) -> None:
        """`responding` makes what sends to a command's own address; `start` starts what
        outlives a cancelled answer; `interval`: seconds between two updates there."""
        self._desk = desk
        self._store = store
        self._people = people
        self._outbox = outbox
        self._answerer = answerer
        self._responding = responding
        self._start = start
        self._interval = interval
        self._in_direct_messages = in_direct_messages

    async def receive(self, body: Mapping[str, Any]) -> str:
        """Start what the command asks for; what is told to the asker alone at once, or ""."""
        text = str(body.get("text") or "").strip()
        language = detect(plain(text, {})) if text else await self._people.language(str(body["user_id"]))
        if text.lower() in ASKS_FOR_HELP:
            return words(
                sentence(sentences.RESEARCH_USAGE, "fr" if text.startswith("aide") else language, command=RESEARCH)
            )
        run = _run(body, text)
        try:
            with self._desk.receiving():
                await self._desk.begin(run, self.go_on)
        except Closed:
            return sentence(sentences.RESTARTING, language)
        except TooMany as many:
            return sentence(many.told, language)
        elsewhere = self._in_direct_messages and not run.channel.startswith("D")
        return sentence(sentences.IN_DIRECT_MESSAGES, language) if elsewhere else ""

    async def go_on(self, run: Run, *, look: bool = False) -> None:
        """Do what a command asks for, from where it stands."""
        with self._answerer.running.about(run.key):
            await survive(self._research(run, look), f"the command {run.key}")

    async def _research(self, run: Run, look: bool) -> None:
        """The question is put where all see it, and answered in its thread."""
        if run.thread_ts:
            await self._answerer.answer(run, look=look)
            return
        asked = Inbound.of(run.asked)
        language = detect(plain(asked.text, {}))
        question = said([split(words(await self._question(run, language)))[0]])[0]
        place = run.user if self._in_direct_messages else run.channel
        try:
            channel, ts = await self._outbox.begin(place, question, Mark(run.key, "question"), look=look)
        except (Refusal, TimeoutError) as error:
            logger.info("%s: answered for the asker alone (%s)", run.key, error)
            await self._answerer.answer(run, self._whisper(run, language))
            return
        asked = replace(asked, channel=channel, ts=ts, thread_ts=ts, direct=channel.startswith("D"))
        placed = {"channel": channel, "thread_ts": ts, "asked": asdict(asked)}
        await self._store.asked(channel, ts, run.user, root=True)
        run = await self._store.change(run.key, lambda kept: kept.model_copy(update=placed))
        await self._answerer.answer(run)

    async def _question(self, run: Run, language: str) -> str:
        text, name, names = str(run.asked["text"]), run.user, dict[str, str]()
        try:
            name = (await self._people.person(run.user)).name
            names = await self._people.names(users(text), unnamed_channels(text))
        except UNREACHABLE as error:
            logger.warning("user %s cannot be looked up (%s)", run.user, type(error).__name__)
        return sentence(sentences.ASKS_THE_WEB, language, name=name, question=plain(text, names))

    def _whisper(self, run: Run, language: str) -> Whisper:
        async def directly(text: str) -> bool:
            try:
                await self._outbox.begin(run.user, Part(text=text), Mark(run.key, "direct"))
            except (Refusal, TimeoutError):
                return False
            return True

        async def count(used: int) -> None:
            try:
                await self._store.change(run.key, lambda kept: kept.model_copy(update={"responses": used}))
            except (StoreError, Lost) as error:
                logger.warning("%s: %s", run.key, type(error).__name__)

        return Whisper(
            self._responding(run.response_url),
            directly,
            used=run.responses,
            count=count,
            hint=f"_{words(sentence(sentences.INVITE, language))}_",
            interval=self._interval,
            start=self._start,
        )


def _run(body: Mapping[str, Any], text: str) -> Run:
    """The command as a question that has no message yet."""
    channel, user = str(body["channel_id"]), str(body["user_id"])
    key = f"{channel}:{body.get('trigger_id') or uuid.uuid4().hex}"
    asked = Inbound(
        channel=channel,
        ts=key,
        thread_ts=key,
        user=user,
        text=text,
        own_text=text,
        mentioned=True,
        to_others=False,
        direct=channel.startswith("D"),
        command=True,
    )
    response_url = str(body.get("response_url") or "")
    return Run(key=key, channel=channel, thread_ts="", user=user, asked=asdict(asked), response_url=response_url)
