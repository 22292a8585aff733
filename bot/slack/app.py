"""The bot in Slack: runs from the first call to the last word."""

import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.language import detect
from bot.slack import connection
from bot.slack.answer import Answerer, Researcher, Start, WebOf, survive, web_on_request
from bot.slack.audience import Audiences
from bot.slack.clarify import Clarify
from bot.slack.command import Commands
from bot.slack.connection import Identity, SlackSetupError
from bot.slack.context import ContextReader
from bot.slack.desk import Desk
from bot.slack.guard import guard
from bot.slack.http import Door
from bot.slack.linked import Documents, LinkReader
from bot.slack.listeners import listen
from bot.slack.measured import MeasuredResearcher
from bot.slack.outbox import Outbox
from bot.slack.pace import Pace
from bot.slack.people import People
from bot.slack.sockets import PATIENCE, Patience
from bot.slack.thread import ThreadReader
from bot.slack.transport import Presence, transport
from bot.store import Store

__all__ = ["Researcher", "SlackSetupError", "run_slack"]

logger = logging.getLogger(__name__)


class _Stopped(Exception):
    """A signal asked for the end."""


async def run_slack(
    *,
    bot_token: str,
    app_token: str = "",
    door: Door | None = None,
    store: Store,
    researcher: Researcher,
    documents: Documents,
    web: WebOf = web_on_request,
    research_in: Literal["channel", "dm"] = "channel",
    api_url: str = "https://slack.com/api/",
    edit_interval: float = 1.2,
    edits_per_minute: float = 40.0,
    retry_pause: float = 1.0,
    patience: Patience = PATIENCE,
    ready: Callable[[], None] | None = None,
    connected: Callable[[bool], None] | None = None,
) -> None:
    """Answer in Slack, over Socket Mode or at `door`, until SIGTERM, SIGINT or cancellation; running answers say so.

    `documents` finds a document by its link.  `edit_interval`: seconds between two edits of a message.
    `edits_per_minute`: of all messages together; Slack takes 50.  `retry_pause`: seconds before a call that broke is
    made again.  `ready` is called when first connected, `connected` whenever Slack begins or ceases to reach the bot.
    Raises `SlackSetupError` where a token or the address is, or comes to be, wrong.
    """
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(connection.session())
        reading = connection.reading(session, api_url, bot_token)
        who = await connection.identity(reading)
        writing = partial(connection.writing, session, api_url)
        arriving = await transport(writing(None), app_token, door, patience)
        app = connection.bolt(writing(None), bot_token, who)
        outbox = Outbox(writing(bot_token), Pace(edits_per_minute), first_pause=retry_pause)
        await asyncio.to_thread(detect, "")  # What it knows of languages is read at its first use.
        setup = _Setup(who, session, reading, outbox, store, researcher, documents, web, research_in, edit_interval)
        stopping = stack.enter_context(_signals())
        with _as_one():
            await _serve(setup, app, arriving(app, Presence(ready, connected)), stopping)


async def _serve(setup: "_Setup", app: AsyncApp, arriving: Coroutine[Any, Any, None], stopping: asyncio.Event) -> None:
    # The answers end first, and what they have to say last is still said.
    async with asyncio.TaskGroup() as sayings, asyncio.TaskGroup() as answers:
        desk = _wired(setup, app, answers.create_task, _starting(sayings))
        answers.create_task(arriving)
        await _until_stopped(stopping, desk)


@contextmanager
def _as_one() -> Iterator[None]:
    """Out of the task groups within, a stop is no error, and a wrong setting is raised as itself."""
    wrong: ExceptionGroup[SlackSetupError] | None = None
    try:
        yield
    except* _Stopped:
        logger.info("stopped")
    except* SlackSetupError as errors:
        wrong = errors
    if wrong is not None:
        raise _first(wrong)


async def _until_stopped(stopping: asyncio.Event, desk: Desk) -> None:
    try:
        await stopping.wait()
    finally:
        await desk.close()
    raise _Stopped


def _first(error: Exception) -> Exception:
    """What a task group wraps."""
    return _first(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error


@dataclass(frozen=True, slots=True)
class _Setup:
    """What there is before the first task."""

    who: Identity
    session: aiohttp.ClientSession
    reading: AsyncWebClient
    outbox: Outbox
    store: Store
    researcher: Researcher
    documents: Documents
    web: WebOf
    research_in: Literal["channel", "dm"]
    edit_interval: float


def _wired(setup: _Setup, app: AsyncApp, answering: Start, saying: Start) -> Desk:
    """The desk, with everything behind it, listening to Slack.  `saying` starts what outlives a cancelled answer."""
    people = People(setup.reading, team=setup.who.team, organisation=setup.who.organisation)
    clarify = Clarify()
    answerer = Answerer(
        researcher=MeasuredResearcher(setup.researcher),
        contexts=_contexts(setup, people),
        store=setup.store,
        outbox=setup.outbox,
        clarify=clarify,
        bot_user=setup.who.user,
        edit_interval=setup.edit_interval,
        start=saying,
        web=setup.web,
    )
    desk = Desk(store=setup.store, clarify=clarify, answerer=answerer, start=answering)
    commands = Commands(
        desk=desk,
        store=setup.store,
        people=people,
        outbox=setup.outbox,
        answerer=answerer,
        responding=partial(connection.responding, setup.session),
        start=saying,
        interval=setup.edit_interval,
        in_direct_messages=setup.research_in == "dm",
    )
    guard(app, setup.who)
    listen(app, desk, commands, bot_user=setup.who.user)
    return desk


def _contexts(setup: _Setup, people: People) -> ContextReader:
    address = setup.who.address
    threads = ThreadReader(setup.reading, people, bot_user=setup.who.user, address=address)
    return ContextReader(
        store=setup.store,
        people=people,
        audiences=Audiences(setup.reading, people),
        threads=threads,
        links=LinkReader(setup.reading, threads, setup.documents, address=address),
        bot_user=setup.who.user,
    )


def _starting(sayings: asyncio.TaskGroup) -> Start:
    def say(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return sayings.create_task(_surely(work))

    return say


async def _surely(work: Coroutine[Any, Any, None]) -> None:
    """One that fails must not end what the others say."""
    await survive(work, "a message")


@contextmanager
def _signals() -> Iterator[asyncio.Event]:
    """Set by SIGTERM and SIGINT; elsewhere than in the main thread by nobody."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    heard = []
    with suppress(NotImplementedError, RuntimeError, ValueError):
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, stopping.set)
            heard.append(name)
    try:
        yield stopping
    finally:
        for name in heard:
            loop.remove_signal_handler(name)
