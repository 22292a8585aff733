"""The part of a passage that shows why it was found.  No I/O."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

CHARS = 500
CUT = "…"
SENTENCE_WITHIN = 120
"""Characters given up for a snippet that ends with a sentence."""

_WORD = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"\n+|(?<=[.!?…。])\s+")
_ENDINGS = ("ements", "ement", "ings", "ing", "ies", "ed", "es", "er", "s", "e", "y")


def stems(text: str) -> frozenset[str]:
    """The words of a text, in the form in which they are compared: without case, accents and endings."""
    return frozenset(_stem(found[0]) for found in _WORD.finditer(text))


def snippet(text: str, wanted: frozenset[str], limit: int = CHARS) -> str:
    """At most `limit` characters of a text, around most of the wanted stems; no word is cut that fits."""
    return excerpt(text.strip(), wanted, limit)[1]


def excerpt(text: str, wanted: frozenset[str], limit: int) -> tuple[int, str]:
    """The snippet of a text without white space around it, and where in the text it begins."""
    if len(text) <= limit:
        return 0, text
    room = limit - 2 * len(CUT)
    first, last = _densest(_matches(text, wanted), text, room)
    start = _start(text, first, max(0, first - (room - (last - first)) // 3))
    end = _end(text, max(last, start), start + room)
    return start, f"{CUT if start else ''}{text[start:end].strip()}{CUT if end < len(text) else ''}"


def _matches(text: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    words = _beginning(wanted).finditer(text.lower()) if text.isascii() else _WORD.finditer(text)
    return [found.span() for found in words if _stem(text[found.start() : found.end()]) in wanted]


@lru_cache(64)
def _beginning(wanted: frozenset[str]) -> re.Pattern[str]:
    """Words that may be wanted: a scan of every word of twenty passages would take longer than all the rest."""
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(map(re.escape, wanted)))})[^\W_]*" if wanted else r"(?!)")


def _densest(spans: Iterable[tuple[int, int]], text: str, room: int) -> tuple[int, int]:
    """Start and end of the matches that lie within `room` characters and hold the most different words."""
    best, first, last = (0, 0), 0, 0
    matches = [(start, end, _stem(text[start:end])) for start, end in spans]
    for number, (start, _, _) in enumerate(matches):
        inside = [match for match in matches[number : number + room] if match[1] <= start + room]
        held = (len({stem for _, _, stem in inside}), len(inside))
        if held > best:
            best, first, last = held, start, inside[-1][1]
    return first, last


def _start(text: str, first: int, earliest: int) -> int:
    """The beginning of a sentence or a line between the two, else of a word."""
    if earliest == 0:
        return 0
    breaks = [found.end() for found in _BREAK.finditer(text, earliest, first + 1) if found.end() <= first]
    if breaks:
        return breaks[0]
    space = re.compile(r"\s").search(text, earliest - 1, first)
    return space.end() if space else first


def _end(text: str, last: int, latest: int) -> int:
    """The end of a sentence not far before `latest`, else of a word."""
    if latest >= len(text):
        return len(text)
    least = max(last, latest - SENTENCE_WITHIN)
    breaks = [found.start() for found in _BREAK.finditer(text, least, latest + 1) if found.start() <= latest]
    if breaks:
        return breaks[-1]
    space = max((found.start() for found in re.compile(r"\s").finditer(text, last, latest + 1)), default=0)
    return space or latest


@lru_cache(2**15)
def _stem(word: str) -> str:
    word = word.lower()
    if not word.isascii():
        decomposed = unicodedata.normalize("NFKD", word.casefold())
        word = "".join(character for character in decomposed if not unicodedata.combining(character))
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)]
    return word
