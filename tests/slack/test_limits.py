"""How many questions are answered at once, and in a minute."""

import asyncio

import pytest

from bot.slack.messages.notices import TOO_FAST, TOO_MANY_HERE, TOO_MANY_OF_YOURS
from bot.slack.questions.limits import Limits, TooMany
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot


def said(slack, ts, channel="C1"):
    return [text.split("\n")[0] for text in slack.answers(channel, ts)]


def told(slack, user):
    return [whisper["text"] for whisper in slack.whispers(user)]


def refused(limits, user="U1", channel="C1"):
    with pytest.raises(TooMany) as raised:
        limits.take(user, channel)
    return raised.value.told


def test_of_one_person_and_of_one_channel_so_many_are_answered_at_once():
    limits = Limits(user_at_once=2, channel_at_once=3)
    limits.take("U1", "C1")
    limits.take("U1", "C2")
    assert refused(limits, "U1", "C3") == TOO_MANY_OF_YOURS
    limits.take("U2", "C1")
    limits.take("U3", "C1")
    assert refused(limits, "U4", "C1") == TOO_MANY_HERE
    limits.give_back("U1", "C1")
    limits.take("U1", "C1")


def test_one_person_may_ask_so_many_in_a_minute():
    now = [0.0]
    limits = Limits(user_per_minute=2, clock=lambda: now[0])
    for now[0] in (0.0, 30.0):
        limits.take("U1", "C1")
        limits.give_back("U1", "C1")
    now[0] = 59.0
    assert refused(limits) == TOO_FAST
    limits.take("U2", "C1")
    now[0] = 60.0
    limits.take("U1", "C1")
    assert refused(limits) == TOO_FAST


def test_zero_is_no_limit():
    limits = Limits()
    for _ in range(1000):
        limits.take("U1", "C1")


async def test_a_question_too_many_is_told_to_its_asker_alone_and_may_be_asked_later(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"user_at_once": 1}) as bot:
        gate = bot.knows(says("First."), held=True)
        first = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", first))
        second = await slack.mention("U1", "And when, please?", "C1")
        await slack.until(lambda: told(slack, "U1") == [TOO_MANY_OF_YOURS["en"]])
        assert "thread_ts" not in slack.whispers("U1")[0]
        assert said(slack, second) == []
        gate.set()
        await slack.until(lambda: said(slack, first) == ["First."])
        while (await bot.store.run(f"C1:{first}")).status != "done":
            pass
        bot.knows(says("Second."))
        await slack.react("U1", "C1", second, "repeat")
        await slack.until(lambda: said(slack, second) == ["Second."])


async def test_a_question_too_many_is_told_of_once_and_not_answered_when_it_is_delivered_again(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"user_per_minute": 1}) as bot:
        bot.knows(says("First."))
        first = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: said(slack, first) == ["First."])
        await slack.say("U1", "and when?", "C1", first)
        await slack.until(lambda: told(slack, "U1") == [TOO_FAST["en"]])
        assert slack.whispers("U1")[0]["thread_ts"] == first
        await slack.sockets.redeliver(slack.deliveries[-1])
        bot.knows(says("Else."))
        other = await slack.mention("U2", "And something else, please?", "C1")
        await slack.until(lambda: said(slack, other) == ["Else."])
        assert told(slack, "U1") == [TOO_FAST["en"]]
        assert len(bot.questions) == 2


async def test_a_command_too_many_is_told_with_its_acknowledgement(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"channel_at_once": 1}) as bot:
        bot.knows(says("First."), held=True)
        await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
        hook = await slack.command("U2", "what is new?", "C1")
        await slack.until(lambda: hook.delivery.acknowledged)
        assert hook.delivery.response["text"] == TOO_MANY_HERE["en"]
        assert len(bot.questions) == 1


async def test_asking_again_counts_as_asking_does(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"user_per_minute": 2}) as bot:
        bot.knows(says("First."))
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: said(slack, ts) == ["First."])
        await over(bot, ts)
        bot.knows(says("Second."))
        await slack.react("U1", "C1", ts, "repeat")
        await slack.until(lambda: said(slack, ts) == ["Second."])
        await over(bot, ts)
        await slack.react("U1", "C1", ts, "arrows_counterclockwise")
        await slack.until(lambda: told(slack, "U1") == [TOO_FAST["en"]])
        assert len(bot.questions) == 2


async def test_two_wishes_to_be_answered_again_are_counted_as_the_one_that_they_are(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"user_at_once": 2}) as bot:
        bot.knows(says("First."))
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: said(slack, ts) == ["First."])
        await over(bot, ts)
        gate = bot.knows(says("Second."), held=True)
        for name in ("repeat", "arrows_counterclockwise"):
            await slack.react("U1", "C1", ts, name)
        await slack.until(lambda: len(bot.questions) == 2 and bot.questions[1].engine.asked)
        bot.knows(says("Else."))
        other = await slack.mention("U1", "And something else, please?", "C1")
        await slack.until(lambda: said(slack, other) == ["Else."])
        gate.set()
        await slack.until(lambda: said(slack, ts) == ["Second."])


async def over(bot, ts):
    async with asyncio.timeout(4):
        while (await bot.store.run(f"C1:{ts}")).status != "done":
            pass
