"""What a run says to its listener: every event in order, and never the drafts of two replies as one text."""

import logging
from collections.abc import Callable

from bot.research.events import AnswerDelta, ClarifyCall, Event, SearchCall

logger = logging.getLogger(__name__)


class Speaker:
    """An exception in the listener is logged and never breaks the run."""

    def __init__(self, on_event: Callable[[Event], None] | None) -> None:
        self._on_event = on_event
        self._drafting = False
        """A draft was said that no call has voided since."""
        self._muted = False

    def say(self, event: Event) -> None:
        if isinstance(event, SearchCall | ClarifyCall):
            self._drafting = False
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception as error:
            logger.exception("a listener failed on %s: %s", type(event).__name__, type(error).__name__, exc_info=False)

    def begin_reply(self) -> None:
        """A draft that stands would run into the next, whose numbers and fences are its own: that one is not said."""
        self._muted = self._drafting

    def draft(self, delta: str) -> None:
        """A gated piece of the reply that is being written."""
        if delta and not self._muted:
            self._drafting = True
            self.say(AnswerDelta(delta))
