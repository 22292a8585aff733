"""Native streams of the fake Slack: their states, who reads them, how large and how old they may grow."""

from dataclasses import dataclass, field
from typing import Any

from tests.fakes.slack_app import App, Change
from tests.fakes.slack_blocks import taken
from tests.fakes.slack_call import Call, Methods, Refused, Reply
from tests.fakes.slack_messages import LONGEST_MARKDOWN, metadata_of
from tests.fakes.slack_threads import STATUSES, Threads

LARGEST = 10_600
"""UTF-8 bytes of text, task cards and plan titles over a whole stream; Slack does not say, so this is the least that
was seen."""
LIFETIME = 300.0
"""Seconds from its start, however busy it is."""
MOST_ROWS = 50
CONTENT = {"markdown_text", "chunks", "blocks"}
TASK_STATUSES = ("pending", "in_progress", "complete", "error")


@dataclass
class Stream:
    message: Reply
    channel: str
    started: float
    rows: dict[str, Reply] = field(default_factory=dict)
    """Its task cards, by id."""
    plan: str = ""
    stopped_by: str = ""

    @property
    def live(self) -> bool:
        return bool(self.message["streaming_state"] == "in_progress")

    @property
    def size(self) -> int:
        rows = [str(row.get(name) or "") for row in self.rows.values() for name in ("title", "details", "output")]
        return sum(len(part.encode()) for part in (self.message["text"], self.plan, *rows))


class Streams:
    """`streams` are all that there have been, by channel and ts."""

    def __init__(self, app: App, threads: Threads) -> None:
        self.streams: dict[tuple[str, str], Stream] = {}
        self.lifetime = LIFETIME
        self.largest = LARGEST
        self.available = True
        """Where they are not, Slack knows no such methods."""
        self._app = app
        self._threads = threads
        self.methods: Methods = {
            "chat.startStream": (self._start, "chat:write"),
            "chat.appendStream": (self._append, "chat:write"),
            "chat.stopStream": (self._stop, "chat:write"),
        }

    def age(self) -> None:
        """Those that have lived their time are over."""
        for stream in self.streams.values():
            if stream.live and self._app.clock() - stream.started >= self.lifetime:
                self._over(stream, "expired")

    def live_in(self, channel: str, thread_ts: str) -> list[Stream]:
        self.age()
        return [
            stream
            for stream in self.streams.values()
            if stream.live and (stream.channel, stream.message["thread_ts"]) == (channel, thread_ts)
        ]

    def stop_by(self, user: str, channel: str, thread_ts: str) -> list[str]:
        """Somebody presses Slack's own Stop; gives the ts of the streams that it ended."""
        stopped = self.live_in(channel, thread_ts)
        for stream in stopped:
            stream.stopped_by = user
            self._over(stream, "stopped_by_user")
        return [stream.message["ts"] for stream in stopped]

    def _start(self, call: Call) -> Reply:
        self._check_available(call)
        channel = self._app.workspace.writable(call["channel"])
        thread_ts = self._app.workspace.root_of(channel.id, str(call["thread_ts"]))
        recipient = call.get("recipient_user_id") or ""
        if channel.kind != "im":
            if not call.get("recipient_team_id"):
                raise Refused("missing_recipient_team_id")
            if not recipient:
                raise Refused("missing_recipient_user_id")
        if recipient:
            user = self._app.workspace.users.get(recipient)
            if user is None or call.get("recipient_team_id") not in (None, user.team_id):
                raise Refused("user_not_found")
        message = {**self._app.author(), "text": "", "thread_ts": thread_ts, "streaming_state": "in_progress"}
        stream = Stream({**message, "recipient": recipient, "streamed": True}, channel.id, self._app.clock())
        self._grow(stream, call)
        stream.message = self._app.workspace.add(channel.id, stream.message)
        self.streams[channel.id, stream.message["ts"]] = stream
        self._app.told(Change("posted", channel.id, stream.message))
        self._threads.streaming(channel.id, thread_ts, "processing")
        return {"channel": channel.id, "ts": stream.message["ts"]}

    def _append(self, call: Call) -> Reply:
        stream = self._live(call)
        if not call.get("markdown_text") and not call.get("chunks"):
            raise Refused("no_text")
        self._grow(stream, call)
        return {"channel": stream.channel, "ts": stream.message["ts"]}

    def _stop(self, call: Call) -> Reply:
        stream = self._live(call)
        status = call.get("session_status") or "active"
        if status not in STATUSES:
            raise Refused("invalid_status")
        blocks = taken(call.parsed("blocks")) if call.get("blocks") else []
        metadata = metadata_of(call)
        self._grow(stream, call)
        stream.message |= metadata
        if blocks:
            stream.message["blocks"] = [*stream.message.get("blocks", ()), *blocks]
        self._over(stream, "completed")
        self._threads.streaming(stream.channel, stream.message["thread_ts"], status)
        return {"channel": stream.channel, "ts": stream.message["ts"], "message": stream.message}

    def _check_available(self, call: Call) -> None:
        if not self.available:
            raise Refused("unknown_method", req_method=call.method)

    def _live(self, call: Call) -> Stream:
        self._check_available(call)
        self.age()
        message = self._app.own(call, "message_not_owned_by_app")
        stream = self.streams.get((call["channel"], message["ts"]))
        if stream is not None and stream.stopped_by and call.method == "chat.appendStream":
            raise Refused("stopped_by_user")
        # One that somebody stopped may still be stopped, which ends its session, but takes nothing more.
        if stream is None or not (stream.live or (stream.stopped_by and not call.args.keys() & CONTENT)):
            raise Refused("message_not_in_streaming_state")
        return stream

    def _over(self, stream: Stream, state: str) -> None:
        stream.message["streaming_state"] = state
        self._app.told(Change("updated", stream.channel, stream.message, dict(stream.message)))

    def _grow(self, stream: Stream, call: Call) -> None:
        """What the call adds is in the stream afterwards, or nothing of it."""
        before = (stream.message["text"], dict(stream.rows), stream.plan, stream.message.get("blocks"))
        try:
            self._add(stream, {"type": "markdown_text", "text": call.get("markdown_text") or ""})
            for chunk in call.parsed("chunks") or ():
                self._add(stream, chunk)
            if stream.size > self.largest:
                raise Refused("msg_too_long")
            if len(stream.rows) > MOST_ROWS:
                raise Refused("msg_blocks_too_many")
        except Refused:
            stream.message["text"], stream.rows, stream.plan, blocks = before
            if blocks is None:
                stream.message.pop("blocks", None)
            else:
                stream.message["blocks"] = blocks
            raise

    def _add(self, stream: Stream, chunk: Any) -> None:
        match chunk:
            case {"type": "markdown_text", "text": str(text)}:
                if len(text) > LONGEST_MARKDOWN:
                    raise Refused("msg_too_long")
                stream.message["text"] += text
            case {"type": "task_update", "id": str(id), "title": str()} if chunk.get("status") in (
                None,
                *TASK_STATUSES,
            ):
                stream.rows[id] = {**stream.rows.get(id, {}), **chunk}
            case {"type": "plan_update", "title": str(title)}:
                stream.plan = title
            case {"type": "blocks", "blocks": [*blocks]}:
                stream.message["blocks"] = [*stream.message.get("blocks", ()), *taken(blocks)]
            case _:
                raise Refused("invalid_chunks")
