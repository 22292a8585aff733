"""Posting and editing: limits are waited out, broken connections tried again, and nothing is posted twice for it."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.api.attempts import Broken, Call, Limited, Refusal, checked, until_done
from bot.slack.api.pace import Pace
from bot.slack.api.pages import MOST_PAGES, next_cursor
from bot.store import Part

__all__ = ["Broken", "Limited", "Mark", "Outbox", "Refusal"]

logger = logging.getLogger(__name__)

T = TypeVar("T")

PAGE = 200
MARK = "footnote_message"


@dataclass(frozen=True, slots=True)
class Mark:
    """What a message bears so that it is found again: the run that it belongs to, and which of its messages it is."""

    run: str
    part: str


class Outbox:
    """The one way out for messages."""

    def __init__(self, slack: AsyncWebClient, pace: Pace, *, at_once: AsyncWebClient, first_pause: float = 1.0) -> None:
        """`slack` takes its turn at each call, and must not try again by itself: it would post twice.  `at_once` is for
        calls whose turn has come already."""
        self.pace = pace
        self._at_once = at_once
        self.slack = slack
        self._first_pause = first_pause

    async def post(self, channel: str, thread_ts: str, part: Part, mark: Mark, *, look: bool = False) -> str:
        """Post in a thread and give the message's ts; with `look` it may have been posted before.

        Raises `Refusal`, and `TimeoutError` when patience ends.
        """
        post = checked(lambda: self._post(channel, thread_ts, part, mark))
        done = checked(lambda: self._marked(channel, thread_ts, mark))
        return (await self._until_done(post, done, look=look))[1]

    async def begin(self, place: str, part: Part, mark: Mark, *, look: bool = False) -> tuple[str, str]:
        """Post a message of its own, in a channel or to a person: the conversation that it is in, and its ts; with
        `look` it may have been posted before.  Raises as `post` does."""
        post = checked(lambda: self._post(place, None, part, mark))
        return await self._until_done(post, checked(lambda: self._begun(place, mark)), look=look)

    async def upload(self, channel: str, thread_ts: str, name: str, content: str, *, look: bool = False) -> str:
        """Put a file into a thread, where no other has its name, and give its id; with `look` it may be there already.
        Raises as `post` does."""
        upload = checked(lambda: self._upload(channel, thread_ts, name, content))
        return await self._until_done(upload, checked(lambda: self._named(channel, thread_ts, name)), look=look)

    async def delete_file(self, channel: str, thread_ts: str, name: str) -> None:
        """Take back what `upload` put into a thread; where it is not there that is no error.  Raises as `post` does."""

        async def delete() -> None:
            id = await self._named(channel, thread_ts, name)
            if id is not None:
                await self.slack.files_delete(file=id)

        await self._until_done(checked(delete))

    async def _upload(self, channel: str, thread_ts: str, name: str, content: str) -> str:
        reply = await self.slack.files_upload_v2(
            channel=channel, thread_ts=thread_ts, filename=name, title=name, content=content.encode()
        )
        return str(reply["files"][0]["id"])

    async def _post(self, channel: str, thread_ts: str | None, part: Part, mark: Mark) -> tuple[str, str]:
        reply = await self.slack.chat_postMessage(
            channel=channel,
            thread_ts=thread_ts,
            text=part.text,
            blocks=list(part.blocks) or None,
            parse="none",
            unfurl_links=False,
            unfurl_media=False,
            metadata=_metadata(mark),
        )
        return str(reply["channel"]), str(reply["ts"])

    async def start_stream(self, channel: str, thread_ts: str, chunks: Sequence[dict[str, Any]]) -> str:
        """Begin a native stream in a thread, whose turn has come, and give its message's ts.  Raises `Refusal`,
        `Limited` and `Broken`."""
        slack = self._at_once
        start = checked(lambda: slack.chat_startStream(channel=channel, thread_ts=thread_ts, chunks=list(chunks)))
        return str((await start())["ts"])

    async def append_stream(self, channel: str, ts: str, chunks: Sequence[dict[str, Any]]) -> None:
        """Add to it.  Raises as `start_stream` does."""
        await checked(lambda: self._at_once.chat_appendStream(channel=channel, ts=ts, chunks=list(chunks)))()

    async def stop_stream(self, channel: str, ts: str, mark: Mark | None = None, *, status: str = "") -> None:
        """End it, with the `status` of the agent's session where it is not to be active.  Raises as `post` does."""
        metadata = _metadata(mark) if mark else None
        slack, status_ = self.slack, status or None
        stop = checked(lambda: slack.chat_stopStream(channel=channel, ts=ts, metadata=metadata, session_status=status_))
        await self._until_done(stop)

    def sign(self, mark: Mark) -> str:
        """A mark as the `block_id` of a message that cannot bear it otherwise yet."""
        return f"{MARK} {mark.part} {mark.run}"

    async def edit(self, channel: str, ts: str, part: Part, mark: Mark) -> None:
        """Replace a message, which bears the mark then.  Raises as `post` does."""
        await self._until_done(self._edit(self.slack, channel, ts, part, mark))

    async def try_edit(self, channel: str, ts: str, part: Part, mark: Mark | None = None) -> bool:
        """Replace it if Slack takes it now: for a state that the next one replaces anyhow, whose turn has come.  Raises
        `Refusal`."""
        try:
            await self._edit(self._at_once, channel, ts, part, mark)()
        except (Limited, Broken) as error:
            logger.info("channel %s ts %s: an edit was left out (%s)", channel, ts, error)
            return False
        return True

    async def delete(self, channel: str, ts: str) -> None:
        """Take a message back; one that is gone already is no error.  Raises as `post` does."""
        try:
            await self._until_done(checked(lambda: self.slack.chat_delete(channel=channel, ts=ts)))
        except Refusal as refusal:
            if refusal.code != "message_not_found":
                raise

    async def whisper(self, channel: str, user: str, part: Part, *, thread_ts: str = "") -> bool:
        """Show something to one person alone, who may miss it: False where Slack did not take it."""
        whisper = checked(
            lambda: self.slack.chat_postEphemeral(
                channel=channel,
                user=user,
                thread_ts=thread_ts or None,
                text=part.text,
                blocks=list(part.blocks) or None,
                parse="none",
            )
        )
        try:
            await self._until_done(whisper)
        except (Refusal, TimeoutError) as error:
            logger.info("channel %s: a word to user %s was not taken (%s)", channel, user, error)
            return False
        return True

    async def mark_of(self, channel: str, ts: str) -> Mark | None:
        """What a message bears, if it is one of the bot's.  Raises as `post` does."""
        try:
            found = await self._until_done(checked(lambda: self._message(channel, ts)))
        except Refusal as refusal:
            if refusal.code not in ("thread_not_found", "message_not_found"):
                raise
            return None
        return _mark(found) if found else None

    async def begun(self, user: str, run: str, *, since: str) -> tuple[str, list[str]]:
        """The direct messages with somebody, and the ts of those messages of a run that begin a thread there, from a ts
        on.  Raises as `post` does."""
        return await self._until_done(checked(lambda: self._of_run_since(user, run, since)))

    async def posted(self, channel: str, thread_ts: str, run: str) -> dict[str, str]:
        """The messages of a run that are there: the ts of each part.  Raises as `post` does."""
        return await self._until_done(checked(lambda: self._of_run(channel, thread_ts, run)))

    def _edit(self, slack: AsyncWebClient, channel: str, ts: str, part: Part, mark: Mark | None) -> Call[None]:
        metadata = _metadata(mark) if mark else None
        update = checked(
            lambda: slack.chat_update(
                channel=channel, ts=ts, text=part.text, blocks=list(part.blocks), parse="none", metadata=metadata
            )
        )

        async def edit() -> None:
            try:
                await update()
            except Refusal as refusal:
                if refusal.code != "streaming_state_conflict":
                    raise
                with suppress(Refusal):  # Left by a process that is no more.
                    await self.stop_stream(channel, ts)
                await update()

        return edit

    async def _until_done(self, call: Call[T], done: Call[T | None] | None = None, *, look: bool = False) -> T:
        return await until_done(call, done, look=look, first_pause=self._first_pause)

    async def _marked(self, channel: str, thread_ts: str, mark: Mark) -> tuple[str, str] | None:
        """The message that bears the mark: its channel and its ts."""
        ts = (await self._of_run(channel, thread_ts, mark.run)).get(mark.part)
        return (channel, ts) if ts else None

    async def _begun(self, place: str, mark: Mark) -> tuple[str, str] | None:
        """A message among the latest of a conversation that bears the mark."""
        place = await self._conversation(place)
        reply = await self.slack.conversations_history(channel=place, include_all_metadata=True, limit=PAGE)
        found = [message["ts"] for message in reply["messages"] if _mark(message) == mark]
        return (place, str(found[0])) if found else None

    async def _of_run_since(self, user: str, run: str, ts: str) -> tuple[str, list[str]]:
        place, found, cursor = await self._conversation(user), list[str](), ""
        for _ in range(MOST_PAGES):
            reply = await self.slack.conversations_history(
                channel=place, oldest=ts, include_all_metadata=True, limit=PAGE, cursor=cursor or None
            )
            marks = ((str(message["ts"]), _mark(message)) for message in reply["messages"])
            found += [message for message, mark in marks if mark is not None and mark.run == run]
            cursor = next_cursor(reply.data)
            if not cursor:
                break
        return place, found

    async def _conversation(self, place: str) -> str:
        """The one that is meant by a channel, or by a person."""
        if place[0] not in "UW":
            return place
        return str((await self.slack.conversations_open(users=place))["channel"]["id"])

    async def _named(self, channel: str, thread_ts: str, name: str) -> str | None:
        """The file of this name in a thread."""
        messages = await self._thread(channel, thread_ts)
        files = [file for message in messages for file in message.get("files") or ()]
        return next((str(file["id"]) for file in files if file.get("name") == name), None)

    async def _message(self, channel: str, ts: str) -> Mapping[str, Any] | None:
        """Wherever it is: the ts of a reply gives that reply alone."""
        reply = await self.slack.conversations_replies(
            channel=channel, ts=ts, latest=ts, inclusive=True, include_all_metadata=True, limit=PAGE
        )
        messages: list[Mapping[str, Any]] = reply["messages"]
        return next((message for message in messages if message["ts"] == ts), None)

    async def _of_run(self, channel: str, thread_ts: str, run: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for message in await self._thread(channel, thread_ts):
            mark = _mark(message)
            if mark is not None and mark.run == run:
                found[mark.part] = str(message["ts"])
        return found

    async def _thread(self, channel: str, thread_ts: str) -> list[Mapping[str, Any]]:
        messages: list[Mapping[str, Any]] = []
        cursor = ""
        for _ in range(MOST_PAGES):
            reply = await self.slack.conversations_replies(
                channel=channel, ts=thread_ts, include_all_metadata=True, limit=PAGE, cursor=cursor or None
            )
            messages += reply["messages"]
            cursor = next_cursor(reply.data)
            if not cursor:
                break
        return messages


def _metadata(mark: Mark) -> dict[str, object]:
    return {"event_type": MARK, "event_payload": asdict(mark)}


def _mark(message: Mapping[str, Any]) -> Mark | None:
    metadata = message.get("metadata") or {}
    if metadata.get("event_type") == MARK:
        payload = metadata.get("event_payload") or {}
        return Mark(str(payload.get("run")), str(payload.get("part")))
    signed = [block.get("block_id", "").split(" ", 2) for block in message.get("blocks") or ()]
    return next((Mark(run=sign[2], part=sign[1]) for sign in signed if sign[0] == MARK and len(sign) == 3), None)
