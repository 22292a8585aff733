"""How many questions are answered at once, and in a minute."""

import asyncio

import pytest

from bot.slack.messages.notices import TOO_FAST, TOO_MANY_HERE, TOO_MANY_OF_YOURS
from bot.slack.questions.limits import Limits, TooMany
from bot.store import Run, Store, StoreError
from bot.store.sqlite import open_documents
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack_bot import running_bot


def said(slack, ts, channel="C1"):
    return [text.split("\n")[0] for text in slack.answers(channel, ts)]


def told(slack, user):
    return [whisper["text"] for whisper in slack.whispers(user)]


@pytest.fixture
async def documents(tmp_path):
    async with open_documents(tmp_path / "state.sqlite") as documents:
        yield documents


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


def asked(number, user="U1", channel="C1"):
    return Run(key=f"{channel}:{number}", channel=channel, thread_ts=f"{number}", user=user, asked={})


async def take(store, limits, run):
    """Why a question is refused; None where it is not."""
    try:
        await limits.take(await store.begin(run) or run, run.user)
    except TooMany as many:
        return many.told
    return None


async def ends(store, run):
    await store.change(run.key, lambda kept: kept.model_copy(update={"status": "done"}))


async def test_of_one_person_and_of_one_channel_so_many_are_answered_at_once(documents):
    store = Store(documents)
    limits = Limits(store, user_at_once=2, channel_at_once=3)
    assert await take(store, limits, asked(1)) is None
    assert await take(store, limits, asked(2, channel="C2")) is None
    assert await take(store, limits, asked(3, channel="C3")) == TOO_MANY_OF_YOURS
    assert await take(store, limits, asked(4, "U2")) is None
    assert await take(store, limits, asked(5, "U3")) is None
    assert await take(store, limits, asked(6, "U4")) == TOO_MANY_HERE
    await ends(store, asked(1))
    assert await take(store, limits, asked(7)) is None


async def test_one_person_may_ask_so_many_in_a_minute(documents):
    clock = Clock()
    store = Store(documents, clock=clock)
    limits = Limits(store, user_per_minute=2)
    assert await take(store, limits, asked(1)) is None
    clock.now += 30
    assert await take(store, limits, asked(2)) is None
    clock.now += 29
    assert await take(store, limits, asked(3)) == TOO_FAST
    assert await take(store, limits, asked(4, "U2")) is None
    clock.now += 1
    assert await take(store, limits, asked(5)) is None
    assert await take(store, limits, asked(6)) == TOO_FAST


async def test_a_question_that_its_channel_refuses_does_not_count_for_its_asker(documents):
    store = Store(documents)
    limits = Limits(store, channel_at_once=1, user_per_minute=2)
    assert await take(store, limits, asked(1, "U2")) is None
    for number in range(2, 5):
        assert await take(store, limits, asked(number)) == TOO_MANY_HERE
    assert await take(store, limits, asked(5, channel="C2")) is None


async def test_zero_is_no_limit(documents):
    store = Store(documents)
    limits = Limits(store)
    for number in range(100):
        assert await take(store, limits, asked(number)) is None
    assert await documents.find("tally") == []


async def test_a_limit_that_cannot_be_counted_holds_nobody_up(documents, caplog):
    class Failing:
        async def get(self, kind, id):
            raise StoreError("The disk is full.")

    limits = Limits(Store(Failing()), user_at_once=1, channel_at_once=1)
    for number in range(3):
        await limits.take(asked(number), "U1")
        await limits.keep(asked(number))
        await limits.give_back(asked(number), "U1")
    assert "The disk is full." in caplog.text


async def test_what_goes_on_after_a_restart_still_counts(slack, tmp_path):
    held = {"behaves": {"user_at_once": 1}}
    async with running_bot(slack, tmp_path, **held) as bot:
        bot.knows(says("First."), held=True)
        first = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", first))
    async with running_bot(slack, tmp_path, **held) as bot:
        gate = bot.knows(says("First."), held=True)
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
        await slack.mention("U1", "And when, please?", "C2")
        await slack.until(lambda: told(slack, "U1") == [TOO_MANY_OF_YOURS["en"]])
        gate.set()
        await slack.until(lambda: said(slack, first) == ["First."])


async def test_what_waits_for_somebody_does_not_count_until_it_goes_on(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"user_at_once": 1}) as bot:
        asks = calls(("clarify", {"question": "Which?\n- the rocket\n- the bird"}))
        bot.knows(searches("falcon"), asks, says("It flies [1]."), finds=[[hit(1)]])
        first = await slack.mention("U1", "When does Falcon fly, please?", "C1")
        await slack.until(lambda: len(slack.answers("C1", first)) == 2)
        while (await bot.store.run(f"C1:{first}")).status != "waiting":
            pass
        bot.knows(says("Second."))
        second = await slack.mention("U1", "And when, please?", "C2")
        await slack.until(lambda: said(slack, second, "C2") == ["Second."])
        await over(bot, second, "C2")
        engine = bot.questions[0].engine
        engine.asked = False
        engine.gate.clear()
        await slack.say("U1", "the bird", "C1", first)
        await slack.until(lambda: engine.asked)
        await slack.mention("U1", "And what else, please?", "C2")
        await slack.until(lambda: told(slack, "U1") == [TOO_MANY_OF_YOURS["en"]])
        engine.gate.set()


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


async def over(bot, ts, channel="C1"):
    async with asyncio.timeout(4):
        while (await bot.store.run(f"{channel}:{ts}")).status != "done":
            pass
