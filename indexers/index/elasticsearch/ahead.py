"""Threads that came with passages, for whoever asks for what is around these in the same moment."""

import time
from collections.abc import Collection, Mapping
from typing import TypeAlias

from indexers.document import Audience
from indexers.index import Line

SECONDS = 1.0
MOST = 1_000
"""Threads that are kept."""

Position: TypeAlias = tuple[float, str, int]
Row: TypeAlias = tuple[Position, Line]


class Ahead:
    """The chunks of whole threads in their order, each thread to be taken once."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Audience, str], tuple[float, list[Row]]] = {}

    def forget(self) -> None:
        self._kept.clear()

    def keep(self, audience: Audience, threads: Mapping[str, list[Row]]) -> None:
        if len(self._kept) + len(threads) > MOST:
            self._kept.clear()
        now = time.monotonic()
        self._kept |= {(audience, group): (now, rows) for group, rows in threads.items()}

    def take(self, audience: Audience, groups: Collection[str]) -> dict[str, list[Row]]:
        taken = {group: self._kept.pop((audience, group), (0.0, [])) for group in groups}
        return {group: rows for group, (at, rows) in taken.items() if time.monotonic() - at < SECONDS}
