"""Questions that a run has asked back in its thread, and who waits for the answer."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from bot.slack.inbound import Inbound


class Clarify:
    """At most one question is open in a thread, since one run at a time works there."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], asyncio.Future[Inbound]] = {}

    def waits(self, thread: tuple[str, str]) -> bool:
        return thread in self._open

    def answer(self, message: Inbound) -> bool:
        """Give the message to the run that waits in its thread; False where none does."""
        waiting = self._open.pop(message.thread, None)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(message)
        return True

    @contextmanager
    def open(self, thread: tuple[str, str]) -> Iterator[asyncio.Future[Inbound]]:
        """The next message in the thread, from before the question is posted, since the answer may be quick."""
        waiting: asyncio.Future[Inbound] = asyncio.get_running_loop().create_future()
        self._open[thread] = waiting
        try:
            yield waiting
        finally:
            waiting.cancel()
            if self._open.get(thread) is waiting:
                del self._open[thread]
