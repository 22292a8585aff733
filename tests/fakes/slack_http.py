"""Slack as it calls an app over HTTP: signed requests to the app's own address, with retries."""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import aiohttp

from tests.fakes.slack_delivery import PATIENCE, Deliveries, Delivery

JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@dataclass
class Posts(Deliveries):
    url: str = ""
    secret: str = ""
    patience: float = PATIENCE
    """Seconds for a reply."""
    statuses: list[int] = field(default_factory=list)
    """Of the replies that came, in their order."""
    reasons: dict[int, str] = field(default_factory=dict)
    """Why a delivery comes again, by its `id()`."""

    async def retry_due(self) -> None:
        for delivery in list(self.deliveries):
            if delivery.due is not None and self.clock() >= delivery.due:
                await self._again(delivery, self.reasons[id(delivery)])

    async def challenge(self) -> str:
        """What Slack asks of a new address: it gives what the app replied."""
        body = json.dumps({"type": "url_verification", "token": "t", "challenge": "3eZbrw1aB"})
        status, reply, _ = await self.post(body, JSON)
        assert status == 200, status
        return reply

    async def post(
        self, body: str, kind: str, more: Mapping[str, str] | None = None, secret: str | None = None
    ) -> tuple[int, str, Mapping[str, str]]:
        """Status, body and headers of the reply to a signed request; `secret` signs it in place of the right one."""
        headers = {"Content-Type": kind, **signed(secret or self.secret, body), **(more or {})}
        timeout = aiohttp.ClientTimeout(self.patience)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(self.url, data=body.encode(), headers=headers) as reply,
        ):
            self.statuses.append(reply.status)
            return reply.status, await reply.text(), reply.headers

    async def _send(self, delivery: Delivery) -> None:
        more = {}
        if delivery.attempts:
            reason = delivery.envelope["retry_reason"]
            more = {"X-Slack-Retry-Num": str(delivery.attempts), "X-Slack-Retry-Reason": reason}
        delivery.sent = asyncio.get_running_loop().time()
        reply: Mapping[str, str] = {}
        try:
            status, text, reply = await self.post(*_body(delivery), more)
            reason = "" if status == 200 else "http_error"
        except TimeoutError:
            reason = "http_timeout"
        except aiohttp.ClientError:
            reason = "connection_failed"
        if not reason:
            delivery.acknowledge(_parsed(text))
        self.reasons[id(delivery)] = reason
        if reply.get("X-Slack-No-Retry") == "1":
            delivery.due = None
        self.changed()


def signed(secret: str, body: str, at: float | None = None) -> dict[str, str]:
    """The headers that sign a body, now or `at` some other time."""
    moment = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), f"v0:{moment}:{body}".encode(), hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": moment, "X-Slack-Signature": f"v0={digest}"}


def _body(delivery: Delivery) -> tuple[str, str]:
    payload = delivery.envelope["payload"]
    match delivery.envelope["type"]:
        case "events_api":
            return json.dumps(payload), JSON
        case "interactive":
            return urlencode({"payload": json.dumps(payload)}), FORM
        case _:
            return urlencode(payload), FORM


def _parsed(text: str) -> Any:
    return json.loads(text) if text.startswith("{") else text or None
