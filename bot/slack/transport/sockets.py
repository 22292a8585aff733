"""Socket Mode: one socket after another, none trusted longer than it shows life."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn, TypeAlias

import aiohttp
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app, send_async_response
from slack_bolt.async_app import AsyncApp
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from bot.metrics import CONNECTIONS
from bot.slack.api.connection import SlackUnreachable, proxy_for, sdk_log
from bot.slack.tasks import survived

logger = logging.getLogger(__name__)

Frame: TypeAlias = dict[str, Any]
"""What Slack says in JSON."""

TOO_MANY = "too_many_websockets"
_MENDS = {
    TOO_MANY: "Slack takes ten sockets of an app: stop what else runs with this SLACK_APP_TOKEN.",
    "link_disabled": "Socket Mode is off: turn it on on the app's page Socket Mode.",
}


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds."""

    hello: float = 15.0
    """For an address, its handshake and Slack's first word."""
    silence: float = 15.0
    """Two thirds of it without a word of Slack's, and it is asked for one; after the last third the socket is dead."""
    steady: float = 10.0
    """A socket that lived as long was a good one: its successor is opened without a pause."""
    first_pause: float = 1.0
    longest_pause: float = 30.0
    linger: float = 1.0
    """A socket that is replaced stays open as long, for what was on its way."""
    farewell: float = 3.0
    """How long it stays at most, while it has something to acknowledge."""
    close: float = 1.0


PATIENCE = Patience()


class Socket(AsyncBaseSocketModeClient):
    """One open socket.  The SDK's own client would try the address of a dead one for ever."""

    def __init__(
        self, ws: aiohttp.ClientWebSocketResponse, handle: Callable[["Socket", Frame], None], patience: Patience
    ) -> None:
        """`handle` starts to deal with an envelope, and does not wait."""
        self.logger = sdk_log
        self.over = asyncio.Event()
        """It is closed, or Slack asks to come back on another one; `reason` then says which."""
        self.reason = "closed"
        self.opened = time.monotonic()
        self._ws = ws
        self._handle = handle
        self._patience = patience
        self._idle = asyncio.Event()
        self._idle.set()
        self._handled = 0

    def welcomed(self, message: aiohttp.WSMessage) -> bool:
        """Whether Slack's first word is one that opens a socket; another one is heeded too."""
        frame = _frame(message)
        if frame.get("type") == "disconnect":
            self._asked_to_leave(frame)
        return frame.get("type") == "hello"

    async def listen(self) -> None:
        """Take what comes, until the socket is closed; at the end, what has come is still acknowledged."""
        try:
            async for message in self._ws:
                frame = _frame(message)
                if frame.get("type") == "disconnect":
                    self._asked_to_leave(frame)
                elif "envelope_id" in frame:
                    self._handle(self, frame)
        finally:
            self.over.set()
            await self._acknowledged(self._patience.close)
            await self._ws.close()

    async def retire(self) -> None:
        """Close it once what came over it is acknowledged."""
        await asyncio.sleep(self._patience.linger)
        await self._acknowledged(self._patience.farewell)
        await self._ws.close()

    async def _acknowledged(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            logger.warning("a socket is closed before all that came over it was acknowledged; it will come again")

    @contextmanager
    def handling(self) -> Iterator[None]:
        """While it lasts an envelope is dealt with that is to be acknowledged over this socket."""
        self._handled += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._handled -= 1
            if not self._handled:
                self._idle.set()

    async def close(self) -> None:
        await self._ws.close()

    async def send_message(self, message: str) -> None:
        try:
            await self._ws.send_str(message)
        except (ConnectionError, aiohttp.ClientError):
            logger.info("an acknowledgement came too late for its socket; Slack delivers again")

    def _asked_to_leave(self, frame: Frame) -> None:
        self.reason = str(frame.get("reason") or "disconnect")
        self.over.set()


class Line:
    """The line to Slack: always one socket, and a second one while the first is replaced."""

    def __init__(
        self,
        app: AsyncApp,
        session: aiohttp.ClientSession,
        links: Callable[[], Awaitable[str]],
        *,
        connected: Callable[[bool], None],
        patience: Patience,
    ) -> None:
        """`links` gives a fresh address; `connected` is told whether Slack reaches the bot, again and again."""
        self._app = app
        self._session = session
        self._links = links
        self._connected = connected
        self._patience = patience
        self._pause = 0.0
        self._open_sockets = 0

    async def keep(self, link: str) -> NoReturn:
        """Hold the line, first by `link`.  Raises `SlackSetupError` once Slack does not accept the token any more."""
        old: Socket | None = None
        # The sockets end first, and what came over them is still acknowledged.
        async with asyncio.TaskGroup() as envelopes, asyncio.TaskGroup() as sockets:

            def handle(socket: Socket, frame: Frame) -> None:
                deal = partial(self._deal_with, socket, frame)
                envelopes.create_task(survived(deal, f"the envelope {frame['envelope_id']}"))

            while True:
                socket = await self._open(link, handle)
                link = ""
                if socket is not None:
                    sockets.create_task(self._listen(socket))
                    if old is not None:
                        sockets.create_task(old.retire())
                    await socket.over.wait()
                    old = await self._ended(socket)
                await self._wait()

    async def _listen(self, socket: Socket) -> None:
        self._open_sockets += 1
        self._connected(True)
        try:
            await socket.listen()
        finally:
            self._open_sockets -= 1
            self._connected(self._open_sockets > 0)

    async def _deal_with(self, socket: Socket, frame: Frame) -> None:
        with socket.handling():
            request = SocketModeRequest.from_dict(frame)
            if request is not None:
                response = await run_async_bolt_app(self._app, request)
                await send_async_response(socket, request, response, time.time())

    async def _open(self, link: str, handle: Callable[[Socket, Frame], None]) -> Socket | None:
        """A socket on which Slack has said hello, by a fresh address unless one is given; None where there is none."""
        try:
            async with asyncio.timeout(self._patience.hello):
                link = link or await self._links()
                ws = await self._session.ws_connect(
                    link,
                    heartbeat=self._patience.silence / 1.5,
                    timeout=aiohttp.ClientWSTimeout(ws_close=self._patience.close),
                    proxy=proxy_for(link),
                )
                return await self._greeted(Socket(ws, handle, self._patience), ws)
        except (SlackUnreachable, aiohttp.ClientError, TimeoutError, OSError) as error:
            # The words of such an error may hold the address, which is a secret.
            reason = str(error) if isinstance(error, SlackUnreachable) else type(error).__name__
            logger.warning("no socket to Slack (%s)", reason)
            return None

    async def _greeted(self, socket: Socket, ws: aiohttp.ClientWebSocketResponse) -> Socket | None:
        greeted = False
        try:
            greeted = socket.welcomed(await ws.receive())
        finally:
            if not greeted:
                await ws.close()
        if not greeted:
            self._say_why(socket)
            return None
        CONNECTIONS.inc()
        return socket

    async def _ended(self, socket: Socket) -> Socket | None:
        """Gives the socket while it is still of use."""
        if time.monotonic() - socket.opened >= self._patience.steady:
            self._pause = 0.0
        self._say_why(socket)
        if socket.reason in ("warning", "refresh_requested"):
            return socket
        await socket.close()  # Before the next one: Slack counts them.
        return None

    def _say_why(self, socket: Socket) -> None:
        mend = _MENDS.get(socket.reason)
        if mend:
            logger.error("Slack closes the socket (%s). %s", socket.reason, mend)
            self._pause = self._pause or self._patience.first_pause
        else:
            logger.info("the socket ends (%s); another one is opened", socket.reason)

    async def _wait(self) -> None:
        """The first successor comes at once; the more often it fails, the later the next."""
        await asyncio.sleep(self._pause)
        self._pause = min(max(2 * self._pause, self._patience.first_pause), self._patience.longest_pause)


def _frame(message: aiohttp.WSMessage) -> Frame:
    """{} for anything that is none."""
    if message.type is not aiohttp.WSMsgType.TEXT or not message.data.startswith("{"):
        return {}
    try:
        frame = json.loads(message.data)
    except (ValueError, RecursionError):
        return {}
    return frame if isinstance(frame, dict) else {}
