"""Slack's deliveries over HTTP: signed requests, which Bolt then deals with as with those of a socket."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import parse_qsl

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_sdk.signature import SignatureVerifier

from bot.slack.api.connection import SlackSetupError
from bot.slack.transport.manifest import PATH

logger = logging.getLogger(__name__)

LARGEST = 2**20
"""Bytes of a body; Slack's own stay far below."""
CLOSING_SECONDS = 3.0
_FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Door:
    """Where Slack's requests are taken: behind something that speaks HTTPS, which Slack insists on."""

    signing_secret: str
    host: str
    port: int
    """0 for any that is free."""
    patience: float = 3.0
    """Seconds for the whole of a request: as long as Slack waits for an acknowledgement."""


@asynccontextmanager
async def opened(app: AsyncApp, door: Door) -> AsyncIterator[int]:
    """Takes requests, and gives the port; at the end those that came are still answered.  Raises `SlackSetupError`."""
    verifier = SignatureVerifier(door.signing_secret)

    async def receive(request: web.Request) -> web.Response:
        try:
            async with asyncio.timeout(door.patience):
                body = await request.read()
        except (TimeoutError, ConnectionError):  # Whoever hung up does not hear it.
            return web.Response(status=408)
        if not _is_slacks(request, body, verifier):
            return web.Response(status=401, text="The signature is not Slack's, or too old.")
        return await to_aiohttp_response(await app.async_dispatch(await _for_bolt(request)))

    application = web.Application(client_max_size=LARGEST)
    application.router.add_post(PATH, receive)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=CLOSING_SECONDS)
    await runner.setup()
    try:
        await _listening(runner, door)
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


async def _listening(runner: web.AppRunner, door: Door) -> None:
    try:
        await web.TCPSite(runner, door.host, door.port).start()
    except OSError as error:
        wrong = f"FOOTNOTE_HTTP_PORT: nothing can listen on {door.host}:{door.port} ({error.strerror or error})."
        raise SlackSetupError(f"{wrong} Choose another port or host, or stop what has it.") from error


def _is_slacks(request: web.Request, body: bytes, verifier: SignatureVerifier) -> bool:
    """Before anything is parsed: until then it is anybody's."""
    try:
        return verifier.is_valid_request(body, dict(request.headers))
    except (ValueError, TypeError):  # No number for a time, no letters.
        return False


async def _for_bolt(request: web.Request) -> AsyncBoltRequest:
    """Bolt takes a form for empty that has the word "payload" in it, but no field of that name."""
    read = await to_bolt_request(request)
    if read.body or read.content_type != _FORM:
        return read
    fields = dict(parse_qsl(read.raw_body, keep_blank_values=True))
    mended = AsyncBoltRequest(mode="socket_mode", body=fields, query=read.query, headers=read.headers)
    mended.mode, mended.raw_body = read.mode, read.raw_body
    return mended
