"""Where a source is opened from a terminal."""

from pathlib import Path

from bot.research.types import Source


def link_of(source: Source) -> str:
    """Its link; a file that was given none is opened itself."""
    path = Path(source["source_id"])
    if source["url"] or source["source"] != "files" or not path.is_absolute():
        return source["url"]
    return path.as_uri()
