"""Where a source is opened from a terminal."""

from bot.research.types import Source


def link_of(source: Source) -> str:
    return source["url"]
