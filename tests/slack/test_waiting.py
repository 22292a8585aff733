"""Questions that wait for somebody's answer: several in one thread, and buttons of what is asked no more."""

import asyncio

import pytest

from bot.sentences import BUSY_THREAD
from bot.slack.messages.notices import NOT_ASKED_ANY_MORE
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_private import answer

FOUND = [hit(1, title="Falcon", url="https://wiki.test/falcon")]


def asks(*choices):
    return calls(("clarify", {"question": "Which?\n" + "\n".join(f"- the {choice}" for choice in choices)}))


def buttons(slack, ts, channel="C1"):
    """The messages of a thread that have any to choose with, oldest first."""
    return [message for message in slack.thread(channel, ts) if "footnote_choice" in str(message.blocks)]


def told(bot, question):
    """What the model was told that the person answered."""
    return bot.questions[question].engine.calls[-1]["messages"][-1].content


async def two_waiting(bot, slack):
    """A thread with two questions, both of which have asked back."""
    gate = bot.knows(searches("a"), asks("rocket", "bird"), says("First [1]."), finds=[FOUND], held=True)
    bot.knows(searches("b"), asks("moon", "sun"), says("Second [1]."), finds=[FOUND])
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
    await slack.until(lambda: bot.questions and slack.answers("C1", ts))
    await slack.mention("U1", "And where to, please?", "C1", ts)
    await slack.until(lambda: BUSY_THREAD["en"] in slack.answers("C1", ts)[-1])
    gate.set()
    await slack.until(lambda: len(buttons(slack, ts)) == 2)
    return ts


async def test_of_two_that_wait_in_a_thread_each_is_answered_by_its_own_buttons(bot, slack):
    ts = await two_waiting(bot, slack)
    first, second = buttons(slack, ts)
    await slack.click("U1", "C1", first.ts, "footnote_choice_0")
    await slack.until(lambda: any(text.startswith("First") for text in slack.answers("C1", ts)))
    assert "the rocket" in told(bot, 0)
    await slack.click("U1", "C1", second.ts, "footnote_choice_1")
    await slack.until(lambda: any(text.startswith("Second") for text in slack.answers("C1", ts)))
    assert "the sun" in told(bot, 1)


async def test_words_answer_the_one_that_asked_last_then_the_one_before(bot, slack):
    ts = await two_waiting(bot, slack)
    await slack.say("U1", "the stars", "C1", ts)
    await slack.until(lambda: any(text.startswith("Second") for text in slack.answers("C1", ts)))
    assert "the stars" in told(bot, 1)
    await slack.say("U1", "the plane", "C1", ts)
    await slack.until(lambda: any(text.startswith("First") for text in slack.answers("C1", ts)))
    assert "the plane" in told(bot, 0)


@pytest.mark.parametrize("text", ["<@UBOT> answer me privately", "Answer me privately: when does Falcon fly?"])
async def test_who_wishes_for_a_private_answer_gets_it_and_is_not_taken_to_have_answered(bot, slack, text):
    bot.knows(searches("a"), asks("rocket", "bird"), says("First [1]."), finds=[FOUND])
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
    await slack.until(lambda: buttons(slack, ts))
    bot.knows(says("In private."))
    await slack.say("U1", text, "C1", ts)
    await slack.until(lambda: answer(slack, "U1").startswith("In private."))
    assert bot.questions[1].run["query"].lower().startswith("when does falcon fly")
    await slack.click("U2", "C1", buttons(slack, ts)[0].ts, "footnote_choice_1")
    await slack.until(lambda: any(text.startswith("First") for text in slack.answers("C1", ts)))
    assert "the bird" in told(bot, 0)


async def test_buttons_of_what_was_asked_before_do_not_answer_what_is_asked_now(bot, slack):
    replies = searches("falcon"), asks("rocket", "bird"), asks("moon", "sun"), says("It flies [1].")
    bot.knows(*replies, finds=[FOUND])
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
    await slack.until(lambda: buttons(slack, ts))
    await slack.say("U1", "neither, the plane", "C1", ts)
    await slack.until(lambda: len(buttons(slack, ts)) == 2)
    first, second = buttons(slack, ts)
    await slack.click("U1", "C1", first.ts, "footnote_choice_0")
    await slack.until(lambda: slack.whispers("U1"))
    assert NOT_ASKED_ANY_MORE["en"] == slack.whispers("U1")[0]["text"]
    await slack.click("U1", "C1", second.ts, "footnote_choice_0")
    await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))
    assert "the moon" in told(bot, 0)


async def test_buttons_of_a_question_before_its_edit_do_not_answer_what_is_asked_since(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(searches("falcon"), asks("rocket", "bird"), finds=[FOUND])
        ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
        await slack.until(lambda: buttons(slack, ts))
        bot.knows(searches("falcon"), asks("moon", "sun"), says("It flies [1]."), finds=[FOUND])
        await slack.edit("C1", ts, "<@UBOT> Where does Falcon fly, please?")
        await slack.until(lambda: len(buttons(slack, ts)) == 2)
        first, second = buttons(slack, ts)
        await slack.click("U1", "C1", first.ts, "footnote_choice_0")
        await slack.until(lambda: slack.whispers("U1"))
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("It flies [1]."))
        await slack.click("U1", "C1", second.ts, "footnote_choice_0")
        await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))


async def test_what_is_asked_after_an_edit_is_posted_though_the_connection_breaks(bot, slack):
    bot.knows(searches("falcon"), asks("rocket", "bird"), finds=[FOUND])
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
    await slack.until(lambda: buttons(slack, ts))
    gate = bot.knows(searches("falcon"), asks("moon", "sun"), finds=[FOUND], held=True)
    await slack.edit("C1", ts, "<@UBOT> Where does Falcon fly, please?")
    await slack.until(lambda: len(bot.questions) == 2 and bot.questions[1].engine.asked)
    slack.drop("chat.postMessage")
    gate.set()
    await slack.until(lambda: len(buttons(slack, ts)) == 2)


async def test_who_clicks_when_it_is_over_is_told(bot, slack):
    bot.knows(searches("falcon"), asks("rocket", "bird"), says("It flies [1]."), finds=[FOUND])
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
    await slack.until(lambda: buttons(slack, ts))
    (message,) = buttons(slack, ts)
    async with asyncio.TaskGroup() as tasks:
        for user in ("U1", "U2"):
            tasks.create_task(slack.click(user, "C1", message.ts, "footnote_choice_0"))
    await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))
    await slack.until(lambda: len(slack.whispers("U1")) + len(slack.whispers("U2")) == 1)


# Several processes


async def test_a_second_question_waits_for_the_first_one_that_another_process_is_at(slack, tmp_path):
    slack.pair = ("app_mention",)
    async with running_bot(slack, tmp_path) as one, running_bot(slack, tmp_path) as other:
        await slack.until(lambda: slack.sockets.connected == 2)
        gates = [bot.knows(says("First."), held=True) for bot in (one, other)]
        ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
        await slack.until(lambda: any(bot.questions and bot.questions[0].engine.asked for bot in (one, other)))
        second = other if one.questions else one
        way = slack.deliveries[-1].way
        while (await slack.event({"type": "hello"})).way is way:
            pass
        while (await slack.event({"type": "hello"})).way is not way:  # The next one gets the other socket.
            pass
        await slack.mention("U1", "And where to, please?", "C1", ts)
        assert slack.deliveries[-1].way is not way
        await slack.until(lambda: BUSY_THREAD["en"] in slack.answers("C1", ts)[-1])
        assert second.questions == []
        for gate in gates:
            gate.set()
        await slack.until(lambda: [text[:6] for text in slack.answers("C1", ts)] == ["First."] * 2)
        assert len(second.questions[0].run["history"]) == 2
