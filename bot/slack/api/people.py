"""The people of a workspace: their names, languages and time zones, and whether they are full members."""

import asyncio
import logging
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import aiohttp
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.research.untrusted import readable
from bot.slack.api.pages import PAGE, pages
from bot.slack.api.teams import Team, Teams
from indexers.slack_text import unnamed_channels, unnamed_groups, users

logger = logging.getLogger(__name__)

UNREACHABLE = (SlackClientError, aiohttp.ClientError, TimeoutError)
"""What a read of Slack's Web API raises when it cannot be made."""

REMEMBERED = 300.0
"""Seconds; a member who becomes a guest is taken for a member no longer than this."""
PATIENCE = 1.0
"""Seconds for somebody's language: what waits for it has to be there within three."""
ONE_BY_ONE = 10
"""Above this many unknown people the whole list of the workspace is the quicker one."""


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    name: str
    zone: tzinfo | None
    mail: str
    """In lower case; "" where Slack does not vouch for it."""
    full_member: bool
    """Of this workspace or organisation, and no guest."""
    is_bot: bool
    admin: bool = False
    """An admin or owner of the workspace or organisation."""
    home: str = ""
    """The workspace that their role as an admin is of; "" where it is one of the whole organisation, or there is no
    more than one workspace."""
    teams: frozenset[str] = frozenset()
    """The workspaces that they are in, and the organisation; empty where Slack does not tell, or there is but one."""
    language: str = "en"
    """The one that they have set in Slack, as an ISO 639-1 code."""

    def is_in(self, teams: frozenset[str]) -> bool:
        """Whether they are in one of these workspaces; that there is no more than one is told by naming none."""
        return not teams or not self.teams.isdisjoint(teams)

    def rules(self, teams: frozenset[str]) -> bool:
        """Whether they are an admin there."""
        return self.admin and (not self.home or self.home in teams)


class People:
    """Asks Slack, and remembers.  Methods raise one of `UNREACHABLE` where Slack does not tell."""

    def __init__(self, slack: AsyncWebClient, *, team: str, organisation: str = "") -> None:
        """`team` and `organisation` are those of the bot's token; the same where it is of a whole organisation."""
        self.teams = Teams(slack, organisation=organisation if team == organisation else "")
        self._slack = slack
        self._team = team
        self._organisation = organisation
        self._known: dict[str, tuple[float, Person]] = {}
        self._channel_names: dict[str, str] = {}
        self._group_names: dict[str, str] = {}
        self._listing = asyncio.Lock()

    async def person(self, user: str, *, fresh: bool = False) -> Person:
        """With `fresh`, as Slack has them now."""
        known = self._remembered(user)
        if known is not None and not fresh:
            return known
        teams = await self.teams.all()
        reply = await self._slack.users_info(user=user, include_locale=True)
        return self._learn(reply["user"], teams)

    async def language(self, user: str) -> str:
        """For whatever somebody is shown before they have written a word: the language that they have set in Slack,
        English where that is not told in time."""
        try:
            async with asyncio.timeout(PATIENCE):
                return (await self.person(user)).language
        except UNREACHABLE as error:
            logger.info("user %s: no language is known (%s)", user, type(error).__name__)
            return "en"

    async def people(self, users: Iterable[str]) -> list[Person]:
        """All of them; raises `LookupError` where Slack's list lacks many."""
        wanted = list(dict.fromkeys(users))
        async with self._listing:  # Who comes second finds them remembered.
            if len(self._unknown(wanted)) > ONE_BY_ONE:
                await self._list(wanted)
            if len(unknown := self._unknown(wanted)) <= ONE_BY_ONE:  # Not everybody is in a list of a workspace's.
                for user in unknown:
                    await self.person(user)
        found = [self._remembered(user) for user in wanted]
        if None in found:
            raise LookupError("Slack's list of users lacks a member of a channel.")
        return [person for person in found if person is not None]

    async def names_in(self, texts: Iterable[str], *, but: str = "") -> dict[str, str]:
        """Names by id of whatever texts in Slack's markup mention without a name, but for one user."""
        whole = "\n".join(texts)
        named = await self.names((user for user in users(whole) if user != but), unnamed_channels(whole))
        groups = unnamed_groups(whole)
        return {**named, **(await self._groups(groups) if groups else {})}

    async def names(self, users: Iterable[str], channels: Iterable[str] = ()) -> dict[str, str]:
        """Names by id, without those that Slack does not tell."""
        names = {}
        for user in await self._looked_up(users):
            try:
                names[user] = (await self.person(user)).name
            except UNREACHABLE:
                logger.info("no name for user %s", user)
        for channel in channels:
            try:
                names[channel] = await self._channel_name(channel)
            except UNREACHABLE:
                logger.info("no name for channel %s", channel)
        return names

    async def _looked_up(self, users: Iterable[str]) -> list[str]:
        """The users, with those of the list remembered where there are many."""
        wanted = list(dict.fromkeys(users))
        if len(self._unknown(wanted)) > ONE_BY_ONE:
            with suppress(*UNREACHABLE, LookupError):
                async with self._listing:
                    await self._list(wanted)
        return wanted

    async def _groups(self, groups: Iterable[str]) -> dict[str, str]:
        try:
            for team in await self.teams.all():
                if any(group not in self._group_names for group in groups):
                    await self._name_groups(team)
        except (*UNREACHABLE, LookupError):
            logger.info("no names for user groups: the workspaces are not known")
        return {group: self._group_names[group] for group in groups if group in self._group_names}

    async def _name_groups(self, team: Team) -> None:
        try:
            found = (await self._slack.usergroups_list(team_id=team))["usergroups"]
        except UNREACHABLE:
            logger.info("no names for the user groups of a workspace")
        else:
            self._group_names |= {group["id"]: str(group.get("handle") or group["id"]) for group in found}

    async def _channel_name(self, channel: str) -> str:
        if channel not in self._channel_names:
            info = (await self._slack.conversations_info(channel=channel))["channel"]
            # Whoever writes an id need not be in the channel that it is of.
            private = info.get("is_private") or info.get("is_im") or info.get("is_mpim")
            self._channel_names[channel] = channel if private else str(info.get("name") or channel)
        return self._channel_names[channel]

    async def _list(self, wanted: Collection[str]) -> None:
        """Learn of all in the workspaces, until there is nobody more that is wanted."""
        teams = await self.teams.all()
        for team in teams:
            if not self._unknown(wanted):
                return
            async for page in pages(self._slack.users_list, limit=PAGE, include_locale=True, team_id=team):
                for user in page["members"]:
                    self._learn(user, teams)

    def _unknown(self, users: Iterable[str]) -> list[str]:
        return [user for user in users if self._remembered(user) is None]

    def _remembered(self, user: str) -> Person | None:
        learned, person = self._known.get(user, (float("-inf"), None))
        return person if asyncio.get_running_loop().time() - learned < REMEMBERED else None

    def _learn(self, user: Mapping[str, Any], teams: Collection[Team]) -> Person:
        person = self._read(user, teams)
        self._known[person.id] = (asyncio.get_running_loop().time(), person)
        return person

    def _read(self, user: Mapping[str, Any], teams: Collection[Team] = ()) -> Person:
        """`teams` are the workspaces of the organisation that the bot's token is of."""
        profile = user.get("profile") or {}
        own: Mapping[str, Any] = user.get("enterprise_user") or {}
        team = user.get("team_id", self._team)
        organisation = own.get("enterprise_id")
        inside = team == self._team or team in teams or (organisation and organisation == self._organisation)
        foreign = not inside or bool(user.get("is_stranger"))
        guest = bool(user.get("is_restricted") or user.get("is_ultra_restricted"))
        vouched = not foreign and user.get("is_email_confirmed") is not False
        # Their roles in the organisation are beside those in the workspace, which may be given alone.
        here, everywhere = (any(role.get(one) for one in ("is_admin", "is_owner")) for role in (user, own))
        organised = bool(self.teams.organisation) and not foreign
        names = (profile.get("real_name"), user.get("real_name"), profile.get("display_name"), user.get("name"))
        return Person(
            id=user["id"],
            name=readable(next(filter(None, names), user["id"])),
            zone=_zone(user.get("tz")),
            mail=str(profile.get("email") or "").lower() if vouched else "",
            full_member=not foreign and not guest and not user.get("deleted"),
            is_bot=bool(user.get("is_bot")) and not foreign,
            language=str(user.get("locale") or "en").partition("-")[0],
            admin=not foreign and not guest and (here or everywhere),
            home=str(team) if organised and not everywhere else "",
            teams=frozenset(map(str, (organisation, *own["teams"]))) if organised and own.get("teams") else frozenset(),
        )


def _zone(name: object) -> tzinfo | None:
    try:
        return ZoneInfo(str(name)) if name else None
    except (KeyError, ValueError, OSError):  # One that this machine does not know, or no name of a zone at all.
        return None
