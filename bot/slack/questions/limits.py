"""How many questions a person and a channel may have at once, and a person in a minute: over all processes."""

import logging

from bot.slack.messages import notices
from bot.store import Excess, Run, Store, StoreError

logger = logging.getLogger(__name__)


class TooMany(Exception):
    """The question is not answered; `told` says why, as a sentence of `notices`."""

    def __init__(self, told: dict[str, str]) -> None:
        super().__init__(told["en"])
        self.told = told


class Limits:
    """A limit that cannot be counted, since the store fails, holds nobody up: what is counted is taken up already, and
    would else be neither answered nor refused."""

    def __init__(
        self, store: Store, *, user_at_once: int = 0, channel_at_once: int = 0, user_per_minute: int = 0
    ) -> None:
        """0 is no limit."""
        self._tallies = store.tallies
        self._user_at_once = user_at_once
        self._channel_at_once = channel_at_once
        self._user_per_minute = user_per_minute

    async def take(self, run: Run, user: str) -> None:
        """Count a question that `user` has begun, as long as it is worked on.  Raises `TooMany`."""
        try:
            told = await self._excess(run, user)
        except StoreError as error:
            logger.warning("%s: answered without a look at the limits (%s)", run.key, error)
            return
        if told is not None:
            raise TooMany(told)

    async def keep(self, run: Run) -> None:
        """Count a question again that somebody was waited for."""
        try:
            if self._user_at_once:
                await self._tallies.keep(_of_user(run.user), run.key)
            if self._channel_at_once:
                await self._tallies.keep(_of_channel(run), run.key)
        except StoreError as error:
            logger.warning("%s: not counted (%s)", run.key, error)

    async def give_back(self, run: Run, user: str) -> None:
        """It was not begun after all."""
        try:
            if self._user_at_once or self._user_per_minute:
                await self._tallies.take_back(_of_user(user), run.key)
            if self._channel_at_once:
                await self._tallies.take_back(_of_channel(run), run.key)
        except StoreError as error:
            logger.warning("%s: counted once too often (%s)", run.key, error)

    async def _excess(self, run: Run, user: str) -> dict[str, str] | None:
        at_once, per_minute = self._user_at_once, self._user_per_minute
        if at_once or per_minute:
            excess = await self._tallies.add(_of_user(user), run.key, at_once=at_once, in_a_minute=per_minute)
            if excess:
                return _TOLD[excess]
        if self._channel_at_once and await self._tallies.add(_of_channel(run), run.key, at_once=self._channel_at_once):
            if at_once or per_minute:
                await self._tallies.take_back(_of_user(user), run.key)
            return notices.TOO_MANY_HERE
        return None


_TOLD: dict[Excess, dict[str, str]] = {"at once": notices.TOO_MANY_OF_YOURS, "in a minute": notices.TOO_FAST}


def _of_user(user: str) -> str:
    return f"user:{user}"


def _of_channel(run: Run) -> str:
    return f"channel:{run.channel}"
