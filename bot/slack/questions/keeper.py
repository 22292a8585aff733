"""What is done again and again while the bot runs: signs of life, questions that others left, those that wait too
long, and what is kept no longer."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from bot.slack.questions.desk import Closed, Desk
from bot.slack.questions.endings import Endings
from bot.slack.questions.running import Running, wished
from bot.slack.surfaces.leaving import forget_what_was_left
from bot.store import Run, Store, StoreError

logger = logging.getLogger(__name__)

EVERY = 0.5
PRUNE_EVERY = 3600.0


class Keeper:
    def __init__(
        self,
        store: Store,
        desk: Desk,
        running: Running,
        *,
        endings: Endings,
        resume: Callable[[Run], None],
        share: Callable[[int], None],
        installed: Callable[[], Awaitable[bool | None]],
        clarify_timeout: float,
        traces: float,
        threads: float,
    ) -> None:
        """`resume` starts what goes on with a run that was left; `share` is told how many processes live; `installed`
        tells whether Slack still knows the app.  `clarify_timeout`: seconds for which an answer is waited for.
        `traces`, `threads`: days for which is kept how answers came to be, and what was asked and answered."""
        self._store = store
        self._desk = desk
        self._running = running
        self._endings = endings
        self._resume = resume
        self._share = share
        self._installed = installed
        self._clarify_timeout = clarify_timeout
        self._traces = traces
        self._threads = threads

    async def begin(self) -> None:
        """Take up what others left, before anything new comes."""
        try:
            await self._take_up_orphans()
        except StoreError as error:
            logger.warning("%s", error)

    async def keep(self) -> None:
        """Goes on until it is cancelled."""
        now = asyncio.get_running_loop().time
        lives, prunes = now(), now()
        while True:
            try:
                if now() >= lives:
                    await self._store.live()
                    lives = now() + self._store.lease / 3
                    await self._endings.again()
                    self._share(len(await self._store.processes()))
                    await self._take_up_orphans()
                    await forget_what_was_left(self._store, self._installed)
                await self._stop_what_others_stopped()
                await self._go_on_without_answers()
                if now() >= prunes:
                    await self._store.prune(traces=self._traces, threads=self._threads)
                    prunes = now() + PRUNE_EVERY
            except StoreError as error:
                logger.warning("%s", error)
            await asyncio.sleep(min(EVERY, self._store.lease / 3))

    async def _take_up_orphans(self) -> None:
        """What nobody is at any more, here or elsewhere."""
        with suppress(Closed), self._desk.receiving():
            for run in await self._store.orphans(self._running.busy):
                logger.info("%s: gone on with", run.key)
                self._resume(run)

    async def _go_on_without_answers(self) -> None:
        """What has waited long enough."""
        with suppress(Closed), self._desk.receiving():
            for run in await self._store.overdue(self._store.now() - self._clarify_timeout):
                await self._desk.go_on_without(run)

    async def _stop_what_others_stopped(self) -> None:
        for run in await self._store.stopping():
            if stop := wished(run):
                self._running.stop(run.key, stop)
