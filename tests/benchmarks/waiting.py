"""1,000 threads in which a question back waits for its answer: what each costs in memory, and in the store."""

import asyncio
import gc
import os
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from bot.cli.run import settle
from bot.engine.scripted import ScriptedEngine
from bot.research import ResearchAgent
from bot.slack.app import Settings, run_slack
from bot.store.sqlite import open_store
from bot.ways import Research, Ways
from bot.web import Web, answer
from bot.web.pages import Pages
from tests.benchmarks.table import Row
from tests.fakes.killed_bot import nothing, readable
from tests.fakes.research import calls, searches
from tests.fakes.search import FakeSearch, hits
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN, FakeSlack
from tests.fakes.slack_process import slack_elsewhere
from tests.fakes.web_engines import FakeReader

FIRST, THREADS = 100, 1_000
"""The first are left out, while caches fill."""
AT_ONCE = 50
BAR = 50.0
"""KB a thread."""
ASKS = [searches("claims"), calls(("clarify", {"question": "Which one?"}))]


def researcher(**options: Any) -> Research:
    ways = Ways(Web([], Pages(FakeReader())), ResearchAgent, answer)
    given = {name: options[name] for name in ("on_event", "clarify_handler", "clock", "on_checkpoint")}
    return Research(ways, options["asked"], ScriptedEngine(ASKS), FakeSearch(hits(20)), **given)


def run() -> list[Row]:
    memory, stored = asyncio.run(_measure())
    return [
        Row(
            f"{THREADS} threads wait for an answer: resident memory each", f"{memory:.1f} KB", "≤ 50 KB", memory <= BAR
        ),
        Row(f"{THREADS} threads wait for an answer: in the store each", f"{stored:.1f} KB", "≤ 50 KB", stored <= BAR),
    ]


async def _measure() -> tuple[float, float]:
    """KB a thread."""
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / "state.sqlite"
        async with slack_elsewhere(_ask) as (url, people), open_store(file) as store, asyncio.TaskGroup() as tasks:
            run = run_slack(
                bot_token=BOT_TOKEN,
                app_token=APP_TOKEN,
                store=store,
                researcher=researcher,
                documents=nothing,
                readable=readable,
                api_url=url,
                settings=Settings(edits_per_minute=60_000, edit_interval=0.05),
                ready=settle,
            )
            bot = tasks.create_task(run)
            figures = []
            for count in (FIRST, THREADS):
                await asyncio.to_thread(people.send, count)
                await asyncio.to_thread(people.recv)
                gc.collect()
                figures.append((_resident(), _size(Path(home))))
            bot.cancel()
            people.send(0)
    (memory, stored), (more, larger) = figures
    return (more - memory) / THREADS / 1_000, (larger - stored) / THREADS / 1_000


def _size(folder: Path) -> int:
    """Bytes."""
    return sum(file.stat().st_size for file in folder.iterdir())


def _resident() -> int:
    """Bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def _ask(slack: FakeSlack, parent: Connection) -> None:
    """Begin as many threads as the parent says, and tell when the bot waits in all of them."""
    await slack.until(lambda: slack.sockets.connected, seconds=60)
    number = 0
    while count := await asyncio.to_thread(parent.recv):
        while count:
            group = min(AT_ONCE, count)
            async with asyncio.TaskGroup() as people:
                for one in range(group):
                    people.create_task(_one(slack, f"CX{number + one}"))
            number, count = number + group, count - group
        parent.send("waiting")


async def _one(slack: FakeSlack, channel: str) -> None:
    slack.workspace.channel(channel, channel.lower(), "U1")
    ts = await slack.mention("U1", "When does it fly, and which of them, please?", channel)
    await slack.until(lambda: "Which one?" in slack.answers(channel, ts), seconds=60)
