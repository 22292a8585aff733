"""The clients of Slack's API, and what keeps them from starting."""

import ipaddress
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.logger.messages import warning_client_prioritized_and_token_skipped
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.proxy_env_variable_loader import load_http_proxy_from_env
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.slack.api.calls import CountedClient, code_of, trace
from bot.slack.api.pace import Pace
from bot.slack.api.paced import PacedClient

# At DEBUG the SDK writes whole messages to its log: its level is its own, and whoever changes it gets no more.
sdk_log = logging.getLogger("bot.slack.sdk")
sdk_log.setLevel(logging.INFO)
sdk_log.addFilter(lambda record: record.levelno >= logging.INFO)
# Bolt finds SLACK_BOT_TOKEN in the environment and says each time that it does not use it.
sdk_log.addFilter(lambda record: record.getMessage() != warning_client_prioritized_and_token_skipped())

CALL_SECONDS = 30.0
_NO_GOOD = (
    *("access_denied", "account_inactive", "ekm_access_denied", "enterprise_is_restricted", "invalid_auth", "is_bot"),
    *("missing_scope", "no_permission", "not_allowed_token_type", "not_authed", "token_expired", "token_revoked"),
)
"""What Slack says of a token that will not do later either."""


class SlackSetupError(Exception):
    """Slack cannot be used as it is set up; the text is one line that names the setting and the mend."""


class SlackUnreachable(SlackSetupError):
    """Slack does not answer, or cannot for now: at a start the address may be wrong, later on it passes."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the bot is, as `auth.test` says."""

    user: str
    bot: str
    team: str
    """The workspace, or the organisation where the app is installed to the whole of it."""
    organisation: str
    address: str
    """The workspace's: `https://acme.slack.com/`."""


def session() -> aiohttp.ClientSession:
    """For every call of the Web API; to be closed by whoever made it."""
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=CALL_SECONDS), trace_configs=[trace()])


def reading(session: aiohttp.ClientSession, api_url: str, token: str, pace: Pace) -> AsyncWebClient:
    """A client that takes its turns, and tries again, which is right for reads alone."""
    handlers = [AsyncConnectionErrorRetryHandler(), AsyncRateLimitErrorRetryHandler(2), AsyncServerErrorRetryHandler()]
    return _client(session, api_url, token, handlers, partial(PacedClient, pace=pace))


def writing(session: aiohttp.ClientSession, api_url: str, token: str | None) -> AsyncWebClient:
    """A client that tries nothing again: a post whose connection broke may have been made."""
    return _client(session, api_url, token, [])


def paced(
    session: aiohttp.ClientSession, api_url: str, token: str, pace: Pace, *, waits: bool = True
) -> AsyncWebClient:
    """As `writing` gives it, and what Slack says of its limits is told to `pace`; it `waits` for its turns there."""
    return _client(session, api_url, token, [], partial(PacedClient, pace=pace, waits=waits))


def responding(session: aiohttp.ClientSession, url: str) -> Callable[[str], Awaitable[bool]]:
    """Sends text to the one who gave a command, through the command's address; False where Slack does not take it."""
    client = AsyncWebhookClient(url, session=session, logger=sdk_log, retry_handlers=[])
    if _is_direct(url):
        client.proxy = None

    async def send(text: str) -> bool:
        try:
            # A command has no message of its own that could be replaced: each of these stands by itself.
            reply = await client.send(text=text, response_type="ephemeral", unfurl_links=False, unfurl_media=False)
        except (aiohttp.ClientError, TimeoutError):
            return False
        return reply.status_code == 200

    return send


async def identity(slack: AsyncWebClient) -> Identity:
    """Raises `SlackSetupError`."""
    mend = "Copy the bot's token, xoxb-…, from the app's page OAuth & Permissions."
    reply = await _made(slack.auth_test(), slack.base_url, f"SLACK_BOT_TOKEN is not accepted by Slack ({{}}). {mend}")
    organisation = reply.get("enterprise_id") or ""
    return Identity(
        user=reply["user_id"],
        bot=reply.get("bot_id") or "",
        team=organisation if reply.get("is_enterprise_install") else reply.get("team_id") or organisation,
        organisation=organisation,
        address=reply.get("url") or "https://slack.com/",
    )


async def socket_link(slack: AsyncWebClient, app_token: str) -> str:
    """A fresh address for one socket.  Raises `SlackSetupError`."""
    mend = "Create an app-level token, xapp-…, with the scope connections:write on the app's page Basic Information."
    wrong = f"SLACK_APP_TOKEN is not accepted by Slack ({{}}). {mend}"
    reply = await _made(slack.apps_connections_open(app_token=app_token), slack.base_url, wrong)
    return str(reply["url"])


def bolt(client: AsyncWebClient, bot_token: str, who: Identity) -> AsyncApp:
    """`client` bears no token.  The answer to whom each event is for is known from the start: nothing is asked for
    at an event, and SLACK_CLIENT_ID in the environment does not turn the app into one for many workspaces."""

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=who.organisation or None,
            team_id=who.team,
            bot_user_id=who.user,
            bot_id=who.bot,
            bot_token=bot_token,
        )

    return AsyncApp(
        name="footnote",
        logger=sdk_log,
        client=client,
        signing_secret="",
        request_verification_enabled=False,  # Over HTTP it is verified at the door, before anything is parsed.
        raise_error_for_unhandled_request=True,
        authorize=authorize,
        attaching_conversation_kwargs_enabled=False,
    )


def proxy_for(url: str) -> str | None:
    """The proxy of the environment, for an address that is not reached without one."""
    return None if _is_direct(url) else load_http_proxy_from_env(sdk_log)


def _client(
    session: aiohttp.ClientSession,
    api_url: str,
    token: str | None,
    handlers: Sequence[AsyncRetryHandler],
    kind: Callable[..., AsyncWebClient] = CountedClient,
) -> AsyncWebClient:
    client = kind(token, base_url=api_url, session=session, logger=sdk_log, retry_handlers=list(handlers))
    if _is_direct(api_url):
        client.proxy = None
    return client


def _is_direct(url: str) -> bool:
    """Whether an address is reached without the proxy of the environment; the SDK knows no exceptions from it."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or bool(proxy_bypass(host))


async def _made(call: Awaitable[Any], api_url: str, wrong: str) -> Any:
    unreachable = "Slack cannot be reached at {} ({}). Check the network, or SLACK_API_URL."
    try:
        return await call
    except SlackApiError as error:
        code = code_of(error)
        if code in _NO_GOOD:
            raise SlackSetupError(wrong.format(code)) from error
        raise SlackUnreachable(unreachable.format(api_url, code or "no answer of Slack's")) from error
    except (aiohttp.ClientError, TimeoutError) as error:
        raise SlackUnreachable(unreachable.format(api_url, type(error).__name__)) from error
