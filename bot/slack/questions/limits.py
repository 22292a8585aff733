"""How many questions a person and a channel may have at once, and a person in a minute."""

import time
from collections import Counter, deque
from collections.abc import Callable

from bot.slack.messages import notices

MINUTE = 60.0


class TooMany(Exception):
    """The question is not answered; `told` says why, as a sentence of `notices`."""

    def __init__(self, told: dict[str, str]) -> None:
        super().__init__(told["en"])
        self.told = told


class Limits:
    def __init__(
        self,
        *,
        user_at_once: int = 0,
        channel_at_once: int = 0,
        user_per_minute: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """0 is no limit.  `clock` gives seconds from anywhere."""
        self._user_at_once = user_at_once
        self._channel_at_once = channel_at_once
        self._user_per_minute = user_per_minute
        self._clock = clock
        self._open: Counter[str] = Counter()
        self._begun: dict[str, deque[float]] = {}

    def take(self, user: str, channel: str) -> None:
        """Count a question, until `give_back`.  Raises `TooMany`."""
        begun = self._of_the_last_minute(user)
        if self._user_at_once and self._open[user] >= self._user_at_once:
            raise TooMany(notices.TOO_MANY_OF_YOURS)
        if self._channel_at_once and self._open[channel] >= self._channel_at_once:
            raise TooMany(notices.TOO_MANY_HERE)
        if self._user_per_minute and len(begun) >= self._user_per_minute:
            raise TooMany(notices.TOO_FAST)
        begun.append(self._clock())
        self._begun[user] = begun
        self._open.update((user, channel))

    def give_back(self, user: str, channel: str) -> None:
        """The question is answered, or waits for somebody."""
        for one in (user, channel):
            self._open[one] -= 1
            if not self._open[one]:
                del self._open[one]

    def _of_the_last_minute(self, user: str) -> deque[float]:
        now = self._clock()
        for who in [who for who, begun in self._begun.items() if now - begun[-1] >= MINUTE]:
            del self._begun[who]
        begun = self._begun.get(user, deque())
        while begun and now - begun[0] >= MINUTE:
            begun.popleft()
        return begun
