"""What people said in a thread, as evidence that can be cited."""

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.research import SearchHit
from bot.slack.api.people import MOST_PAGES, People, next_cursor
from bot.slack.messages.split import split
from bot.slack.questions.inbound import SharedFile, files
from indexers.slack_text import escaped, markup, plain

PAGE = 200
MOST_MESSAGES = 60
LONGEST_MESSAGE = 800
"""Characters; as much as the model is shown of one hit."""
LONGEST_TITLE = 80


@dataclass(frozen=True, slots=True)
class Said:
    """What was said in a thread."""

    hits: Mapping[str, SearchHit]
    """By the ts of their messages, oldest first."""
    files: tuple[SharedFile, ...]
    """Of these messages."""
    left_out: int
    """How many messages there are beside these."""


class ThreadReader:
    """`address` is the workspace's, as `auth.test` gives it: `https://acme.slack.com/`."""

    def __init__(self, slack: AsyncWebClient, people: People, *, bot_user: str, address: str) -> None:
        self._slack = slack
        self._people = people
        self._bot_user = bot_user
        self._address = address.rstrip("/")
        host = self._address.partition("://")[2]
        self._domain = host.removesuffix(".slack.com") if host.endswith(".slack.com") else ""

    async def before(self, channel: str, thread_ts: str, ts: str) -> Said:
        """The messages of others before `ts`: the root and the newest, `MOST_MESSAGES` in all.

        Raises one of `people.UNREACHABLE`.
        """
        return await self._read(channel, thread_ts, float(ts))

    async def whole(self, channel: str, thread_ts: str) -> Said:
        """The thread as it is now; else as `before`."""
        return await self._read(channel, thread_ts, math.inf)

    async def forwarded(self, channel: str, thread_ts: str, ts: str, text: str) -> list[SearchHit]:
        """What the message `ts` forwards, `text` in Slack's markup, in passages: it is somebody else's word."""
        if not text:
            return []
        names = await self._people.names_in([text])
        whole = self._hit(channel, thread_ts, {"ts": ts, "text": text}, names)
        name = whole.document_id
        return [
            replace(whole, chunk_id=f"{name}#{place}", chunk_idx=place, content_snippet=part, participants=[])
            for place, part in enumerate(split(plain(text, names), LONGEST_MESSAGE))
        ]

    async def _read(self, channel: str, thread_ts: str, end: float) -> Said:
        messages, left_out = await self._messages(channel, thread_ts, end)
        texts = {message["ts"]: _text(message) for message in messages}
        names = await self._people.names_in(texts.values())
        names |= await self._people.names(dict.fromkeys(said["user"] for said in messages if said.get("user")))
        hits = {
            message["ts"]: self._hit(channel, thread_ts, {**message, "text": texts[message["ts"]]}, names)
            for message in messages
            if texts[message["ts"]]
        }
        return Said(hits, tuple(file for message in messages for file in files(message)), left_out)

    async def _messages(self, channel: str, thread_ts: str, end: float) -> tuple[list[Mapping[str, Any]], int]:
        """Those that are looked at, and how many others there are."""
        root: Mapping[str, Any] | None = None
        newest: deque[Mapping[str, Any]] = deque(maxlen=MOST_MESSAGES - 1)
        replies = 0
        cursor = ""
        for _ in range(MOST_PAGES):
            reply = await self._slack.conversations_replies(
                channel=channel, ts=thread_ts, limit=PAGE, cursor=cursor or None
            )
            for message in reply["messages"]:
                if float(message["ts"]) >= end or not self._is_said(message):
                    continue
                if message["ts"] == thread_ts:
                    root = message  # Each page may begin with it again.
                else:
                    newest.append(message)
                    replies += 1
            cursor = next_cursor(reply.data)
            if not cursor:
                break
        return [*([root] if root is not None else []), *newest], replies - len(newest)

    def _is_said(self, message: Mapping[str, Any]) -> bool:
        """By somebody else: what the bot said here it has as its turns."""
        return message.get("user") != self._bot_user and message.get("subtype") != "tombstone"

    def _hit(self, channel: str, thread_ts: str, message: Mapping[str, Any], names: Mapping[str, str]) -> SearchHit:
        text, ts = plain(message["text"], names), message["ts"]
        place = f"{self._domain}:{channel}" if self._domain else channel
        return SearchHit(
            chunk_id=f"slack:{place}:{ts}#0",
            document_id=f"slack:{place}:{ts}",
            chunk_idx=0,
            title=_shortened(" ".join(text.split()), LONGEST_TITLE),
            content_snippet=_shortened(text, LONGEST_MESSAGE),
            source="slack",
            timestamp=datetime.fromtimestamp(float(ts), UTC).isoformat(timespec="seconds"),
            participants=[_author(message, names)],
            score=0.0,
            bm25_score=0.0,
            vector_score=0.0,
            thread_id=f"slack:{place}:{thread_ts}",
            url=permalink(self._address, channel, thread_ts, ts),
        )


def permalink(address: str, channel: str, thread_ts: str, ts: str) -> str:
    """The link of a message, built as Slack builds it: asking for each would cost a call a message."""
    link = f"{address.rstrip('/')}/archives/{channel}/p{ts.replace('.', '')}"
    return link if ts == thread_ts else f"{link}?thread_ts={thread_ts}&cid={channel}"


def _author(message: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """By name; of what a program wrote it is said that one did."""
    user = message.get("user") or ""
    if not message.get("bot_id"):
        return names.get(user) or user or "?"
    profile = message.get("bot_profile") or {}
    name = message.get("username") or profile.get("name") or names.get(user) or user or "?"
    return f"{name} (bot)"


def _text(message: Mapping[str, Any]) -> str:
    """In Slack's markup, with the names of its files."""
    names = [f"({file.name})" for file in files(message)]
    return "\n".join(filter(None, (markup(message), escaped(" ".join(names)))))


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
