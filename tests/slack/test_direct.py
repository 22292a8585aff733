"""In direct messages everything is for the bot."""

import pytest

from bot.sentences import HELP
from bot.slack.messages.links import words
from tests.fakes.research import says, searches
from tests.fakes.search import hit

LEAVE = hit(1, title="Leave policy", url="https://wiki.test/leave")


@pytest.mark.parametrize("more", [{}, {"thread_ts": ""}])
async def test_a_direct_message_is_answered_in_its_thread_without_a_mention(bot, slack, more):
    bot.knows(searches("leave"), says("30 days [1]."), finds=[[LEAVE]])
    ts = await slack.dm("U1", "How much leave do I have?", **more)
    await slack.until(lambda: slack.answer("DU1", ts).startswith("30 days <https://wiki.test/leave|[1]>."))
    assert bot.questions[0].run["query"] == "How much leave do I have?"


async def test_a_reply_there_is_a_follow_up(bot, slack):
    bot.knows(says("First."))
    bot.knows(says("Second."))
    ts = await slack.dm("U1", "How much leave do I have?")
    await slack.until(lambda: slack.answer("DU1", ts).startswith("First."))
    await slack.dm("U1", "and next year?", ts)
    await slack.until(lambda: slack.answer("DU1", ts).startswith("Second."))
    assert [message.content for message in bot.questions[1].run["history"]] == ["How much leave do I have?", "First."]


async def test_a_mention_there_is_one_question_too(bot, slack):
    bot.knows(says("Once."))
    ts = await slack.mention("U1", "How much leave do I have?", slack.workspace.direct("U1").id)
    await slack.until(lambda: slack.answer("DU1", ts).startswith("Once."))
    assert bot.questions[0].run["query"] == "How much leave do I have?"


async def test_somebody_else_may_be_named_there(bot, slack):
    bot.knows(says("Once."))
    ts = await slack.dm("U1", "what did <@U2> write?")
    await slack.until(lambda: slack.answer("DU1", ts).startswith("Once."))
    assert bot.questions[0].run["query"] == "what did Grace Hopper write?"


async def test_help_is_given_there(bot, slack):
    ts = await slack.dm("U1", "help")
    await slack.until(lambda: slack.answer("DU1", ts) == words(HELP["en"]))


async def test_a_group_message_needs_a_mention(bot, slack):
    place = slack.workspace.direct("U1", "U2").id
    await slack.say("U1", "lunch?", place)
    bot.knows(says("Once."))
    ts = await slack.mention("U1", "how much leave do we have?", place)
    await slack.until(lambda: slack.answer(place, ts).startswith("Once."))
    assert len(bot.questions) == 1
