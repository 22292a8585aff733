"""The questions that this process is at, and who has ended one of them early."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

from bot.store import Run


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a question is not answered to its end; not by this process, since another goes on with it (`elsewhere`); or,
    for its readers' sake, not before it is known who they are."""

    why: Literal["stopped", "anew", "deleted", "elsewhere", "readers"]
    user: str = ""
    """Who stopped it."""


def wished(run: Run) -> Stop | None:
    """What is to be done in place of going on with a run, as somebody wished; None where nobody did."""
    if run.status != "stopping":
        return None
    if run.deleted:
        return Stop("deleted")
    if run.anew is not None:
        return Stop("anew")
    return Stop("stopped", run.stopping) if run.stopping else Stop("readers")


class Running:
    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[object]] = {}
        self._stops: dict[str, Stop] = {}
        self.busy: Counter[str] = Counter()
        """The keys of the questions about which anything is being done."""
        self._idle = asyncio.Event()
        self._idle.set()

    def __contains__(self, key: str) -> bool:
        return key in self._tasks

    @property
    def live(self) -> tuple[str, ...]:
        """The keys of the runs that can be stopped here."""
        return tuple(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    @contextmanager
    def about(self, key: str) -> Iterator[None]:
        """While it lasts something is being done about a question, if only in its place."""
        self.busy[key] += 1
        try:
            yield
        finally:
            self.busy[key] -= 1
            if not self.busy[key]:
                del self.busy[key]

    @contextmanager
    def at(self, key: str) -> Iterator[None]:
        """While it lasts the current task can be stopped by the run's key."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks[key] = task
        self._idle.clear()
        try:
            yield
        finally:
            if self._tasks.get(key) is task:  # else it is gone on with already
                del self._tasks[key]
                self._stops.pop(key, None)  # It was over before it could be stopped.
            if not self._tasks:
                self._idle.set()

    def stop(self, key: str, stop: Stop) -> bool:
        """End a run: False where it is not at work here, or somebody else has ended it."""
        task = self._tasks.get(key)
        if task is None or key in self._stops:
            return False
        self._stops[key] = stop
        task.cancel()
        return True

    def stopped(self, key: str) -> Stop | None:
        """Why the task of this run was cancelled; None where it was not for the run's sake."""
        return self._stops.pop(key, None)

    async def idle(self, seconds: float) -> None:
        """Wait until nothing is at work, for at most so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._idle.wait()
