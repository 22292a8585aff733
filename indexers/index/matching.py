"""From the words of a question to an expression of SQLite's full text search.  No I/O of its own."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

MOST_WORDS = 64
"""Of a question; what comes after is not looked for."""
MOST_TERMS = 250
"""Of its words, each of which is looked for in three fields, and of its phrases.  A word is one, but in a script
without spaces each letter is.  Elasticsearch takes at least 1,024 in all, more the more memory it has."""
COMMON_SHARE = 20
COMMON_AT_LEAST = 5
SMALL = 1_000
"""Chunks up to which every word is looked for."""
ENOUGH = 3_000
"""Chunks that a question's rarest words stand in.  Of SciFact's questions over 20,000 chunks they hold all of the best
ten and 99.9% of the best hundred, and the slowest twentieth takes half the time."""

_ENGLISH = (
    "a about all also am an and any are as at be been being both but by can could did do does doing done each few for "
    "from had has have he her him his how i if in into is it its just me might more most must my no not of on only "
    "or other our own s same shall she should so some such t than that the their them then there these they this to "
    "too very was we were what when where which who whom whose why will with would you your"
)
_FRENCH = (
    "au aux avec c ce ces cet cette d dans de des du elle elles en est et il ils j je l la le les leur leurs lui m ma "
    "mais me mes mon n ne nos notre nous on ont ou où par pas plus pour qu quand que quel quelle quelles quels qui "
    "quoi sa sans se ses son sont sur ta te tes toi ton tu un une vos votre vous y à"
)
STOP_WORDS = frozenset(f"{_ENGLISH} {_FRENCH}".split())
"""What no question is about; French ones in their elided forms too."""

_PART = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(r"https?://(?:www\.)?([^\s/?#]+)([^\s?#]*)\S*", re.IGNORECASE)
_ALONE = "\u2e80-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Ideographs and kana, each of which is a term of its own."""
_TERM = re.compile(f"[{_ALONE}]|[^\\W_{_ALONE}]+")
_IDENTIFIER = re.compile(r"\d|\w[_./\\:#@]\w")

Frequency: TypeAlias = Callable[[str, int], int]
"""In how many chunks a word stands, counted up to a limit."""


@dataclass(frozen=True, slots=True)
class Expression:
    """`whole` matches every chunk with any of the terms, nothing where it is empty.

    `rarest` matches those with one of the rarest terms, which are chunks enough to hold the best ones; it is empty
    where these are all the terms.  To score a chunk takes ten times as long as to match it.
    """

    whole: str = ""
    rarest: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The words of a question, in lower case, each once; and what of it matches as a whole too."""

    words: list[str]
    phrases: list[str]


def wanted(query: str) -> Wanted:
    """What a question looks for.

    Any of the words may match.  Identifiers such as `PROJ-123` or `app/main.py` match as a whole too.  Of an address
    only the words of its path count, and the address as a whole: its host is no word of the question.  Stop words count
    only as a phrase, where the question has no other words.
    """
    words, phrases = _terms(query)
    meant = (word.lower() for word in words if word.lower() not in STOP_WORDS or _is_meant(word, query))
    content = _bounded(dict.fromkeys(meant))
    if not content:
        return Wanted([], [" ".join(_bounded(words))] if len(words) > 1 else [])
    return Wanted(content, _bounded(dict.fromkeys(phrases)))


def _bounded(words: Iterable[str]) -> list[str]:
    """The first ones, of which the last may be cut."""
    kept: list[str] = []
    room = MOST_TERMS
    for word in islice(words, MOST_WORDS):
        terms = [found.start() for found in _TERM.finditer(word)]
        kept.append(word[: terms[room]].rstrip() if len(terms) > room else word)
        room -= len(terms)
        if room <= 0:
            break
    return kept


def match(query: str, frequency: Frequency, total: int) -> Expression:
    """What to look for; `total` is the number of chunks.  Every word is quoted."""
    asked = wanted(query)
    if not asked.words:
        return Expression(_any_of(asked.phrases))
    counts = {word: frequency(word, total // 2 + 1) for word in asked.words}
    telling = telling_words(counts, total)
    phrases = asked.phrases
    rarest = _rarest({word: counts[word] for word in telling})
    return Expression(_any_of([*phrases, *telling]), _any_of([*phrases, *rarest]) if len(rarest) < len(telling) else "")


def telling_words(counts: dict[str, int], total: int) -> list[str]:
    """The words to look for: those that the index knows, without the ones that say nothing.

    A word that stands in more than half of the chunks has no weight, and costs most.  Where the index has never seen
    most of the words, the question is about something else, and common words would find anything for it.
    """
    known = [word for word, count in counts.items() if count]
    if 2 * len(known) < len(counts):
        common = max(COMMON_AT_LEAST, total // COMMON_SHARE)
        return [word for word in known if counts[word] <= common]
    if total <= SMALL:
        return known
    return [word for word in known if counts[word] <= total // 2] or known


def _terms(query: str) -> tuple[list[str], list[str]]:
    words: list[str] = []
    phrases: list[str] = []
    for token in _without_hosts(query).split():
        parts = _PART.findall(token)
        words += parts
        if len(parts) > 1 and _IDENTIFIER.search(token):
            phrases.append(" ".join(parts).lower())
    whole = (_PART.findall(address[1] + address[2]) for address in _ADDRESS.finditer(query))
    return words, [*phrases, *(" ".join(parts).lower() for parts in whole if len(parts) > 1)]


def _without_hosts(query: str) -> str:
    """Where nothing else is left, the hosts without their last label."""
    paths = _ADDRESS.sub(lambda address: address[2], query)
    return paths if _PART.search(paths) else _ADDRESS.sub(lambda address: address[1].rpartition(".")[0], query)


def _is_meant(word: str, query: str) -> bool:
    """Whether a stop word is a name: `IT` or `WHO` in capitals, unless everything is; the letter of `C++` or `F#`."""
    if len(word) == 1:
        return re.search(rf"(?<!\w){word}(?:\+\+|#)", query) is not None
    return word.isupper() and (not query.isupper() or len(query.split()) <= 2)


def _rarest(counts: dict[str, int]) -> list[str]:
    chosen: list[str] = []
    reached = 0
    for word in sorted(counts, key=lambda word: counts[word]):
        if reached >= ENOUGH:
            break
        chosen.append(word)
        reached += counts[word]
    return chosen


def _any_of(terms: Iterable[str]) -> str:
    return " OR ".join(_quoted(term) for term in dict.fromkeys(terms))


def _quoted(term: str) -> str:
    return f'"{term}"'
