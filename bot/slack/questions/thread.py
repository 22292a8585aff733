"""What people said in a thread, as evidence that can be cited."""

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.research import SearchHit
from bot.slack.api.pages import MOST_PAGES, next_cursor
from bot.slack.api.people import People
from bot.slack.messages.split import split
from bot.slack.questions.files import put_by
from bot.slack.questions.inbound import SharedFile, files
from indexers.slack_text import escaped, markup, plain

PAGE = 200
MOST_MESSAGES = 60
PASSAGE = 800
"""Bytes; as much as the model is shown of one hit."""
MOST_MORE = 24
"""Passages of long messages beside the first of each: about 19,000 characters, as of files."""
LONGEST_TITLE = 80


@dataclass(frozen=True, slots=True)
class Said:
    """What was said in a thread."""

    hits: Mapping[str, tuple[SearchHit, ...]]
    """By the ts of their messages, oldest first; of a long message several passages."""
    files: tuple[SharedFile, ...]
    """Of these messages."""
    left_out: int
    """How many messages there are beside these."""
    cut: bool = False
    """Of some message not all is in the hits."""
    by: Mapping[str, str] = field(default_factory=dict)
    """Who wrote them, by ts; those that show what somebody else wrote, too, are left out."""

    def documents_of(self, user: str) -> set[str]:
        """The ids of what somebody has put there: their messages, and the files that they have uploaded."""
        written = {hit.document_id for ts, hits in self.hits.items() if self.by.get(ts) == user for hit in hits}
        return written | put_by(user, self.files)


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
        return self._passages((channel, thread_ts, ts), plain(text, names), [])

    async def _read(self, channel: str, thread_ts: str, end: float) -> Said:
        messages, left_out = await self._messages(channel, thread_ts, end)
        texts = {message["ts"]: _text(message) for message in messages}
        names = await self._people.names_in(texts.values())
        names |= await self._people.names(dict.fromkeys(said["user"] for said in messages if said.get("user")))
        passages = {
            (ts := message["ts"]): self._passages(
                (channel, thread_ts, ts), plain(text, names), [_author(message, names)]
            )
            for message in messages
            if (text := texts[message["ts"]])
        }
        hits = _within_reach(passages, thread_ts)
        cut = any(len(hits[ts]) < len(whole) for ts, whole in passages.items())
        by = {message["ts"]: message["user"] for message in messages if _is_own(message)}
        return Said(hits, tuple(file for message in messages for file in files(message)), left_out, cut, by)

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

    def _passages(self, of: tuple[str, str, str], text: str, by: list[str]) -> list[SearchHit]:
        """Of the message `of` a channel, a thread and a ts."""
        channel, thread_ts, ts = of
        place = f"{self._domain}:{channel}" if self._domain else channel
        name = f"slack:{place}:{ts}"
        return [
            SearchHit(
                chunk_id=f"{name}#{number}",
                document_id=name,
                chunk_idx=number,
                title=_shortened(" ".join(text.split()), LONGEST_TITLE),
                content_snippet=part,
                source="slack",
                timestamp=datetime.fromtimestamp(float(ts), UTC).isoformat(timespec="seconds"),
                participants=by,
                score=0.0,
                bm25_score=0.0,
                vector_score=0.0,
                thread_id=f"slack:{place}:{thread_ts}",
                url=permalink(self._address, channel, thread_ts, ts),
            )
            for number, part in enumerate(split(text, PASSAGE))
        ]


def _within_reach(passages: Mapping[str, list[SearchHit]], root: str) -> dict[str, tuple[SearchHit, ...]]:
    """Of each message the first passage; what more there is room for goes to what began the thread, then to the
    newest."""
    room, kept = MOST_MORE, dict[str, tuple[SearchHit, ...]]()
    for ts in sorted(passages, key=lambda ts: (ts != root, -float(ts))):
        kept[ts] = tuple(passages[ts][: 1 + room])
        room -= len(kept[ts]) - 1
    return {ts: kept[ts] for ts in passages}


def permalink(address: str, channel: str, thread_ts: str, ts: str) -> str:
    """The link of a message, built as Slack builds it: asking for each would cost a call a message."""
    link = f"{address.rstrip('/')}/archives/{channel}/p{ts.replace('.', '')}"
    return link if ts == thread_ts else f"{link}?thread_ts={thread_ts}&cid={channel}"


def _is_own(message: Mapping[str, Any]) -> bool:
    """Whether it holds nothing but what a person wrote."""
    return bool(message.get("user")) and not (message.get("bot_id") or message.get("attachments"))


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
