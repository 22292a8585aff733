"""However an answer ends, a last word is there, once and whole."""

import asyncio
import logging

import pytest

from bot.sentences import APOLOGY, ENGINE_FAILED, GOING_ON, UNSOURCED
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot

ANSWER = f"Here it is.\n\n_{UNSOURCED['en']}_"
LONG = "\n\n".join(f"Paragraph {number} says: " + "word " * 100 for number in range(12))


async def asked(bot, slack, *replies, before_end=lambda ts: None):
    """A question whose placeholder is there when `before_end` is called, and that is then answered."""
    gate = bot.knows(*(replies or (says("Here it is."),)), held=True)
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[-1].engine.asked and slack.answers("C1", ts))
    before_end(ts)
    gate.set()
    return ts


async def breathe():
    """What can go on without the network has gone on."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_an_edit_too_many_waits_as_long_as_slack_says(bot, slack):
    ts = await asked(bot, slack, before_end=lambda ts: slack.limit("chat.update", times=2, retry_after=1))
    await slack.until(lambda: slack.answers("C1", ts) == [ANSWER])
    edits = slack.calls("chat.update")
    refused = [edit for edit in edits if edit.error]
    assert refused
    assert edits[-1].at - refused[-1].at >= 1


@pytest.mark.parametrize("code", ["rate_limited", "internal_error", "fatal_error"])
async def test_one_that_slack_refuses_for_the_moment_is_tried_again(bot, slack, code):
    ts = await asked(bot, slack, before_end=lambda ts: slack.refuse("chat.update", code))
    await slack.until(lambda: slack.answers("C1", ts) == [ANSWER])


async def test_one_that_slack_finds_too_long_is_cut_smaller(bot, slack):
    ts = await asked(bot, slack, says(LONG), before_end=lambda ts: slack.refuse("chat.update", "msg_too_long", times=2))
    await slack.until(lambda: UNSOURCED["en"] in slack.answer("C1", ts))
    assert " ".join("\n\n".join(slack.answers("C1", ts)).split()) == " ".join(f"{LONG}\n\n_{UNSOURCED['en']}_".split())


@pytest.mark.parametrize(
    "code", ["message_not_found", "edit_window_closed", "cant_update_message", "streaming_state_conflict"]
)
async def test_where_the_message_can_not_be_edited_any_more_a_new_one_is_posted(bot, slack, code):
    ts = await asked(bot, slack, before_end=lambda ts: slack.refuse("chat.update", code, times=2))
    await slack.until(lambda: slack.answer("C1", ts) == ANSWER)


async def test_where_somebody_deleted_the_message_a_new_one_is_posted(bot, slack):
    def delete(ts):
        del slack.workspace.messages["C1"][slack.thread("C1", ts)[1].ts]

    ts = await asked(bot, slack, before_end=delete)
    await slack.until(lambda: slack.answers("C1", ts) == [ANSWER])


@pytest.mark.parametrize("done", [False, True])
async def test_a_placeholder_whose_connection_broke_is_there_once(bot, slack, done):
    slack.drop("chat.postMessage", done=done)
    ts = await asked(bot, slack)
    await slack.until(lambda: slack.answers("C1", ts) == [ANSWER])


async def test_an_edit_whose_connection_broke_is_made_again(bot, slack):
    ts = await asked(bot, slack, before_end=lambda ts: slack.drop("chat.update", times=2))
    await slack.until(lambda: slack.answers("C1", ts) == [ANSWER])


@pytest.mark.parametrize("done", [False, True])
async def test_a_further_part_whose_connection_broke_is_there_once(bot, slack, done):
    ts = await asked(bot, slack, says(LONG), before_end=lambda ts: slack.fail("chat.postMessage", done=done))
    await slack.until(lambda: UNSOURCED["en"] in slack.answer("C1", ts))
    assert " ".join("\n\n".join(slack.answers("C1", ts)).split()) == " ".join(f"{LONG}\n\n_{UNSOURCED['en']}_".split())


async def test_where_slack_takes_no_placeholder_the_answer_is_posted(bot, slack):
    slack.refuse("chat.postMessage", "restricted_action")
    bot.knows(says("Here it is."))
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    await slack.until(lambda: slack.answers("C1", ts) == [ANSWER])


async def test_where_slack_takes_nothing_at_all_the_bot_goes_on(bot, slack):
    slack.refuse("chat.postMessage", "is_archived", times=3)
    bot.knows(says("Here it is."))
    await slack.mention("U1", "Where is it, please?", "C1")
    await slack.until(lambda: len(slack.calls("chat.postMessage")) == 3)
    ts = await asked(bot, slack)
    await slack.until(lambda: slack.answers("C1", ts) == [ANSWER])


async def test_an_older_state_never_comes_after_the_answer(bot, slack):
    slack.hold("chat.update")
    gate = bot.knows(says("Here it is."), held=True)
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    await slack.until(lambda: bot.questions and slack.answers("C1", ts))
    bot.questions[0].options["on_place"](1)
    await slack.until(lambda: slack.calls("chat.update"))
    gate.set()
    await slack.until(lambda: bot.questions[0].result)  # The edit is still on its way.
    await breathe()
    slack.release("chat.update")
    await slack.until(lambda: slack.answers("C1", ts) == [ANSWER])
    assert slack.calls("chat.update")[-1].call["text"] == ANSWER


async def test_while_slack_takes_no_edits_only_the_latest_state_is_kept_for_it(bot, slack):
    gate = bot.knows(says("Here it is."), held=True)
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    await slack.until(lambda: bot.questions and slack.answers("C1", ts))
    slack.limit("chat.update", retry_after=1)
    placed = bot.questions[0].options["on_place"]
    placed(9)
    await slack.until(lambda: slack.calls("chat.update"))
    for place in range(8, 0, -1):
        placed(place)
    await slack.until(lambda: "number 1 in line" in slack.answer("C1", ts))
    refused, done = slack.calls("chat.update")
    assert done.at - refused.at >= 1
    gate.set()
    await slack.until(lambda: slack.answers("C1", ts) == [ANSWER])


async def test_a_model_that_fails_is_said_in_words_that_show_nothing_of_the_cause(bot, slack):
    ts = await asked(bot, slack, RuntimeError("secret"))
    await slack.until(lambda: slack.answers("C1", ts) == [ENGINE_FAILED["en"]])


class Broken:
    """A store in which nothing can be looked up."""

    def __init__(self, store):
        self.store = store

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def turns(self, channel, thread_ts, *, limit=20):
        raise RuntimeError("".join(("ze", "bra")))


async def test_a_failure_of_ours_is_an_apology_and_a_trace_without_its_words(slack, tmp_path, caplog):
    async with running_bot(slack, tmp_path, through=Broken):
        ts = await slack.say("U2", "I saw a zebra", "C1")
        await slack.mention("U1", "Where is the zebra, please?", "C1", ts)
        await slack.until(lambda: slack.answers("C1", ts) == [APOLOGY["en"]])
    assert "RuntimeError" in caplog.text
    assert "test_last_word.py" in caplog.text
    assert "zebra" not in caplog.text


async def test_no_text_of_messages_is_logged_at_any_level(slack, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    slack.echoes = True
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("The zebra is here."))
        ts = await slack.mention("U1", "Where is the zebra, please?", "C1")
        await slack.until(lambda: slack.answer("C1", ts).startswith("The zebra"))
        await slack.event({"type": "some_new_event", "channel": "C1", "text": "zebra"})
        await slack.until(lambda: slack.sockets.deliveries[-1].acknowledged)
    assert "C1" in caplog.text
    assert "zebra" not in caplog.text
    assert "xoxb" not in caplog.text


async def test_a_bot_that_is_stopped_says_so_in_every_thread(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        for _ in range(3):
            bot.knows(says("Never."), held=True)
        threads = [await slack.mention("U1", f"Where is it, number {number}?", "C1") for number in range(3)]
        await slack.until(lambda: len(bot.questions) == 3)
        bot.task.cancel()
        await slack.until(lambda: all(slack.answers("C1", ts) == [f"_{GOING_ON['en']}_"] for ts in threads))


async def test_one_that_is_stopped_before_it_knows_its_placeholder_says_so_in_it(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        slack.hold("chat.postMessage")
        bot.knows(says("Never."), held=True)
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: slack.answers("C1", ts))
        bot.task.cancel()
        await breathe()
        slack.release("chat.postMessage")
        await slack.until(lambda: slack.answers("C1", ts) == [f"_{GOING_ON['en']}_"])


async def test_an_answer_that_is_known_when_the_bot_is_stopped_arrives_once_and_is_kept(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        slack.hold("chat.update")
        bot.knows(says("Here it is."))
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        async with asyncio.timeout(5):
            while not (run := await bot.store.run(f"C1:{ts}")) or not run.parts:
                await breathe()
        bot.task.cancel()
        await breathe()
        slack.release("chat.update")
    async with running_bot(slack, tmp_path) as bot:
        async with asyncio.timeout(5):
            while not await bot.store.turns("C1", ts):
                await breathe()
        assert slack.answers("C1", ts) == [ANSWER]
        assert bot.questions == []
        bot.knows(says("And there."))
        await slack.say("U1", "and the other?", "C1", ts)
        await slack.until(lambda: bot.questions and bot.questions[0].run)
    assert [message.content for message in bot.questions[0].run["history"]] == ["Where is it, please?", "Here it is."]


async def test_a_bot_that_is_being_stopped_takes_nothing_up(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        slack.hold("chat.postMessage")
        bot.knows(says("Never."), held=True)
        await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions)
        bot.task.cancel()
        await breathe()
        late = await slack.mention("U1", "And this, please?", "C1")
        slack.release("chat.postMessage")
    assert slack.answers("C1", late) == []
    async with running_bot(slack, tmp_path) as bot:
        for _ in range(2):  # the question that was begun is gone on with, too
            bot.knows(says("Here it is."))
        await slack.sockets.redeliver(slack.sockets.deliveries[-1])
        await slack.until(lambda: slack.answers("C1", late) == [ANSWER])
