"""Frame arrived → placeholder request written, with 50 threads running.

Slack has a process of its own, in which people ask one question after another; a question is out from the moment its
envelope is sent until the call that posts its placeholder has arrived, so both ways over loopback are in the figure.
"""

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from bot.cli.run import settle
from bot.engine import Message
from bot.engine.scripted import PIECE, ScriptedEngine
from bot.research import ResearchAgent, SearchHit
from bot.slack.app import Settings, run_slack
from bot.store import Store
from bot.store.sqlite import open_store
from bot.ways import Research, Ways
from bot.web import Web, answer
from bot.web.pages import Pages
from indexers.document import Audience
from tests.benchmarks.table import Row
from tests.fakes.research import says, searches
from tests.fakes.search import FakeSearch, hits
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN, FakeSlack
from tests.fakes.slack_process import slack_elsewhere
from tests.fakes.web_engines import FakeReader

PEOPLE = 64
"""Of whom some 50 wait for an answer at any time."""
QUESTIONS = 10
"""Each; the first is left out, while caches fill."""
FIRST = 8.0
"""Seconds in which all have asked their first."""
THINKING = 2.0
"""Seconds at most between an answer and the next question."""
PIECES_PER_SECOND = (15, 35)
"""How fast a model on one's own hardware tells its text; it differs from question to question, so that people do not
ask in step."""
ANSWER = " ".join(f"**Claim {number}** of the answer rests on a source [{number % 20 + 1}]." for number in range(30))
BAR = 100.0
"""Milliseconds."""
UNHELD = Settings(edits_per_minute=6_000, user_at_once=1_000, channel_at_once=20, user_per_minute=10_000)
"""This Slack sets no limits, and the bot does not wait for any; those of people are counted, and reached by none."""


class StreamingEngine(ScriptedEngine):
    """Tells its text bit by bit."""

    async def generate(self, messages: Sequence[Message], **options: Any) -> Mapping[str, Any]:
        on_text: Callable[[str], None] | None = options.pop("on_text", None)
        reply = await super().generate(messages, **options)
        pause = 1 / random.uniform(*PIECES_PER_SECOND)
        for start in range(0, len(reply["content"]), PIECE):
            await asyncio.sleep(pause)
            if on_text is not None:
                on_text(reply["content"][start : start + PIECE])
        return reply


def researcher(**options: Any) -> Research:
    engine = StreamingEngine([searches("claims"), searches("sources"), says(ANSWER)])
    ways = Ways(Web([], Pages(FakeReader())), ResearchAgent, answer)
    given = {name: options[name] for name in ("on_event", "clarify_handler", "clock")}
    return Research(ways, options["asked"], engine, FakeSearch(hits(20), hits(20, 21)), **given)


async def documents(url: str, audience: Audience) -> list[SearchHit]:
    return []


def run() -> list[Row]:
    seconds, running = asyncio.run(_measure())
    p50, p95 = np.percentile(seconds, [50, 95]) * 1000
    what = f"frame arrived → placeholder request written, {running:.0f} threads running, {len(seconds)} questions"
    return [Row(what, f"p95 {p95:.0f} ms (p50 {p50:.0f} ms)", f"p95 ≤ {BAR:.0f} ms", bool(p95 <= BAR))]


async def _measure() -> tuple[list[float], float]:
    """Seconds of each question, and how many threads were running on average when one was asked."""
    async with slack_elsewhere(_ask_all) as (url, people), bot_at(url, UNHELD):
        measured: tuple[list[float], float] = await asyncio.to_thread(people.recv)
    return measured


@asynccontextmanager
async def bot_at(url: str, settings: Settings = Settings()) -> AsyncIterator[None]:  # noqa: B008 - it is frozen
    """The whole bot at work, whose model is scripted."""
    with tempfile.TemporaryDirectory() as home:
        async with open_store(Path(home) / "state.sqlite") as store, bot_on(store, url, settings):
            yield


@asynccontextmanager
async def bot_on(store: Store, url: str, settings: Settings = Settings()) -> AsyncIterator[None]:  # noqa: B008 - frozen
    async with asyncio.TaskGroup() as tasks:
        run = run_slack(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            store=store,
            researcher=researcher,
            documents=documents,
            readable=documents,
            api_url=url,
            settings=settings,
            ready=settle,
        )
        bot = tasks.create_task(run)
        yield
        bot.cancel()


async def _ask_all(slack: FakeSlack, parent: Connection) -> None:
    await slack.until(lambda: slack.sockets.connected, seconds=60)
    running: list[int] = []
    async with asyncio.TaskGroup() as people:
        asked = [people.create_task(_ask(slack, f"CX{number}", running)) for number in range(PEOPLE)]
    posted = {made.call["thread_ts"]: made.at for made in reversed(slack.calls("chat.postMessage"))}
    sent = {delivery.event["ts"]: delivery.sent for delivery in reversed(slack.sockets.deliveries)}
    questions = [ts for person in asked for ts in person.result()[1:]]
    parent.send(([posted[ts] - sent[ts] for ts in questions], float(np.mean(running))))


async def _ask(slack: FakeSlack, channel: str, running: list[int]) -> list[str]:
    """Ask one question after another in a channel; `running` counts what else is being answered at each."""
    slack.workspace.channel(channel, channel.lower(), "U1")
    asked: list[str] = []
    for number in range(QUESTIONS):
        await asyncio.sleep(random.uniform(0, THINKING if number else FIRST))
        if number:
            running.append(_running(slack))
        asked.append(await slack.mention("U1", "What does the answer rest on?", channel))
        await slack.until(lambda: "*Sources*" in slack.answer(channel, asked[-1]), seconds=60)
    return asked


def _running(slack: FakeSlack) -> int:
    newest = [[*place.values()][-1] for place in slack.workspace.messages.values()]
    return sum("*Sources*" not in message["text"] for message in newest)
