"""Rests an engine that cannot serve for now, so that not every question pays for it.  No I/O."""

from collections.abc import Callable

from bot.web.outcome import Failure, FailureKind

LONG_REST = 600.0
REST = 60.0
MOST_IN_A_ROW = 3

_AT_ONCE: dict[FailureKind, float] = {"bad_key": LONG_REST, "no_credits": LONG_REST, "rate_limited": REST}
_WHEN_REPEATED = ("timeout", "unreachable", "blocked")


class Breaker:
    """Of one engine; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until = float("-inf")
        self._failure: Failure | None = None
        self._in_a_row = 0

    @property
    def resting(self) -> Failure | None:
        """Why the engine is not asked now; None when it is."""
        return self._failure if self._clock() < self._until else None

    def failed(self, failure: Failure) -> None:
        self._failure = failure
        self._in_a_row += failure.kind in _WHEN_REPEATED
        rest = _AT_ONCE.get(failure.kind, 0.0)
        if self._in_a_row >= MOST_IN_A_ROW:
            rest = max(rest, REST)
        if rest or failure.retry_after:
            self._until = self._clock() + (failure.retry_after or rest)

    def answered(self) -> None:
        self._in_a_row = 0
