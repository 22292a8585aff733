"""Bots that are killed while people ask: how many questions are never answered, and how many twice.

Slack has a process of its own, and so has each bot; one bot after another is killed at a random moment and started
again.
"""

import asyncio
import multiprocessing
import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event

from bot.store.documents import Documents
from tests.fakes.slack import FakeSlack
from tests.fakes.slack_process import slack_elsewhere

Opens = Callable[[], AbstractAsyncContextManager[Documents]]
"""Opens what the bots keep, in whichever process it is called."""
LONGEST_LIFE = 1.0
"""Seconds that a bot lives from when it is connected."""
PATIENCE = 90.0
"""Seconds in which, once nobody is killed any more, everything is answered."""


@dataclass(frozen=True, slots=True)
class Outcome:
    asked: int
    lost: list[str]
    """What was written in each thread whose question was not answered."""
    doubled: list[str]
    """What was written in each thread where something was said twice."""


class _Bot:
    """One in a process of its own."""

    def __init__(self, url: str, opens: Opens) -> None:
        processes = multiprocessing.get_context("forkserver")
        processes.set_forkserver_preload(["tests.fakes.killed_bot"])
        self._connected = processes.Event()
        self._process = processes.Process(target=_live, args=(url, opens, self._connected), daemon=True)
        self._process.start()

    async def connected(self) -> None:
        await asyncio.to_thread(self._connected.wait, PATIENCE)
        assert self._process.is_alive(), "the bot has ended by itself"

    async def kill(self) -> None:
        self._process.kill()
        await asyncio.to_thread(self._process.join)


def _live(url: str, opens: Opens, connected: Event) -> None:
    from tests.fakes.killed_bot import run  # What starts the bots has it ready.

    asyncio.run(run(url, opens, connected.set))


async def kill(opens: Opens, *, times: int, open_: int, bots: int = 1) -> Outcome:
    """Kill one of so many bots so many times, while `open_` questions are open, and wait until all are answered."""
    async with slack_elsewhere(partial(ask, open_=open_)) as (url, people):
        alive = [_Bot(url, opens) for _ in range(bots)]
        try:
            for number in range(times):
                if number % 4:  # The others may be killed while they start.
                    await alive[0].connected()
                await asyncio.sleep(random.uniform(0, LONGEST_LIFE))
                await alive.pop(0).kill()
                alive.append(_Bot(url, opens))
            people.send("enough")
            outcome: Outcome = await asyncio.to_thread(people.recv)
        finally:
            for bot in alive:
                await bot.kill()
    return outcome


async def ask(slack: FakeSlack, parent: Connection, *, open_: int) -> None:
    """People ask one question after another, so that so many are open, until the parent has enough."""
    enough = asyncio.Event()
    asked: list[tuple[str, str, int]] = []
    async with asyncio.TaskGroup() as people:
        for number in range(open_):
            people.create_task(_person(slack, f"CX{number}", enough, asked))
        await asyncio.to_thread(parent.recv)
        enough.set()
    lost, doubled = [], []
    for channel, ts, number in asked:
        written = slack.answers(channel, ts)
        wanted = 2 if number % 4 == 3 else 1
        last = f"The answer to {number} "
        if not any(last in text for text in written):
            lost.append(repr(written))
        elif len(written) > wanted or sum(last in text for text in written) > 1:
            doubled.append(repr(written))
    parent.send(Outcome(len(asked), lost, doubled))


async def _person(slack: FakeSlack, channel: str, enough: asyncio.Event, asked: list[tuple[str, str, int]]) -> None:
    slack.workspace.channel(channel, channel.lower(), "U1")
    while not enough.is_set():
        number = len(asked)
        asked.append((channel, "", number))
        asks_back = "ask back, " if number % 4 == 3 else ""
        ts = await slack.mention("U1", f"Please {asks_back}what is {number}", channel)
        asked[number] = (channel, ts, number)
        if asks_back and await _told(slack, channel, ts, "Which one?", enough):
            await slack.say("U1", "the first", channel, ts)
        await _told(slack, channel, ts, f"The answer to {number} ", enough)


async def _told(slack: FakeSlack, channel: str, ts: str, text: str, enough: asyncio.Event) -> bool:
    """Wait until something is said in a thread; False where it is not, long after nobody is killed any more."""

    def said() -> bool:
        return any(text in answer for answer in slack.answers(channel, ts))

    try:
        await slack.until(lambda: said() or enough.is_set(), seconds=3_600)
        await slack.until(said, seconds=PATIENCE)
    except AssertionError:
        return False
    return True
