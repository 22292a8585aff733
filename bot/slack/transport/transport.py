"""How Slack's deliveries reach the bot: over sockets that it opens itself, or over HTTP."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, NoReturn

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.metrics import CONNECTED
from bot.slack.api.connection import socket_link
from bot.slack.transport.http import Door, opened
from bot.slack.transport.manifest import PATH
from bot.slack.transport.sockets import Line, Patience

logger = logging.getLogger(__name__)


class Presence:
    """Whether Slack reaches the bot, told to whoever wants to know: `ready` once, `changed` at each change."""

    def __init__(self, ready: Callable[[], None] | None, changed: Callable[[bool], None] | None) -> None:
        self._ready = ready
        self._changed = changed
        self._connected = False

    def tell(self, connected: bool) -> None:
        if connected == self._connected:
            return
        self._connected = connected
        CONNECTED.set(connected)
        logger.info("connected to Slack" if connected else "not connected to Slack")
        if self._changed is not None:
            self._changed(connected)
        if connected and self._ready is not None:
            self._ready()
            self._ready = None


async def transport(
    slack: AsyncWebClient, app_token: str, door: Door | None, patience: Patience
) -> Callable[[AsyncApp, Presence], Coroutine[Any, Any, NoReturn]]:
    """What brings deliveries to an app for ever: at `door`, or else over sockets.

    Raises `SlackSetupError`: whether the token is good is known before anything else begins.
    """
    if door is not None:
        return partial(_over_http, door)
    links = partial(socket_link, slack, app_token)
    return partial(_over_sockets, links, await links(), patience)


async def _over_sockets(
    links: Callable[[], Awaitable[str]],
    link: str,
    patience: Patience,
    app: AsyncApp,
    presence: Presence,
) -> NoReturn:
    """`links` gives fresh addresses, `link` is the first.  Raises `SlackSetupError` once there are no more of them."""
    # A session of their own: the connections of the other are kept for calls.
    async with aiohttp.ClientSession() as session:
        try:
            await Line(app, session, links, connected=presence.tell, patience=patience).keep(link)
        finally:
            presence.tell(False)


async def _over_http(door: Door, app: AsyncApp, presence: Presence) -> NoReturn:
    """Raises `SlackSetupError` where the port is not to be had."""
    async with opened(app, door) as port:
        logger.info("Slack's requests are taken at http://%s:%d%s", door.host, port, PATH)
        presence.tell(True)
        try:
            while True:
                await asyncio.Event().wait()
        finally:
            presence.tell(False)
