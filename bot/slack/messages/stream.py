"""The message of one answer as a native stream of Slack's, in segments that stay within its limits; what it cannot show
any more is shown by edits, and the last word always is."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from bot.metrics import PLACEHOLDER_SECONDS
from bot.slack.api.outbox import Broken, Limited, Mark, Outbox, Refusal
from bot.slack.messages.chunks import Chunk, Told
from bot.slack.messages.last_word import TOO_LONG, Directly, Place
from bot.slack.messages.message import LiveMessage
from bot.slack.messages.render import Progress
from bot.slack.tasks import Start
from bot.store import Part

logger = logging.getLogger(__name__)

NEVER = (
    *("unknown_method", "method_deprecated", "feature_not_enabled", "feature_disabled", "not_allowed_token_type"),
    *("channel_type_not_supported", "missing_scope", "team_access_not_granted", "messages_tab_disabled"),
)
"""What Slack says of streams where there will be none later either."""
FULL = (*TOO_LONG, "msg_blocks_too_many")
STOPPED = "stopped_by_user"


@dataclass
class Streaming:
    """What all answers share."""

    longest: float
    """Seconds of one segment, after which another one begins."""
    possible: bool = True
    """Slack has streams here."""


class StreamedMessage:
    """Opened, touched and closed as a `LiveMessage` is, which goes on where the stream ends: one task does all the
    writing, and the last word is put by an edit of what was streamed."""

    def __init__(
        self,
        outbox: Outbox,
        run: str,
        place: Place,
        *,
        streaming: Streaming,
        interval: float,
        start: Start,
        edited: Callable[[Sequence[str], bool], LiveMessage],
        known: Callable[[Sequence[str]], Awaitable[None]],
        stopped: Callable[[], object],
        session: bool = False,
    ) -> None:
        """`edited` gives what goes on with messages that are there, of which it may not know all; `known` keeps their
        ts from the moment they are there.  `stopped` is called where the reader has stopped the stream.  With `session`
        somebody else says how the agent's session ends."""
        self._outbox = outbox
        self._run = run
        self._place = place
        self._streaming = streaming
        self._interval = interval
        self._start = start
        self._edited = edited
        self._known = known
        self._stopped = stopped
        self._session = session
        self._told = Told()
        self._messages: list[str] = []
        self._live = ""
        """The ts of the segment that is being streamed."""
        self._ends = 0.0
        self._status = ""
        self._message: LiveMessage | None = None
        self._changed = asyncio.Event()
        self._ending = asyncio.Event()
        self._over = asyncio.Event()
        self._turn: asyncio.Future[bool] | None = None
        self._render: Callable[[], Part] = lambda: Part(text="")
        self._progress: Callable[[], Progress] = lambda: Progress("en", "")

    @property
    def messages(self) -> tuple[str, ...]:
        return self._message.messages if self._message is not None else tuple(self._messages)

    def open(self, render: Callable[[], Part], progress: Callable[[], Progress]) -> None:
        """Begin to stream what `progress` gives; where that cannot be done, what `render` gives is shown."""
        self._render, self._progress = render, progress
        self._start(self._write())

    def touch(self) -> None:
        self._changed.set()
        if self._message is not None:
            self._message.touch()

    async def pause(self) -> None:
        """Somebody is to write in the thread: the stream ends before that, and edits go on."""
        self._status = "suspended"
        await self._end()

    async def close(self, parts: Sequence[Part], directly: Directly | None = None) -> bool:
        message = await self._end()
        return await message.close(parts, directly)

    async def drop(self) -> None:
        message = await self._end()
        await message.drop()

    async def leave(self) -> None:
        message = await self._end()
        await message.leave()

    async def _end(self) -> LiveMessage:
        self._ending.set()
        self._changed.set()
        if self._turn is not None and not self._turn.done():
            self._turn.set_result(False)
        await self._over.wait()
        assert self._message is not None
        return self._message

    async def _write(self) -> None:
        lost = False
        try:
            with PLACEHOLDER_SECONDS.time():
                began = await self._begin()
            if began:
                await self._follow()
            await self._stop()
        except Refusal as refusal:
            logger.info("channel %s: no stream (%s)", self._place.channel, refusal.code)
            if refusal.code == STOPPED:
                self._stopped()
            await self._stop()
        except (Broken, TimeoutError) as error:
            logger.info("channel %s: a stream broke (%s)", self._place.channel, error)
            lost = not self._live
            await self._stop()
        finally:
            self._message = self._edited(self._messages, lost)
            self._message.open(self._render, self._progress)
            if not self._ending.is_set():
                self._message.touch()  # with what the stream did not tell
            self._over.set()

    async def _begin(self) -> bool:
        """Start a segment; False where Slack takes none now.  Raises `Refusal` and `Broken`."""
        pace = self._outbox.pace
        if not (self._streaming.possible and pace.now("chat.startStream")):
            return False
        self._told.segment()
        first = self._stop_button()
        chunks = [*first, *self._told.news(self._progress())]
        try:
            ts = await self._outbox.start_stream(self._place.channel, self._place.thread_ts, chunks)
        except Limited:
            return False
        except Refusal as refusal:
            self._streaming.possible = self._streaming.possible and refusal.code not in NEVER
            raise
        self._live, self._ends = ts, asyncio.get_running_loop().time() + self._streaming.longest
        self._messages.append(ts)
        await self._known(self._messages)
        return True

    def _stop_button(self) -> list[Chunk]:
        """It bears the run, by which a stream is found that was left."""
        mark = self._outbox.sign(Mark(self._run, str(len(self._messages))))
        actions = [{**block, "block_id": mark} for block in self._render().blocks if block["type"] == "actions"]
        return [{"type": "blocks", "blocks": actions}] if actions else []

    async def _follow(self) -> None:
        """Add what is new again and again, until the stream is to end, or Slack takes no more of it."""
        loop = asyncio.get_running_loop()
        while not self._ending.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._ends if self._live else None):
                    await self._changed.wait()
            self._changed.clear()
            if self._live and (loop.time() >= self._ends or self._told.full):
                await self._stop()
                if self._told.full:  # There is more to tell.
                    self._changed.set()
            elif not self._live and not await self._begin():
                return
            elif self._live and await self._comes_a_turn():
                await self._append()
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._interval):
                        await self._ending.wait()

    async def _append(self) -> None:
        chunks = self._told.news(self._progress())
        try:
            if chunks:
                await self._outbox.append_stream(self._place.channel, self._live, chunks)
        except Limited as limited:  # Nothing is told twice, so edits say it.
            raise Broken(str(limited)) from limited
        except Refusal as refusal:
            if refusal.code not in FULL:
                raise
            await self._stop()
        if self._told.full:
            self._changed.set()

    async def _comes_a_turn(self) -> bool:
        if self._ending.is_set():
            return False
        self._turn = self._outbox.pace.state("chat.appendStream")
        return await self._turn

    async def _stop(self) -> None:
        """End the segment, if there is one; Slack may have done so."""
        if not self._live:
            return
        ts, self._live = self._live, ""
        mark = Mark(self._run, str(len(self._messages) - 1))
        goes_on = self._session and not self._ending.is_set()
        status = "processing" if goes_on else self._status
        try:
            await self._outbox.stop_stream(self._place.channel, ts, mark, status=status)
        except (Refusal, TimeoutError) as error:
            logger.info("channel %s ts %s: a stream was over (%s)", self._place.channel, ts, error)
