"""A part of a text, cut where a sentence, a line or at least a word ends.  No I/O."""

import re

CUT = "…"
OPENING = 240
"""Characters of a text of which only the beginning is shown."""
SENTENCE_WITHIN = 120
"""Characters given up for a part that ends with a sentence."""

_BREAK = re.compile(r"\n+|(?<=[.!?…。])\s+")
_LAST_BREAK = re.compile(r"(?s:.*)(?:\n|(?<=[.!?…。])\s)")
_SPACE = re.compile(r"\s")


def opening(text: str) -> str:
    """The beginning of a text, without white space around it; `CUT` stands at its end where there is more."""
    return around(text.strip(), 0, 0, OPENING)[1]


def around(text: str, first: int, last: int, limit: int) -> tuple[int, str]:
    """At most `limit` characters of a text around the part from `first` to `last`, and where they begin."""
    if len(text) <= limit:
        return 0, text
    room = limit - 2 * len(CUT)
    third = (room - (last - first)) // 3
    start = _start(text, first, max(0, min(first - third, len(text) - room)))
    end = _end(text, max(last, start), start + room)
    return start, f"{CUT if start else ''}{text[start:end].strip()}{CUT if end < len(text) else ''}"


def _start(text: str, first: int, earliest: int) -> int:
    """The beginning of a sentence or a line between the two, else of a word."""
    if earliest == 0:
        return 0
    for found in _BREAK.finditer(text, earliest, first + 1):
        if found.end() <= first:
            return found.end()
    space = _SPACE.search(text, earliest - 1, first)
    return space.end() if space else first


def _end(text: str, last: int, latest: int) -> int:
    """The end of a sentence not far before `latest`, else of a word."""
    if latest >= len(text):
        return len(text)
    least = max(last, latest - SENTENCE_WITHIN)
    if found := _LAST_BREAK.match(text, least, latest + 1):
        return found.end() - 1
    return next((place for place in range(latest, max(last, 1) - 1, -1) if text[place].isspace()), latest)
