"""Threads that came with passages, for whoever asks for what is around these in the same moment."""

import time
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from indexers.document import Audience
from indexers.index import Line

SECONDS = 1.0
MOST = 1_000
"""Threads that are kept."""

Position: TypeAlias = tuple[float, str, int]


class Thread(NamedTuple):
    """All its chunks in their order, and where each stands in it."""

    positions: list[Position]
    lines: list[Line]

    @classmethod
    def of(cls, rows: Iterable[tuple[Position, Line]]) -> "Thread":
        ordered = sorted(rows)
        return cls([position for position, _ in ordered], [line for _, line in ordered])


NOTHING = Thread([], [])


class Ahead:
    """The chunks of whole threads in their order, each thread to be taken once."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Audience, str], tuple[float, Thread]] = {}

    def forget(self) -> None:
        self._kept.clear()

    def keep(self, audience: Audience, threads: Mapping[str, Thread]) -> None:
        if len(self._kept) + len(threads) > MOST:
            self._kept.clear()
        now = time.monotonic()
        self._kept |= {(audience, group): (now, rows) for group, rows in threads.items()}

    def take(self, audience: Audience, groups: Collection[str]) -> dict[str, Thread]:
        taken = {group: self._kept.pop((audience, group), (0.0, NOTHING)) for group in groups}
        return {group: rows for group, (at, rows) in taken.items() if time.monotonic() - at < SECONDS}
