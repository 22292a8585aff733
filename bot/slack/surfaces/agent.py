"""The bot as an agent of Slack's, where the app is declared one: in the agent's tab Slack shows that it is at work, and
has a Stop button of its own."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeAlias

from slack_sdk.web.async_client import AsyncWebClient

from bot.sentences import sentence
from bot.slack.api.attempts import Broken, Limited, Refusal, checked, until_done
from bot.slack.messages import sentences
from bot.slack.messages.last_word import Directly
from bot.slack.messages.render import Progress
from bot.slack.questions.means import Shown
from bot.store import Part

logger = logging.getLogger(__name__)

REFRESH = 80.0
"""Seconds.  A status that nobody sets again is gone after 120."""
GRACE = 1.0
"""Seconds for which what comes next waits for the status that stays."""
NO_AGENT = ("not_authorized", "not_agent_app", "missing_scope", "not_allowed_token_type")
NO_SESSIONS = ("feature_disabled", "feature_not_enabled", "unknown_method", "method_deprecated")
LONGEST_TITLE = 200
"""Characters."""

Status: TypeAlias = Literal["processing", "active", "suspended"]


class Agent:
    """What Slack refuses once, because the app is no agent, is not tried again."""

    def __init__(self, slack: AsyncWebClient) -> None:
        self._slack = slack
        self._way: Literal["session", "status", ""] = "session"

    @property
    def possible(self) -> bool:
        return bool(self._way)

    async def show(
        self, channel: str, thread_ts: str, status: Status, *, title: str = "", language: str = "en"
    ) -> None:
        """Say how it stands with the answer in a thread; what locks the composer there is gone when it is no longer
        `processing`."""
        if not self._way:
            return
        call = self._session if self._way == "session" else self._text
        made = checked(lambda: call(channel, thread_ts, status, title, language))
        try:
            await (made() if status == "processing" else until_done(made))
        except Refusal as refusal:
            logger.info("channel %s: no status of an agent (%s)", channel, refusal.code)
            if self._refused(refusal.code):
                await self.show(channel, thread_ts, status, title=title, language=language)
        except (Limited, Broken, TimeoutError) as error:
            logger.info("channel %s: a status of an agent was left out (%s)", channel, error)

    def _refused(self, code: str) -> bool:
        """Whether there is another way."""
        if code in NO_SESSIONS and self._way == "session":
            self._way = "status"
            return True
        if code in (*NO_AGENT, *NO_SESSIONS):
            self._way = ""
        return False

    async def _session(self, channel: str, thread_ts: str, status: Status, title: str, language: str) -> object:
        title = title[:LONGEST_TITLE]
        reply = await self._slack.agents_sessions_setStatus(
            channel_id=channel, thread_ts=thread_ts, status=status, title=title or None
        )
        if title and reply.get("title") != title:  # The session was there: a stream makes one by itself.
            await self._slack.agents_sessions_rename(channel_id=channel, thread_ts=thread_ts, title=title)
        return reply

    async def _text(self, channel: str, thread_ts: str, status: Status, title: str, language: str) -> object:
        text = sentence(sentences.AT_WORK, language) if status == "processing" else ""
        reply = await self._slack.assistant_threads_setStatus(channel_id=channel, thread_ts=thread_ts, status=text)
        if title:
            await self._slack.assistant_threads_setTitle(
                channel_id=channel, thread_ts=thread_ts, title=title[:LONGEST_TITLE]
            )
        return reply


class InAgentTab:
    """An answer in the agent's tab: written by what it wraps, while Slack shows that somebody is at work.  One task
    sets the status, so that none comes after the last one."""

    def __init__(
        self,
        writer: Shown,
        agent: Agent,
        thread: tuple[str, str],
        *,
        title: str,
        language: str,
        start: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        """`title`: of a thread that begins; "" where it has one."""
        self._writer = writer
        self._agent = agent
        self._thread = thread
        self._title = title
        self._language = language
        self._start = start
        self._last: Status | Literal[""] = "active"
        self._ending = asyncio.Event()
        self._ended = asyncio.Event()

    @property
    def messages(self) -> tuple[str, ...]:
        return self._writer.messages

    def open(self, render: Callable[[], Part], progress: Callable[[], Progress]) -> None:
        self._start(self._keep())
        self._writer.open(render, progress)

    def touch(self) -> None:
        self._writer.touch()

    async def pause(self) -> None:
        await self._writer.pause()
        await self._end("suspended")

    async def close(self, parts: Sequence[Part], directly: Directly | None = None) -> bool:
        try:
            return await self._writer.close(parts, directly)
        finally:
            await self._end("active")

    async def drop(self) -> None:
        await self._writer.drop()
        await self._end("")

    async def leave(self) -> None:
        try:
            await self._writer.leave()
        finally:
            await self._end("active")

    async def _end(self, status: Status | Literal[""]) -> None:
        """The status that stays; "" where another process sets it."""
        if not self._ending.is_set():
            self._last = status
            self._ending.set()
        with suppress(TimeoutError):  # It is tried again, while the thread goes on.
            async with asyncio.timeout(GRACE):
                await self._ended.wait()

    async def _keep(self) -> None:
        try:
            title = self._title
            while self._agent.possible and not self._ending.is_set():
                await self._agent.show(*self._thread, "processing", title=title, language=self._language)
                title = ""  # Whoever reads there may give it another one.
                with suppress(TimeoutError):
                    async with asyncio.timeout(REFRESH):
                        await self._ending.wait()
            await self._ending.wait()
            if self._last:
                await self._agent.show(*self._thread, self._last, language=self._language)
        finally:
            self._ended.set()
