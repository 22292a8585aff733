"""What was said in a thread before the bot was called into it, as evidence that can be cited."""

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.research import SearchHit
from bot.slack.people import MOST_PAGES, People, next_cursor
from bot.slack.split import split
from indexers.slack_text import markup, plain, unnamed_channels, users

PAGE = 200
MOST_MESSAGES = 40
LONGEST_MESSAGE = 800
"""Characters; as much as the model is shown of one hit."""
LONGEST_TITLE = 80


class ThreadReader:
    """`address` is the workspace's, as `auth.test` gives it: `https://acme.slack.com/`."""

    def __init__(self, slack: AsyncWebClient, people: People, *, bot_user: str, address: str) -> None:
        self._slack = slack
        self._people = people
        self._bot_user = bot_user
        self._address = address.rstrip("/")
        host = self._address.partition("://")[2]
        self._domain = host.removesuffix(".slack.com") if host.endswith(".slack.com") else ""

    async def before(self, channel: str, thread_ts: str, ts: str) -> list[SearchHit]:
        """The messages of others before `ts`, oldest first: the root and the newest, `MOST_MESSAGES` in all.

        Raises one of `people.UNREACHABLE`.
        """
        return await self._read(channel, thread_ts, float(ts))

    async def whole(self, channel: str, thread_ts: str) -> list[SearchHit]:
        """The thread as it is now; else as `before`."""
        return await self._read(channel, thread_ts, math.inf)

    async def forwarded(self, channel: str, thread_ts: str, ts: str, text: str) -> list[SearchHit]:
        """What the message `ts` forwards, `text` in Slack's markup, in passages: it is somebody else's word."""
        if not text:
            return []
        names = await self._people.names(users(text), unnamed_channels(text))
        whole = self._hit(channel, thread_ts, {"ts": ts, "text": text}, names)
        name = whole.document_id
        return [
            replace(whole, chunk_id=f"{name}#{place}", chunk_idx=place, content_snippet=part, participants=[])
            for place, part in enumerate(split(plain(text, names), LONGEST_MESSAGE))
        ]

    async def _read(self, channel: str, thread_ts: str, end: float) -> list[SearchHit]:
        said = [message for message in await self._messages(channel, thread_ts, end) if markup(message)]
        texts = [markup(message) for message in said]
        names = await self._people.names(
            dict.fromkeys(user for text in texts for user in users(text)),
            dict.fromkeys(channel for text in texts for channel in unnamed_channels(text)),
        )
        names |= await self._people.names(dict.fromkeys(message["user"] for message in said if message.get("user")))
        return [self._hit(channel, thread_ts, message, names) for message in said]

    async def _messages(self, channel: str, thread_ts: str, end: float) -> list[Mapping[str, Any]]:
        root: Mapping[str, Any] | None = None
        newest: deque[Mapping[str, Any]] = deque(maxlen=MOST_MESSAGES - 1)
        cursor = ""
        for _ in range(MOST_PAGES):
            reply = await self._slack.conversations_replies(
                channel=channel, ts=thread_ts, limit=PAGE, cursor=cursor or None
            )
            for message in reply["messages"]:
                # What the bot said here it has as its turns.
                if float(message["ts"]) >= end or message.get("user") == self._bot_user:
                    continue
                if message["ts"] == thread_ts:
                    root = message  # Each page may begin with it again.
                else:
                    newest.append(message)
            cursor = next_cursor(reply.data)
            if not cursor:
                break
        return [*([root] if root is not None else []), *newest]

    def _hit(self, channel: str, thread_ts: str, message: Mapping[str, Any], names: Mapping[str, str]) -> SearchHit:
        text, ts = plain(markup(message), names), message["ts"]
        user = message.get("user", "")
        author = names.get(user) or message.get("username") or user or "?"
        place = f"{self._domain}:{channel}" if self._domain else channel
        return SearchHit(
            chunk_id=f"slack:{place}:{ts}#0",
            document_id=f"slack:{place}:{ts}",
            chunk_idx=0,
            title=_shortened(" ".join(text.split()), LONGEST_TITLE),
            content_snippet=_shortened(text, LONGEST_MESSAGE),
            source="slack",
            timestamp=datetime.fromtimestamp(float(ts), UTC).isoformat(timespec="seconds"),
            participants=[author],
            score=0.0,
            bm25_score=0.0,
            vector_score=0.0,
            thread_id=f"slack:{place}:{thread_ts}",
            url=self._permalink(channel, thread_ts, ts),
        )

    def _permalink(self, channel: str, thread_ts: str, ts: str) -> str:
        """Built as Slack builds it: asking for each would cost a call a message."""
        link = f"{self._address}/archives/{channel}/p{ts.replace('.', '')}"
        return link if ts == thread_ts else f"{link}?thread_ts={thread_ts}&cid={channel}"


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
