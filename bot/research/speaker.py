"""What a run says to its listener: every event in order, and drafts of two replies never run into each other."""

import logging
from collections.abc import Callable

from bot.research.events import AnswerDelta, ClarifyCall, Event, SearchCall

logger = logging.getLogger(__name__)

BETWEEN_REPLIES = "\n\n"


class Speaker:
    """An exception in the listener is logged and never breaks the run."""

    def __init__(self, on_event: Callable[[Event], None] | None) -> None:
        self._on_event = on_event
        self._drafted = False
        """A draft was said that no call has voided since."""
        self._begins = True

    def say(self, event: Event) -> None:
        if isinstance(event, SearchCall | ClarifyCall):
            self._drafted = False
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception as error:
            logger.exception("a listener failed on %s: %s", type(event).__name__, type(error).__name__, exc_info=False)

    def begin_reply(self) -> None:
        self._begins = True

    def draft(self, delta: str) -> None:
        """A gated piece of the reply that is being written."""
        if not delta:
            return
        between = BETWEEN_REPLIES if self._begins and self._drafted else ""
        self._drafted, self._begins = True, False
        self.say(AnswerDelta(between + delta))
