"""200 threads over 200 channels at once, against a Slack that counts calls as its documentation says: asked within some
seconds and in one instant of one process, and in one instant of two that share the budget.

The bar is that of questions which people ask one by one while all the others are being answered.  In one instant each
also waits for what all 200 cost until their placeholders, some 2.5 ms each on one core; two bots share that core here.

Slack has a process of its own.  A question is out from the moment its envelope is sent until the call that posts its
placeholder has arrived, less what the bot itself held the call back for the sake of Slack's limits.  All are asked
before most can have their last word: Slack takes no more than 50 edits a minute.
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from multiprocessing.connection import Connection

import numpy as np
from prometheus_client import REGISTRY

from bot.store import Store, elasticsearch
from tests.benchmarks.placeholder import bot_at, bot_on
from tests.benchmarks.table import Row
from tests.fakes.slack import FakeSlack
from tests.fakes.slack_process import slack_elsewhere
from tests.fakes.slack_workspace import BOT
from tests.fakes.stores import scratch_prefix

THREADS = 200
WITHIN = 20.0
"""Seconds in which all are asked, where they are not asked in one instant."""
LEASE = 1.5
"""Seconds of each of two bots, which see soon that they share the budget."""
URL = os.environ.get("ELASTICSEARCH_URL", "")
BAR = 300.0
"""Milliseconds."""
LONGEST = 600.0
"""Seconds that the last one may take."""


def run() -> list[Row]:
    rows = _rows(f"asked within {WITHIN:.0f} s", WITHIN, 1) + _rows("asked in one instant", 0.0, 1)
    return rows + (_rows("asked in one instant, two bots on Elasticsearch", 0.0, 2) if URL else [])


def _rows(how: str, within: float, bots: int) -> list[Row]:
    before = _held()
    seconds, finals, refused, took = asyncio.run(_measure(within, bots))
    p50, p95 = np.percentile(seconds, [50, 95]) * 1000
    held = _held() - before
    p95 -= held / THREADS * 1000
    once = sum(count == 1 for count in finals)
    ok = bool(p95 <= BAR) or not within
    what = f"{THREADS} threads, {how}: envelope sent → placeholder requested, less {held:.1f} s in all by the budget"
    return [
        Row(what, f"p95 {p95:.0f} ms (p50 {p50:.0f} ms)", f"p95 ≤ {BAR:.0f} ms" if within else "", ok),
        Row(
            f"the same: threads with their last word, once; the last one after {took:.0f} s, {refused} × 429",
            f"{once}",
            f"{THREADS}",
            once == THREADS,
        ),
    ]


def _held() -> float:
    """Seconds, of all placeholders together."""
    return REGISTRY.get_sample_value("footnote_slack_held_seconds_total", {"method": "chat.postMessage"}) or 0.0


async def _measure(within: float, bots: int) -> tuple[list[float], list[int], int, float]:
    people_ = partial(_ask_all, within=within, bots=bots)
    at = bot_at if bots == 1 else partial(_bots_at, bots)
    async with slack_elsewhere(people_) as (url, people), at(url):
        measured: tuple[list[float], list[int], int, float] = await asyncio.to_thread(people.recv)
    return measured


@asynccontextmanager
async def _bots_at(bots: int, url: str) -> AsyncIterator[None]:
    async with scratch_prefix(URL) as prefix, AsyncExitStack() as open_:
        for _ in range(bots):
            documents = await open_.enter_async_context(elasticsearch.open_documents(URL, prefix=prefix))
            await open_.enter_async_context(bot_on(Store(documents, lease=LEASE), url))
        yield


async def _ask_all(slack: FakeSlack, parent: Connection, *, within: float, bots: int) -> None:
    """Tells the seconds of each placeholder, how many last words each thread has, and how many calls were too many."""
    await slack.until(lambda: slack.sockets.connected == bots, seconds=60)
    await asyncio.sleep(LEASE)
    now = asyncio.get_running_loop().time
    slack.limits.start()
    began = now()
    async with asyncio.TaskGroup() as people:
        asked = [people.create_task(_ask(slack, f"CX{number}", within)) for number in range(THREADS)]
    threads = [(f"CX{number}", one.result()) for number, one in enumerate(asked)]
    await slack.until(lambda: all(_finals(slack, *thread) for thread in threads), seconds=LONGEST)
    posted = {made.call["thread_ts"]: made.at for made in reversed(slack.calls("chat.postMessage"))}
    sent = {delivery.event["ts"]: delivery.sent for delivery in reversed(slack.sockets.deliveries)}
    refused = Counter(made.error for made in slack.made)["ratelimited"]
    finals = [_finals(slack, *thread) for thread in threads]
    parent.send(([posted[ts] - sent[ts] for _, ts in threads], finals, refused, now() - began))


async def _ask(slack: FakeSlack, channel: str, within: float) -> str:
    slack.workspace.channel(channel, channel.lower(), "U1")
    await asyncio.sleep(random.uniform(0, within))
    return await slack.mention("U1", "What does the answer rest on?", channel)


def _finals(slack: FakeSlack, channel: str, ts: str) -> int:
    replies = [message for message in slack.workspace.replies(channel, ts) if message.get("user") == BOT]
    return sum("*Sources*" in str(message) or "Sources" in str(message.get("blocks")) for message in replies)
