"""A question that is edited or deleted, while it is answered and after."""

import pytest

from bot.sentences import ASKED_BACK, EDITED
from bot.slack.messages.blocks import AGAIN
from bot.slack.messages.notices import EDITED_LATER
from bot.slack.questions.changes import called
from bot.store import CLAIMS_KEPT
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack import BOT
from tests.fakes.slack_bot import running_bot

FOUND = [hit(1, title="Falcon", url="https://wiki.test/falcon")]
ASKS = calls(("clarify", {"question": "Which Falcon?"}))


def said(slack, ts, channel="C1"):
    return [text.split("\n")[0] for text in slack.answers(channel, ts)]


@pytest.fixture
async def asked(bot, slack):
    """The ts of a question at which the model is at work."""
    return await begun(bot, slack)


@pytest.fixture
async def answered(bot, slack, asked):
    """The ts of a question that is answered."""
    bot.questions[0].engine.gate.set()
    await is_done(bot, asked)
    return asked


async def begun(bot, slack):
    bot.knows(says("First."), held=True)
    ts = await slack.mention("U1", "Where is it, pleese?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
    return ts


async def asks_back(bot, slack):
    bot.knows(searches("falcon"), ASKS, says("Never."), finds=[FOUND])
    ts = await slack.mention("U1", "When does it fly, please?", "C1")
    await slack.until(lambda: len(slack.answers("C1", ts)) == 2 and ASKED_BACK["en"] in slack.answers("C1", ts)[0])
    return ts


async def is_done(bot, ts, attempt=1):
    while (run := await bot.store.run(f"C1:{ts}")) is None or (run.status, run.attempt) != ("done", attempt):
        pass


async def is_settled(bot, slack):
    """Whatever came before has been dealt with, and no question begun for it."""
    questions = len(bot.questions)
    bot.knows(says("Else."))
    other = await slack.mention("U1", "And something else, please?", "C2")
    await slack.until(lambda: said(slack, other, "C2") == ["Else."])
    return len(bot.questions) == questions + 1


async def edit(slack, ts, text):
    await slack.edit("C1", ts, f"<@{BOT}> {text}")


async def tell_the_other(slack, way):
    """The next event goes through another socket than `way`."""
    await slack.until(lambda: slack.sockets.connected == 2)
    while (await slack.event({"type": "hello"})).way is not way:
        pass


async def test_a_question_that_is_edited_while_it_runs_is_answered_anew_in_the_same_message(bot, slack, asked):
    message = slack.thread("C1", asked)[1].ts
    bot.knows(says("Second."))
    await edit(slack, asked, "Where was it, please?")
    await slack.until(lambda: EDITED["en"] in slack.answer("C1", asked))
    assert said(slack, asked) == ["Second."]
    assert slack.thread("C1", asked)[1].ts == message
    assert bot.questions[0].result is None
    assert bot.questions[1].run["query"] == "Where was it, please?"
    await is_done(bot, asked, attempt=2)
    assert [turn.question for turn in await bot.store.turns("C1", asked)] == ["Where was it, please?"]


async def test_report_6_an_edit_that_is_told_several_times_is_answered_once(bot, slack, asked):
    bot.knows(says("Second."))
    await edit(slack, asked, "Where was it, please?")
    assert [told.event["type"] for told in slack.deliveries[-2:]] == ["message", "app_mention"]
    for told in slack.deliveries[-2:]:
        await slack.sockets.redeliver(told)
    await is_done(bot, asked, attempt=2)
    assert await is_settled(bot, slack)
    await is_done(bot, asked, attempt=2)
    assert said(slack, asked) == ["Second."]


async def test_the_latest_of_several_edits_is_answered(bot, slack, asked):
    bot.knows(says("Second."), held=True)
    await edit(slack, asked, "Where was it?")
    await slack.until(lambda: len(bot.questions) == 2)
    first = slack.deliveries[-1]
    bot.knows(says("Third."))
    await edit(slack, asked, "Where will it be?")
    await slack.sockets.redeliver(first)
    await slack.until(lambda: said(slack, asked) == ["Third."])
    assert bot.questions[2].run["query"] == "Where will it be?"
    assert await is_settled(bot, slack)


async def test_a_preview_under_the_question_is_no_edit(bot, slack, asked):
    await slack.preview("C1", asked, "https://wiki.test/falcon")
    assert await is_settled(bot, slack)
    bot.questions[0].engine.gate.set()
    await is_done(bot, asked)
    assert EDITED["en"] not in slack.answer("C1", asked)


@pytest.mark.parametrize("text", [f"<@{BOT}>  Where is it,  pleese?", "Where is it, pleese?"])
async def test_nor_is_what_changes_no_word(bot, slack, asked, text):
    await slack.edit("C1", asked, text)
    assert await is_settled(bot, slack)
    bot.questions[0].engine.gate.set()
    await is_done(bot, asked)


async def test_report_8_what_the_bot_edits_itself_begins_nothing(slack, tmp_path):
    slack.echoes = True
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(searches("falcon"), says("First."), finds=[FOUND])
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await is_done(bot, ts)
        assert await is_settled(bot, slack)
        assert said(slack, ts) == ["First."]


async def test_one_that_waits_for_an_answer_is_answered_anew(bot, slack):
    ts = await asks_back(bot, slack)
    bot.knows(says("Second."))
    await edit(slack, ts, "When does Falcon 9 fly, please?")
    await slack.until(lambda: said(slack, ts)[0] == "Second.")
    assert bot.questions[1].run["query"] == "When does Falcon 9 fly, please?"


async def test_a_run_of_another_process_is_answered_anew_there(slack, tmp_path):
    async with running_bot(slack, tmp_path) as first:
        ts = await begun(first, slack)
        first.knows(says("Second."))
        way = slack.deliveries[-1].way
        async with running_bot(slack, tmp_path) as second:
            await tell_the_other(slack, way)
            await slack.edit("C1", ts, "Where was it, please?")
            await slack.until(lambda: said(slack, ts) == ["Second."])
            assert second.questions == []


async def test_in_a_direct_message_it_works_the_same(bot, slack):
    bot.knows(says("First."), held=True)
    ts = await slack.dm("U1", "Where is it?")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("DU1", ts))
    bot.knows(says("Second."))
    await slack.edit("DU1", ts, "Where was it?")
    await slack.until(lambda: said(slack, ts, "DU1") == ["Second."])


async def test_once_it_is_answered_an_edit_offers_another_answer_once(bot, slack, answered):
    await edit(slack, answered, "Where was it, please?")
    await slack.until(lambda: [told["text"] for told in slack.whispers("U1")] == [EDITED_LATER["en"]])
    assert await is_settled(bot, slack)
    assert said(slack, answered) == ["First."]
    bot.knows(says("Second."))
    await slack.click("U1", "C1", slack.whispers("U1")[0]["ts"], AGAIN)
    await slack.until(lambda: EDITED["en"] in slack.answer("C1", answered))
    assert said(slack, answered) == ["Second."]
    assert bot.questions[-1].run["query"] == "Where was it, please?"
    assert len(slack.whispers("U1")) == 1


async def test_the_click_for_another_answer_asks_for_one_however_often_it_comes(bot, slack, answered):
    await edit(slack, answered, "Where was it, please?")
    await slack.until(lambda: slack.whispers("U1"))
    bot.knows(says("Second."))
    hook = await slack.click("U1", "C1", slack.whispers("U1")[0]["ts"], AGAIN)
    await slack.until(lambda: said(slack, answered) == ["Second."])
    assert await is_settled(bot, slack)
    again = await slack.sockets.redeliver(hook.delivery)
    await slack.until(lambda: again.acknowledged)
    assert await is_settled(bot, slack)
    assert said(slack, answered) == ["Second."]


async def test_what_was_edited_is_answered_again_with_a_reaction_too(bot, slack, answered):
    await edit(slack, answered, "Where was it, please?")
    await slack.until(lambda: slack.whispers("U1"))
    bot.knows(says("Second."))
    await slack.react("U1", "C1", answered, "arrows_counterclockwise")
    await slack.until(lambda: said(slack, answered) == ["Second."])
    assert bot.questions[1].run["query"] == "Where was it, please?"


async def test_a_preview_under_an_answered_question_offers_nothing(bot, slack, answered):
    await slack.preview("C1", answered, "https://wiki.test/falcon")
    assert await is_settled(bot, slack)
    assert slack.whispers("U1") == []


@pytest.mark.parametrize("told", [("app_mention", "message"), ("message",)], ids=["told twice", "as a change alone"])
async def test_a_message_that_gets_its_mention_by_an_edit_is_a_question(bot, slack, told):
    slack.pair = told
    ts = await slack.say("U1", "Where is it, please?", "C1")
    bot.knows(says("First."))
    await edit(slack, ts, "Where is it, please?")
    await slack.until(lambda: said(slack, ts) == ["First."])
    for delivery in slack.deliveries[-len(told) :]:
        await slack.sockets.redeliver(delivery)
    assert await is_settled(bot, slack)
    assert said(slack, ts) == ["First."]
    assert slack.whispers("U1") == []


async def test_a_reply_that_gets_its_mention_by_an_edit_is_answered_in_its_thread(bot, slack):
    slack.pair = ("message",)
    root = await slack.say("U2", "It is in the drawer.", "C1")
    ts = await slack.say("U1", "Where is it, please?", "C1", root)
    bot.knows(says("First."))
    await edit(slack, ts, "Where is it, please?")
    await slack.until(lambda: said(slack, root) == ["First."])


async def test_a_preview_makes_no_question_of_what_shows_or_forwards_a_mention(bot, slack):
    slack.pair = ("message",)
    forwarded = {"is_share": True, "author_id": "U2", "text": f"<@{BOT}> where is it?"}
    for shared in ([], [forwarded]):
        ts = await slack.say("U1", "Look at this", "C1", attachments=shared)
        message = slack.workspace.message("C1", ts)
        before = dict(message)
        message["attachments"] = [{**forwarded, "is_msg_unfurl": True}]
        await slack.message_changed("C1", message, before)
    assert await is_settled(bot, slack)


CHANGE = {"type": "message", "subtype": "message_changed", "channel": "C1", "ts": "9.000001"}
WRITTEN = {"type": "message", "user": "U1", "ts": "8.000001"}
MENTION, BARE = {**WRITTEN, "text": f"<@{BOT}> where?"}, {**WRITTEN, "text": "where?"}
NOW, BEFORE = {"edited": {"user": "U1", "ts": "9.000001"}}, {"edited": {"user": "U1", "ts": "8.500001"}}


@pytest.mark.parametrize(
    ("message", "before", "asks"),
    [
        pytest.param(MENTION | NOW, BARE, True, id="it had no mention"),
        pytest.param(MENTION | NOW, BARE | BEFORE, True, id="nor after an earlier edit"),
        pytest.param(MENTION | NOW, None, True, id="what was before is not told, but that it is edited now"),
        pytest.param(MENTION | BEFORE, None, False, id="nor when it was edited last"),
        pytest.param(MENTION | NOW, MENTION, False, id="it had one"),
        pytest.param(MENTION, BARE, False, id="nobody has edited it"),
        pytest.param(MENTION | BEFORE, BARE | BEFORE, False, id="nobody has edited it since"),
        pytest.param(BARE | NOW, MENTION, False, id="it has lost its mention"),
        pytest.param(MENTION | NOW | {"bot_id": "B8"}, BARE, False, id="a bot wrote it"),
    ],
)
def test_what_a_change_makes_a_question(message, before, asks):
    event = {**CHANGE, "message": message, **({"previous_message": before} if before else {})}
    question = called(event, BOT, 10)
    assert (question is not None) is asks
    if question is not None:
        assert (question.key, question.mentioned) == ("C1:8.000001", True)


def test_what_was_written_so_long_ago_that_nobody_knows_its_answer_is_no_question():
    event = {**CHANGE, "message": MENTION | NOW, "previous_message": BARE}
    assert called(event, BOT, CLAIMS_KEPT + 9) is None


# Deleted


async def is_forgotten(bot, ts):
    while (run := await bot.store.run(f"C1:{ts}")) is None or run.status != "claim":
        pass
    return await bot.store.turns("C1", ts) == []


async def test_report_31_a_question_that_is_deleted_while_it_runs_is_stopped_and_its_message_goes(bot, slack, asked):
    await slack.delete("C1", asked)
    await slack.until(lambda: slack.thread("C1", asked) == [])
    assert bot.questions[0].result is None
    assert await is_forgotten(bot, asked)


async def test_the_answer_goes_with_its_question(bot, slack, answered):
    await slack.delete("C1", answered)
    await slack.until(lambda: slack.thread("C1", answered) == [])
    assert await is_forgotten(bot, answered)


async def test_the_answer_to_a_reply_goes_with_it(bot, slack, answered):
    bot.knows(says("Second."))
    ts = await slack.say("U1", "and when?", "C1", answered)
    await is_done(bot, ts)
    await slack.delete("C1", ts)
    await slack.until(lambda: said(slack, answered) == ["First."])
    await is_forgotten(bot, ts)
    assert [turn.answer for turn in await bot.store.turns("C1", answered)] == ["First."]


async def test_what_it_asked_back_goes_too(bot, slack):
    ts = await asks_back(bot, slack)
    await slack.delete("C1", ts)
    await slack.until(lambda: slack.thread("C1", ts) == [])
    assert await is_forgotten(bot, ts)


async def test_what_others_said_in_the_thread_stays(bot, slack, answered):
    await slack.say("U2", "<@U3> what do you think?", "C1", answered)
    await slack.delete("C1", answered)
    await slack.until(lambda: said(slack, answered) == [])
    assert [message.user for message in slack.thread("C1", answered)] == ["USLACKBOT", "U2"]


async def test_a_question_that_comes_after_its_deletion_is_not_answered(bot, slack):
    message = {
        "type": "message",
        "user": "U1",
        "channel": "C1",
        "text": f"<@{BOT}> When?",
        "ts": slack.workspace.new_ts(),
    }
    await slack.message_deleted("C1", message)
    await slack.until(lambda: all(delivery.acknowledged for delivery in slack.deliveries))
    for kind in ("app_mention", "message"):
        await slack.happened(kind, "C1", message)
    await slack.until(lambda: all(delivery.acknowledged for delivery in slack.deliveries))
    bot.knows(says("It flies."))
    later = await slack.mention("U1", "And now?", "C1")
    await slack.until(lambda: "It flies." in slack.answer("C1", later))
    assert len(bot.questions) == 1


async def test_a_deletion_that_is_told_again_does_nothing_and_the_question_is_not_answered_again(bot, slack, answered):
    question = next(one for one in slack.deliveries if one.event.get("ts") == answered)
    await slack.delete("C1", answered)
    await slack.until(lambda: slack.thread("C1", answered) == [])
    await slack.sockets.redeliver(slack.deliveries[-1])
    await slack.sockets.redeliver(question)
    assert await is_settled(bot, slack)
    assert slack.thread("C1", answered) == []


async def test_a_message_of_somebody_else_that_is_deleted_takes_nothing_back(bot, slack, answered):
    other = await slack.say("U2", "Lunch?", "C1", answered)
    await slack.delete("C1", other)
    assert await is_settled(bot, slack)
    assert said(slack, answered) == ["First."]


async def test_a_run_of_another_process_is_taken_back_there(slack, tmp_path):
    async with running_bot(slack, tmp_path) as first:
        ts = await begun(first, slack)
        way = slack.deliveries[-1].way
        async with running_bot(slack, tmp_path):
            await tell_the_other(slack, way)
            await slack.delete("C1", ts)
            await slack.until(lambda: slack.thread("C1", ts) == [])
            assert first.questions[0].result is None


async def test_one_of_its_messages_that_may_not_be_deleted_does_not_keep_the_rest(bot, slack, answered):
    slack.refuse("chat.delete", "cant_delete_message")
    await slack.delete("C1", answered)
    assert await is_forgotten(bot, answered)
