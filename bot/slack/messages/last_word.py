"""The last word of an answer gets where it can be read, whole and once, whatever has become of its messages."""

import logging
import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from html import unescape

from bot.slack.api.outbox import Mark, Outbox, Refusal
from bot.slack.messages.split import LIMIT, split
from bot.store import Part

logger = logging.getLogger(__name__)

SHORTEST_LIMIT = 500
MOST_MESSAGES = 5
"""What takes more of them is told in a file."""
INSTEAD = "+"
"""Marks a message that was posted because the one before it can not be edited."""
TOO_LONG = ("msg_too_long", "too_long", "msg_blocks_too_long")
BAD_BLOCKS = ("invalid_blocks", "invalid_blocks_format", "msg_blocks_too_many", "invalid_attachments")
NO_THREAD = ("thread_not_found", "cannot_reply_to_message", "invalid_thread_ts")
GONE = ("message_not_found", *NO_THREAD)

_LINK = re.compile(r"<((?:https?|mailto):[^|>\s]+)\|([^>]*)>")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer belongs, and what is said where it cannot be put there."""

    channel: str
    thread_ts: str
    asker: str
    """Who gets it in a direct message where it cannot be put there; "" where nobody does."""
    moved: str
    """In mrkdwn: why somebody gets the answer in a direct message."""
    in_a_file: str
    """In mrkdwn: that the answer goes on in a file."""


@dataclass(frozen=True, slots=True)
class Directly:
    """How somebody may be told an answer in a direct message, where it cannot be put where it belongs."""

    may_read: Callable[[], Awaitable[bool]]
    """Whether they may read all of it, as it is now."""
    withheld: str
    """In mrkdwn: what they are told where they may not."""
    here: Part | None = None
    """What is said in place of an answer that is for them alone; None where it may be put where it belongs."""
    note: str = ""
    """In mrkdwn: why it is for them alone."""


class _Withheld(Exception):
    """Nobody may be told the answer."""


async def found(outbox: Outbox, run: str, place: Place) -> dict[int, str]:
    """The ts of the messages of an answer that are there, by their number.  Raises `Refusal` and `TimeoutError`."""
    there = await outbox.posted(place.channel, place.thread_ts, run)
    numbered: dict[int, str] = {}
    for part in sorted(there, key=len):  # One that was posted in place of another comes after it.
        if (number := part.rstrip(INSTEAD)).isdigit():
            numbered[int(number)] = there[part]
    return numbered


class LastWord:
    def __init__(self, outbox: Outbox, run: str, place: Place, messages: dict[int, str], *, look: bool) -> None:
        """`messages`: the ts of those that are there, by their number; it is kept up to date.  With `look` there may be
        some of which nobody knows."""
        self._outbox = outbox
        self._run = run
        self._place = place
        self._messages = messages
        self._look = look
        self._thread_ts: str | None = place.thread_ts
        self._channel = place.channel
        self._directly: Directly | None = None

    async def deliver(self, parts: Sequence[Part], directly: Directly | None = None) -> None:
        """Each part goes into the message that is there for it, or else into a new one.  One that Slack finds too long
        is cut smaller; one whose message is gone, or can no longer be edited, is posted; messages too many go.
        Without `directly` the parts hold nothing that the asker could not be told.

        Raises `Refusal` and `TimeoutError` where Slack takes it neither here nor as a direct message.
        """
        self._directly = directly
        try:
            if directly is not None and directly.here is not None:
                await self._deliver_directly(parts, directly.here, directly.note)
            else:
                await self._deliver(await self._in_a_file(parts) if len(parts) > MOST_MESSAGES else parts)
        except _Withheld:
            logger.warning("%s: the asker may not be told the answer", self._run)

    async def _deliver_directly(self, parts: Sequence[Part], here: Part, note: str) -> None:
        there = dict(self._messages)
        try:
            await self._outbox.edit(self._channel, there[0], here, Mark(self._run, "0"))
        except (KeyError, Refusal, TimeoutError) as error:
            logger.info("channel %s: is not told that the asker is answered directly (%r)", self._channel, error)
        for number in [number for number in there if number]:
            await self._take_back(there.pop(number))
        await self._turn_to_the_asker()
        await self._deliver([_with(note, parts[0]), *parts[1:]])
        self._messages.clear()
        self._messages.update(there)

    async def _deliver(self, parts: Sequence[Part]) -> None:
        left = deque(parts)
        done = 0
        while left:
            part = left.popleft()
            try:
                await self._put(done, part)
                done += 1
            except Refusal as refusal:
                left.extendleft(reversed(_otherwise(part, refusal)))
        for surplus in [part for part in self._messages if part >= done]:
            await self._take_back(self._messages.pop(surplus))

    async def _put(self, number: int, part: Part) -> None:
        mark = Mark(self._run, str(number))
        lost = ""
        if number in self._messages:
            try:
                await self._outbox.edit(self._channel, self._messages[number], part, mark)
                return
            except Refusal as refusal:
                if refusal.code in (*TOO_LONG, *BAD_BLOCKS):
                    raise
                ts = self._messages.pop(number)
                lost = "" if refusal.code in GONE else ts
                mark = Mark(self._run, f"{number}{INSTEAD}")
        old = self._channel
        self._messages[number] = await self._post(part, mark)
        if lost and self._channel == old:
            await self._take_back(lost)

    async def _post(self, part: Part, mark: Mark) -> str:
        try:
            return await self._post_here(part, mark)
        except Refusal as refusal:
            if refusal.code in (*TOO_LONG, *BAD_BLOCKS) or self._channel != self._place.channel:
                raise
            if refusal.code in NO_THREAD and self._thread_ts is not None:
                logger.info("channel %s thread %s: is gone (%s)", self._channel, self._thread_ts, refusal.code)
                self._thread_ts = None
                return await self._post(part, mark)
            if not self._place.asker:
                raise
            logger.warning("channel %s: the asker is answered directly (%s)", self._channel, refusal.code)
        await self._turn_to_the_asker()
        return await self._post_here(_with(self._place.moved, part), mark)

    async def _turn_to_the_asker(self) -> None:
        """What follows goes into their direct messages; where they may not be told it, a word that says so."""
        self._channel, self._thread_ts = self._place.asker, None
        self._messages.clear()
        if self._directly is not None and not await self._directly.may_read():
            part = Part(text=self._directly.withheld)
            self._messages[0] = await self._post_here(part, Mark(self._run, f"0{INSTEAD}"))
            raise _Withheld

    async def _post_here(self, part: Part, mark: Mark) -> str:
        if self._thread_ts is not None:
            return await self._outbox.post(self._channel, self._thread_ts, part, mark, look=self._look)
        self._channel, ts = await self._outbox.begin(self._channel, part, mark, look=self._look)
        self._thread_ts = ts  # for what follows
        return ts

    async def _take_back(self, ts: str) -> None:
        try:
            await self._outbox.delete(self._channel, ts)
        except Refusal as refusal:
            logger.info("channel %s ts %s: cannot be deleted (%s)", self._channel, ts, refusal.code)

    async def _in_a_file(self, parts: Sequence[Part]) -> Sequence[Part]:
        """The whole is in a file beneath; what is left to say.  All of it where Slack takes no file."""
        content = "\n\n".join(_markdown(part.text) for part in parts)
        try:
            await self._outbox.upload(
                self._channel, self._place.thread_ts, file_of(self._run), content, look=self._look
            )
        except (Refusal, TimeoutError) as error:
            logger.info("channel %s: takes no file (%s)", self._channel, error)
            return parts
        first, about = parts[0], tuple(block for block in parts[-1].blocks if "actions" in block["type"])
        note = f"_{self._place.in_a_file}_"
        blocks = (*first.blocks, _section(note), *about) if first.blocks else ()
        return [Part(text=f"{first.text}\n\n{note}", blocks=blocks)]


def file_of(run: str) -> str:
    """The name of the file that the answer of a run goes on in."""
    return f"answer-{re.sub(r'[^0-9A-Za-z]+', '-', run)}.md"


def _otherwise(part: Part, refusal: Refusal) -> list[Part]:
    """The same in a form that Slack may take; raises the refusal where there is none."""
    size = len(part.text.encode())
    if part.blocks:  # Slack takes the words alone where it does not take the blocks.
        if refusal.code not in (*TOO_LONG, *BAD_BLOCKS):
            raise refusal
        return [Part(text=part.text)]
    if refusal.code in TOO_LONG and size > SHORTEST_LIMIT:
        return [Part(text=piece) for piece in split(part.text, max(min(size, LIMIT) // 2, SHORTEST_LIMIT))]
    raise refusal


def _with(note: str, part: Part) -> Part:
    """The part with a note before it."""
    blocks = (_section(f"_{note}_"), *part.blocks) if part.blocks else ()
    return Part(text=f"_{note}_\n\n{part.text}", blocks=blocks)


def _section(text: str) -> dict[str, object]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _markdown(text: str) -> str:
    """mrkdwn as a file shows it best."""
    return unescape(_LINK.sub(lambda link: f"[{link[2]}]({link[1]})", text))
