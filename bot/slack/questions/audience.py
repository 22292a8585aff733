"""On whose behalf is searched: who could read an answer in a place.  Whatever cannot be known counts as the worst."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.slack.api.membership import Memberships, Place
from bot.slack.api.people import UNREACHABLE, People, Person
from bot.slack.questions.inbound import Inbound
from indexers.document import PUBLIC, WORKSPACE, Audience

logger = logging.getLogger(__name__)

MOST_SETS = 50
"""Members with a set of their own; of more, what all of them share."""
PATIENCE = 5.0
"""Seconds for what the members of a channel may read elsewhere; what is not known by then counts as unreadable."""
AT_ONCE = 8

_UNKNOWN = (*UNREACHABLE, LookupError)

Still: TypeAlias = Literal["covered", "more", "unknown"]
"""Whether all who can read now may read what was found before: not `covered` is `unknown` where Slack does not tell."""


@dataclass(slots=True)
class _Look:
    """How much came to be known while an audience was made up."""

    fresh: bool
    whole: bool = True


class Audiences:
    def __init__(self, memberships: Memberships, people: People) -> None:
        self._memberships = memberships
        self._people = people

    async def audience(self, message: Inbound, *, fresh: bool = False) -> Audience:
        """Of an answer in the message's thread; never empty.

        With `fresh`, as Slack has it now: for whatever is about to be shown.
        """
        return await self._of_message(message, _Look(fresh))

    async def still(self, earlier: Audience, message: Inbound) -> Still:
        """Of what was found for `earlier`: whether those who can read the message's thread now may read it, too."""
        look = _Look(fresh=True)
        if covers(earlier, await self._of_message(message, look)):
            return "covered"
        return "more" if look.whole else "unknown"

    async def own(self, user: str, *, fresh: bool = False) -> Audience:
        """Of what is shown to one person alone."""
        return await self._own(user, _Look(fresh))

    async def _of_message(self, message: Inbound, look: _Look) -> Audience:
        if message.direct:
            return await self._own(message.user, look)
        try:
            return await self._of_place(message.channel, look)
        except _UNKNOWN as error:
            look.whole = False
            logger.warning("channel %s: its members cannot be known (%s)", message.channel, type(error).__name__)
            return (_anybody(message.channel),)

    async def _own(self, user: str, look: _Look) -> Audience:
        principals = {PUBLIC, f"user:{user}"}
        try:
            principals |= _of_person(await self._people.person(user, fresh=look.fresh))
            principals |= await self._elsewhere(user, look, fresh=look.fresh)
        except _UNKNOWN as error:
            look.whole = False
            logger.warning("user %s cannot be known (%s)", user, type(error).__name__)
        return (frozenset(principals),)

    async def _of_place(self, channel: str, look: _Look) -> Audience:
        place = await self._memberships.place(channel, fresh=look.fresh)
        if place.shared:
            return (_anybody(channel),)
        here = [person for person in await self._people.people(place.members) if not person.is_bot]
        everyone = _anybody(channel) | ({WORKSPACE} if all(person.full_member for person in here) else set())
        if len(here) > MOST_SETS:
            return (everyone | await self._shared_groups(here, look),)
        return _least([*await self._each(here, place, channel, look), *_unseen(place, channel)]) or (_anybody(channel),)

    async def _each(self, here: Iterable[Person], place: Place, channel: str, look: _Look) -> list[frozenset[str]]:
        """One set a member.  In an open channel that of a full member asks no more than `_unseen` does."""
        asked = [person for person in here if not (place.open and person.full_member)]
        elsewhere = await self._elsewhere_of(asked, look)
        return [_anybody(channel) | _of_person(person) | elsewhere.get(person.id, set()) for person in asked]

    async def _elsewhere_of(self, people: Sequence[Person], look: _Look) -> dict[str, set[str]]:
        """What each of them may read by being elsewhere, as far as it comes to be known in time."""
        known: dict[str, set[str]] = {}
        few = asyncio.Semaphore(AT_ONCE)

        async def learn(user: str) -> None:
            async with few:
                known[user] = await self._elsewhere(user, look)

        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as looks:
                for person in people:
                    looks.create_task(learn(person.id))
        look.whole = look.whole and len(known) == len(people)
        return known

    async def _elsewhere(self, user: str, look: _Look, *, fresh: bool = False) -> set[str]:
        """A person's channels and user groups."""
        principals: set[str] = set()
        try:
            principals |= {f"channel:{id}" for id in await self._memberships.channels(user, fresh=fresh)}
            principals |= {f"group:{id}" for id in await self._memberships.groups(user)}
        except _UNKNOWN as error:
            look.whole = False
            logger.warning("user %s: where they are cannot be known (%s)", user, type(error).__name__)
        return principals

    async def _shared_groups(self, people: Iterable[Person], look: _Look) -> frozenset[str]:
        """The user groups that all of them are in."""
        try:
            groups = [await self._memberships.groups(person.id) for person in people]
        except _UNKNOWN as error:
            look.whole = False
            logger.warning("user groups cannot be known (%s)", type(error).__name__)
            return frozenset()
        return frozenset(f"group:{id}" for id in frozenset.intersection(*groups))


def covers(earlier: Audience, now: Audience) -> bool:
    """Whether all that was found for `earlier` may be read by `now` too."""
    return all(any(principals <= present for principals in earlier) for present in now)


def _anybody(channel: str) -> frozenset[str]:
    """Of somebody in the channel of whom nothing else is known."""
    return frozenset({PUBLIC, f"channel:{channel}"})


def _unseen(place: Place, channel: str) -> list[frozenset[str]]:
    """Of a full member who is not in an open channel, and may read it all the same."""
    return [_anybody(channel) | {WORKSPACE}] if place.open else []


def _of_person(person: Person) -> set[str]:
    """What somebody may read wherever they are."""
    principals = {PUBLIC, f"user:{person.id}"}
    if person.full_member:
        principals.add(WORKSPACE)
    if person.mail:
        principals.add(f"user:{person.mail}")
    return principals


def _least(sets: Iterable[frozenset[str]]) -> Audience:
    """The same demand in as few sets as it takes: whoever meets a set meets all that hold it."""
    distinct = set(sets)
    return tuple(sorted((one for one in distinct if not any(other < one for other in distinct)), key=sorted))
