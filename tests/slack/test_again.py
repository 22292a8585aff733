"""A question is answered again, in the messages of its answer."""

import asyncio

import pytest

from bot.slack.messages.notices import MAY_NOT_REPEAT
from tests.fakes.research import says
from tests.fakes.slack import BOT
from tests.fakes.slack_bot import running_bot

LONG = "\n\n".join(f"Paragraph {number} says: " + "word " * 100 for number in range(12))


def said(slack, ts, channel="C1"):
    return [text.split("\n")[0] for text in slack.answers(channel, ts)]


async def answered(bot, slack, *replies):
    bot.knows(*(replies or (says("First."),)))
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    await is_done(bot, ts)
    return ts


async def is_done(bot, ts, attempt=1):
    while (run := await bot.store.run(f"C1:{ts}")) is None or (run.status, run.attempt) != ("done", attempt):
        pass


@pytest.mark.parametrize("name", ["arrows_counterclockwise", "repeat"])
@pytest.mark.parametrize("on", ["question", "answer"])
async def test_a_reaction_on_the_question_or_the_answer_has_it_answered_again(bot, slack, name, on):
    ts = await answered(bot, slack)
    message = slack.thread("C1", ts)[1].ts
    bot.knows(says("Second."))
    await slack.react("U1", "C1", ts if on == "question" else message, name)
    await slack.until(lambda: said(slack, ts) == ["Second."])
    assert slack.thread("C1", ts)[1].ts == message
    assert bot.questions[1].run["query"] == "Where is it, please?"
    await is_done(bot, ts, attempt=2)
    assert [turn.answer for turn in await bot.store.turns("C1", ts)] == ["Second."]


async def test_messages_that_are_too_many_now_go(bot, slack):
    ts = await answered(bot, slack, says(LONG))
    assert len(said(slack, ts)) > 1
    bot.knows(says("Second."))
    await slack.react("U1", "C1", ts, "repeat")
    await slack.until(lambda: said(slack, ts) == ["Second."])


async def test_who_has_asked_in_the_thread_may_have_it_and_others_are_told_that_they_may_not(bot, slack):
    ts = await answered(bot, slack)
    await slack.react("U2", "C1", ts, "repeat")
    await slack.until(lambda: [told["text"] for told in slack.whispers("U2")] == [MAY_NOT_REPEAT["en"]])
    bot.knows(says("To Grace."))
    await slack.say("U2", f"<@{BOT}> and when?", "C1", ts)
    await slack.until(lambda: said(slack, ts) == ["First.", "To Grace."])
    bot.knows(says("Second."))
    await slack.react("U2", "C1", ts, "arrows_counterclockwise")
    await slack.until(lambda: said(slack, ts) == ["Second.", "To Grace."])


async def test_the_answer_before_and_what_came_later_are_not_told_to_the_model(bot, slack):
    root = await answered(bot, slack)
    bot.knows(says("Second."))
    ts = await slack.say("U1", "and when?", "C1", root)
    await is_done(bot, ts)
    bot.knows(says("Third."))
    await is_done(bot, await slack.say("U1", "and why?", "C1", root))
    bot.knows(says("Again."))
    await slack.react("U1", "C1", ts, "repeat")
    await slack.until(lambda: said(slack, root) == ["First.", "Again.", "Third."])
    assert [message.content for message in bot.questions[3].run["history"]] == ["Where is it, please?", "First."]


async def test_while_it_is_answered_it_is_not_begun_again(bot, slack):
    gate = bot.knows(says("First."), held=True)
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
    await slack.react("U1", "C1", ts, "repeat")
    await slack.until(lambda: slack.deliveries[-1].acknowledged)
    gate.set()
    await is_done(bot, ts)
    bot.knows(says("Else."))
    other = await slack.mention("U1", "And something else, please?", "C1")
    await slack.until(lambda: said(slack, other) == ["Else."])
    assert len(bot.questions) == 2


class Slow:
    """A store in which nothing is over until `gate` is open."""

    def __init__(self, store):
        self.store = store
        self.gate = asyncio.Event()

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def change(self, key, change, *, own=True):
        kept = await self.store.run(key)
        if own and kept is not None and change(kept).status == "done":
            await self.gate.wait()
        return await self.store.change(key, change, own=own)


async def test_an_answer_that_is_there_but_not_noted_yet_can_be_asked_for_again(slack, tmp_path):
    async with running_bot(slack, tmp_path, through=Slow) as bot:
        bot.knows(says("First."))
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: said(slack, ts) == ["First."] and "footnote_how" in str(slack.thread("C1", ts)))
        bot.knows(says("Second."))
        await slack.react("U1", "C1", ts, "repeat")
        await slack.until(lambda: slack.deliveries[-1].acknowledged)
        bot.store.gate.set()
        await slack.until(lambda: said(slack, ts) == ["Second."])
        async with asyncio.timeout(5):
            await is_done(bot, ts, attempt=2)


async def test_two_wishes_at_once_are_one(bot, slack):
    ts = await answered(bot, slack)
    gate = bot.knows(says("Second."), held=True)
    await slack.react("U1", "C1", ts, "repeat")
    await slack.react("U1", "C1", ts, "arrows_counterclockwise")
    await slack.until(lambda: len(bot.questions) == 2)
    gate.set()
    await slack.until(lambda: said(slack, ts) == ["Second."])
    await is_done(bot, ts, attempt=2)


async def test_where_its_message_is_gone_the_new_answer_is_posted(bot, slack):
    ts = await answered(bot, slack)
    slack.workspace.remove("C1", slack.thread("C1", ts)[1].ts)
    bot.knows(says("Second."))
    await slack.react("U1", "C1", ts, "repeat")
    await slack.until(lambda: said(slack, ts) == ["Second."])


async def test_it_is_answered_again_after_a_restart(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        ts = await answered(bot, slack)
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Second."))
        await slack.react("U1", "C1", ts, "repeat")
        await slack.until(lambda: said(slack, ts) == ["Second."])


async def test_what_was_asked_with_a_command_is_answered_again_by_its_message(bot, slack):
    bot.knows(says("First."))
    await slack.command("U1", "what is new?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].result)
    (question,) = [one for one in slack.workspace.messages["C1"].values() if "thread_ts" not in one]
    while (await bot.store.run(question["metadata"]["event_payload"]["run"])).status != "done":
        pass
    bot.knows(says("Second."))
    await slack.react("U1", "C1", question["ts"], "repeat")
    await slack.until(lambda: "Second." in slack.answer("C1", question["ts"]))
    assert bot.questions[1].run["query"] == "what is new?"
