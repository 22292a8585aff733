"""The command `/research`: the web is asked, in the channel where the bot is a member, else for the asker alone."""

import logging
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeAlias

from bot import sentences
from bot.language import detect
from bot.sentences import sentence
from bot.slack.answer import ASKS_FOR_HELP, Answerer, survive
from bot.slack.desk import Closed, Desk
from bot.slack.inbound import Inbound
from bot.slack.links import words
from bot.slack.outbox import Outbox, Refusal
from bot.slack.people import UNREACHABLE, People
from bot.slack.split import split
from bot.slack.whisper import Whisper
from bot.store import Store
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
        start: Callable[[Coroutine[Any, Any, None]], object],
        interval: float,
        in_direct_messages: bool,
    ) -> None:
        """`responding` makes what sends to a command's own address; `start` starts what outlives a cancelled answer;
        `interval`: seconds between two updates there."""
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
        language = detect(plain(text, {}))
        if text.lower() in ASKS_FOR_HELP:
            return words(
                sentence(sentences.RESEARCH_USAGE, "fr" if text.startswith("aide") else language, command=RESEARCH)
            )
        key = f"{body['channel_id']}:{body.get('trigger_id') or uuid.uuid4().hex}"
        try:
            await self._desk.take(key, lambda: self._take_up(body, text, language, key))
        except Closed:
            return sentence(sentences.RESTARTING, language)
        elsewhere = self._in_direct_messages and not str(body["channel_id"]).startswith("D")
        return sentence(sentences.IN_DIRECT_MESSAGES, language) if elsewhere else ""

    async def _take_up(self, body: Mapping[str, Any], text: str, language: str, key: str) -> None:
        await survive(self._research(body, text, language, key), f"the command {key}")

    async def _research(self, body: Mapping[str, Any], text: str, language: str, key: str) -> None:
        """The question is put where all see it, and answered in its thread."""
        user = body["user_id"]
        question = await self._question(body, text, language)
        try:
            place = user if self._in_direct_messages else body["channel_id"]
            channel, ts = await self._outbox.begin(place, split(words(question))[0])
        except (Refusal, TimeoutError) as error:
            logger.info("%s: answered for the asker alone (%s)", key, error)
            await self._answerer.answer(_asked(body, text, body["channel_id"], key), self._whisper(body, language))
            return
        await self._store.asked(channel, ts, user, root=True)
        await self._answerer.answer(_asked(body, text, channel, ts))

    async def _question(self, body: Mapping[str, Any], text: str, language: str) -> str:
        name, names = str(body.get("user_name") or body["user_id"]), dict[str, str]()
        try:
            name = (await self._people.person(body["user_id"])).name
            names = await self._people.names(users(text), unnamed_channels(text))
        except UNREACHABLE as error:
            logger.warning("user %s cannot be looked up (%s)", body["user_id"], type(error).__name__)
        return sentence(sentences.ASKS_THE_WEB, language, name=name, question=plain(text, names))

    def _whisper(self, body: Mapping[str, Any], language: str) -> Whisper:
        async def directly(text: str) -> bool:
            try:
                await self._outbox.begin(body["user_id"], text)
            except (Refusal, TimeoutError):
                return False
            return True

        hint = f"_{words(sentence(sentences.INVITE, language))}_"
        send = self._responding(str(body["response_url"]))
        return Whisper(send, directly, hint=hint, interval=self._interval, start=self._start)


def _asked(body: Mapping[str, Any], text: str, channel: str, ts: str) -> Inbound:
    """The command as the message that begins the thread `ts`."""
    return Inbound(
        channel=channel,
        ts=ts,
        thread_ts=ts,
        user=body["user_id"],
        text=text,
        own_text=text,
        mentioned=True,
        to_others=False,
        direct=channel.startswith("D"),
        command=True,
    )
