"""Somebody comes into a channel or leaves one while answers are written: each goes on only where all who read it then
may read what was found, whichever process writes it."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from bot.slack.questions.desk import Desk
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.readers import Readers
from bot.slack.questions.running import Running, Stop, wished
from bot.slack.tasks import Start, survived
from bot.store import Lost, Run, Store


class Newcomers:
    def __init__(self, *, desk: Desk, store: Store, running: Running, readers: Readers, start: Start) -> None:
        """`start` starts what Slack need not wait for."""
        self._desk = desk
        self._store = store
        self._running = running
        self._readers = readers
        self._start = start

    async def joined(self, body: Mapping[str, Any]) -> None:
        """They may read what is written in the channel.  Raises `Closed`, and `StoreError` where other processes cannot
        be told."""
        channel = str(body["event"]["channel"])
        with self._desk.receiving():
            # Before the look: whatever is begun too late for that sees the note.
            await self._store.moves.note(channel)
            look = partial(self._look, channel, channel)
            self._start(survived(look, f"the look at who may read what is written in {channel}"))

    async def left(self, body: Mapping[str, Any]) -> None:
        """They may read no longer what is the channel's, which may be in what is written for them anywhere.  Raises as
        `joined` does."""
        channel = str(body["event"]["channel"])
        with self._desk.receiving():
            await self._store.moves.note(str(body["event"]["user"]))
            look = partial(self._look, "", channel)
            self._start(survived(look, f"the look at who may read what was found in {channel}"))

    async def _look(self, place: str, channel: str) -> None:
        """At the answers that are written in a place, or in any."""
        for run in await self._store.open_in(place):
            found_there = any(f"channel:{channel}" in principals for principals in run.audience or ())
            if run.thread_ts and (place or found_there) and not await self._may_read(run):
                await self._doubt(run)

    async def _may_read(self, run: Run) -> bool:
        return run.audience is not None and (
            await self._readers.still(run.audience, Inbound.of(run.asked)) == "covered"
        )

    async def _doubt(self, run: Run) -> None:
        """Have the process that works on it look, too: it shows nothing more before that."""
        with suppress(Lost):
            stop = wished(await self._store.change(run.key, _doubted, own=False))
            if stop == Stop("readers"):
                self._running.stop(run.key, stop)


def _doubted(run: Run) -> Run:
    if run.status != "open":
        return run
    # What is read for those who were there is searched for nobody yet.
    return run.model_copy(update={"doubted": True} if run.audience is None else {"status": "stopping"})
