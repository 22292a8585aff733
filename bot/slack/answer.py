"""The life of one question, from the placeholder to the last word."""

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol, TypeAlias
from weakref import WeakValueDictionary

from bot import sentences
from bot.language import detect
from bot.research import Event, Message, ResearchResult, SearchHit, Waiting
from bot.research.clarify import EMPTY_ANSWER, NO_ANSWER
from bot.sentences import sentence
from bot.slack.clarify import Clarify
from bot.slack.conclusion import Conclusion, conclude
from bot.slack.context import Context, ContextReader
from bot.slack.inbound import Inbound
from bot.slack.links import words
from bot.slack.message import LiveMessage
from bot.slack.mrkdwn import convert
from bot.slack.outbox import Outbox, Refusal
from bot.slack.render import Progress, begun, draft, fold, in_line, steps
from bot.slack.split import split
from bot.store import Store, Turn
from bot.web import Asked, WebSetting, asks_for_the_web
from bot.web import asked as asked_for
from indexers.document import Audience
from indexers.slack_text import plain

logger = logging.getLogger(__name__)

FAREWELL = 2.0
"""Seconds that a cancelled answer may take for its last word."""
ASKS_FOR_HELP = ("", "help", "help!", "help?", "?", "aide", "aide !", "aide ?")


class _MoreReaders(Waiting):
    """More people can read the thread than when the question was asked.  It ends a run as waiting does, in silence."""


class Agent(Protocol):
    """What researches one question: `bot.ways.Research`."""

    async def run(
        self,
        query: str,
        *,
        history: Sequence[Message],
        hints: Sequence[str],
        evidence: Sequence[SearchHit],
        said: Sequence[str],
    ) -> ResearchResult: ...


class Researcher(Protocol):
    """Makes the agent for one question, bound to an audience."""

    def __call__(
        self,
        *,
        audience: Audience,
        asked: Asked,
        asker: str,
        clock: Callable[[], datetime],
        clarify_handler: Callable[[str], Awaitable[str]],
        on_event: Callable[[Event], None],
        on_place: Callable[[int], None],
    ) -> Agent:
        """`asked` is what the question asks for; `asker` is an opaque id; `on_place` is told the place in the line for
        the model, 0 when the wait is over."""
        ...


WebOf: TypeAlias = Callable[[str], WebSetting]
"""What a channel has of the web."""


def web_on_request(channel: str) -> WebSetting:
    return "on request"


Start: TypeAlias = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
"""Starts a task that outlives a cancelled answer, if only for its last word."""


class Shown(Protocol):
    """Where an answer is written: `LiveMessage`, which says more."""

    def open(self, render: Callable[[], str]) -> None: ...

    def touch(self) -> None: ...

    async def close(self, parts: Sequence[str]) -> bool: ...


@dataclass(slots=True)
class _Live:
    """The message of a question, and the state that it shows."""

    message: Shown
    progress: Progress

    def become(self, progress: Progress) -> None:
        self.progress = progress
        self.message.touch()


class Answerer:
    def __init__(
        self,
        *,
        researcher: Researcher,
        contexts: ContextReader,
        store: Store,
        outbox: Outbox,
        clarify: Clarify,
        bot_user: str,
        edit_interval: float,
        start: Start,
        web: WebOf,
    ) -> None:
        self._web = web
        self._researcher = researcher
        self._contexts = contexts
        self._store = store
        self._outbox = outbox
        self._clarify = clarify
        self._bot_user = bot_user
        self._edit_interval = edit_interval
        self._start = start
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def answer(self, asked: Inbound, message: Shown | None = None) -> None:
        """Answer in the thread of the question, or in `message`.  However it ends, a last word says so; only
        cancellation is raised."""
        text = plain(asked.text, {}, own=self._bot_user)
        language = detect(text)
        if asked_for(text).question.strip().lower() in ASKS_FOR_HELP:
            await survive(self._help(asked, text, language), f"help in {asked.key}")
            return
        turn = self._turns.setdefault(asked.thread, asyncio.Lock())
        shows = draft if message is None else steps
        if message is None:
            message = LiveMessage(self._outbox, *asked.thread, interval=self._edit_interval, start=self._start)
        live = _Live(message, begun(language, waits=turn.locked()))
        message.open(lambda: shows(live.progress))
        try:
            if not await survive(self._in_turn(asked, live, turn), f"the answer to {asked.key}"):
                await message.close([sentence(sentences.APOLOGY, language)])
        except asyncio.CancelledError:
            with suppress(TimeoutError):
                async with asyncio.timeout(FAREWELL):
                    await message.close([sentence(sentences.RESTARTING, language)])
            raise

    async def _in_turn(self, asked: Inbound, live: _Live, turn: asyncio.Lock) -> None:
        """One question at a time in a thread: the next has this one in its history."""
        async with turn:
            began = asyncio.get_running_loop().time()
            logger.info("%s: asked", asked.key)
            language = live.progress.language
            live.become(begun(language))
            context = await self._contexts.read(asked, language)
            # `web:` is no part of it.
            context = replace(context, query=asked_for(context.query).question, own=asked_for(context.own).question)
            try:
                result = await self._research(asked, context, live)
                await self._check_readers(asked, context)
            except _MoreReaders:
                logger.info("%s: more people can read it now", asked.key)
                await live.message.close([sentence(sentences.MORE_READERS, language)])
                return
            conclusion = conclude(result, context.hinted, context.notes)
            # Whoever is cancelled now leaves the answer on its way, and what is kept of it.
            await asyncio.shield(self._start(self._deliver(asked, context, conclusion, live.message)))
            logger.info("%s: %s, %.1f s", asked.key, result.stop_reason, asyncio.get_running_loop().time() - began)

    async def _research(self, asked: Inbound, context: Context, live: _Live) -> ResearchResult:
        wanted = asked_for(
            asked.own_text,
            setting=self._web(asked.channel),
            command=asked.command,
            thread_asked=context.web,
            known_link=context.known_link,
        )
        if asked.is_root and _asks_for_the_web(asked, wanted):
            await self._store.asked(*asked.thread, asked.user, root=True, web=True)
        agent = self._researcher(
            audience=context.audience,
            asked=replace(wanted, question=context.own),
            asker=asked.user,
            clock=context.now,
            clarify_handler=lambda question: self._ask_back(asked, context, question),
            on_event=lambda event: live.become(fold(live.progress, event)),
            on_place=lambda place: live.become(in_line(live.progress, place)),
        )
        return await agent.run(
            context.query,
            history=context.history,
            hints=context.hints,
            evidence=context.evidence,
            said=context.said,
        )

    async def _deliver(self, asked: Inbound, context: Context, said: Conclusion, message: Shown) -> None:
        if await message.close(said.parts):
            turn = Turn(
                ts=asked.ts,
                asker=asked.user,
                question=context.own,
                answer=said.text,
                sources=said.sources,
                audience=context.audience,
            )
            await self._store.add_turn(*asked.thread, turn)

    async def _check_readers(self, asked: Inbound, context: Context) -> None:
        """Raises `_MoreReaders` where the answer would reach people for whom it was not searched."""
        if not await self._contexts.still_covers(context.audience, asked):
            raise _MoreReaders

    async def _ask_back(self, asked: Inbound, context: Context, question: str) -> str:
        """Post the question in the thread and wait for the next message there."""
        with self._clarify.open(asked.thread) as reply:
            try:
                for part in split(convert(question) or words(question)):
                    await self._outbox.post(*asked.thread, part)
            except (Refusal, TimeoutError) as error:
                logger.warning("%s: a question back was not taken (%s)", asked.key, error)
                return NO_ANSWER
            answered = await reply
        await self._check_readers(asked, context)
        return await self._contexts.words(answered, answered.text) or EMPTY_ANSWER

    async def _help(self, asked: Inbound, text: str, language: str) -> None:
        if asked.files and not text:
            said = sentence(sentences.FILES_UNREAD, language, files=", ".join(asked.files))
        else:
            said = sentence(sentences.HELP, "fr" if text.startswith("aide") else language)
        await self._outbox.post(*asked.thread, words(said))


def _asks_for_the_web(asked: Inbound, wanted: Asked) -> bool:
    """In words: a link alone asks for its page, not for more of the web."""
    return asked.command or wanted.question != asked.own_text or asks_for_the_web(wanted.question)


async def survive(work: Awaitable[None], what: str) -> bool:
    """Whether the work ended well.  The one place that catches everything: a failed answer must not end the others."""
    try:
        await work
    except Exception as error:  # noqa: BLE001 - its cause goes to the log, whatever it is
        logger.error("%s failed: %s", what, _trace(error))
        return False
    return True


def _trace(error: BaseException) -> str:
    """Where an error comes from, without its own words, which may hold what people wrote."""
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else (error.__cause__ or error.__context__,)
    frames = "".join(traceback.format_tb(error.__traceback__))
    return "\nfrom ".join([f"{type(error).__name__}\n{frames}", *(_trace(one) for one in inner if one is not None)])
