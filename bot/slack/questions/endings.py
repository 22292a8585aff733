"""What is over and could not be kept, since the store failed: it is kept once that can be done again."""

import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bot.store import Lost, Run, Store, StoreError, Turn

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run has ended."""

    key: str
    attempt: int
    values: dict[str, Any]
    """What has become of the fields of its `Run`."""
    thread: tuple[str, str]
    turn: Turn | None = None
    """What its thread has now, where anything."""


class Endings:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._left: dict[str, Ending] = {}

    async def keep(self, ending: Ending) -> Run | None:
        """The run as it is kept now; None where that will be later.  Raises `Lost`."""
        try:
            if ending.turn is not None:
                await self._store.add_turn(*ending.thread, ending.turn)
            return await self._store.change(ending.key, lambda run: _ended(run, ending))
        except StoreError as error:
            logger.warning("%s: %s", ending.key, error)
            self._left[ending.key] = ending
            return None

    async def again(self) -> None:
        """Keep what could not be kept before, as far as that can be done now."""
        left, self._left = self._left, {}
        for ending in left.values():
            with suppress(Lost):
                await self.keep(ending)


def _ended(run: Run, ending: Ending) -> Run:
    """What was wished of the question while its last word was on its way is still to be done, or is begun already."""
    if run.attempt != ending.attempt:
        return run
    values = ending.values
    wished = run.status == "stopping" and (run.deleted or run.anew is not None)
    return run.model_copy(update={**values, "status": run.status} if wished else values)
