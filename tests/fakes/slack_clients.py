"""The real clients, as the tests of the fake use them."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack import APP_TOKEN, FakeSlack


@asynccontextmanager
async def socket(
    slack: FakeSlack, *, acknowledge: bool = True, response: Any = None, patient: bool = True
) -> AsyncIterator[list[SocketModeRequest]]:
    """A socket that notes the envelopes which it gets, and acknowledges them with `response`.

    An event that says `acknowledge` is acknowledged in any case.
    """
    client = SocketModeClient(
        APP_TOKEN, web_client=AsyncWebClient(base_url=slack.url), ping_interval=10 if patient else 0.05
    )
    requests: list[SocketModeRequest] = []

    async def listener(client: SocketModeClient, request: SocketModeRequest) -> None:
        requests.append(request)
        if acknowledge or request.payload.get("event", {}).get("acknowledge"):
            payload = response if request.type == "interactive" else None
            await client.send_socket_mode_response(SocketModeResponse(request.envelope_id, payload))

    client.socket_mode_request_listeners.append(listener)
    await client.connect()
    try:
        yield requests
    finally:
        await client.close()


async def error(call: Awaitable[Any]) -> str:
    """With what Slack refuses a call."""
    with pytest.raises(SlackApiError) as raised:
        await call
    refusal: str = raised.value.response["error"]
    return refusal
