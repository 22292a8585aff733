"""Everything that answers in Slack, put together."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

from slack_bolt.async_app import AsyncApp

from bot.slack.api import connection
from bot.slack.api.membership import Memberships
from bot.slack.api.people import People
from bot.slack.events import Events
from bot.slack.listeners import listen
from bot.slack.messages.stream import Streaming
from bot.slack.messages.writers import Writers
from bot.slack.questions.answer import Answerer
from bot.slack.questions.audience import Audiences
from bot.slack.questions.context import ContextReader
from bot.slack.questions.desk import Desk
from bot.slack.questions.endings import Endings
from bot.slack.questions.files import FileReader
from bot.slack.questions.keeper import Keeper
from bot.slack.questions.limits import Limits
from bot.slack.questions.line import Lines
from bot.slack.questions.linked import LinkReader
from bot.slack.questions.means import Means
from bot.slack.questions.measured import MeasuredResearcher
from bot.slack.questions.readers import Readers
from bot.slack.questions.running import Running
from bot.slack.questions.thread import ThreadReader
from bot.slack.resuming import resuming
from bot.slack.setup import Setup
from bot.slack.surfaces import choosing
from bot.slack.surfaces.agent import Agent
from bot.slack.surfaces.command import Commands
from bot.slack.surfaces.control import Control
from bot.slack.surfaces.explaining import Explaining
from bot.slack.surfaces.gestures import Gestures
from bot.slack.surfaces.greeting import Greeting
from bot.slack.surfaces.home_tab import HomeTab
from bot.slack.surfaces.leaving import Leaving, installed
from bot.slack.surfaces.newcomers import Newcomers
from bot.slack.surfaces.opinions import Opinions
from bot.slack.surfaces.private import Private
from bot.slack.surfaces.shares import Shares
from bot.slack.surfaces.sharing import Sharing
from bot.slack.surfaces.shortcut import Shortcut
from bot.slack.surfaces.suggestions import Suggestions
from bot.slack.tasks import Start, survived
from bot.slack.transport.guard import guard
from bot.store import Run


@dataclass(frozen=True, slots=True)
class Bot:
    """What is at work."""

    desk: Desk
    running: Running
    keeper: Keeper


def assemble(setup: Setup, app: AsyncApp, answers: asyncio.TaskGroup, sayings: asyncio.TaskGroup) -> Bot:
    """Everything, listening to Slack through `app`.  `sayings` holds what outlives a cancelled answer."""
    people = People(setup.reading, team=setup.who.team, organisation=setup.who.organisation)
    memberships = Memberships(setup.reading, people)
    audiences = Audiences(memberships, people)
    saying = _surely(sayings)
    links = _links(setup, people, memberships)
    means = Means(
        researcher=MeasuredResearcher(setup.researcher),
        contexts=_contexts(setup, people, audiences, links),
        store=setup.store,
        outbox=setup.outbox,
        endings=Endings(setup.store),
        lines=Lines(setup.store),
        readers=Readers(audiences, setup.readable),
        start=saying,
        web=setup.web,
        indexed=setup.indexed,
    )
    agent = Agent(setup.outbox.slack)
    writers = _writers(setup, agent, saying)
    answerer = Answerer(means, writers, private=lambda run: alone.go_on(run, look=True), bot_user=setup.who.user)
    alone = _private(setup, answerer)
    desk = _desk(setup, answerer, alone, answers.create_task)
    commands = _commands(setup, desk, answerer, people, saying)
    guard(app, setup.who)
    events = Events(app)
    events.on({"member_joined_channel": memberships.moved, "member_left_channel": memberships.moved})
    listen(app, events, desk, commands, bot_user=setup.who.user)
    Suggestions(desk=desk, slack=setup.outbox.slack, people=people, start=saying).listen(events)
    explaining = _about_answers(setup, desk, audiences, links, saying, app)
    _home(setup, desk, people, memberships, audiences, answers.create_task).listen(app, events)
    shares = _shares(setup, answerer, means, memberships, explaining, answers.create_task)
    _sharing(setup, desk, alone, shares, answers.create_task).listen(app)
    choosing.listen(app, desk, setup.outbox, means.contexts.name)
    _surfaces(setup, app, events, desk, means, answerer, people, answers.create_task)
    resume = resuming(desk, commands, alone, shares, answers.create_task)
    return Bot(desk, answerer.running, _keeper(setup, desk, answerer, means.endings, resume))


def _private(setup: Setup, answerer: Answerer) -> Private:
    who = setup.who
    return Private(store=setup.store, answerer=answerer, outbox=setup.outbox, bot_user=who.user, address=who.address)


def _shares(
    setup: Setup, answerer: Answerer, means: Means, memberships: Memberships, explaining: Explaining, start: Start
) -> Shares:
    return Shares(
        store=setup.store,
        outbox=setup.outbox,
        answerer=answerer,
        contexts=means.contexts,
        readers=means.readers,
        memberships=memberships,
        explaining=explaining,
        address=setup.who.address,
        start=start,
    )


def _sharing(setup: Setup, desk: Desk, alone: Private, shares: Shares, start: Start) -> Sharing:
    store, outbox, slack = setup.store, setup.outbox, setup.reading
    return Sharing(desk=desk, store=store, outbox=outbox, answers=alone, shares=shares, slack=slack, start=start)


def _desk(setup: Setup, answerer: Answerer, alone: Private, start: Start) -> Desk:
    limits = Limits(
        setup.store,
        user_at_once=setup.settings.user_at_once,
        channel_at_once=setup.settings.channel_at_once,
        user_per_minute=setup.settings.user_per_minute,
    )
    return Desk(
        store=setup.store,
        answerer=answerer,
        private=alone.go_on,
        outbox=setup.outbox,
        limits=limits,
        start=start,
    )


def _commands(setup: Setup, desk: Desk, answerer: Answerer, people: People, start: Start) -> Commands:
    return Commands(
        desk=desk,
        store=setup.store,
        people=people,
        outbox=setup.outbox,
        answerer=answerer,
        responding=partial(connection.responding, setup.session),
        start=start,
        interval=setup.settings.edit_interval,
        in_direct_messages=setup.settings.research_in == "dm",
    )


def _surfaces(
    setup: Setup,
    app: AsyncApp,
    events: Events,
    desk: Desk,
    means: Means,
    answerer: Answerer,
    people: People,
    start: Start,
) -> None:
    """What people do without a word to the bot, and what happens to it."""
    bot_user, store, outbox = setup.who.user, setup.store, setup.outbox
    control = Control(
        desk=desk,
        store=store,
        running=answerer.running,
        outbox=outbox,
        people=people,
        bot_user=bot_user,
        admins=setup.settings.admins,
    )
    Gestures(desk=desk, store=store, control=control, start=start, bot_user=bot_user).listen(app, events)
    Shortcut(
        desk=desk,
        store=store,
        answerer=answerer,
        people=people,
        reading=setup.reading,
        responding=partial(connection.responding, setup.session),
        start=start,
    ).listen(app)
    greeting = Greeting(desk=desk, store=store, people=people, outbox=outbox, start=start, bot_user=bot_user)
    leaving = Leaving(store, setup.who)
    events.on({"app_uninstalled": leaving.uninstalled, "tokens_revoked": leaving.revoked})
    newcomers = Newcomers(desk=desk, store=store, running=answerer.running, readers=means.readers, start=start)
    events.on({"member_joined_channel": newcomers.joined, "member_left_channel": newcomers.left})
    events.on({"member_joined_channel": greeting.joined})


def _home(
    setup: Setup, desk: Desk, people: People, memberships: Memberships, audiences: Audiences, start: Start
) -> HomeTab:
    return HomeTab(
        desk=desk,
        slack=setup.reading,
        store=setup.store,
        people=people,
        memberships=memberships,
        audiences=audiences,
        indexed=setup.indexed,
        web=setup.web,
        admins=setup.settings.admins,
        bot_user=setup.who.user,
        address=setup.who.address,
        start=start,
    )


def _writers(setup: Setup, agent: Agent, start: Start) -> Writers:
    return Writers(
        outbox=setup.outbox,
        store=setup.store,
        start=start,
        edit_interval=setup.settings.edit_interval,
        streams=setup.settings.streams,
        agent=agent,
        streaming=Streaming(setup.settings.stream_seconds),
    )


def _keeper(setup: Setup, desk: Desk, answerer: Answerer, endings: Endings, resume: Callable[[Run], None]) -> Keeper:
    return Keeper(
        setup.store,
        desk,
        answerer.running,
        endings=endings,
        resume=resume,
        share=setup.outbox.pace.share,
        installed=partial(installed, setup.reading),
        clarify_timeout=setup.settings.clarify_timeout,
        traces=setup.settings.traces_kept,
        threads=setup.settings.threads_kept,
    )


def _about_answers(
    setup: Setup, desk: Desk, audiences: Audiences, links: LinkReader, start: Start, app: AsyncApp
) -> Explaining:
    Opinions(desk=desk, store=setup.store, outbox=setup.outbox, start=start).listen(app)
    store, outbox, readable = setup.store, setup.outbox, setup.readable
    explaining = Explaining(
        desk=desk,
        store=store,
        outbox=outbox,
        audiences=audiences,
        links=links,
        readable=readable,
        start=start,
    )
    explaining.listen(app)
    return explaining


def _links(setup: Setup, people: People, memberships: Memberships) -> LinkReader:
    address = setup.who.address
    threads = ThreadReader(setup.reading, people, bot_user=setup.who.user, address=address)
    return LinkReader(setup.reading, memberships, threads, _files(setup, people), setup.documents, address=address)


def _files(setup: Setup, people: People) -> FileReader:
    return FileReader(setup.reading, setup.session, setup.extractor, people)


def _contexts(setup: Setup, people: People, audiences: Audiences, links: LinkReader) -> ContextReader:
    threads = ThreadReader(setup.reading, people, bot_user=setup.who.user, address=setup.who.address)
    return ContextReader(
        store=setup.store,
        people=people,
        audiences=audiences,
        threads=threads,
        links=links,
        files=_files(setup, people),
        bot_user=setup.who.user,
    )


def _surely(sayings: asyncio.TaskGroup) -> Start:
    """One that fails must not end what the others say."""

    def say(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        said = sayings.create_task(survived(lambda: work, "a message"))
        said.add_done_callback(lambda done: work.close())  # It may have been cancelled before it began.
        return said

    return say
