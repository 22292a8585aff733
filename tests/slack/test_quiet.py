"""`@bot quiet` ends answering without a mention in a thread."""

import pytest

from bot.sentences import ASKED_BACK
from bot.slack.messages.notices import QUIET
from tests.fakes.research import calls, says, searches
from tests.fakes.slack import BOT
from tests.fakes.slack_bot import running_bot

ASKS = calls(("clarify", {"question": "Which Falcon?"}))


def said(slack, ts, channel="C1"):
    return [text.split("\n")[0] for text in slack.answers(channel, ts)]


@pytest.fixture
async def thread(bot, slack):
    """A thread whose root Ada asked the bot; it was answered."""
    bot.knows(says("First."))
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    while (run := await bot.store.run(f"C1:{ts}")) is None or run.status != "done":
        pass
    return ts


async def test_from_then_on_a_mention_is_needed_and_answered(bot, slack, thread):
    await slack.mention("U1", "quiet", "C1", thread)
    await slack.until(lambda: said(slack, thread) == ["First.", QUIET["en"]])
    await slack.say("U1", "and when?", "C1", thread)
    bot.knows(says("Second."))
    await slack.mention("U1", "and who?", "C1", thread)
    await slack.until(lambda: said(slack, thread) == ["First.", QUIET["en"], "Second."])
    assert [asked.run["query"] for asked in bot.questions] == ["Where is it, please?", "and who?"]
    await slack.say("U1", "and why?", "C1", thread)
    bot.knows(says("Else."))
    other = await slack.mention("U1", "And something else, please?", "C1")
    await slack.until(lambda: said(slack, other) == ["Else."])
    assert len(bot.questions) == 3


@pytest.mark.parametrize("text", ["Quiet!", "be quiet"])
async def test_anybody_may_ask_for_it_in_these_words(bot, slack, thread, text):
    await slack.mention("U2", text, "C1", thread)
    await slack.until(lambda: said(slack, thread) == ["First.", QUIET["en"]])
    assert (await bot.store.thread("C1", thread)).quiet


async def test_in_french_too(bot, slack, thread):
    await slack.mention("U1", "silence", "C1", thread)
    await slack.until(lambda: said(slack, thread) == ["First.", QUIET["fr"]])


async def test_who_asks_on_in_the_thread_need_not_mention_the_bot_for_it(bot, slack, thread):
    await slack.say("U1", "quiet", "C1", thread)
    await slack.until(lambda: said(slack, thread) == ["First.", QUIET["en"]])


async def test_it_holds_after_a_restart(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("First."))
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: said(slack, ts) == ["First."])
        await slack.mention("U1", "quiet", "C1", ts)
        await slack.until(lambda: said(slack, ts)[1:] == [QUIET["en"]])
    async with running_bot(slack, tmp_path) as bot:
        await slack.say("U1", "and when?", "C1", ts)
        bot.knows(says("Else."))
        other = await slack.mention("U1", "And something else, please?", "C1")
        await slack.until(lambda: said(slack, other) == ["Else."])
        assert len(bot.questions) == 1


async def test_other_threads_go_on(bot, slack, thread):
    await slack.mention("U1", "quiet", "C1", thread)
    await slack.until(lambda: said(slack, thread) == ["First.", QUIET["en"]])
    bot.knows(says("Elsewhere."), says("Never."))
    other = await slack.mention("U1", "And there, please?", "C1")
    await slack.until(lambda: said(slack, other) == ["Elsewhere."])
    bot.knows(says("On."))
    await slack.say("U1", "and then?", "C1", other)
    await slack.until(lambda: said(slack, other) == ["Elsewhere.", "On."])


async def test_it_is_no_answer_to_what_the_bot_asked_back(bot, slack):
    bot.knows(searches("falcon"), ASKS, says("Never."))
    ts = await slack.mention("U1", "When does it fly, please?", "C1")
    await slack.until(lambda: len(slack.answers("C1", ts)) == 2 and ASKED_BACK["en"] in slack.answers("C1", ts)[0])
    await slack.mention("U2", "quiet", "C1", ts)
    await slack.until(lambda: said(slack, ts)[2:] == [QUIET["en"]])
    await slack.say("U1", "Falcon 9", "C1", ts)
    await slack.until(lambda: said(slack, ts)[0] == "Never.")


async def test_in_a_direct_message_it_is_a_question_like_any_other(bot, slack):
    bot.knows(says("Shh."))
    ts = await slack.dm("U1", "quiet")
    await slack.until(lambda: said(slack, ts, "DU1") == ["Shh."])


async def test_a_word_to_somebody_else_is_none_to_the_bot(bot, slack, thread):
    bot.knows(says("Second."))
    await slack.say("U1", f"<@{BOT}> <@U2> quiet", "C1", thread)
    await slack.until(lambda: said(slack, thread) == ["First.", "Second."])


async def test_who_edits_a_question_into_it_gets_it_in_the_same_message(bot, slack):
    bot.knows(says("Never."), held=True)
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
    await slack.edit("C1", ts, f"<@{BOT}> quiet")
    await slack.until(lambda: said(slack, ts) == [QUIET["en"]])
