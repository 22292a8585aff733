"""200 threads over 200 channels at once on one process, against a Slack that counts calls as its documentation says.

Slack has a process of its own.  A question is out from the moment its envelope is sent until the call that posts its
placeholder has arrived, less what the bot itself held the call back for the sake of Slack's limits.  All are asked
before most can have their last word: Slack takes no more than 50 edits a minute.
"""

import asyncio
import random
from collections import Counter
from multiprocessing.connection import Connection

import numpy as np
from prometheus_client import REGISTRY

from tests.benchmarks.placeholder import bot_at
from tests.benchmarks.table import Row
from tests.fakes.slack import FakeSlack
from tests.fakes.slack_process import slack_elsewhere
from tests.fakes.slack_workspace import BOT

THREADS = 200
WITHIN = 20.0
"""Seconds in which all are asked."""
BAR = 300.0
"""Milliseconds."""
LONGEST = 600.0
"""Seconds that the last one may take."""


def run() -> list[Row]:
    seconds, finals, refused, took = asyncio.run(_measure())
    p50, p95 = np.percentile(seconds, [50, 95]) * 1000
    held = REGISTRY.get_sample_value("footnote_slack_held_seconds_total", {"method": "chat.postMessage"}) or 0.0
    p95 -= held / THREADS * 1000
    once = sum(count == 1 for count in finals)
    what = f"{THREADS} threads at once: envelope sent → placeholder requested, less {held:.1f} s in all by the budget"
    return [
        Row(what, f"p95 {p95:.0f} ms (p50 {p50:.0f} ms)", f"p95 ≤ {BAR:.0f} ms", bool(p95 <= BAR)),
        Row(
            f"the same: threads with their last word, once; the last one after {took:.0f} s, {refused} × 429",
            f"{once}",
            f"{THREADS}",
            once == THREADS,
        ),
    ]


async def _measure() -> tuple[list[float], list[int], int, float]:
    async with slack_elsewhere(_ask_all) as (url, people), bot_at(url):
        measured: tuple[list[float], list[int], int, float] = await asyncio.to_thread(people.recv)
    return measured


async def _ask_all(slack: FakeSlack, parent: Connection) -> None:
    """Tells the seconds of each placeholder, how many last words each thread has, and how many calls were too many."""
    await slack.until(lambda: slack.sockets.connected, seconds=60)
    now = asyncio.get_running_loop().time
    slack.limits.start()
    began = now()
    async with asyncio.TaskGroup() as people:
        asked = [people.create_task(_ask(slack, f"CX{number}")) for number in range(THREADS)]
    threads = [(f"CX{number}", one.result()) for number, one in enumerate(asked)]
    await slack.until(lambda: all(_finals(slack, *thread) for thread in threads), seconds=LONGEST)
    posted = {made.call["thread_ts"]: made.at for made in reversed(slack.calls("chat.postMessage"))}
    sent = {delivery.event["ts"]: delivery.sent for delivery in reversed(slack.sockets.deliveries)}
    refused = Counter(made.error for made in slack.made)["ratelimited"]
    finals = [_finals(slack, *thread) for thread in threads]
    parent.send(([posted[ts] - sent[ts] for _, ts in threads], finals, refused, now() - began))


async def _ask(slack: FakeSlack, channel: str) -> str:
    slack.workspace.channel(channel, channel.lower(), "U1")
    await asyncio.sleep(random.uniform(0, WITHIN))
    return await slack.mention("U1", "What does the answer rest on?", channel)


def _finals(slack: FakeSlack, channel: str, ts: str) -> int:
    replies = [message for message in slack.workspace.replies(channel, ts) if message.get("user") == BOT]
    return sum("*Sources*" in str(message) or "Sources" in str(message.get("blocks")) for message in replies)
