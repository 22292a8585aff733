"""A question that the bot asks back, and the reply that answers it."""

from bot.sentences import ANSWER_OVERDUE, ASKED_BACK, MORE_READERS
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack import BOT
from tests.fakes.slack_bot import running_bot

FOUND = [hit(1, title="Falcon", url="https://wiki.test/falcon")]
ASKS = calls(("clarify", {"question": "Falcon the **rocket** or <!channel> the bird?"}))
ASKED = "Falcon the *rocket* or &lt;!channel&gt; the bird?"


async def asked_back(bot, slack, question="When does Falcon fly, please?"):
    bot.knows(searches("falcon"), ASKS, says("It flies [1]."), finds=[FOUND])
    ts = await slack.mention("U1", question, "C1")
    await slack.until(lambda: slack.answers("C1", ts)[1:] == [ASKED])
    return ts


def told(bot, question=0):
    """What the model was told that the person answered."""
    return bot.questions[question].engine.calls[-1]["messages"][-1].content


async def test_it_is_posted_in_the_thread_and_the_next_reply_answers_it(bot, slack):
    ts = await asked_back(bot, slack)
    await slack.until(lambda: ASKED_BACK["en"] in slack.answers("C1", ts)[0])
    await slack.say("U1", "the bird &amp; <@U2>", "C1", ts)
    await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))
    assert "the bird & Grace Hopper" in told(bot)
    assert len(bot.questions) == 1


async def test_anybody_in_the_thread_may_answer_and_a_mention_is_an_answer_too(bot, slack):
    ts = await asked_back(bot, slack)
    await slack.say("U2", f"<@{BOT}> the bird", "C1", ts)
    await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))
    assert "the bird" in told(bot)
    assert len(bot.questions) == 1


async def test_an_answer_that_is_delivered_twice_is_one_answer_and_no_question(bot, slack):
    ts = await asked_back(bot, slack)
    await slack.say("U1", "the bird", "C1", ts)
    reply = slack.sockets.deliveries[-1]
    await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))
    again = await slack.sockets.redeliver(reply)
    await slack.until(lambda: again.acknowledged)
    bot.knows(says("Else."))
    other = await slack.mention("U1", "And something else?", "C1")
    await slack.until(lambda: slack.answer("C1", other).startswith("Else."))
    assert len(bot.questions) == 2
    assert len(slack.answers("C1", ts)) == 2


async def test_what_is_said_after_the_answer_is_a_follow_up_again(bot, slack):
    ts = await asked_back(bot, slack)
    bot.knows(says("And back."))
    await slack.say("U1", "the bird", "C1", ts)
    await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))
    await slack.say("U1", "and back?", "C1", ts)
    await slack.until(lambda: slack.answer("C1", ts).startswith("And back."))
    assert bot.questions[1].run["query"] == "and back?"


async def test_what_is_said_elsewhere_does_not_answer_it(bot, slack):
    ts = await asked_back(bot, slack)
    bot.knows(says("Else."))
    other = await slack.mention("U1", "And something else?", "C1")
    await slack.until(lambda: slack.answer("C1", other).startswith("Else."))
    assert not slack.answers("C1", ts)[0].startswith("It flies")
    await slack.say("U1", "the bird", "C1", ts)
    await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))


async def test_in_a_direct_message_it_works_the_same(bot, slack):
    bot.knows(searches("falcon"), ASKS, says("It flies [1]."), finds=[FOUND])
    ts = await slack.dm("U1", "When does Falcon fly, please?")
    await slack.until(lambda: slack.answers("DU1", ts)[1:] == [ASKED])
    await slack.dm("U1", "the bird", ts)
    await slack.until(lambda: slack.answers("DU1", ts)[0].startswith("It flies"))


async def test_an_answer_that_does_not_come_is_not_waited_for_longer_than_the_loop_wants(slack, tmp_path):
    async with running_bot(slack, tmp_path, clarify_timeout=0.1) as bot:
        bot.knows(searches("falcon"), ASKS, says("It flies [1]."), finds=[FOUND])
        ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
        await slack.until(lambda: slack.answers("C1", ts) and slack.answers("C1", ts)[0].startswith("It flies"))
        assert "(no answer provided)" in told(bot)
        assert ANSWER_OVERDUE["en"] in slack.answers("C1", ts)[0]
        bot.knows(says("Later."))
        await slack.say("U1", "the bird then", "C1", ts)
        await slack.until(lambda: slack.answer("C1", ts).startswith("Later."))


async def test_a_question_back_that_slack_does_not_take_is_not_waited_for(bot, slack):
    gate = bot.knows(searches("falcon"), ASKS, says("It flies [1]."), finds=[FOUND], held=True)
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
    await slack.until(lambda: bot.questions and slack.answers("C1", ts))
    slack.refuse("chat.postMessage", "restricted_action")
    gate.set()
    await slack.until(lambda: slack.answers("C1", ts)[0].startswith("It flies"))


async def test_two_threads_have_each_their_own(bot, slack):
    first = await asked_back(bot, slack)
    second = await asked_back(bot, slack, "And when does the other Falcon fly?")
    await slack.say("U1", "the second", "C1", second)
    await slack.until(lambda: slack.answers("C1", second)[0].startswith("It flies"))
    await slack.say("U1", "the first", "C1", first)
    await slack.until(lambda: slack.answers("C1", first)[0].startswith("It flies"))
    assert "the second" in told(bot, 1)
    assert "the first" in told(bot, 0)


async def test_where_a_guest_has_come_in_meanwhile_nothing_more_is_searched_or_told(bot, slack):
    ts = await asked_back(bot, slack)
    slack.workspace.channels["C1"].members.append("UG")
    await slack.say("UG", "the bird", "C1", ts)
    await slack.until(lambda: slack.answers("C1", ts)[0] == MORE_READERS["en"])
    assert len(bot.questions[0].engine.calls) == 2


async def test_an_answer_is_kept_back_where_a_guest_came_in_while_it_was_researched(bot, slack):
    gate = bot.knows(searches("falcon"), says("It flies [1]."), finds=[FOUND], held=True)
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].run)
    slack.workspace.channels["C1"].members.append("UG")
    gate.set()
    await slack.until(lambda: slack.answers("C1", ts) == [MORE_READERS["en"]])
