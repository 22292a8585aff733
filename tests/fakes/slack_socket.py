"""Slack's side of Socket Mode: tickets, envelopes, acknowledgements, redelivery."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web


@dataclass
class Delivery:
    """One envelope: an event as it was sent, and whether it was acknowledged."""

    envelope: dict[str, Any]
    acknowledged: bool = False
    sent: float = 0.0
    """When, in the loop's seconds; 0 while no socket was open to take it."""
    response: Any = None
    """What came with the acknowledgement."""

    @property
    def event(self) -> dict[str, Any]:
        return self.envelope["payload"]["event"]


@dataclass
class Sockets:
    """The open sockets of an app; each envelope goes to one of them."""

    changed: Callable[[], Any]
    deliveries: list[Delivery] = field(default_factory=list)
    connections: int = 0
    """How many there have been."""
    _open: list[web.WebSocketResponse] = field(default_factory=list)
    _tickets: set[str] = field(default_factory=set)
    _numbers: itertools.count = field(default_factory=lambda: itertools.count(1))

    @property
    def connected(self) -> int:
        """How many are open."""
        return len(self._open)

    def ticket(self) -> str:
        """Good for one connection."""
        ticket = f"ticket-{next(self._numbers)}"
        self._tickets.add(ticket)
        return ticket

    async def link(self, request: web.Request) -> web.WebSocketResponse:
        if request.query.get("ticket") not in self._tickets:
            raise web.HTTPForbidden
        self._tickets.discard(request.query["ticket"])
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._open.append(socket)
        self.connections += 1
        await socket.send_json({"type": "hello", "num_connections": len(self._open), "debug_info": {"host": "fake"}})
        for delivery in self.deliveries:
            if not delivery.sent:  # It happened while nobody listened, so it comes as a retry.
                delivery.envelope |= {"retry_attempt": 1, "retry_reason": "timeout"}
                await self._send(delivery)
        self.changed()
        try:
            await self._listen(socket)
        finally:
            if socket in self._open:
                self._open.remove(socket)
            self.changed()
        return socket

    async def _listen(self, socket: web.WebSocketResponse) -> None:
        async for message in socket:
            if message.type == WSMsgType.TEXT and message.data.startswith("{"):
                reply = message.json()
                envelope_id = reply["envelope_id"]
                for delivery in self.deliveries:
                    if delivery.envelope["envelope_id"] == envelope_id:
                        delivery.acknowledged = True
                        delivery.response = reply.get("payload")
                self.changed()

    async def deliver(self, payload: dict[str, Any], *, kind: str = "events_api", **more: Any) -> Delivery:
        envelope = {"type": kind, "envelope_id": f"E{next(self._numbers)}", "payload": payload}
        delivery = Delivery({**envelope, "accepts_response_payload": False, **more})
        self.deliveries.append(delivery)
        await self._send(delivery)
        return delivery

    async def redeliver(self, delivery: Delivery, reason: str = "timeout") -> Delivery:
        """The same event in a new envelope, as Slack does when it thinks that nobody took the first."""
        attempt = delivery.envelope.get("retry_attempt", 0) + 1
        return await self.deliver(delivery.envelope["payload"], retry_attempt=attempt, retry_reason=reason)

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Tell the newest socket to come back on another one."""
        await self._open[-1].send_json({"type": "disconnect", "reason": reason})

    async def close(self) -> None:
        for socket in list(self._open):
            await socket.close()

    async def _send(self, delivery: Delivery) -> None:
        if self._open:
            socket = self._open[0]
            self._open.append(self._open.pop(0))
            delivery.sent = asyncio.get_running_loop().time()
            await socket.send_json(delivery.envelope)
