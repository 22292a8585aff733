"""Pages are read side by side, and what is made to harm ends within its limit and harms no other."""

import asyncio
import sys
import time
from collections.abc import Awaitable

from bot.research.types import WebHit
from bot.web.context import search_web
from bot.web.engines import Found, Query
from bot.web.pages import Pages
from bot.web.web import Web
from indexers.reading import Reader, ReadingError
from tests.benchmarks.articles import articles
from tests.benchmarks.table import Row, show
from tests.fakes.site import FakeSite, serve_site

SERVED_AFTER = 1.0
LIMIT = 8.0
"""Seconds that one read is given."""
CALM = 3.0
"""Seconds in which another page is still read."""


def run() -> list[Row]:
    return asyncio.run(_measured())


async def _measured() -> list[Row]:
    async with serve_site() as site:
        _fill(site)
        return [*await _side_by_side(site), *await _harmful(site)]


def _fill(site: FakeSite) -> None:
    for number, article in enumerate(articles(1)):
        site.page(f"/{number}", article.html)
    site.page("/cells", b"<html><body><table><tr>" + b"<td>1" * 195_000)
    site.page("/attributes", b"<p " + b" ".join(b"a%d=1" % number for number in range(100_000)) + b">x")
    site.page("/links", b"<html><body>" + b"<a href=x>y</a> " * 65_000)
    site.page("/nested", b"<div>" * 199_000)
    site.dribbles("/dribbling server")
    site.bombs("/gzip bomb")
    site.pours("/50 MB", 50)
    site.pours("/50 MB unannounced", 50, length=False)


class _Engine:
    """Finds the pages at once, so that what takes time is reading."""

    name = "Benchmark"

    def __init__(self, site: FakeSite) -> None:
        self._hits = [
            WebHit(title=f"Page {number}", url=site.at(f"/{number}"), site="site", date="", snippet="A page.")
            for number in range(3)
        ]

    async def search(self, query: Query) -> Found:
        return Found(self._hits)


async def _side_by_side(site: FakeSite) -> list[Row]:
    """A search that finds three pages, each served after a second; children that have yet to start, and warm ones."""
    site.seconds = SERVED_AFTER
    rows = []
    for what, before in (("at the start", 0), ("later on", 1)):
        whole = await _searched(site, before)
        slowest = max([await _alone(site, number, before) for number in range(3)])
        ratio = whole / slowest
        rows.append(
            Row(f"search and three pages ÷ the slowest page alone, {what}", f"{ratio:.2f}", "≤ 1.3", ratio <= 1.3)
        )
    site.seconds = 0
    return rows


async def _searched(site: FakeSite, before: int) -> float:
    async with Reader(allow=site.allow, kept_seconds=0) as reader:
        web = Web([_Engine(site)], Pages(reader))
        for _ in range(before):
            await search_web("three pages", web=web)
        began = time.perf_counter()
        result = await search_web("three pages", web=web)
        assert all(source.text for source in result.sources)
        return time.perf_counter() - began


async def _alone(site: FakeSite, number: int, before: int) -> float:
    async with Reader(allow=site.allow, kept_seconds=0) as reader:
        for _ in range(before):
            await reader.read(site.at(f"/{number}"))
        return await _seconds(reader.read(site.at(f"/{number}")))


async def _harmful(site: FakeSite) -> list[Row]:
    rows = []
    paths = ("cells", "attributes", "links", "nested", "dribbling server", "gzip bomb", "50 MB", "50 MB unannounced")
    for path in paths:
        async with Reader(allow=site.allow, kept_seconds=0) as reader:
            await reader.read(site.at("/0"))
            async with asyncio.TaskGroup() as group:
                harmful = group.create_task(_ended(reader, site.at(f"/{path}".replace(" ", "%20"))))
                await asyncio.sleep(0.5)  # until the harm is under way
                other = group.create_task(_seconds(reader.read(site.at("/1"))))
        ended, how = harmful.result()
        what = f"1 MB page, {path}" if path in ("cells", "attributes", "links", "nested") else path
        rows.append(Row(f"{what}: ended ({how})", f"{ended:.2f} s", f"≤ {LIMIT:.0f} s", ended <= LIMIT + 1))
        rows.append(
            Row("  another page meanwhile", f"{other.result():.2f} s", f"≤ {CALM:.0f} s", other.result() <= CALM)
        )
    return rows


async def _ended(reader: Reader, url: str) -> tuple[float, str]:
    began = time.perf_counter()
    try:
        await reader.read(url, seconds=LIMIT)
        how = "read"
    except ReadingError as error:
        how = error.kind
    return time.perf_counter() - began, how


async def _seconds(act: Awaitable[object]) -> float:
    began = time.perf_counter()
    await act
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.stdout.write(show(run()) + "\n")
