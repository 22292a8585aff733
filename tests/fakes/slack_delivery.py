"""What Slack sends to the app, and sends again if nobody takes it; `Sockets` and `Posts` are the ways there."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.slack_call import Clock

PATIENCE = 3.0
"""Seconds for an acknowledgement."""
RETRIES = (0.0, 60.0, 300.0)
"""Seconds from one that was not acknowledged to the next."""


@dataclass
class Delivery:
    """One envelope: an event as it was sent, and whether it was acknowledged."""

    envelope: dict[str, Any]
    acknowledged: bool = False
    sent: float = 0.0
    """When, in the loop's seconds; 0 while no socket was open to take it."""
    response: Any = None
    """What came with the acknowledgement."""
    then: Callable[[Any], None] | None = None
    """Gets that response."""
    attempts: int = 0
    """How often it has come again."""
    due: float | None = None
    """When it comes again if nobody takes it, in Slack's seconds; never if None."""
    way: Any = None
    """The socket that it went through."""

    @property
    def event(self) -> dict[str, Any]:
        event: dict[str, Any] = self.envelope["payload"]["event"]
        return event

    @property
    def lasting(self) -> bool:
        """It comes again; what somebody does with a button or a command does not."""
        return bool(self.envelope["type"] == "events_api")

    def acknowledge(self, response: Any) -> None:
        if self.acknowledged:
            return
        self.acknowledged, self.response, self.due = True, response, None
        if self.then is not None:
            self.then(response)


@dataclass
class Deliveries:
    changed: Callable[[], Any]
    clock: Clock
    deliveries: list[Delivery] = field(default_factory=list)
    _numbers: itertools.count = field(default_factory=lambda: itertools.count(1))
    _by_id: dict[str, Delivery] = field(default_factory=dict)

    async def deliver(
        self,
        payload: dict[str, Any],
        *,
        kind: str = "events_api",
        then: Callable[[Any], None] | None = None,
        **more: Any,
    ) -> Delivery:
        envelope = {"type": kind, "payload": payload, "accepts_response_payload": kind != "events_api", **more}
        delivery = Delivery(envelope, then=then, attempts=more.get("retry_attempt", 0))
        self.deliveries.append(delivery)
        await self._deliver(delivery)
        return delivery

    async def redeliver(self, delivery: Delivery, reason: str = "timeout") -> Delivery:
        """The same event in a new envelope, as Slack does when it thinks that nobody took the first."""
        attempt = delivery.envelope.get("retry_attempt", 0) + 1
        return await self.deliver(delivery.envelope["payload"], retry_attempt=attempt, retry_reason=reason)

    async def retry_due(self) -> None:
        """Send again, as the same event, what was not acknowledged and whose time has come."""
        for delivery in list(self.deliveries):
            if delivery.due is not None and self.clock() >= delivery.due:
                await self._again(delivery)

    async def keep_retrying(self) -> None:
        """Do so for ever: for what runs in real time."""
        while True:
            await self.retry_due()
            await asyncio.sleep(0.05)

    async def _again(self, delivery: Delivery, reason: str = "timeout") -> None:
        delivery.attempts += 1
        delivery.envelope |= {"retry_attempt": delivery.attempts, "retry_reason": reason}
        await self._deliver(delivery)

    async def _deliver(self, delivery: Delivery) -> None:
        delivery.envelope["envelope_id"] = f"E{next(self._numbers)}"
        self._by_id[delivery.envelope["envelope_id"]] = delivery
        pause = RETRIES[delivery.attempts] if delivery.attempts < len(RETRIES) else None
        delivery.due = self.clock() + PATIENCE + pause if delivery.lasting and pause is not None else None
        await self._send(delivery)

    async def _send(self, delivery: Delivery) -> None:
        raise NotImplementedError
