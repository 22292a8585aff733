"""Whatever a search engine answers: how often that is an exception, and how often a success with nothing.

The answers are the engine's own with anything put wrong in them; each goes through the engine's own client.
"""

import asyncio
import json
import logging
import random
import re
import sys
from collections import Counter

from bot.web import Limits, Web, search_web
from bot.web.engines import Query
from bot.web.engines.brave import Brave
from bot.web.pages import Pages
from bot.web.settings import EngineName
from tests.benchmarks.table import Row, show
from tests.fakes.web_answers import spoiled
from tests.fakes.web_engines import FAKES, FakeReader, engines_on_loopback
from tests.fakes.web_service import page

ANSWERS = 500
"""For each engine, half of them to a search for news."""


def run() -> list[Row]:
    logging.getLogger("bot.web").setLevel(logging.ERROR)
    outcomes = Counter[str]()
    for name in FAKES:
        outcomes += asyncio.run(_played(name))
    what = f"{sum(outcomes.values()):,} spoiled answers of {len(FAKES)} engines"
    told = ", ".join(f"{outcomes[name]} {name}" for name in ("ok", "partial", "empty", "failed"))
    return [
        Row(f"{what}: an exception", str(outcomes["exception"]), "0", outcomes["exception"] == 0),
        Row(f"{what}: a success with nothing", str(outcomes["hollow"]), "0", outcomes["hollow"] == 0),
        Row(f"{what}: {told}", "", "", True),
    ]


async def _played(name: EngineName) -> Counter[str]:
    outcomes, chance = Counter[str](), random.Random(name)
    async with engines_on_loopback(name) as (opened, [service]):
        for engine in opened.engines:
            if isinstance(engine, Brave):
                engine.spacing = 0.0
        for news in (False, True):
            service.fault = None
            await opened.search(Query("falcon", news=news))
            real = service.answered[-1]
            for _ in range(ANSWERS // 2):
                service.fault = page(_spoiled(chance, real), "application/json")
                web = Web(opened.engines, Pages(FakeReader()), limits=Limits(pages=0))
                outcomes[await _outcome(web, news=news)] += 1
    return outcomes


def _spoiled(chance: random.Random, body: str) -> str:
    """JSON with parts of it wrong, a page with pieces of it lost."""
    try:
        return json.dumps(spoiled(chance, json.loads(body)))
    except ValueError:
        return "".join(piece for piece in re.split("(?<=>)|(?=<)", body) if chance.random() > 0.05)


async def _outcome(web: Web, *, news: bool) -> str:
    result = await search_web("falcon", news=news, web=web)
    if result.kind == "unforeseen":
        return "exception"
    if result.outcome in ("ok", "partial") and not result.sources:
        return "hollow"
    return result.outcome


if __name__ == "__main__":
    sys.stdout.write(show(run()) + "\n")
