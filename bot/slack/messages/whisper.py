"""An answer where the bot may not post: through the command's own address, seen by nobody but the asker.

Slack replaces nothing that came that way, so each update says only what is new.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from bot.slack.messages.last_word import Directly
from bot.slack.messages.render import Progress
from bot.slack.tasks import Start
from bot.store import Part

logger = logging.getLogger(__name__)

MOST_UPDATES = 3
USES = 5
"""What Slack takes, within half an hour."""


class Whisper:
    """Opened, touched and closed as a `LiveMessage` is."""

    def __init__(
        self,
        send: Callable[[str], Awaitable[bool]],
        instead: Callable[[str], Awaitable[bool]],
        *,
        used: int,
        count: Callable[[int], Awaitable[object]],
        hint: str,
        interval: float,
        start: Start,
    ) -> None:
        """`send` says whether Slack took it; `instead` is where the answer goes when it does not any more.  `used` is
        how often the address was used, before a restart too, and `count` keeps that.  `hint` is the last paragraph.
        `interval`: seconds between two updates."""
        self._send = send
        self._instead = instead
        self._hint = hint
        self._interval = interval
        self._start = start
        self._render: Callable[[], Part] = lambda: Part(text="")
        self._parts: Sequence[Part] | None = None
        self._directly: Directly | None = None
        self._used = used
        self._count = count
        self._changed = asyncio.Event()
        self._closing = asyncio.Event()
        self._written = asyncio.Event()

    def open(self, render: Callable[[], Part], progress: Callable[[], Progress]) -> None:
        """Begin to show what `render` gives; does not wait for it."""
        self._render = render
        self._start(self._write())

    @property
    def messages(self) -> tuple[str, ...]:
        """None that could be found again."""
        return ()

    def touch(self) -> None:
        self._changed.set()

    async def close(self, parts: Sequence[Part], directly: Directly | None = None) -> bool:
        """Put the last word and wait until it is there.  False: no thread begins with it."""
        if self._parts is None and not self._closing.is_set():
            self._parts, self._directly = parts, directly
            self._closing.set()
            self._changed.set()
        await self._written.wait()
        return False

    async def pause(self) -> None:
        """Nothing of it keeps anybody from writing."""

    async def drop(self) -> None:
        await self.leave()

    async def leave(self) -> None:
        """End without a last word: somebody goes on later."""
        self._closing.set()
        self._changed.set()
        await self._written.wait()

    async def _write(self) -> None:
        try:
            await self._update()
            await self._closing.wait()
            if self._parts is not None:
                await self._deliver([part.text for part in self._parts])
        finally:
            self._written.set()

    async def _update(self) -> None:
        told = set[str]()
        while not self._closing.is_set() and self._used < MOST_UPDATES:
            self._changed.clear()
            if new := [line for line in self._render().text.split("\n") if line not in told]:
                told.update(new)
                if not await self._sent("\n".join(new)):
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._interval):
                        await self._closing.wait()
            await self._changed.wait()

    async def _deliver(self, parts: list[str]) -> None:
        last = max(1, min(USES - self._used, len(parts))) - 1
        parts = [*parts[:last], "\n\n".join([*parts[last:], self._hint])]
        for place, text in enumerate(parts):
            if not await self._sent(text):
                await self._send_instead(parts[place:])
                return

    async def _send_instead(self, parts: list[str]) -> None:
        """The asker may no longer be where they used the command."""
        if self._directly is not None and not await self._directly.may_read():
            parts = [self._directly.withheld]
        if not all([await self._instead(part) for part in parts]):
            logger.error("an answer to a command was taken neither by its address nor as a direct message")

    async def _sent(self, text: str) -> bool:
        """Counted before: what was cut off may have arrived."""
        if self._used >= USES:
            return False
        self._used += 1
        await self._count(self._used)
        return await self._send(text)
