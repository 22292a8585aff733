"""The app is taken out of Slack: a day later what came from there is deleted, if the app has not come back."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.api.calls import code_of
from bot.slack.api.connection import Identity
from bot.store import DAY, Store

logger = logging.getLogger(__name__)

LEFT = "uninstalled"
_GONE = ("account_inactive", "invalid_auth", "token_revoked", "not_authed", "token_expired", "team_not_found")
"""What Slack says of a token whose app is no longer there."""


class Leaving:
    def __init__(self, store: Store, who: Identity) -> None:
        self._store = store
        self._who = who

    async def uninstalled(self, body: Mapping[str, Any]) -> None:
        if body.get("team_id") == self._who.team or self._is_of_the_organisation(body):
            await self._note()

    async def revoked(self, body: Mapping[str, Any]) -> None:
        """Those of people are nothing to the bot, which has none."""
        if (body["event"].get("tokens") or {}).get("bot"):
            await self.uninstalled(body)

    def _is_of_the_organisation(self, body: Mapping[str, Any]) -> bool:
        return bool(self._who.organisation) and body.get("enterprise_id") == self._who.organisation

    async def _note(self) -> None:
        if await self._store.marks.note(LEFT):
            logger.warning("the app was uninstalled: what came from Slack is deleted in a day, unless it comes back")


async def installed(slack: AsyncWebClient) -> bool | None:
    """Whether Slack knows the app; None where that cannot be known now."""
    try:
        await slack.auth_test()
    except SlackApiError as error:
        return False if code_of(error) in _GONE else None
    except (aiohttp.ClientError, TimeoutError):
        return None
    return True


async def forget_what_was_left(store: Store, ask: Callable[[], Awaitable[bool | None]]) -> None:
    """Delete what came from Slack where the app left a day ago; `ask` tells whether it has come back since."""
    since = await store.marks.since(LEFT)
    if since is None or since < DAY:
        return
    back = await ask()
    if back:
        await store.marks.remove(LEFT)
    elif back is False:
        logger.warning("what came from Slack is deleted: the app was uninstalled a day ago")
        await store.forget_all()
