"""Shortens a text at a place where a reader would stop.  No I/O."""

import re

_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?。！？])\s"), re.compile(r"\s"))


def cut(text: str, limit: int | None) -> str:
    """At most `limit` characters: whole paragraphs, else lines, sentences or words, as far as they fill half of it."""
    if limit is None or len(text) <= limit:
        return text
    for pattern in _BREAKS:
        ends = [found.start() for found in pattern.finditer(text, limit // 2, limit + 1)]
        if ends:
            return text[: ends[-1]].rstrip()
    return text[:limit]


def one_line(text: str, limit: int = 200) -> str:
    """A title: one line of at most `limit` characters."""
    return " ".join(text.split())[:limit].rstrip()
