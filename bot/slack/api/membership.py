"""Who is where in Slack: the members of a channel, the channels and user groups of a person.

Asked for, and remembered for a short time; what Slack tells of comings and goings is asked for anew.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.api.pages import PAGE, pages
from bot.slack.api.people import People
from bot.slack.api.teams import Team

FACTS_REMEMBERED = 300.0
MEMBERS_REMEMBERED = 30.0
CHANNELS_REMEMBERED = 120.0
GROUPS_REMEMBERED = 300.0
"""Seconds."""
MOST_REMEMBERED = 5_000

_SHARED = ("is_ext_shared", "is_pending_ext_shared")
_SHARED_SOMEHOW = ("is_shared", "is_org_shared")
_CLOSED = ("is_private", "is_group", "is_mpim", "is_im")
_UNTOLD = "?"

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Place:
    """A channel, or a conversation of several."""

    members: tuple[str, ...]
    shared: bool
    """With workspaces that the bot is not for, or other organisations, now or soon."""
    open: bool
    """Every full member of its workspaces may read it, or come in."""
    creator: str
    name: str
    teams: frozenset[str] = frozenset()
    """The workspaces that it is in; empty where the bot is of one workspace."""


class Memberships:
    """Methods raise one of `people.UNREACHABLE` where Slack does not tell, and `LookupError` where there is more than
    is looked at."""

    def __init__(self, slack: AsyncWebClient, people: People) -> None:
        self._slack = slack
        self._teams = people.teams
        self._people = people
        self._facts = _Remembered(self._facts_of, FACTS_REMEMBERED)
        self._places = _Remembered(self._place, MEMBERS_REMEMBERED)
        self._channels = _Remembered(self._channels_of, CHANNELS_REMEMBERED)
        self._groups = _Remembered(self._all_groups, GROUPS_REMEMBERED)

    async def place(self, channel: str, *, fresh: bool = False, whole: bool = False) -> Place:
        """With `fresh` its members are those of now, with `whole` all is as it is now.  Whether a channel that every
        full member may read has become another may be of minutes ago: then its members tell who else can read it."""
        facts = self._facts.seen(channel)
        if whole or (fresh and facts is not None and not _is_open(facts)):
            self._facts.forget(channel)
        return await self._places.get(channel, fresh=fresh or whole)

    async def open_to_all_in(self, place: str, channel: str) -> bool:
        """Whether every full member who may read the one channel may read the other as it is now, or come in."""
        facts = await self._facts.get(channel, fresh=True)
        if not _is_open(facts) or not self._teams.organisation:
            return _is_open(facts)
        here, there = _teams(await self._facts.get(place)), _teams(facts)
        return self._teams.organisation in there or (_UNTOLD not in here and here <= there)

    async def open_to(self, user: str, channel: str) -> bool:
        """Whether somebody who is a full member may read a channel as it is now, or come in."""
        facts = await self._facts.get(channel, fresh=True)
        if not _is_open(facts) or not self._teams.organisation:
            return _is_open(facts)
        return (await self._people.person(user)).is_in(_teams(facts))

    async def channels(self, user: str, *, fresh: bool = False) -> frozenset[str]:
        """Those that the user is in: the public ones, and of the others those that the bot is in too."""
        return await self._channels.get(user, fresh=fresh)

    async def groups(self, user: str) -> frozenset[str]:
        """The user groups that the user is in."""
        return (await self._groups.get("")).get(user, frozenset())

    async def moved(self, body: Mapping[str, Any]) -> None:
        """Slack tells that somebody came into a channel, or left it."""
        event = body["event"]
        self._facts.forget(str(event.get("channel")))  # It may be shared with somebody's workspace now.
        self._places.forget(str(event.get("channel")))
        self._channels.forget(str(event.get("user")))

    async def _facts_of(self, channel: str) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = (await self._slack.conversations_info(channel=channel))["channel"]
        return facts

    async def _place(self, channel: str) -> Place:
        info = await self._facts.get(channel)
        shared = _is_shared(info, {self._teams.organisation, *await self._teams.all()})
        members: list[str] = []
        if not shared:  # Nobody can know of all who are in a shared one.
            ask = self._slack.conversations_members
            members = [user async for page in pages(ask, channel=channel, limit=PAGE) for user in page["members"]]
        return Place(
            members=tuple(members),
            shared=shared,
            open=_is_open(info),
            creator=str(info.get("creator") or ""),
            name=str(info.get("name") or ""),
            teams=_teams(info) if self._teams.organisation else frozenset(),
        )

    async def _channels_of(self, user: str) -> frozenset[str]:
        ask, kinds = self._slack.users_conversations, "public_channel,private_channel,mpim"
        found: set[str] = set()
        for team in await self._teams_of(user):
            listed = pages(ask, user=user, types=kinds, limit=200, team_id=team)
            found |= {str(channel["id"]) async for page in listed for channel in page["channels"]}
        return frozenset(found)

    async def _teams_of(self, user: str) -> Sequence[Team]:
        """The workspaces to ask: those that they are in, where Slack tells which these are."""
        teams = await self._teams.all()
        theirs = (await self._people.person(user)).teams if len(teams) > 1 else frozenset()
        return [team for team in teams if not theirs or team in theirs]

    async def _all_groups(self, _: str) -> Mapping[str, frozenset[str]]:
        groups: dict[str, set[str]] = defaultdict(set)
        for team in await self._teams.all():
            for group in (await self._slack.usergroups_list(include_users=True, team_id=team))["usergroups"]:
                for user in group.get("users") or ():
                    groups[str(user)].add(str(group["id"]))
        return {user: frozenset(ids) for user, ids in groups.items()}


class _Remembered(Generic[V]):
    """What was asked for lately; asked once for all who want it at the same time."""

    def __init__(self, ask: Callable[[str], Awaitable[V]], seconds: float) -> None:
        self._ask = ask
        self._seconds = seconds
        self._known: dict[str, tuple[float, V]] = {}
        self._asking: set[str] = set()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def get(self, key: str, *, fresh: bool = False) -> V:
        asked = asyncio.get_running_loop().time()
        lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock:
            since, value = self._known.get(key, (float("-inf"), None))
            if value is not None and (since >= asked or (not fresh and asked - since < self._seconds)):
                return value
            return await self._learn(key)

    def seen(self, key: str) -> V | None:
        """What is remembered, however old."""
        return self._known[key][1] if key in self._known else None

    def forget(self, key: str) -> None:
        self._known.pop(key, None)
        self._asking.discard(key)  # What is told now may be of before.

    async def _learn(self, key: str) -> V:
        began = asyncio.get_running_loop().time()
        self._asking.add(key)
        try:
            value = await self._ask(key)
            if key in self._asking:
                if len(self._known) >= MOST_REMEMBERED:
                    self._known.clear()
                self._known[key] = (began, value)
            return value
        finally:
            self._asking.discard(key)


def _is_open(facts: Mapping[str, Any]) -> bool:
    return bool(facts.get("is_channel")) and not any(facts.get(flag) for flag in _CLOSED)


def _is_shared(facts: Mapping[str, Any], ours: Collection[Team]) -> bool:
    """With others than our own workspaces, of which one may share it with another."""
    if any(facts.get(flag) for flag in _SHARED):
        return True
    return any(facts.get(flag) for flag in _SHARED_SOMEHOW) and not _teams(facts).issubset(ours)


def _teams(facts: Mapping[str, Any]) -> frozenset[str]:
    """The workspaces that a channel is in; `_UNTOLD` where Slack does not tell."""
    return frozenset(map(str, facts.get("shared_team_ids") or (_UNTOLD,)))
