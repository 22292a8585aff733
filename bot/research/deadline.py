"""The limit of a whole run, which stands still while the run waits for a person or for a free model."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self


class Deadline:
    """Used as `async with`; when the time is up, what runs inside is cancelled and `expired` is true."""

    def __init__(self, seconds: float, used: float = 0.0) -> None:
        self._seconds = seconds
        self._used = used
        self._since = 0.0
        self._paused = 0
        self._timeout = asyncio.timeout(None)

    @property
    def used(self) -> float:
        """Seconds of the limit used up so far."""
        return self._used if self._paused else self._used + asyncio.get_running_loop().time() - self._since

    @property
    def left(self) -> float:
        return self._seconds - self.used

    @property
    def expired(self) -> bool:
        return self._timeout.expired()

    @contextmanager
    def paused(self) -> Iterator[None]:
        self._used = self.used
        self._paused += 1
        self._timeout.reschedule(None)
        try:
            yield
        finally:
            self._paused -= 1
            if not self._paused and not self.expired:
                self._start()

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        self._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._used, self._paused = self.used, 1
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError:
            return True
        return False

    def _start(self) -> None:
        self._since = asyncio.get_running_loop().time()
        self._timeout.reschedule(self._since + self._seconds - self._used)
