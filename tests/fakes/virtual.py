"""An event loop in which nobody waits: where nothing else is to be done, its time jumps to what comes next."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

UNDERWAY = 0.02
"""Real seconds for which is waited for what may still be on its way over loopback, or in a thread."""


class _Jumping(selectors.DefaultSelector):
    def __init__(self, underway: float) -> None:
        super().__init__()
        self.now = 0.0
        self._underway = underway

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(timeout if timeout is None else min(timeout, self._underway))
        if not ready and timeout:
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self, underway: float = 0.0) -> None:
        self._jumping = _Jumping(underway)
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run_virtually(main: Coroutine[Any, Any, T], *, underway: float = 0.0) -> T:
    """What `main` gives, in a loop whose time is virtual; it begins at 0."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(underway)) as runner:
        return runner.run(main)
