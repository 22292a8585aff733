"""What is done once about an event, over restarts: what is cut off or fails comes again with the event."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.slack.questions.desk import Closed, Desk
from bot.slack.tasks import Start, survive

PATIENCE = 2.0
"""Seconds; Slack waits for three."""


class Once:
    def __init__(
        self,
        desk: Desk,
        start: Start,
        *,
        known: Callable[[str], Awaitable[bool]],
        note: Callable[[str], Awaitable[object]],
    ) -> None:
        """`known` tells whether it was done, and `note` keeps that it was."""
        self._desk = desk
        self._start = start
        self._known = known
        self._note = note
        self._doing: dict[str, asyncio.Future[bool]] = {}

    async def do(self, key: str, act: Callable[[], Awaitable[bool]]) -> None:
        """Do it unless it was done: `act` gives whether that came to anything, else it may be done again some time.

        Raises `Closed` where it has failed, or is not done yet: then the event is not to be acknowledged, and comes
        again.
        """
        with self._desk.receiving():
            done = self._doing.get(key) or self._begin(key, act)
            await asyncio.wait({done}, timeout=PATIENCE)
            if not (done.done() and done.result()):
                raise Closed

    def _begin(self, key: str, act: Callable[[], Awaitable[bool]]) -> asyncio.Future[bool]:
        done = self._doing[key] = asyncio.get_running_loop().create_future()
        self._start(self._do(key, act, done))
        return done

    async def _do(self, key: str, act: Callable[[], Awaitable[bool]], done: asyncio.Future[bool]) -> None:
        well = False
        try:
            well = await survive(self._unless_done(key, act), key)
        finally:
            del self._doing[key]
            done.set_result(well)

    async def _unless_done(self, key: str, act: Callable[[], Awaitable[bool]]) -> None:
        if not await self._known(key) and await act():
            await self._note(key)
