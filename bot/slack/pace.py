"""How often messages may be edited: Slack counts the edits of all threads of a workspace together."""

import time
from collections.abc import Callable

BURST = 12
"""Edits that may come at once after a quiet time."""
KEPT_FOR_LAST_WORDS = 4
"""Of these, so many are not for states that the next one replaces anyhow."""


class Pace:
    """A bucket that fills with `per_minute` edits a minute.  Last words take from it too, and never wait for it."""

    def __init__(self, per_minute: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds from anywhere."""
        self._clock = clock
        self._per_second = per_minute / 60
        self._edits = float(BURST)
        self._counted = clock()
        self._held_until = self._counted

    @property
    def wait(self) -> float:
        """Seconds until the next state may be shown, as things stand."""
        now = self._fill()
        missing = KEPT_FOR_LAST_WORDS + 1 - self._edits
        return max(0.0, missing / self._per_second, self._held_until - now)

    def take(self) -> None:
        self._fill()
        self._edits -= 1

    def hold(self, seconds: float) -> None:
        """Slack has said that it takes no more for so long."""
        self._held_until = max(self._held_until, self._fill() + seconds)

    def _fill(self) -> float:
        now = self._clock()
        self._edits = min(BURST, self._edits + (now - self._counted) * self._per_second)
        self._counted = now
        return now
