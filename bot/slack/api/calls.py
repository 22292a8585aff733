"""Slack's Web API, each call counted by its method and its outcome."""

import re
from types import SimpleNamespace
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.metrics import CALLS, LIMITED

_METHOD = re.compile(r"/api/([a-zA-Z.]+)$")
_CODE = re.compile(r"[a-z0-9_]{1,60}")


class CountedClient(AsyncWebClient):
    """The SDK's client; a call that it tries again by itself is one call."""

    async def api_call(self, api_method: str, **options: Any) -> AsyncSlackResponse:
        outcome = "cancelled"
        try:
            reply = await super().api_call(api_method, **options)
            outcome = "ok"
            return reply
        except SlackApiError as error:
            outcome = code_of(error) or f"http_{getattr(error.response, 'status_code', 0)}"
            raise
        except (aiohttp.ClientError, TimeoutError):
            outcome = "broken"
            raise
        finally:
            CALLS.labels(api_method, outcome).inc()


def code_of(error: SlackApiError) -> str:
    """Slack's own name for what was wrong, or "" where the answer was not Slack's."""
    data = getattr(error.response, "data", None)
    code = str(data.get("error") or "") if isinstance(data, dict) else ""
    return code if _CODE.fullmatch(code) else ""


def trace() -> aiohttp.TraceConfig:
    """For the session of the clients: counts each request that was one too many, those too that are made again."""
    config = aiohttp.TraceConfig()
    config.on_request_end.append(_ended)
    return config


async def _ended(_: aiohttp.ClientSession, __: SimpleNamespace, params: aiohttp.TraceRequestEndParams) -> None:
    if params.response.status == 429:
        method = _METHOD.search(params.url.path)
        LIMITED.labels(method[1] if method else "response_url").inc()
