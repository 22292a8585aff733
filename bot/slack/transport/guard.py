"""What every delivery goes through, whatever it is: whether it is for this bot, and that it is acknowledged."""

import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncApp
from slack_bolt.error import BoltUnhandledRequestError

from bot.slack.api.connection import Identity
from bot.slack.transport.shapes import lacking

logger = logging.getLogger(__name__)


def guard(app: AsyncApp, who: Identity) -> None:
    """To be called before what listens is added."""

    async def well_shaped(body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:
        missing = lacking(body.get("event") or {})
        if not missing:
            return await next()
        logger.warning("an event of Slack's was left alone: it lacks %s", missing)
        return BoltResponse(status=200)

    async def only_ours(body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:
        if is_for(body, who):
            return await next()
        logger.warning("an event of another workspace was left alone: one process serves one installation of the app")
        return BoltResponse(status=200)

    async def failed(error: Exception) -> BoltResponse | None:
        """What nobody listens to is acknowledged: it would come again three times.  What failed is not, and its own
        words, which may be what people wrote, are not logged."""
        if isinstance(error, BoltUnhandledRequestError):
            return BoltResponse(status=200)
        frames = "".join(traceback.format_tb(error.__traceback__))
        logger.error("a delivery of Slack's failed: %s\n%s", type(error).__name__, frames)
        return None

    app.middleware(only_ours)
    app.middleware(well_shaped)
    app.error(failed)


def is_for(body: Mapping[str, Any], who: Identity) -> bool:
    """Whether an event is for the installation that the bot's token is of: a workspace, or an organisation of several.

    Commands and interactions do not say.
    """
    authorizations = body.get("authorizations")
    if not authorizations:
        return True
    first = authorizations[0]
    if first.get("is_enterprise_install"):
        return bool(who.organisation) and first.get("enterprise_id") == who.organisation
    return bool(first.get("team_id") == who.team)
