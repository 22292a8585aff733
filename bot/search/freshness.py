"""Tells a question for the latest from others, and lifts what is new for it.  No I/O."""

import math
import re
import unicodedata
from datetime import datetime

KEPT = 0.7
"""Of its score, by the oldest document: age alone puts nothing behind what matches much worse, and removes nothing."""
DAYS = 30.0
"""After which half of what age can cost is lost."""

# All without accents, in lower case.
_WORDS = (
    "latest newest recent recently lately current currently nowadays today "
    "recent recents recente recentes recemment dernierement actuel actuels actuelle actuelles actuellement"
)
WORDS = frozenset(_WORDS.split())
PHRASES = (
    "right now",
    "at the moment",
    "as of now",
    "up to date",
    "these days",
    "so far",
    "any news",
    "news on",
    "news of",
    "news about",
    "news from",
    "any update",
    "any updates",
    "update on",
    "updates on",
    "what s new",
    "what is new",
    "aujourd hui",
    "en ce moment",
    "ces jours ci",
    "ces temps ci",
    "a jour",
    "quoi de neuf",
    "du nouveau",
    "nouvelles de",
    "nouvelles du",
    "nouvelles des",
    "nouvelles sur",
)
LAST = frozenset({"last", "dernier", "derniers", "derniere", "dernieres"})
"""Of a thing, the newest; of a span of time ("last week", "le mois dernier"), a filter's to say."""
_SPANS = (
    "second seconds minute minutes hour hours day days night nights week weeks weekend month months quarter quarters "
    "year years decade decades summer autumn fall winter spring january february march april may june july august "
    "september october november december monday tuesday wednesday thursday friday saturday sunday "
    "seconde secondes heure heures jour jours nuit nuits semaine semaines mois trimestre trimestres an ans annee "
    "annees ete automne hiver printemps janvier fevrier mars avril mai juin juillet aout septembre octobre novembre "
    "decembre lundi mardi mercredi jeudi vendredi samedi dimanche"
)
SPANS = frozenset(_SPANS.split())
_OTHER = "name names time one resort call mile chance fois nom noms delai delais recours mot mots"
OTHER = frozenset(_OTHER.split())
"""What "last" with them means is neither."""
_COUNTS = "few couple of two three four five six deux trois quatre cinq quelques"
COUNTS = frozenset(_COUNTS.split())


def asks_for_the_latest(text: str) -> bool:
    """Whether the words of a question, in English or French, want what holds now rather than what ever was."""
    words = _words(text)
    joined = f" {' '.join(words)} "
    return (
        not WORDS.isdisjoint(words)
        or any(f" {phrase} " in joined for phrase in PHRASES)
        or any(word in LAST and _is_of_a_thing(words, place) for place, word in enumerate(words))
    )


def kept(written: datetime, asked: datetime, days: float) -> float:
    """The share of its score, from `KEPT` to 1, that a document keeps which was written then; `days` halve the rest.

    What is yet to come is as fresh as what is of now.
    """
    age = max(0.0, (asked - written).total_seconds() / 86_400)
    return KEPT + (1 - KEPT) * math.exp2(-age / days)


def _is_of_a_thing(words: list[str], place: int) -> bool:
    following = [word for word in words[place + 1 :] if not word.isdecimal() and word not in COUNTS][:1]
    before = words[place - 1 : place] if place else []
    if words[place] == "last" and before == ["at"]:
        return False
    return bool(following or before) and (SPANS | OTHER).isdisjoint([*following, *before])


def _words(text: str) -> list[str]:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return re.findall(r"[^\W_]+", "".join(one for one in decomposed if not unicodedata.combining(one)))
