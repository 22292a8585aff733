"""The bot in Slack: runs from the first call to the last word."""

import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.language import detect
from bot.slack.api import connection
from bot.slack.api.connection import SlackSetupError
from bot.slack.api.outbox import Outbox
from bot.slack.api.pace import PER_MINUTE, Pace
from bot.slack.assembly import Bot, assemble
from bot.slack.questions.linked import Documents
from bot.slack.questions.means import Indexed, Researcher, WebOf, nothing_indexed
from bot.slack.questions.readers import Readable
from bot.slack.settings import Settings
from bot.slack.setup import Setup
from bot.slack.surfaces.leaving import LEFT, forget_what_was_left, installed
from bot.slack.transport.http import Door
from bot.slack.transport.sockets import PATIENCE, Patience
from bot.slack.transport.transport import Presence, transport
from bot.store import Store, StoreError
from indexers.reading import Extractor

__all__ = ["Researcher", "Settings", "SlackSetupError", "run_slack"]

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
    readable: Readable,
    indexed: Indexed = nothing_indexed,
    web: WebOf = lambda channel: "on request",
    settings: Settings = Settings(),  # noqa: B008 - it is frozen
    api_url: str = "https://slack.com/api/",
    patience: Patience = PATIENCE,
    ready: Callable[[], None] | None = None,
    connected: Callable[[bool], None] | None = None,
) -> None:
    """Answer in Slack, over Socket Mode or at `door`, until SIGTERM, SIGINT or cancellation; what is not answered by
    then goes on after a restart.

    `documents` finds a document by its link, `readable` says whether a passage may be read, `indexed` what there is to
    search.  `ready` is called when first connected, `connected` whenever Slack begins or ceases to reach the bot.
    Raises `SlackSetupError` where a token or the address is, or comes to be, wrong.
    """
    async with connection.session() as session, Extractor() as extractor:
        pace = Pace(settings.edits_per_minute / PER_MINUTE["chat.update"])
        reading = connection.reading(session, api_url, bot_token, pace)
        await forget_what_was_left(store, partial(installed, reading))
        who = await connection.identity(reading)
        await store.marks.remove(LEFT)
        writing = partial(connection.writing, session, api_url)
        arriving = await transport(writing(None), app_token, door, patience)
        app = connection.bolt(writing(None), bot_token, who)
        outbox = _outbox(partial(connection.paced, session, api_url, bot_token, pace), pace, settings)
        await asyncio.to_thread(detect, "Bonjour")  # What it knows of languages is read at its first use.
        setup = Setup(
            who, session, extractor, reading, outbox, store, researcher, documents, readable, indexed, web, settings
        )
        with _signals() as stopping, _as_one():
            await _serve(setup, app, arriving(app, Presence(ready, connected)), stopping)


def _outbox(paced: Callable[..., AsyncWebClient], pace: Pace, settings: Settings) -> Outbox:
    return Outbox(paced(), pace, at_once=paced(waits=False), first_pause=settings.retry_pause)


async def _serve(setup: Setup, app: AsyncApp, arriving: Coroutine[Any, Any, None], stopping: asyncio.Event) -> None:
    await setup.store.live()
    try:
        # The answers end first, and what they have to say last is still said.
        async with asyncio.TaskGroup() as sayings, asyncio.TaskGroup() as answers:
            bot = assemble(setup, app, answers, sayings)
            await bot.keeper.begin()
            answers.create_task(bot.keeper.keep())
            await _until_stopped(stopping, bot, answers.create_task(arriving), setup.settings.drain)
    finally:
        with suppress(StoreError):  # Then its lease ends.
            await setup.store.leave()


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


async def _until_stopped(stopping: asyncio.Event, bot: Bot, arriving: asyncio.Task[None], drain: float) -> None:
    try:
        await stopping.wait()
    finally:
        await bot.desk.close()
    arriving.cancel()  # What would come now is for the next process, or for another one.
    await bot.running.idle(drain)
    raise _Stopped


def _first(error: Exception) -> Exception:
    """What a task group wraps."""
    return _first(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error


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
