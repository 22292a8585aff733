"""On whose behalf is searched: who could read an answer in a place.  Whatever cannot be known counts as the worst."""

import logging

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.inbound import Inbound
from bot.slack.people import MOST_PAGES, PAGE, UNREACHABLE, People, next_cursor
from indexers.document import PUBLIC, WORKSPACE, Audience

logger = logging.getLogger(__name__)

_SHARED = ("is_ext_shared", "is_pending_ext_shared", "is_shared", "is_org_shared")


class Audiences:
    def __init__(self, slack: AsyncWebClient, people: People) -> None:
        self._slack = slack
        self._people = people

    async def audience(self, message: Inbound) -> Audience:
        """Of an answer in the message's thread; one set, that what all who may read it share."""
        if message.direct:
            return (await self._own(message.user),)
        try:
            closed = await self._members_only(message.channel)
        except (*UNREACHABLE, LookupError) as error:
            logger.warning("channel %s: its members cannot be known (%s)", message.channel, type(error).__name__)
            closed = False
        return (frozenset({PUBLIC, f"channel:{message.channel}", *((WORKSPACE,) if closed else ())}),)

    async def _members_only(self, channel: str) -> bool:
        """Whether nobody but full members is in the channel."""
        info = (await self._slack.conversations_info(channel=channel))["channel"]
        if any(info.get(flag) for flag in _SHARED):
            return False
        members: list[str] = []
        cursor = ""
        for _ in range(MOST_PAGES):
            reply = await self._slack.conversations_members(channel=channel, limit=PAGE, cursor=cursor or None)
            members += reply["members"]
            cursor = next_cursor(reply.data)
            if not cursor:
                break
        else:
            raise LookupError("The channel has more members than are looked at.")
        return all(person.full_member or person.is_bot for person in await self._people.people(members))

    async def _own(self, user: str) -> frozenset[str]:
        """The principals of one person."""
        principals = {PUBLIC, f"user:{user}"}
        try:
            person = await self._people.person(user)
            if person.full_member:
                principals.add(WORKSPACE)
            if person.mail:
                principals.add(f"user:{person.mail}")
            principals |= {f"channel:{channel}" for channel in await self._channels(user)}
        except UNREACHABLE as error:
            logger.warning("user %s: their channels cannot be known (%s)", user, type(error).__name__)
        return frozenset(principals)

    async def _channels(self, user: str) -> list[str]:
        """Those that the user is in: the public ones, and of the others those that the bot is in too."""
        channels: list[str] = []
        cursor = ""
        for _ in range(MOST_PAGES):
            reply = await self._slack.users_conversations(
                user=user, types="public_channel,private_channel,mpim", limit=200, cursor=cursor or None
            )
            channels += [channel["id"] for channel in reply["channels"]]
            cursor = next_cursor(reply.data)
            if not cursor:
                break
        return channels


def covers(earlier: Audience, now: Audience) -> bool:
    """Whether all that was found for `earlier` may be read by `now` too."""
    return all(any(principals <= present for principals in earlier) for present in now)
