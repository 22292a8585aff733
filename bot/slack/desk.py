"""What becomes of a message: the answer to a question that the bot asked back, a question, or nothing."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from bot.slack.answer import Answerer
from bot.slack.clarify import Clarify
from bot.slack.inbound import Inbound
from bot.store import Store

logger = logging.getLogger(__name__)

Start: TypeAlias = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class Closed(Exception):
    """The bot is stopping; what is not taken up now, Slack delivers again to the next one."""


class Desk:
    def __init__(self, *, store: Store, clarify: Clarify, answerer: Answerer, start: Start) -> None:
        """`start` starts an answer, which is cancelled when the bot stops."""
        self._store = store
        self._clarify = clarify
        self._answerer = answerer
        self._start = start
        self._closed = False
        self._receiving = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def close(self) -> None:
        """Take up nothing more; what is being taken up is waited for."""
        self._closed = True
        await self._idle.wait()

    async def receive(self, message: Inbound) -> None:
        """Claim a message that is for the bot and start what is to be done about it; returns at once.

        The same message comes in several events, and each may be delivered again: one call takes it up.  Raises
        `Closed`.
        """
        if not (self._clarify.waits(message.thread) or await self._is_question(message)):
            return
        if self._closed:
            raise Closed
        with self._received():
            if await self._store.claim(message.key):
                await self._take_up(message)

    async def take(self, key: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Claim what is no message, and start the work; once for each key.  Raises `Closed`."""
        if self._closed:
            raise Closed
        with self._received():
            if await self._store.claim(key):
                self._start(work())

    @contextmanager
    def _received(self) -> Iterator[None]:
        """While it lasts the desk does not close: what is claimed is started, too."""
        self._receiving += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._receiving -= 1
            if not self._receiving:
                self._idle.set()

    async def _take_up(self, message: Inbound) -> None:
        if self._clarify.answer(message):
            logger.info("%s: answers what was asked back", message.key)
        elif await self._is_question(message):
            self._start(self._answerer.answer(message))
            await self._store.asked(*message.thread, message.user, root=message.is_root)

    async def _is_question(self, message: Inbound) -> bool:
        """A mention, anything in a direct message, or a follow-up: by somebody who has asked in this thread, whose root
        was a question to the bot, and not to somebody else."""
        if message.mentioned or message.direct:
            return True
        if message.is_root or message.to_others:
            return False
        thread = await self._store.thread(*message.thread)
        return thread is not None and thread.root_asked and message.user in thread.askers
