"""A bot is killed 100 times at random moments while 20 questions are open, on a file and on Elasticsearch."""

import asyncio
import os
import tempfile
from functools import partial
from pathlib import Path

from bot.store import elasticsearch, sqlite
from tests.benchmarks.table import Row
from tests.fakes.slack_killed import Outcome, kill
from tests.fakes.stores import scratch_prefix

KILLS = 100
OPEN = 20
URL = os.environ.get("ELASTICSEARCH_URL", "")


def run() -> list[Row]:
    rows = [_row("a file", asyncio.run(_on_a_file()))]
    if URL:
        rows += [_row(f"Elasticsearch, {bots} at once", asyncio.run(_on_elasticsearch(bots))) for bots in (1, 2)]
    return rows


async def _on_a_file() -> Outcome:
    with tempfile.TemporaryDirectory() as home:
        return await kill(partial(sqlite.open_documents, Path(home) / "state.sqlite"), times=KILLS, open_=OPEN)


async def _on_elasticsearch(bots: int) -> Outcome:
    async with scratch_prefix(URL) as prefix:
        opens = partial(elasticsearch.open_documents, URL, prefix=prefix)
        return await kill(opens, times=KILLS, open_=OPEN, bots=bots)


def _row(where: str, outcome: Outcome) -> Row:
    what = f"killed {KILLS} times with {OPEN} questions open, on {where}, {outcome.asked} questions"
    value = f"{len(outcome.lost)} lost, {len(outcome.doubled)} doubled"
    return Row(what, value, "0 lost, 0 doubled", not (outcome.lost or outcome.doubled))
