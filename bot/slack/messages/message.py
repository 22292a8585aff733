"""The bot's message of one answer: a placeholder at once, edits as the run goes on, at last the whole answer."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress

from bot.metrics import PLACEHOLDER_SECONDS
from bot.slack.api.outbox import Mark, Outbox, Refusal
from bot.slack.messages.last_word import Directly, LastWord, Place, found
from bot.slack.messages.render import Progress
from bot.slack.tasks import Start
from bot.store import Part

logger = logging.getLogger(__name__)


class LiveMessage:
    """One task does all the writing: no older state can come after a newer one, and what was begun is ended even
    where the answer is cancelled in between."""

    def __init__(
        self,
        outbox: Outbox,
        run: str,
        place: Place,
        *,
        interval: float,
        start: Start,
        messages: Sequence[str] = (),
        look: bool = False,
    ) -> None:
        """`interval`: seconds between two edits.  `messages`: those that the run has already; with `look` there may be
        some of which nobody knows."""
        self._outbox = outbox
        self._run = run
        self._place = place
        self._channel, self._thread_ts = place.channel, place.thread_ts
        self._interval = interval
        self._start = start
        self._messages = dict(enumerate(messages))
        self._look = look
        self._render: Callable[[], Part] = lambda: Part(text="")
        self._parts: Sequence[Part] | None = None
        self._directly: Directly | None = None
        self._delivered = False
        self._changed = asyncio.Event()
        self._closing = asyncio.Event()
        self._written = asyncio.Event()
        self._dropped = False
        self._turn: asyncio.Future[bool] | None = None

    @property
    def messages(self) -> tuple[str, ...]:
        """The ts of those that are there, in their order."""
        return tuple(self._messages[part] for part in sorted(self._messages))

    def open(self, render: Callable[[], Part], progress: Callable[[], Progress]) -> None:
        """Post what `render` gives as the placeholder; does not wait for it.  It is asked again at each edit."""
        self._render = render
        self._start(self._write())

    def touch(self) -> None:
        """What `render` gives has changed; only the latest state is ever shown."""
        self._changed.set()

    async def close(self, parts: Sequence[Part], directly: Directly | None = None) -> bool:
        """Put the last word, in as many messages as it has parts, and wait until it is there: True if Slack took it.
        `directly` is as `LastWord.deliver` takes it.

        Once a last word has been given, later ones are not shown; the waiting is for the first.
        """
        if self._parts is None and not self._closing.is_set():
            self._parts, self._directly = parts, directly
            self._end()
        await self._written.wait()
        return self._delivered

    async def pause(self) -> None:
        """Somebody is to write in the thread, which an edit does not keep from anybody."""

    async def drop(self) -> None:
        """Write nothing more: another process goes on here."""
        self._dropped = self._dropped or not self._closing.is_set()
        self._end()
        await self._written.wait()

    async def leave(self) -> None:
        """End the writing with the latest state: somebody goes on here later."""
        self._end()
        await self._written.wait()

    def _end(self) -> None:
        self._closing.set()
        self._changed.set()
        if self._turn is not None and not self._turn.done():
            self._turn.set_result(False)

    async def _write(self) -> None:
        try:
            shown = await self._placeholder()
            if shown is not None:
                await self._follow(self._messages[0], shown)
            await self._closing.wait()
            if self._parts is not None:
                word = LastWord(self._outbox, self._run, self._place, self._messages, look=self._look)
                await word.deliver(self._parts, self._directly)
                self._delivered = True
        except (Refusal, TimeoutError) as error:
            logger.error("channel %s thread %s: a last word was not taken (%s)", self._channel, self._thread_ts, error)
        finally:
            self._written.set()

    async def _placeholder(self) -> Part | None:
        """What the first message shows, which is there then; None where Slack takes none."""
        try:
            if self._look:
                self._messages |= await found(self._outbox, self._run, self._place)
            if 0 in self._messages:
                return Part(text="")
            part = self._render()
            mark = Mark(self._run, "0")
            with PLACEHOLDER_SECONDS.time():
                self._messages[0] = await self._outbox.post(self._channel, self._thread_ts, part, mark, look=self._look)
        except (Refusal, TimeoutError) as error:
            logger.warning("channel %s thread %s: no placeholder (%s)", self._channel, self._thread_ts, error)
            return None
        return part

    async def _follow(self, ts: str, shown: Part) -> None:
        """Show the latest state again and again, until the last word is there, or nobody says more."""
        now = asyncio.get_running_loop().time
        next_edit = now()  # The placeholder says nothing yet; the first step is shown as soon as it is known.
        try:
            while not self._closing.is_set():
                await self._changed.wait()
                self._changed.clear()
                await self._pause(next_edit - now())
                if self._render() != shown and await self._comes_a_turn("chat.update"):
                    shown = await self._edit(ts, shown)
                    next_edit = now() + self._interval
            if self._parts is None and not self._dropped and self._outbox.pace.now("chat.update"):
                await self._edit(ts, shown)
        except Refusal as error:
            logger.info("channel %s ts %s: no more edits (%s)", self._channel, ts, error)

    async def _edit(self, ts: str, shown: Part) -> Part:
        """What is shown then."""
        part = self._render()
        # A stream that was left bears its mark only in what is replaced here.
        if part == shown or await self._outbox.try_edit(self._channel, ts, part, Mark(self._run, "0")):
            return part
        self._changed.set()
        return shown

    async def _comes_a_turn(self, method: str) -> bool:
        """Wait for one; False where the last word was there before."""
        if self._closing.is_set():
            return False
        self._turn = self._outbox.pace.state(method)
        return await self._turn

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._closing.wait()
