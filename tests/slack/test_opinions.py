"""What people think of an answer: kept with how it came to be, and thanked for."""

import asyncio

import pytest

from bot.slack.messages.blocks import FEEDBACK
from bot.slack.messages.sentences import OPINION_LATE, THANKS, WHAT_WAS_WRONG
from bot.slack.surfaces.opinions import REASON
from tests.fakes.research import says, searches
from tests.fakes.search import hit

LEAVE = hit(1, title="Leave policy", url="https://wiki.test/leave")


@pytest.fixture
async def answer(bot, slack):
    """The ts of a question that is answered, and of its answer."""
    bot.knows(searches("leave"), says("You have 30 days [1]."), finds=[[LEAVE]])
    ts = await slack.mention("U1", "How much leave do I have?", "C1")
    await slack.until(lambda: "*Sources*" in slack.answer("C1", ts))
    await is_done(bot, ts)
    return ts, slack.thread("C1", ts)[-1].ts


async def is_done(bot, ts, status="done"):
    """Its end is kept, which comes a moment after it is shown."""
    async with asyncio.timeout(3):
        while (await bot.store.run(f"C1:{ts}")).status != status:
            pass


async def opines(slack, answer, user, opinion):
    ts, message = answer
    hook = await slack.click(user, "C1", message, FEEDBACK, f"{opinion}:C1:{ts}")
    await slack.until(lambda: hook.delivery.acknowledged)


def told(slack, user):
    return [one["text"] for one in slack.whispers(user)]


async def test_a_good_answer_is_kept_as_one_and_thanked_for_once(bot, slack, answer):
    await opines(slack, answer, "U2", "good")
    await opines(slack, answer, "U2", "good")
    await slack.until(lambda: told(slack, "U2"))
    await opines(slack, answer, "U3", "good")
    await slack.until(lambda: told(slack, "U3"))
    assert (told(slack, "U1"), told(slack, "U2")) == ([], [THANKS["en"]])
    assert slack.whispers("U2")[0]["thread_ts"] == answer[0]
    assert [one.user for one in await bot.store.feedback(good=True)] == ["U3", "U2"]


async def test_a_bad_one_is_kept_at_once_and_asked_about(bot, slack, answer):
    await opines(slack, answer, "U2", "bad")
    await slack.until(lambda: slack.api.views.modals.get("U2"))
    view = slack.api.views.modal("U2")
    assert view["blocks"][0]["label"]["text"] == WHAT_WAS_WRONG["en"]
    (kept,) = await bot.store.feedback(good=False)
    assert (kept.user, kept.reason, kept.trace.turn.answer) == ("U2", "", "You have 30 days [1].")
    assert [reply["content"] for reply in kept.trace.spoken if "content" in reply][-1] == "You have 30 days [1]."
    await slack.submit("U2", **{REASON: "It is 25."})
    await slack.until(lambda: told(slack, "U2") == [THANKS["en"]])
    (kept,) = await bot.store.feedback(good=False)
    assert kept.reason == "It is 25."


async def test_the_reason_may_be_left_out_and_one_that_was_given_stays(bot, slack, answer):
    for reason in ("It is 25.", None):
        await opines(slack, answer, "U2", "bad")
        await slack.until(lambda: slack.api.views.modals.get("U2"))
        await slack.submit("U2", **{REASON: reason})
        await slack.until(lambda: not slack.api.views.modals.get("U2"))
    (kept,) = await bot.store.feedback(good=False)
    assert kept.reason == "It is 25."


async def test_who_changes_their_mind_has_the_latest_opinion(bot, slack, answer):
    await opines(slack, answer, "U2", "bad")
    await opines(slack, answer, "U2", "good")
    assert await bot.store.feedback(good=False) == []
    (kept,) = await bot.store.feedback(good=True)
    assert kept.trace is None


async def test_where_slack_opens_no_modal_the_opinion_is_thanked_for(bot, slack, answer):
    slack.refuse("views.open", "expired_trigger_id")
    await opines(slack, answer, "U2", "bad")
    await slack.until(lambda: told(slack, "U2") == [THANKS["en"]])
    assert len(await bot.store.feedback(good=False)) == 1


async def test_a_click_that_is_delivered_again_does_nothing_more(bot, slack, answer):
    await opines(slack, answer, "U2", "good")
    await slack.until(lambda: told(slack, "U2"))
    again = await slack.sockets.redeliver(slack.sockets.deliveries[-1])
    await slack.until(lambda: again.acknowledged)
    await opines(slack, answer, "U3", "good")
    await slack.until(lambda: told(slack, "U3"))
    assert told(slack, "U2") == [THANKS["en"]]


async def test_thanks_that_slack_did_not_take_are_said_at_the_next_click(bot, slack, answer):
    slack.refuse("chat.postEphemeral", "user_not_in_channel")
    await opines(slack, answer, "U2", "good")
    await slack.until(lambda: slack.calls("chat.postEphemeral"))
    await opines(slack, answer, "U2", "good")
    await slack.until(lambda: told(slack, "U2") == [THANKS["en"]])


async def test_of_an_answer_whose_trace_is_gone_the_opinion_alone_is_kept(bot, slack, answer):
    await bot.store.prune(traces=-1, threads=180)
    await opines(slack, answer, "U2", "bad")
    (kept,) = await bot.store.feedback(good=False)
    assert kept.trace is None


async def test_of_an_answer_that_is_too_old_to_be_known_nothing_is_kept(bot, slack, answer):
    await bot.store.forget_all()
    await opines(slack, answer, "U2", "bad")
    await slack.until(lambda: told(slack, "U2") == [OPINION_LATE["en"]])
    assert await bot.store.feedback(good=False) == []


async def test_what_is_thought_of_a_question_goes_when_it_is_deleted(bot, slack, answer):
    await opines(slack, answer, "U2", "bad")
    await slack.delete("C1", answer[0])
    await is_done(bot, answer[0], "claim")
    assert await bot.store.feedback(good=False) == []
