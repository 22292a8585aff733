"""The part of a passage that shows why it was found.  No I/O."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from indexers.excerpts import CUT, around

CHARS = 500

_WORD = re.compile(r"[^\W_]+")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_ENDINGS = ("ements", "ement", "ings", "ing", "ies", "ed", "es", "er", "s", "e", "y")

Match: TypeAlias = tuple[int, int, str]
"""Where a word begins and ends, and its stem."""


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


def _matches(text: str, wanted: frozenset[str]) -> list[Match]:
    """The words with a wanted stem, in their order."""
    folded = _folded(text)
    found = [match for stem in wanted for match in _beginning(folded, stem)]
    if not folded.isascii():
        found = list({*found, *(match for match in _foreign(folded) if match[2] in wanted)})
    found.sort()
    return found


# What was once looked for in a passage is remembered: the searches for one answer, and for what is asked next, have
# most of their words and passages in common.


@lru_cache(2**11)
def _folded(text: str) -> str:
    return text.replace("İ", "I").lower()  # that one is longer in lower case


@lru_cache(2**14)
def _beginning(text: str, stem: str) -> tuple[Match, ...]:
    """The words with this stem that begin with it; the others have a letter that is not English.

    A look at every word of twenty passages would take longer than all the rest of a search.
    """
    found = []
    start = text.find(stem)
    while start >= 0:
        if not text[start - 1 : start].isalnum() and (word := _WORD.match(text, start)) and _stem(word[0]) == stem:
            found.append((start, word.end(), stem))
        start = text.find(stem, start + 1)
    return tuple(found)


@lru_cache(2**9)
def _foreign(text: str) -> tuple[Match, ...]:
    """All words with a letter that is not English."""
    found = []
    for run in _FOREIGN.finditer(text):
        for letters in _WORD.finditer(text, *run.span()):
            start = letters.start()
            while start and text[start - 1].isalnum():
                start -= 1
            if word := _WORD.match(text, start):
                found.append((start, word.end(), _stem(word[0])))
    return tuple(found)


def _densest(matches: Sequence[Match], room: int) -> tuple[int, int]:
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
        if following == len(matches):  # what comes after holds less
            break
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
