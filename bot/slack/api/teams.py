"""The workspaces that the bot is for: one, or those of an Enterprise Grid organisation where it is installed."""

import asyncio
from typing import TypeAlias

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.api.pages import PAGE, pages

REMEMBERED = 300.0
"""Seconds after which one that was added to the organisation, or to the app, is known."""

Team: TypeAlias = str | None
"""The id of a workspace; None is the only one, which Slack need not be told."""


class Teams:
    """Slack lists people, channels and user groups with the token of an organisation for one workspace at a time."""

    def __init__(self, slack: AsyncWebClient, *, organisation: str = "") -> None:
        """`organisation`: the id of the one that the bot's token is of; "" where it is of a workspace."""
        self.organisation = organisation
        self._slack = slack
        self._known: tuple[Team, ...] = ()
        self._since = float("-inf")
        self._asking = asyncio.Lock()

    async def all(self) -> tuple[Team, ...]:
        """Raises one of `people.UNREACHABLE` where Slack does not tell, `LookupError` where they are too many."""
        if not self.organisation:
            return (None,)
        async with self._asking:
            asked = asyncio.get_running_loop().time()
            if asked - self._since >= REMEMBERED:
                listed = pages(self._slack.auth_teams_list, limit=PAGE)
                self._known = tuple([str(team["id"]) async for page in listed for team in page["teams"]])
                self._since = asked
            return self._known
