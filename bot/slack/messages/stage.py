"""What a message shows of a run that goes on.  The first search is shown together with what it found, if that comes
soon: an edit for the search alone would use up the one that could show the passages."""

import asyncio
from collections.abc import Callable

from bot.research import Event, SearchCall, SearchError, SearchResult
from bot.slack.messages.render import Progress, fold

PATIENCE = 1.8
"""Seconds for which the first search is not shown without its hits: passages are to be there within two."""


class Stage:
    def __init__(self, progress: Progress, changed: Callable[[], None]) -> None:
        """`changed` is called when there is something else to show."""
        self.progress = progress
        """The run as far as it has got."""
        self.shown = progress
        """Of that, what is shown."""
        self._changed = changed
        self._searched = bool(progress.steps)
        self._held: asyncio.TimerHandle | None = None

    def note(self, event: Event) -> None:
        """Go on by an event."""
        self.progress = fold(self.progress, event)
        if isinstance(event, SearchCall) and not event.web and not self._searched:
            self._searched = True
            self._held = asyncio.get_running_loop().call_later(PATIENCE, self._release)
        elif self._held is None or isinstance(event, SearchResult | SearchError):
            self._release()

    def show(self, progress: Progress) -> None:
        """Go on to a state, and show it."""
        self.progress = progress
        self._release()

    def _release(self) -> None:
        if self._held is not None:
            self._held.cancel()
            self._held = None
        self.shown = self.progress
        self._changed()
