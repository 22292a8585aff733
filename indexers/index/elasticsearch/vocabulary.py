"""How frequent the words of a question are, which says what of it is worth looking for."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from indexers.document import Audience
from indexers.index.elasticsearch import queries
from indexers.index.matching import Wanted, telling_words

SECONDS = 30.0
"""For which a count is kept, since other processes write too."""
WORDS = 10_000
AUDIENCES = 100


class Vocabulary:
    """Counts by audience: nobody learns of what they may not read, not even that a word stands there."""

    def __init__(self) -> None:
        self._known: dict[Audience, _Known] = {}

    def forget(self) -> None:
        self._known.clear()

    def lacking(self, asked: Wanted, audience: Audience) -> list[str]:
        """The words whose count is to be asked for: a word alone is looked for whatever its count is."""
        known = self._known.get(audience)
        if len(asked.words) < 2:
            return []
        return asked.words if known is None or known.stale else [one for one in asked.words if one not in known.counts]

    def learn(self, words: Iterable[str], audience: Audience, answer: Mapping[str, Any]) -> None:
        counts, size = queries.counted(answer)
        known = self._known.pop(audience, None)
        if known is None or known.stale:
            known = _Known()
        known.size = size
        known.counts |= dict(zip(words, counts, strict=True))
        self._known[audience] = known
        while len(self._known) > AUDIENCES:
            del self._known[next(iter(self._known))]

    def telling(self, asked: Wanted, audience: Audience) -> Wanted:
        """Without the words that are known to say nothing; those that nobody has written yet stay."""
        known = self._known.get(audience)
        if known is None or not all(word in known.counts for word in asked.words):
            return asked
        telling = telling_words(
            {word: min(known.counts[word], known.size // 2 + 1) for word in asked.words}, known.size
        )
        return replace(asked, words=[word for word in asked.words if word in telling or not known.counts[word]])


@dataclass(slots=True)
class _Known:
    size: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    since: float = field(default_factory=time.monotonic)

    @property
    def stale(self) -> bool:
        return len(self.counts) > WORDS or time.monotonic() - self.since > SECONDS
