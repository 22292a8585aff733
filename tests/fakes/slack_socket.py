"""Slack's side of Socket Mode: tickets, sockets that come and go, acknowledgements."""

import asyncio
from dataclasses import dataclass, field

from aiohttp import ClientConnectionResetError, WSMsgType, web

from tests.fakes.slack_delivery import Deliveries, Delivery

MOST_SOCKETS = 10


@dataclass
class Sockets(Deliveries):
    """The open sockets of an app; each envelope goes to one of them."""

    connections: int = 0
    """How many there have been."""
    deaf: bool = False
    """Nothing that the app sends is heard or answered any more, though the sockets stay open."""
    _open: list[web.WebSocketResponse] = field(default_factory=list)
    _requests: dict[web.WebSocketResponse, web.Request] = field(default_factory=dict)
    _tickets: set[str] = field(default_factory=set)
    _failing: list[int] = field(default_factory=list)
    refused: int = 0
    """Handshakes that came to nothing."""

    @property
    def connected(self) -> int:
        """How many are open."""
        return len(self._open)

    def ticket(self) -> str:
        """Good for one connection."""
        ticket = f"ticket-{next(self._numbers)}"
        self._tickets.add(ticket)
        return ticket

    def fail_handshakes(self, times: int = 1, status: int = 503) -> None:
        """The next connections end before they begin, and their tickets with them."""
        self._failing += [status] * times

    async def link(self, request: web.Request) -> web.WebSocketResponse:
        socket = await self._shaken(request)
        self._open.append(socket)
        self._requests[socket] = request
        self.connections += 1
        hello = {"type": "hello", "num_connections": len(self._open), "connection_info": {"app_id": "A1"}}
        await socket.send_json({**hello, "debug_info": {"host": "fake", "approximate_connection_time": 18_060}})
        if len(self._open) > MOST_SOCKETS:
            await self.disconnect("too_many_websockets")
        self.changed()
        try:
            await self._send_lost()
            await self._listen(socket)
        finally:
            self._forget(socket)
        return socket

    async def _shaken(self, request: web.Request) -> web.WebSocketResponse:
        ticket = request.query.get("ticket", "")
        if self._failing:
            self._tickets.discard(ticket)
            self._refuse(self._failing.pop(0))
        if ticket not in self._tickets:
            self._refuse(403)
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        return socket

    def _refuse(self, status: int) -> None:
        self.refused += 1
        self.changed()
        raise web.HTTPForbidden if status == 403 else web.HTTPServiceUnavailable

    async def _send_lost(self) -> None:
        """What happened while nobody listened, or went into a socket that has died, comes as a retry."""
        for delivery in list(self.deliveries):
            lost = not delivery.sent or (delivery.way is not None and delivery.way not in self._open)
            if lost and delivery.lasting and not delivery.acknowledged:
                await self._again(delivery)

    async def _listen(self, socket: web.WebSocketResponse) -> None:
        async for message in socket:
            if self.deaf:
                continue
            if message.type == WSMsgType.PING:
                await socket.pong(message.data)
            elif message.type == WSMsgType.TEXT and message.data.startswith("{"):
                reply = message.json()
                if reply["envelope_id"] in self._by_id:
                    self._by_id[reply["envelope_id"]].acknowledge(reply.get("payload"))
                self.changed()

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Tell the newest socket to come back on another one; "warning" says that this will come soon."""
        await self._open[-1].send_json({"type": "disconnect", "reason": reason, "debug_info": {"host": "fake"}})

    async def drop(self) -> None:
        """All sockets break off without a word."""
        for socket in list(self._open):
            transport = self._requests[socket].transport
            self._forget(socket)
            if transport is not None:
                transport.abort()

    async def close(self) -> None:
        for socket in list(self._open):
            await socket.close()

    async def say(self, text: str) -> None:
        """Send the app what may be no envelope."""
        await self._open[0].send_str(text)

    def _forget(self, socket: web.WebSocketResponse) -> None:
        if socket in self._open:
            self._open.remove(socket)
        self._requests.pop(socket, None)
        self.changed()

    async def _send(self, delivery: Delivery) -> None:
        while self._open:
            socket = self._open[0]
            self._open.append(self._open.pop(0))
            delivery.sent, delivery.way = asyncio.get_running_loop().time(), socket
            try:
                await socket.send_json(delivery.envelope)
            except ClientConnectionResetError:  # Its process is gone.
                self._forget(socket)
                delivery.sent = 0.0
            else:
                return
