"""`footnote web`: what the web has for a message, without a model."""

from typing import Any

from rich.console import Console
from rich.text import Text

from bot.cli import lines
from bot.cli.prompt import typed, write_json
from bot.cli.running import Failed
from bot.config import Config
from bot.research.untrusted import readable
from bot.web import WebSearchResult, open_web, search_web, settings_from


async def search(config: Config, *, query: str, json: bool, news: bool, recency: str | None) -> int:
    """1 when the web was not searched, else 0."""
    message = typed(query)
    if not message:
        raise Failed("The query is empty; name something to search for.", 2)
    async with open_web(settings_from(config)) as web:
        result = await search_web(message, recency=recency, news=news, web=web)
    if json:
        write_json(as_json(result))
    else:
        show(Console(highlight=False), result)
    return 1 if result.outcome == "failed" else 0


def as_json(result: WebSearchResult) -> dict[str, Any]:
    """The event, the outcome and its notes, and of each source its snippet too."""
    sources = [{**source.public(), "snippet": source.snippet} for source in result.sources]
    return {**result.event(), "sources": sources, "outcome": result.outcome, "notes": [*result.notes, *result.remarks]}


def show(console: Console, result: WebSearchResult) -> None:
    """Who answered, then each source in three lines: its title, its address, and what is said of it."""
    if result.engine:
        console.print(Text(f"By {readable(result.engine)}", style="dim"), soft_wrap=True)
    for source in result.sources:
        console.print(Text(f"[{source.ref}] {lines.one_line(source.title)}", style="bold"), soft_wrap=True)
        console.print(Text(f"    {lines.one_line(source.url)}", style="dim"), soft_wrap=True)
        said = lines.one_line(source.snippet or source.text)
        said = said if len(said) <= SHOWN else f"{said[:SHOWN]}…"
        console.print(Text(f"    {said}"), soft_wrap=not console.is_terminal)
    if result.error is not None:
        console.print(Text(lines.one_line(result.error)), soft_wrap=True)
    for note in lines.notes([*result.notes, *result.remarks]):
        console.print(Text(note, style="dim"), soft_wrap=True)


SHOWN = 400
"""Characters of what is said of a source."""
