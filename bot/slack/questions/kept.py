"""The run of a question, as it is kept; what cannot be kept now is kept with the next change."""

import logging
from typing import Any

from bot.slack.questions.endings import Ending, Endings
from bot.store import Run, Store, StoreError, Turn

logger = logging.getLogger(__name__)


class KeptRun:
    def __init__(self, store: Store, endings: Endings, run: Run) -> None:
        self.run = run
        self._store = store
        self._endings = endings
        self._unkept: dict[str, Any] = {}

    async def change(self, **values: Any) -> None:
        """Keep it; where that fails, the answer still comes.  Raises `Lost`."""
        values = {**self._unkept, **values}
        self._unkept = {}
        try:
            self.run = await self._store.change(self.run.key, lambda run: run.model_copy(update=values))
        except StoreError as error:
            logger.warning("%s: %s", self.run.key, error)
            self.run = self.run.model_copy(update=values)
            self._unkept = {**values, **self._unkept}

    async def wait(self) -> None:
        """Keep that it waits for an answer, where it is worked on and has none.  Raises `Lost` and `StoreError`."""
        self.run = await self._store.change(self.run.key, _waiting)

    async def end(self, thread: tuple[str, str], turn: Turn | None, **values: Any) -> None:
        """Keep that there is a last word, and what its thread has now, where anything.  Raises `Lost`."""
        values = {**self._unkept, **values}
        kept = await self._endings.keep(Ending(self.run.key, self.run.attempt, values, thread, turn))
        self.run = kept or self.run.model_copy(update=values)


def _waiting(run: Run) -> Run:
    waits = run.status == "open" and run.reply is None
    return run.model_copy(update={"status": "waiting"}) if waits else run
