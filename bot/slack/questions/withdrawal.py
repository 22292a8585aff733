"""A question is gone: whatever was said to it is taken back, wherever that is, with what is kept of both."""

import logging
from collections.abc import Sequence
from contextlib import suppress

from bot.slack.api.outbox import Outbox, Refusal
from bot.slack.messages.last_word import file_of
from bot.slack.questions.inbound import Inbound
from bot.store import Run, Store

logger = logging.getLogger(__name__)


class Withdrawal:
    def __init__(self, store: Store, outbox: Outbox) -> None:
        self._store = store
        self._outbox = outbox

    async def withdraw(self, run: Run, messages: Sequence[str]) -> None:
        """`messages`: the ts of the answer's, as far as they are not kept with the run."""
        await self.take_back(run, run.channel, run.thread_ts, (*messages, *run.messages))
        if origin := run.asked.get("origin"):  # where a private answer may have been shared
            await self.take_back(run, *origin[:2])
        if run.thread_ts and not run.channel.startswith("D"):
            await self._take_back_directly(run)
        await self._store.forget(run)

    async def _take_back_directly(self, run: Run) -> None:
        """The answer may be where its asker alone reads it."""
        ts = Inbound.of(run.asked).ts
        try:
            channel, begun = await self._outbox.begun(run.user, run.key, since=ts)
        except (Refusal, TimeoutError) as error:
            logger.warning("%s: it cannot be known whether it was answered directly (%s)", run.key, error)
            return
        for thread_ts in begun:
            await self.take_back(run, channel, thread_ts, [thread_ts])

    async def take_back(self, run: Run, channel: str, thread_ts: str, messages: Sequence[str] = ()) -> None:
        """What was said to a question in a thread; `messages` as far as they do not say so themselves."""
        there: dict[str, str] = {}
        with suppress(Refusal, TimeoutError):  # With its last message a thread is gone, too.
            there = await self._outbox.posted(channel, thread_ts, run.key)
        for ts in dict.fromkeys((*messages, *there.values())):
            try:
                await self._outbox.delete(channel, ts)
            except (Refusal, TimeoutError) as error:
                logger.warning("%s: a message could not be taken back (%s)", run.key, error)
        with suppress(Refusal, TimeoutError):
            await self._outbox.delete_file(channel, thread_ts, file_of(run.key))
