"""The people of a workspace: their names, languages and time zones, and whether they are full members."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import aiohttp
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.research.untrusted import readable
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
PAGE = 1_000
MOST_PAGES = 20


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
    language: str = "en"
    """The one that they have set in Slack, as an ISO 639-1 code."""


class People:
    """Asks Slack, and remembers.  Methods raise one of `UNREACHABLE` where Slack does not tell."""

    def __init__(self, slack: AsyncWebClient, *, team: str, organisation: str = "") -> None:
        self._slack = slack
        self._team = team
        self._organisation = organisation
        # With a token of a whole organisation Slack lists the people of one of its workspaces at a time.
        self._has_list = team != organisation
        self._known: dict[str, tuple[float, Person]] = {}
        self._channel_names: dict[str, str] = {}
        self._group_names: dict[str, str] = {}
        self._listing = asyncio.Lock()

    async def person(self, user: str, *, fresh: bool = False) -> Person:
        """With `fresh`, as Slack has them now."""
        known = self._remembered(user)
        if known is not None and not fresh:
            return known
        reply = await self._slack.users_info(user=user, include_locale=True)
        return self._learn(reply["user"])

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
        """All of them; raises `LookupError` where Slack's list lacks one."""
        wanted = list(dict.fromkeys(users))
        async with self._listing:  # Who comes second finds them remembered.
            unknown = [user for user in wanted if self._remembered(user) is None]
            if len(unknown) > ONE_BY_ONE and self._has_list:
                await self._list()
            else:
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
        if self._has_list and sum(self._remembered(user) is None for user in wanted) > ONE_BY_ONE:
            with suppress(*UNREACHABLE):
                async with self._listing:
                    await self._list()
        return wanted

    async def _groups(self, groups: Iterable[str]) -> dict[str, str]:
        try:
            if any(group not in self._group_names for group in groups):
                found = (await self._slack.usergroups_list())["usergroups"]
                self._group_names |= {group["id"]: str(group.get("handle") or group["id"]) for group in found}
        except UNREACHABLE:
            logger.info("no names for user groups")
        return {group: self._group_names[group] for group in groups if group in self._group_names}

    async def _channel_name(self, channel: str) -> str:
        if channel not in self._channel_names:
            info = (await self._slack.conversations_info(channel=channel))["channel"]
            # Whoever writes an id need not be in the channel that it is of.
            private = info.get("is_private") or info.get("is_im") or info.get("is_mpim")
            self._channel_names[channel] = channel if private else str(info.get("name") or channel)
        return self._channel_names[channel]

    async def _list(self) -> None:
        cursor = ""
        for _ in range(MOST_PAGES):
            reply = await self._slack.users_list(limit=PAGE, cursor=cursor or None, include_locale=True)
            for user in reply["members"]:
                self._learn(user)
            cursor = next_cursor(reply.data)
            if not cursor:
                return

    def _remembered(self, user: str) -> Person | None:
        learned, person = self._known.get(user, (float("-inf"), None))
        return person if asyncio.get_running_loop().time() - learned < REMEMBERED else None

    def _learn(self, user: Mapping[str, Any]) -> Person:
        person = self._read(user)
        self._known[person.id] = (asyncio.get_running_loop().time(), person)
        return person

    def _read(self, user: Mapping[str, Any]) -> Person:
        profile = user.get("profile") or {}
        organisation = (user.get("enterprise_user") or {}).get("enterprise_id")
        inside = user.get("team_id", self._team) == self._team or (organisation and organisation == self._organisation)
        foreign = not inside or bool(user.get("is_stranger"))
        guest = bool(user.get("is_restricted") or user.get("is_ultra_restricted"))
        vouched = not foreign and user.get("is_email_confirmed") is not False
        # Their roles in the organisation are beside those in the workspace, which may be given alone.
        roles = (user, user.get("enterprise_user") or {})
        names = (profile.get("real_name"), user.get("real_name"), profile.get("display_name"), user.get("name"))
        return Person(
            id=user["id"],
            name=readable(next(filter(None, names), user["id"])),
            zone=_zone(user.get("tz")),
            mail=str(profile.get("email") or "").lower() if vouched else "",
            full_member=not foreign and not guest and not user.get("deleted"),
            is_bot=bool(user.get("is_bot")) and not foreign,
            language=str(user.get("locale") or "en").partition("-")[0],
            admin=not foreign and not guest and any(role.get("is_admin") or role.get("is_owner") for role in roles),
        )


def next_cursor(reply: object) -> str:
    """Where the next page begins, or ""."""
    metadata = reply.get("response_metadata") if isinstance(reply, Mapping) else None
    return str((metadata or {}).get("next_cursor") or "")


def _zone(name: object) -> tzinfo | None:
    try:
        return ZoneInfo(str(name)) if name else None
    except (KeyError, ValueError, OSError):  # One that this machine does not know, or no name of a zone at all.
        return None
