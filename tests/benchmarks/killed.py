"""Bots are killed 100 times at random moments while 20 things are wanted of them, on a file and on Elasticsearch.

What is wanted: questions, answered in a channel or directly, some of them with something asked back or two in a thread;
commands; answers anew; edited, stopped and deleted questions.  Of two bots on Elasticsearch one after the other is
killed, and nothing but its lease tells the other that it is gone.
"""

import asyncio
import os
import tempfile
from functools import partial
from pathlib import Path

from bot.store import elasticsearch, sqlite
from tests.benchmarks.table import Row
from tests.fakes.slack_killed import kill
from tests.fakes.slack_wishes import Outcome
from tests.fakes.stores import scratch_prefix

KILLS = 100
OPEN = 20
LIFE = 2.0
"""Seconds at most from when both of two bots are connected until one is killed: as long as their lease."""
URL = os.environ.get("ELASTICSEARCH_URL", "")


def run() -> list[Row]:
    rows = _rows("a file", asyncio.run(_on_a_file()))
    if URL:
        for bots in (1, 2):
            rows += _rows(f"Elasticsearch, {bots} at once", asyncio.run(_on_elasticsearch(bots)))
    return rows


async def _on_a_file() -> Outcome:
    with tempfile.TemporaryDirectory() as home:
        return await kill(partial(sqlite.open_documents, Path(home) / "state.sqlite"), times=KILLS, open_=OPEN)


async def _on_elasticsearch(bots: int) -> Outcome:
    async with scratch_prefix(URL) as prefix:
        opens = partial(elasticsearch.open_documents, URL, prefix=prefix)
        return await kill(opens, times=KILLS, open_=OPEN, bots=bots, life=LIFE if bots > 1 else 1.0)


def _rows(where: str, outcome: Outcome) -> list[Row]:
    what = f"killed {KILLS} times on {where}, {outcome.asked} things wanted, {outcome.taken_over} times gone on with"
    value = f"{len(outcome.lost)} lost, {len(outcome.doubled)} doubled"
    kinds = ", ".join(f"{kind} {number}" for kind, number in outcome.wishes.items())
    return [
        Row(what, value, "0 lost, 0 doubled", not (outcome.lost or outcome.doubled)),
        Row(f"the same: {kinds}", f"{outcome.fewest_open} open at least", f"{OPEN}", outcome.fewest_open >= OPEN - 1),
    ]
