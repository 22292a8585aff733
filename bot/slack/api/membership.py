"""Who is where in Slack: the members of a channel, the channels and user groups of a person.

Asked for, and remembered for a short time; what Slack tells of comings and goings is asked for anew.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.api.people import MOST_PAGES, PAGE, next_cursor

FACTS_REMEMBERED = 300.0
MEMBERS_REMEMBERED = 30.0
CHANNELS_REMEMBERED = 120.0
GROUPS_REMEMBERED = 300.0
"""Seconds."""
MOST_REMEMBERED = 5_000

_SHARED = ("is_ext_shared", "is_pending_ext_shared", "is_shared", "is_org_shared")
_CLOSED = ("is_private", "is_group", "is_mpim", "is_im")

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Place:
    """A channel, or a conversation of several."""

    members: tuple[str, ...]
    shared: bool
    """With other workspaces or organisations, now or soon."""
    open: bool
    """Every full member may read it, or come in."""
    creator: str
    name: str


class Memberships:
    """Methods raise one of `people.UNREACHABLE` where Slack does not tell, and `LookupError` where there is more than
    is looked at."""

    def __init__(self, slack: AsyncWebClient) -> None:
        self._slack = slack
        self._facts = _Remembered(self._facts_of, FACTS_REMEMBERED)
        self._places = _Remembered(self._place, MEMBERS_REMEMBERED)
        self._channels = _Remembered(self._channels_of, CHANNELS_REMEMBERED)
        self._groups = _Remembered(self._all_groups, GROUPS_REMEMBERED)

    def listen(self, app: AsyncApp) -> None:
        app.middleware(self._heard)

    async def place(self, channel: str, *, fresh: bool = False, whole: bool = False) -> Place:
        """With `fresh` its members are those of now, with `whole` all is as it is now.  Whether a channel that every
        full member may read has become another may be of minutes ago: then its members tell who else can read it."""
        facts = self._facts.seen(channel)
        if whole or (fresh and facts is not None and not _is_open(facts)):
            self._facts.forget(channel)
        return await self._places.get(channel, fresh=fresh or whole)

    async def channels(self, user: str, *, fresh: bool = False) -> frozenset[str]:
        """Those that the user is in: the public ones, and of the others those that the bot is in too."""
        return await self._channels.get(user, fresh=fresh)

    async def groups(self, user: str) -> frozenset[str]:
        """The user groups that the user is in."""
        return (await self._groups.get("")).get(user, frozenset())

    async def _heard(self, body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:
        event = body.get("event") or {}
        if event.get("type") in ("member_joined_channel", "member_left_channel"):
            self._facts.forget(str(event.get("channel")))  # It may be shared with somebody's workspace now.
            self._places.forget(str(event.get("channel")))
            self._channels.forget(str(event.get("user")))
        return await next()

    async def _facts_of(self, channel: str) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = (await self._slack.conversations_info(channel=channel))["channel"]
        return facts

    async def _place(self, channel: str) -> Place:
        info = await self._facts.get(channel)
        shared = any(info.get(flag) for flag in _SHARED)
        members: list[str] = []
        if not shared:  # Nobody can know of all who are in a shared one.
            ask = self._slack.conversations_members
            members = [user async for page in _pages(ask, channel=channel, limit=PAGE) for user in page["members"]]
        return Place(
            members=tuple(members),
            shared=shared,
            open=_is_open(info),
            creator=str(info.get("creator") or ""),
            name=str(info.get("name") or ""),
        )

    async def _channels_of(self, user: str) -> frozenset[str]:
        pages = _pages(
            self._slack.users_conversations, user=user, types="public_channel,private_channel,mpim", limit=200
        )
        return frozenset([str(channel["id"]) async for page in pages for channel in page["channels"]])

    async def _all_groups(self, _: str) -> Mapping[str, frozenset[str]]:
        groups: dict[str, set[str]] = defaultdict(set)
        for group in (await self._slack.usergroups_list(include_users=True))["usergroups"]:
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
    return not any(facts.get(flag) for flag in _CLOSED)


async def _pages(ask: Callable[..., Awaitable[Any]], **arguments: Any) -> AsyncIterator[Mapping[str, Any]]:
    """All pages of what a method lists; raises `LookupError` where there are more than are looked at."""
    cursor = ""
    for _ in range(MOST_PAGES):
        reply = await ask(**arguments, cursor=cursor or None)
        yield reply.data
        cursor = next_cursor(reply.data)
        if not cursor:
            return
    raise LookupError("Slack lists more than is looked at.")
