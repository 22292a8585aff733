"""`footnote search`: the passages that a question finds."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.text import Text

from bot import wiring, zone
from bot.cli import lines
from bot.cli.links import link_of
from bot.cli.principals import audience
from bot.cli.prompt import typed, write_json
from bot.cli.running import Failed
from bot.config import Config
from bot.research import SearchHit, build_sources_for_client
from bot.research.timerange import BadTimeRange, parse_time_range
from bot.research.tools import Refused, read_sources

BAD_TIME = "--since and --until take dates in ISO 8601, such as 2026-11-01, the first not after the second."


@dataclass(frozen=True, slots=True)
class Wanted:
    query: str
    person: str | None
    sources: list[str] | None
    since: str | None
    until: str | None
    limit: int


async def list_hits(config: Config, *, wanted: Wanted, json: bool, principals: list[str]) -> int:
    given = {name: value for name, value in (("start", wanted.since), ("end", wanted.until)) if value}
    try:
        time_range = parse_time_range(given, zone.now()) if given else None
    except BadTimeRange:
        raise Failed(BAD_TIME, 2) from None
    who = audience(principals)
    async with wiring.open_library(config) as library:
        search = library.search(config).for_audience(who, zone.HERE)
        try:
            sources = read_sources(wanted.sources, await search.available_sources()) if wanted.sources else None
        except Refused as refusal:
            raise Failed(f"T{str(refusal)[1:]}.", 2) from None
        found = await search.search(
            typed(wanted.query), person=wanted.person, time_range=time_range, sources=sources, limit=wanted.limit
        )
    warnings = list(dict.fromkeys([*library.notes, *found.warnings]))
    if json:
        write_json({"hits": [asdict(hit) for hit in found.hits], "warnings": warnings})
    else:
        show(Console(highlight=False), found.hits, warnings)
    return 0


def show(console: Console, hits: list[SearchHit], warnings: Iterable[str]) -> None:
    """Each hit in three lines: what and when, its scores if it was searched for and where, and the passage."""
    for hit, source in zip(hits, build_sources_for_client(hits, total_cap=len(hits)), strict=True):
        link = link_of(source)
        console.print(Text(lines.footnote(source), style="bold"), soft_wrap=True)
        console.print(Text("    " + "  ".join(filter(None, (lines.scores(hit), link))), style="dim"), soft_wrap=True)
        console.print(Text(f"    {lines.one_line(hit.content_snippet)}"), soft_wrap=not console.is_terminal)
    if not hits:
        console.print("Nothing found.")
    for note in lines.notes(warnings):
        console.print(Text(note, style="dim"), soft_wrap=True)
