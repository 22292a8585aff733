"""Calling what a caller handed in, plain or async, without blocking the loop."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from typing import Any


async def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of `function`, awaited if it is async, else made in a thread of its own.

    The thread is a daemon: one that waits at a terminal must not keep a cancelled program from ending.
    """
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
        return await function(*arguments)
    result = await _in_thread(function, *arguments)
    return await result if inspect.isawaitable(result) else result


async def _in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if future.done():  # cancelled meanwhile: nobody waits for it any more
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def work() -> None:
        result, error = None, None
        try:
            result = function(*arguments)
        except BaseException as raised:  # noqa: BLE001 - it is raised again, in the task that waits
            error = RuntimeError("a callable raised StopIteration") if isinstance(raised, StopIteration) else raised
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, daemon=True, name=getattr(function, "__name__", "call")).start()
    return await future
