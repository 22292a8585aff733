"""What whoever runs the bot may ask it: whether the process lives, whether it can answer, and its figures."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias

from aiohttp import web
from prometheus_client.aiohttp import make_aiohttp_handler

logger = logging.getLogger(__name__)

CHECK_SECONDS = 2.0

Check: TypeAlias = Callable[[], Awaitable[object]]
"""Raises where what it looks at cannot be used."""


class HealthError(Exception):
    """The port is not to be had; the text is one line that names the setting and the mend."""


@dataclass(slots=True)
class Health:
    """What there is to say; `needed` are looked at each time that somebody asks, by name."""

    needed: Mapping[str, Check]
    model: Callable[[], Awaitable[str]]
    """What writes the answers, in a few words: without it there are answers too, of quotations."""
    slack: bool = False
    """Slack reaches the bot."""

    def connected(self, slack: bool) -> None:
        self.slack = slack

    async def report(self) -> dict[str, str]:
        """By name, `ok` or what is wrong; of the model, what it is."""
        async with asyncio.TaskGroup() as checks:
            needed = {name: checks.create_task(_looked_at(name, check)) for name, check in self.needed.items()}
            model = checks.create_task(_told(self.model))
        slack = "ok" if self.slack else "not connected"
        return {"slack": slack, **{name: task.result() for name, task in needed.items()}, "model": model.result()}


@asynccontextmanager
async def open_health(health: Health, *, host: str, port: int) -> AsyncIterator[int]:
    """Answers /healthz, /readyz and /metrics; gives the port, which for 0 is any that is free.

    Raises `HealthError`.
    """

    async def alive(_: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def ready(_: web.Request) -> web.Response:
        report = await health.report()
        fit = all(state == "ok" for name, state in report.items() if name != "model")
        return web.json_response({"ready": fit, **report}, status=200 if fit else 503)

    application = web.Application()
    application.router.add_get("/healthz", alive)
    application.router.add_get("/readyz", ready)
    application.router.add_get("/metrics", make_aiohttp_handler())
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=CHECK_SECONDS)
    await runner.setup()
    try:
        await _listening(runner, host, port)
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


async def _listening(runner: web.AppRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        wrong = f"FOOTNOTE_HEALTH_PORT: nothing can listen on {host}:{port} ({error.strerror or error})."
        raise HealthError(f"{wrong} Choose another port or host, or stop what has it.") from error


async def _looked_at(name: str, check: Check) -> str:
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            await check()
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it, it is not fit, and the report still comes
        logger.warning("not ready: %s (%s)", name, type(error).__name__)
        return f"failed: {type(error).__name__}"
    return "ok"


async def _told(model: Callable[[], Awaitable[str]]) -> str:
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            return await model()
    except TimeoutError:
        return "does not answer"
