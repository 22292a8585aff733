"""Bots that are killed while people want things of them: what is lost, and what is done twice.

Slack has a process of its own, and so has each bot; one bot after another is killed at a random moment and started
again.
"""

import asyncio
import logging
import multiprocessing
import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from bot.store.documents import Documents
from tests.fakes.slack import FakeSlack
from tests.fakes.slack_process import slack_elsewhere
from tests.fakes.slack_wishes import Outcome, People

Opens = Callable[[], AbstractAsyncContextManager[Documents]]
"""Opens what the bots keep, in whichever process it is called."""
PATIENCE = 90.0
"""Seconds in which, once nobody is killed any more, everything is done."""
_processes = multiprocessing.get_context("forkserver")


class _Bot:
    """One in a process of its own."""

    def __init__(self, url: str, opens: Opens, apart: bool, taken_over: Any) -> None:
        _processes.set_forkserver_preload(["tests.fakes.killed_bot"])
        self._connected = _processes.Event()
        given = (url, opens, apart, self._connected, taken_over)
        self._process = _processes.Process(target=_live, args=given, daemon=True)
        self._process.start()

    async def connected(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while not await asyncio.to_thread(self._connected.wait, 0.2):
                assert self._process.is_alive(), "the bot has ended by itself"

    async def kill(self) -> None:
        self._process.kill()
        await asyncio.to_thread(self._process.join)


class _Counts(logging.Handler):
    """How often somebody says that a question is gone on with."""

    def __init__(self, number: Any) -> None:
        super().__init__()
        self._number = number

    def emit(self, record: logging.LogRecord) -> None:
        if str(record.msg).endswith("gone on with"):
            with self._number.get_lock():
                self._number.value += 1


def _live(url: str, opens: Opens, apart: bool, connected: Any, taken_over: Any) -> None:
    from tests.fakes.killed_bot import run  # What starts the bots has it ready.

    log = logging.getLogger("bot.slack.questions.keeper")
    log.setLevel(logging.INFO)
    log.addHandler(_Counts(taken_over))
    asyncio.run(run(url, opens, connected.set, apart=apart))


async def kill(opens: Opens, *, times: int, open_: int, bots: int = 1, life: float = 1.0) -> Outcome:
    """Kill one of so many bots after the other so many times, while `open_` things are wanted, and wait until all are
    done.  Each lives up to `life` seconds from when all are connected; several are each on a machine of its own, so
    that nothing but its lease tells that one is gone."""
    taken_over = _processes.Value("i", 0)
    async with slack_elsewhere(partial(ask, open_=open_)) as (url, people):
        alive = [_Bot(url, opens, bots > 1, taken_over) for _ in range(bots)]
        try:
            for number in range(times):
                if number % 4:  # The others may be killed while they start.
                    for bot in alive:
                        await bot.connected()
                await asyncio.sleep(random.uniform(0, life))
                await alive.pop(0).kill()
                people.send("killed")
                alive.append(_Bot(url, opens, bots > 1, taken_over))
            people.send("enough")
            outcome: Outcome = await asyncio.to_thread(people.recv)
        finally:
            for bot in alive:
                await bot.kill()
    return replace(outcome, taken_over=taken_over.value)


async def ask(slack: FakeSlack, parent: Connection, *, open_: int) -> None:
    """So many people want one thing after another, until the parent has enough."""
    people = People(slack, PATIENCE)
    fewest = open_
    async with asyncio.TaskGroup() as tasks:
        for number in range(open_):
            tasks.create_task(people.person(number))
        while await asyncio.to_thread(parent.recv) == "killed":
            fewest = min(fewest, len(people.open))
        people.enough.set()
    parent.send(people.outcome(fewest))
