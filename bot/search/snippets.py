"""The part of a passage that shows why it was found.  No I/O."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from indexers.excerpts import CUT, around

CHARS = 500

_WORD = re.compile(r"[^\W_]+")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_ENDINGS = ("ements", "ement", "ings", "ing", "ies", "ed", "es", "er", "s", "e", "y")


def stems(text: str) -> frozenset[str]:
    """The words of a text, in the form in which they are compared: without case, accents and endings."""
    return frozenset(_stem(found[0]) for found in _WORD.finditer(text))


def snippet(text: str, wanted: frozenset[str], limit: int = CHARS) -> str:
    """At most `limit` characters of a text, around most of the wanted stems; no word is cut that fits."""
    return excerpt(text.strip(), wanted, limit)[1]


def excerpt(text: str, wanted: frozenset[str], limit: int) -> tuple[int, str]:
    """The snippet of a text without white space around it, and where in the text it begins."""
    first, last = _densest(_matches(text, wanted), limit - 2 * len(CUT)) if wanted and len(text) > limit else (0, 0)
    return around(text, first, last, limit)


def _matches(text: str, wanted: frozenset[str]) -> list[tuple[int, int, str]]:
    """Where words with a wanted stem begin and end, and the stem.

    A look at every word of twenty passages would take longer than all the rest of a search, so that the stems are
    looked for; those that are not the beginning of their words have a letter that is not English.
    """
    text = text.replace("İ", "I").lower()  # the only letter that is longer so
    found = [word for stem in wanted for word in _beginning(text, stem)]
    if not text.isascii():
        words = (_around(text, odd.start()) for odd in _FOREIGN.finditer(text))
        found = [*{*found, *(word for word in words if word[2] in wanted)}]
    found.sort()
    return found


def _beginning(text: str, stem: str) -> list[tuple[int, int, str]]:
    found = []
    start = text.find(stem)
    while start >= 0:
        if start == 0 or not text[start - 1].isalnum():
            word = _WORD.match(text, start)
            if word and _stem(word[0]) == stem:
                found.append((start, word.end(), stem))
        start = text.find(stem, start + 1)
    return found


def _around(text: str, place: int) -> tuple[int, int, str]:
    """The word in which a letter stands."""
    while place and text[place - 1].isalnum():
        place -= 1
    word = _WORD.match(text, place)
    return (place, word.end(), _stem(word[0])) if word else (place, place, "")


def _densest(matches: Sequence[tuple[int, int, str]], room: int) -> tuple[int, int]:
    """Start and end of the matches that lie within `room` characters and hold the most different words."""
    best, first, last = (0, 0), 0, 0
    inside: dict[str, int] = {}
    following = 0
    for number, (start, end, stem) in enumerate(matches):
        if end > start + room:
            following = number + 1
            continue
        while following < len(matches) and matches[following][1] <= start + room:
            inside[matches[following][2]] = inside.get(matches[following][2], 0) + 1
            following += 1
        if (held := (len(inside), following - number)) > best:
            best, first, last = held, start, matches[following - 1][1]
        inside[stem] -= 1
        if not inside[stem]:
            del inside[stem]
    return first, last


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
