"""The fake Slack in a process of its own, with the people who act in it, so that its work is not the bot's."""

import asyncio
import multiprocessing
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from typing import Any

from tests.fakes.slack import MANIFEST, FakeSlack, serve_slack

People = Callable[[FakeSlack, Connection], Awaitable[Any]]


@asynccontextmanager
async def slack_elsewhere(
    people: People, port: int = 0, manifest: dict[str, Any] = MANIFEST
) -> AsyncIterator[tuple[str, Connection]]:
    """The address of a Slack in another process, in which `people` (a function of a module) act, and the pipe to them.

    What nobody acknowledges comes again there, as time goes by.  The process is over when `people` returns.
    """
    processes = multiprocessing.get_context("spawn")
    ours, theirs = processes.Pipe()
    process = processes.Process(target=_run, args=(people, theirs, port, manifest), daemon=True)
    process.start()
    theirs.close()  # Its end is seen then, however it comes.
    try:
        yield await asyncio.to_thread(ours.recv), ours
        await asyncio.to_thread(process.join)
    finally:
        process.kill()
        await asyncio.to_thread(process.join)
        ours.close()


def _run(people: People, pipe: Connection, port: int, manifest: dict[str, Any]) -> None:
    asyncio.run(_serve(people, pipe, port, manifest))


async def _serve(people: People, pipe: Connection, port: int, manifest: dict[str, Any]) -> None:
    async with serve_slack(port, manifest) as slack, asyncio.TaskGroup() as tasks:
        retrying = tasks.create_task(slack.transport.keep_retrying())
        pipe.send(slack.url)
        await people(slack, pipe)
        retrying.cancel()
