"""Calls of Slack that are made until they are done: limits are waited out, broken connections tried again."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

import aiohttp
from slack_sdk.errors import SlackApiError, SlackRequestError

from bot.slack.api.calls import code_of
from bot.slack.api.paced import limited

logger = logging.getLogger(__name__)

T = TypeVar("T")
Call: TypeAlias = Callable[[], Awaitable[T]]

PATIENCE = 600.0
"""Seconds for which a call is tried again while nothing comes back; a place in the line is kept for any time."""
LONGEST_PAUSE = 30.0
_PASSING = ("fatal_error", "internal_error", "service_unavailable", "request_timeout", "team_added_to_org")


class Refusal(Exception):
    """Slack does not take the message, and trying again will not help; `code` is its error."""

    def __init__(self, code: str) -> None:
        super().__init__(f"Slack refused a message: {code}.")
        self.code = code


class Limited(Exception):
    """There have been too many calls; `seconds` is how long to wait."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Slack takes no more calls for {seconds:g} s.")
        self.seconds = seconds


class Broken(Exception):
    """Nobody knows whether the call took effect."""


def checked(call: Call[T]) -> Call[T]:
    """The call, with every way in which it can fail as one of the three."""

    async def made() -> T:
        try:
            return await call()
        except SlackApiError as error:
            raise _ours(error) from error
        except (aiohttp.ClientError, TimeoutError, SlackRequestError) as error:
            raise Broken(type(error).__name__) from error

    return made


async def until_done(
    call: Call[T], done: Call[T | None] | None = None, *, look: bool = False, first_pause: float = 1.0
) -> T:
    """What a checked call gives, which waits for its turn.  Raises `Refusal`, and `TimeoutError` when patience ends.

    `done` looks whether a call of which nobody knows took effect, and gives its result; with `look` first.
    """
    now = asyncio.get_running_loop().time
    pause, unknown, ends = first_pause, look, None
    while True:
        try:
            result = await _look(done) if unknown and done else None
            return await call() if result is None else result
        except Limited:
            continue  # in its turn
        except Broken as broken:
            ends = ends or now() + PATIENCE
            if now() + pause > ends:
                raise TimeoutError from broken
            logger.warning("Slack did not take a message (%s); trying again in %g s", broken, pause)
            unknown = True
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


def _ours(error: SlackApiError) -> Limited | Broken | Refusal:
    if (seconds := limited(error)) is not None:
        return Limited(seconds)
    code, status = code_of(error), getattr(error.response, "status_code", 0)
    if not code or status >= 500 or code in _PASSING:
        return Broken(code or f"HTTP {status}")
    return Refusal(code)


async def _look(done: Call[T | None]) -> T | None:
    try:
        return await done()
    except Refusal:
        return None  # It will never be known, and twice is better than not at all.
