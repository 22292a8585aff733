"""A question is deleted: what was said to it, and what later ones were told of it, goes wherever it is."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.sentences import STOPPED
from bot.slack.messages.blocks import FEEDBACK, HOW, PRIVATE
from bot.slack.messages.sentences import NOT_KEPT
from bot.slack.questions.readers_sentences import TOLD_DIRECTLY, WITHHELD
from bot.store.sqlite import open_store
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack import BOT
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_private import asked_in_a_channel, privately, root

FOUND = hit(1, title="Falcon", url="https://wiki.test/falcon", timestamp=datetime.now(UTC).isoformat())
FLIES = "It flies on Monday"
LONG = "\n\n".join(f"Paragraph {number} says: " + "word " * 400 for number in range(6))
ASKS = calls(("clarify", {"question": "Which summer?"}))
SECRET = "Falconry"


def directly(slack, user):
    """What stands in somebody's direct messages."""
    place = slack.workspace.direct(user).id
    return [message["text"] for message in slack.workspace.messages.get(place, {}).values()]


async def held(bot, slack, answer=f"{FLIES} [1]."):
    """A question whose readers are known, and what lets the model answer it."""
    bot.access[FOUND.chunk_id] = frozenset(["workspace"])
    gate = bot.knows(searches("falcon"), says(answer), finds=[[FOUND]], held=True)
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C4")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C4", ts))
    return ts, gate


async def told_alone(bot, slack, answer=f"{FLIES} [1]."):
    """The ts of a question whose asker alone is told the answer."""
    ts, gate = await held(bot, slack, answer)
    slack.workspace.add(slack.workspace.direct("U1").id, {"user": "U1", "text": "Hello."})
    slack.refuse("conversations.members", "internal_error", times=2)
    gate.set()
    await ended(bot, f"C4:{ts}")
    assert slack.answers("C4", ts) == [TOLD_DIRECTLY["en"]]
    return ts


async def ended(bot, key, status="done"):
    async with asyncio.timeout(8):
        while (run := await bot.store.run(key)) is None or run.status != status:
            pass
    return run


async def is_taken_back(bot, slack, channel, ts):
    await ended(bot, f"{channel}:{ts}", "claim")
    assert slack.answers(channel, ts) == []


@pytest.mark.parametrize("answer", [f"{FLIES} [1].", f"{FLIES} [1].\n\n{LONG}"], ids=["short", "of several messages"])
async def test_an_answer_that_its_asker_alone_was_told_goes_from_their_direct_messages(bot, slack, answer):
    ts = await told_alone(bot, slack, answer)
    assert FLIES in str(directly(slack, "U1"))
    await slack.delete("C4", ts)
    await is_taken_back(bot, slack, "C4", ts)
    assert not any(FLIES in text or "Paragraph" in text for text in directly(slack, "U1"))
    assert "Hello." in directly(slack, "U1")


async def test_an_answer_that_its_channel_did_not_take_goes_from_there_too(bot, slack):
    ts, gate = await held(bot, slack)
    slack.refuse("chat.update", "cant_update_message", times=9)
    slack.refuse("chat.postMessage", "restricted_action")
    gate.set()
    await ended(bot, f"C4:{ts}")
    assert FLIES in str(directly(slack, "U1"))
    await slack.delete("C4", ts)
    await is_taken_back(bot, slack, "C4", ts)
    assert FLIES not in str(directly(slack, "U1"))


async def test_a_process_that_knows_nothing_of_it_finds_it_there(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        ts = await told_alone(bot, slack)
    async with running_bot(slack, tmp_path) as bot:
        await slack.delete("C4", ts)
        await is_taken_back(bot, slack, "C4", ts)
        assert FLIES not in str(directly(slack, "U1"))


async def test_where_direct_messages_cannot_be_looked_at_the_rest_goes_all_the_same(bot, slack):
    ts = await told_alone(bot, slack)
    slack.refuse("conversations.history", "missing_scope")
    await slack.delete("C4", ts)
    await is_taken_back(bot, slack, "C4", ts)


# What later questions were told of it


async def answered(bot, slack):
    """The ts of a question that is answered, in whose thread it is gone on."""
    bot.knows(searches("falcon"), says(f"{FLIES} [1]."), finds=[[FOUND]])
    ts = await slack.mention("U1", f"When is {SECRET}, please?", "C1")
    await ended(bot, f"C1:{ts}")
    return ts


async def asks_on(bot, slack, ts, *replies, held=False):
    asked = len(bot.questions)
    gate = bot.knows(*replies, finds=[[FOUND]], held=held)
    later = await slack.say("U1", "and in summer?", "C1", ts)
    await slack.until(lambda: len(bot.questions) > asked and bot.questions[-1].engine.asked)
    return later, gate


async def file_holds(home, text):
    """Whether the words are anywhere in what is kept."""
    async with open_store(home / "state.sqlite") as store:
        runs = [run.model_dump_json() for run in await store.runs_of("U1", limit=100)]
        opinions = [one.model_dump_json() for good in (True, False) for one in await store.feedback(good=good)]
    return any(text in one for one in (*runs, *opinions))


async def test_its_words_go_out_of_what_is_kept_of_later_questions_and_of_what_people_think_of_them(
    bot, slack, tmp_path
):
    ts = await answered(bot, slack)
    later, _ = await asks_on(bot, slack, ts, searches("summer"), says("In June [1]."))
    await ended(bot, f"C1:{later}")
    hook = await slack.click("U2", "C1", slack.thread("C1", ts)[-1].ts, FEEDBACK, f"bad:C1:{later}")
    await slack.until(lambda: hook.delivery.acknowledged)
    assert SECRET in (await bot.store.feedback_of(f"C1:{later}", "U2")).trace.state
    await slack.delete("C1", ts)
    await ended(bot, f"C1:{ts}", "claim")
    assert not await file_holds(tmp_path, SECRET)
    assert (await bot.store.run(f"C1:{later}")).turn.answer == "In June [1]."
    await slack.click("U1", "C1", slack.thread("C1", ts)[-1].ts, HOW)
    await slack.until(lambda: NOT_KEPT["en"] in str([one["text"] for one in slack.whispers("U1")]))


async def test_one_that_is_at_work_goes_on_and_keeps_nothing_of_it_when_it_ends(bot, slack, tmp_path):
    ts = await answered(bot, slack)
    later, gate = await asks_on(bot, slack, ts, searches("summer"), says("In June [1]."), held=True)
    await slack.delete("C1", ts)
    await ended(bot, f"C1:{ts}", "claim")
    gate.set()
    run = await ended(bot, f"C1:{later}")
    assert (run.turn.answer, run.state, run.quotes) == ("In June [1].", "", ())
    assert not await file_holds(tmp_path, SECRET)


async def test_so_does_one_that_waits_for_somebody_over_a_restart(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        ts = await answered(bot, slack)
        later, _ = await asks_on(bot, slack, ts, searches("summer"), ASKS, says("Never."))
        await ended(bot, f"C1:{later}", "waiting")
        await slack.delete("C1", ts)
        await ended(bot, f"C1:{ts}", "claim")
    assert await file_holds(tmp_path, SECRET)  # It is needed to go on.
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("In June."))
        await slack.say("U1", "this one", "C1", ts)
        await ended(bot, f"C1:{later}")
        assert not await file_holds(tmp_path, SECRET)


async def test_what_is_answered_anew_since_has_a_trace_again(bot, slack, tmp_path):
    ts = await answered(bot, slack)
    later, _ = await asks_on(bot, slack, ts, searches("summer"), says("In June [1]."))
    await ended(bot, f"C1:{later}")
    await slack.delete("C1", ts)
    await ended(bot, f"C1:{ts}", "claim")
    bot.knows(searches("summer"), says("In July [1]."), finds=[[FOUND]])
    await slack.react("U1", "C1", later, "arrows_counterclockwise")
    await slack.until(lambda: any("In July" in text for text in slack.answers("C1", ts)))
    assert (await ended(bot, f"C1:{later}")).steps
    assert not await file_holds(tmp_path, SECRET)


async def test_what_was_asked_on_beneath_a_private_answer_keeps_nothing_of_it(bot, slack, tmp_path):
    ts = await asked_in_a_channel(bot, slack)
    await privately(bot, slack, "U1", ts)
    place = slack.workspace.direct("U1").id
    await ended(bot, f"C1:{ts}:private:U1:1")
    bot.knows(searches("since"), says("In June [1]."), finds=[[FOUND]])
    later = await slack.say("U1", "since when?", place, root(slack, "U1"))
    run = await ended(bot, f"{place}:{later}")
    assert "The pay is 100" in run.state
    await slack.delete("C1", ts)
    await ended(bot, f"C1:{ts}:private:U1:1", "claim")
    assert not await file_holds(tmp_path, "The pay is 100")


async def test_so_does_a_private_answer_that_was_asked_for_later_in_the_thread(bot, slack, tmp_path):
    ts = await answered(bot, slack)
    later, _ = await asks_on(bot, slack, ts, says("In June."))
    await ended(bot, f"C1:{later}")
    message = slack.thread("C1", ts)[-1].ts
    bot.knows(searches("summer"), says("In July [1]."), finds=[[FOUND]])
    await slack.click("U1", "C1", message, PRIVATE)
    key = f"C1:{later}:private:U1:1"
    assert SECRET in (await ended(bot, key)).state
    await slack.delete("C1", ts)
    await ended(bot, f"C1:{ts}", "claim")
    assert (await bot.store.run(key)).turn.answer == "In July [1]."
    assert not await file_holds(tmp_path, SECRET)


# The bot is not there any more


@pytest.fixture
def no_error(caplog):
    """Nothing failed that was not dealt with."""
    yield
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


async def happens(slack, what, ts):
    """Slack tells of what it would tell of a moment before the bot is taken out."""
    before = dict(slack.workspace.message("C4", ts))
    told = {"type": "message", "channel": "C4", "channel_type": "group"}
    match what:
        case "deleted":
            await slack.event(told | {"subtype": "message_deleted", "deleted_ts": ts, "previous_message": before})
        case "edited":
            when = slack.workspace.new_ts()
            edited = {"text": f"<@{BOT}> And when does it land?", "edited": {"user": "U1", "ts": when}}
            about = {"message": before | edited, "previous_message": before}
            await slack.event(told | {"subtype": "message_changed", "ts": when, **about})
        case reaction:
            item = {"type": "message", "channel": "C4", "ts": ts}
            await slack.event({"type": "reaction_added", "user": "U1", "reaction": reaction, "item": item})


@pytest.mark.usefixtures("no_error")
async def test_where_the_bot_is_no_more_a_question_that_is_deleted_while_it_is_answered_ends(bot, slack):
    ts, _ = await held(bot, slack)
    await slack.leave(BOT, "C4")
    await happens(slack, "deleted", ts)
    await ended(bot, f"C4:{ts}", "claim")
    assert FLIES not in str(slack.workspace.messages)


@pytest.mark.usefixtures("no_error")
async def test_where_the_bot_is_no_more_one_that_is_stopped_says_so_to_its_asker(bot, slack):
    ts, _ = await held(bot, slack)
    await slack.leave(BOT, "C4")
    await happens(slack, "octagonal_sign", ts)
    await ended(bot, f"C4:{ts}", "stopped")
    assert STOPPED["en"].format(name="Ada Lovelace") in str(directly(slack, "U1"))


@pytest.mark.parametrize("readable_by", ["workspace", "channel:C4"])
@pytest.mark.usefixtures("no_error")
async def test_where_the_bot_is_no_more_one_that_is_edited_is_answered_to_whoever_may_read_it(bot, slack, readable_by):
    ts, _ = await held(bot, slack)
    bot.access[FOUND.chunk_id] = frozenset([readable_by])
    await slack.leave(BOT, "C4")
    bot.knows(searches("falcon"), says("It lands on Friday [1]."), finds=[[FOUND]])
    await happens(slack, "edited", ts)
    await ended(bot, f"C4:{ts}")
    withheld = WITHHELD["en"].format(channel="<#C4>")
    assert ("It lands" in str(directly(slack, "U1"))) is (readable_by == "workspace")
    assert (withheld in str(directly(slack, "U1"))) is (readable_by != "workspace")


@pytest.mark.usefixtures("no_error")
async def test_where_the_bot_is_no_more_an_edit_of_what_is_answered_offers_nothing(bot, slack):
    ts, gate = await held(bot, slack)
    gate.set()
    await ended(bot, f"C4:{ts}")
    await slack.leave(BOT, "C4")
    await happens(slack, "edited", ts)
    await slack.until(lambda: any(one.error for one in slack.calls("chat.postEphemeral")))
    assert slack.whispers("U1") == []


@pytest.mark.usefixtures("no_error")
async def test_a_question_that_is_deleted_where_the_bot_is_no_more_is_forgotten(bot, slack):
    ts, gate = await held(bot, slack)
    gate.set()
    await ended(bot, f"C4:{ts}")
    await slack.leave(BOT, "C4")
    await happens(slack, "deleted", ts)
    await ended(bot, f"C4:{ts}", "claim")
