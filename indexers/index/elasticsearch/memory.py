"""What was read of the index, for as long as it stays as it is.

The lists of a search tell in what state the index was.  What is asked under the same filter in the same state has the
same answer, so that no passage is read twice, and no thread that is read with the passages.  An index changes while it
is written to; between two runs over its sources it may stay as it is for hours.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeAlias

from indexers.document import Audience
from indexers.index import Filter, Passage
from indexers.index.elasticsearch.ahead import Thread

MOST = 30_000_000
"""Characters, and `OBJECTS` for each text, that are kept.

Measured, these are 23 MB of short lines, 42 MB of English passages, or 58 MB of others, at two bytes a character.
"""
OBJECTS = 500
"""What a passage, or a line of a thread, counts beside its text."""

Moment: TypeAlias = tuple[Any, ...]
"""By what one state of an index is told from another: `queries.at` says what is in it."""


class Memory:
    def __init__(self) -> None:
        self._moment: Moment | None = None
        self._passages: dict[Filter, dict[str, Passage | None]] = {}
        self._threads: dict[Audience, dict[str, Thread]] = {}
        self._weight = 0

    def forget(self) -> None:
        self._moment, self._weight = None, 0
        self._passages.clear()
        self._threads.clear()

    def learn(self, moment: Moment) -> bool:
        """Whether the index is in another state than before."""
        if moment == self._moment:
            return False
        self.forget()
        self._moment = moment
        return True

    @property
    def moment(self) -> Moment | None:
        """The state that was learnt last."""
        return self._moment

    def passages(self, moment: Hashable, where: Filter, chunks: Iterable[str]) -> dict[str, Passage | None]:
        """Those that are known; None for one that is not there."""
        if moment is None or moment != self._moment:
            return {}
        known = self._passages.get(where, {})
        return {one: known[one] for one in chunks if one in known}

    def threads(self, moment: Hashable, audience: Audience, groups: Iterable[str]) -> dict[str, Thread]:
        if moment is None or moment != self._moment:
            return {}
        known = self._threads.get(audience, {})
        return {one: known[one] for one in groups if one in known}

    def keep(
        self,
        moment: Hashable,
        where: Filter,
        passages: Mapping[str, Passage | None],
        threads: Mapping[str, Thread],
    ) -> None:
        """What was read after the index was seen in this state; nothing if it is in another by now."""
        if moment is None or moment != self._moment:
            return
        if self._weight > MOST:
            now = self._moment
            self.forget()
            self._moment = now
        self._passages.setdefault(where, {}).update(passages)
        self._threads.setdefault(where.audience, {}).update(threads)
        self._weight += sum(OBJECTS + len(passage.text if passage else "") for passage in passages.values())
        self._weight += sum(OBJECTS + len(line.text) for thread in threads.values() for line in thread.lines)
