"""Work that is started and looked after by somebody else."""

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias

from bot.store import Lost

logger = logging.getLogger(__name__)

Start: TypeAlias = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
"""Starts a task that a `TaskGroup` of the bot holds: one that is cancelled when the bot stops, or one that outlives a
cancelled answer, if only for its last word."""


async def survive(work: Awaitable[None], what: str) -> bool:
    """Whether the work ended well.  The one place that catches everything: a failed answer must not end the others."""
    try:
        await work
    except Lost:
        logger.warning("%s: another process goes on with it", what)
    except Exception as error:  # noqa: BLE001 - its cause goes to the log, whatever it is
        logger.error("%s failed: %s", what, _trace(error))
        return False
    return True


async def survived(work: Callable[[], Awaitable[None]], what: str) -> None:
    """Work that can be started as it is: however it ends, nothing else ends with it.  It is made only when its turn
    comes, as it may be cancelled before."""
    await survive(work(), what)


def _trace(error: BaseException) -> str:
    """Where an error comes from, without its own words, which may hold what people wrote."""
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else (error.__cause__ or error.__context__,)
    frames = "".join(traceback.format_tb(error.__traceback__))
    return "\nfrom ".join([f"{type(error).__name__}\n{frames}", *(_trace(one) for one in inner if one is not None)])
