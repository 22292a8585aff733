"""The bot's message of one answer: a placeholder at once, edits as the run goes on, at last the whole answer."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from bot.metrics import PLACEHOLDER_SECONDS
from bot.slack.outbox import Outbox, Refusal
from bot.slack.split import LIMIT, split

logger = logging.getLogger(__name__)

Start: TypeAlias = Callable[[Coroutine[Any, Any, None]], object]
"""Starts a task that somebody else holds, and that a cancelled answer does not take with it."""

SHORTEST_LIMIT = 500


class LiveMessage:
    """One task does all the writing: no older state can come after a newer one, and what was begun is ended even
    where the answer is cancelled in between."""

    def __init__(self, outbox: Outbox, channel: str, thread_ts: str, *, interval: float, start: Start) -> None:
        """`interval`: seconds between two edits."""
        self._outbox = outbox
        self._channel = channel
        self._thread_ts = thread_ts
        self._interval = interval
        self._start = start
        self._render: Callable[[], str] = str
        self._parts: Sequence[str] | None = None
        self._delivered = False
        self._changed = asyncio.Event()
        self._closing = asyncio.Event()
        self._written = asyncio.Event()

    def open(self, render: Callable[[], str]) -> None:
        """Post what `render` gives as the placeholder; does not wait for it.  It is asked again at each edit."""
        self._render = render
        self._start(self._write())

    def touch(self) -> None:
        """What `render` gives has changed; only the latest state is ever shown."""
        self._changed.set()

    async def close(self, parts: Sequence[str]) -> bool:
        """Put the last word, in as many messages as it has parts, and wait until it is there: True if Slack took it.

        Once a last word has been given, later ones are not shown; the waiting is for the first.
        """
        if self._parts is None:
            self._parts = parts
            self._closing.set()
            self._changed.set()
        await self._written.wait()
        return self._delivered

    async def _write(self) -> None:
        try:
            text = self._render()
            ts = await self._placeholder(text)
            if ts is not None:
                await self._follow(ts, text)
            await self._closing.wait()
            await self._deliver(ts, self._parts or ())
            self._delivered = True
        except (Refusal, TimeoutError) as error:
            logger.error("channel %s thread %s: a last word was not taken (%s)", self._channel, self._thread_ts, error)
        finally:
            self._written.set()

    async def _placeholder(self, text: str) -> str | None:
        try:
            with PLACEHOLDER_SECONDS.time():
                return await self._outbox.post(self._channel, self._thread_ts, text)
        except (Refusal, TimeoutError) as error:
            logger.warning("channel %s thread %s: no placeholder (%s)", self._channel, self._thread_ts, error)
            return None

    async def _follow(self, ts: str, shown: str) -> None:
        """Show the latest state again and again, until the last word is there."""
        now = asyncio.get_running_loop().time
        next_edit = now()  # The placeholder says nothing yet; the first step is shown as soon as it is known.
        while self._parts is None:
            await self._changed.wait()
            self._changed.clear()
            await self._pause(max(next_edit - now(), self._outbox.pace.wait))
            if self._outbox.pace.wait:  # Another thread was first.
                self._changed.set()
                continue
            if self._parts is not None or (text := self._render()) == shown:
                continue
            try:
                if await self._outbox.try_edit(self._channel, ts, text):
                    shown = text
                else:
                    self._changed.set()
            except Refusal as error:
                logger.info("channel %s ts %s: no more edits (%s)", self._channel, ts, error)
                return
            next_edit = now() + self._interval

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._closing.wait()

    async def _deliver(self, ts: str | None, parts: Sequence[str]) -> None:
        """The first part goes into the message that is there, the others after it.  One that Slack finds too long is
        cut smaller; one whose message is gone, or can no longer be edited, is posted."""
        left = deque(parts)
        while left:
            text = left.popleft()
            try:
                if ts is None:
                    await self._outbox.post(self._channel, self._thread_ts, text)
                else:
                    await self._outbox.edit(self._channel, ts, text)
                ts = None
            except Refusal as refusal:
                size = len(text.encode())
                if refusal.code in ("msg_too_long", "too_long") and size > SHORTEST_LIMIT:
                    left.extendleft(reversed(split(text, max(min(size, LIMIT) // 2, SHORTEST_LIMIT))))
                elif ts is not None:
                    ts = None
                    left.appendleft(text)
                else:
                    raise
