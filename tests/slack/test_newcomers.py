"""Somebody comes or goes, and another process than the one that is asked hears of it."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from bot.store import Store, StoreError, elasticsearch
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot
from tests.fakes.stores import scratch_prefix


@asynccontextmanager
async def on_sqlite(slack, home, request):
    async with running_bot(slack, home) as asked:
        yield asked, running_bot(slack, home)


@asynccontextmanager
async def on_elasticsearch(slack, home, request):
    url = request.getfixturevalue("elasticsearch_url")
    async with (
        scratch_prefix(url) as prefix,
        elasticsearch.open_documents(url, prefix=prefix) as one,
        elasticsearch.open_documents(url, prefix=prefix) as other,
        running_bot(slack, home, through=lambda file: Store(one)) as asked,
    ):
        yield asked, running_bot(slack, home, through=lambda file: Store(other))


TWO = pytest.mark.parametrize(
    "two",
    [
        pytest.param(on_sqlite, id="sqlite"),
        pytest.param(on_elasticsearch, id="elasticsearch", marks=pytest.mark.elasticsearch),
    ],
)
"""Opens two processes over one store; the second one begins later."""


class Unknown:
    """Moves of which nothing can be known before `known`, and then only an error."""

    def __init__(self):
        self.known = asyncio.Event()

    async def lately(self, of):
        await self.known.wait()
        raise StoreError("The disk is full.")


async def ask(bot, slack, channel):
    """On whose behalf is searched."""
    bot.knows(says("Hello."))
    asked = len(bot.questions)
    say = slack.say if channel.startswith("D") else slack.mention
    ts = await say("U1", "How much leave do I have?", channel)
    await slack.until(lambda: len(bot.questions) > asked and slack.answer(channel, ts).startswith("Hello."))
    async with asyncio.timeout(4):
        while (await bot.store.run(f"{channel}:{ts}")).status != "done":
            pass
    return bot.questions[asked].audience, slack.deliveries[-1].way


async def turn(slack, way, *, to_it):
    """The next event goes through this socket, or through the other one."""
    await slack.until(lambda: slack.sockets.connected == 2)
    while ((await slack.event({"type": "hello"})).way is way) is to_it:
        pass


async def heard_by_another(slack, way, happens):
    await turn(slack, way, to_it=False)
    told = len(slack.deliveries)
    await happens
    assert slack.deliveries[told].way is not way
    await slack.until(lambda: slack.deliveries[told].acknowledged)


def of_members(audience):
    return all("workspace" in principals for principals in audience)


@TWO
async def test_whoever_came_in_is_one_of_those_that_is_searched_for_next(slack, tmp_path, request, two):
    slack.pair = ("message",)
    async with two(slack, tmp_path, request) as (bot, another):
        audience, way = await ask(bot, slack, "C1")
        assert of_members(audience)
        async with another:
            await heard_by_another(slack, way, slack.invite("UG", "C1"))
            await turn(slack, way, to_it=True)
            audience, by = await ask(bot, slack, "C1")
            assert by is way
            assert not of_members(audience)


@TWO
async def test_whoever_left_a_channel_is_not_told_what_is_there(slack, tmp_path, request, two):
    place = slack.workspace.direct("U1").id
    async with two(slack, tmp_path, request) as (bot, another):
        audience, way = await ask(bot, slack, place)
        assert "channel:C4" in audience[0]
        async with another:
            await heard_by_another(slack, way, slack.leave("U1", "C4"))
            await turn(slack, way, to_it=True)
            audience, by = await ask(bot, slack, place)
            assert by is way
            assert "channel:C4" not in audience[0]


async def test_where_nobody_came_in_what_is_remembered_is_enough(bot, slack):
    await ask(bot, slack, "C1")
    members = len(slack.calls("conversations.members"))
    bot.knows(says("Never."), held=True)
    await slack.mention("U1", "And how much in summer?", "C1")
    await slack.until(lambda: len(bot.questions) == 2)
    assert len(slack.calls("conversations.members")) == members


async def test_the_placeholder_is_there_before_that_is_known_and_what_cannot_be_known_is_asked_afresh(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        await ask(bot, slack, "C1")
        bot.store.moves = moves = Unknown()
        bot.knows(says("Hello again."))
        slack.workspace.channels["C1"].members.append("UG")
        ts = await slack.mention("U1", "And how much in summer?", "C1")
        await slack.until(lambda: slack.answers("C1", ts))
        assert len(bot.questions) == 1
        moves.known.set()
        await slack.until(lambda: len(bot.questions) == 2)
        assert not of_members(bot.questions[1].audience)


async def test_a_coming_that_cannot_be_noted_is_not_acknowledged(bot, slack):
    class Full:
        async def note(self, of):
            raise StoreError("The disk is full.")

    moves, bot.store.moves = bot.store.moves, Full()
    await slack.invite("UG", "C1")
    joined = next(one for one in slack.deliveries if one.event["type"] == "member_joined_channel")
    await slack.event({"type": "hello"})
    await slack.until(lambda: slack.deliveries[-1].acknowledged)
    assert not joined.acknowledged
    bot.store.moves = moves
    again = await slack.sockets.redeliver(joined)
    await slack.until(lambda: again.acknowledged)
    assert await moves.lately("C1")
