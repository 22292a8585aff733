"""Somebody comes into a channel while an answer is written there: it goes on only where they may read it, too."""

from collections.abc import Mapping
from typing import Any

from bot.slack.questions.context import ContextReader
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.running import Running, Stop
from bot.slack.tasks import Start, survived
from bot.store import Store


class Newcomers:
    def __init__(self, *, store: Store, running: Running, contexts: ContextReader, start: Start) -> None:
        """`start` starts what Slack need not wait for."""
        self._store = store
        self._running = running
        self._contexts = contexts
        self._start = start

    async def joined(self, body: Mapping[str, Any]) -> None:
        """What another process writes there is looked at before its last word."""
        for key in self._running.live:
            if key.startswith(f"{body['event']['channel']}:"):
                self._start(survived(self._check(key), f"the look at who may read the answer to {key}"))

    async def _check(self, key: str) -> None:
        run = await self._store.run(key)
        if run is None or run.audience is None:
            return
        if not await self._contexts.still_covers(run.audience, Inbound.of(run.asked)):
            self._running.stop(key, Stop("readers"))
