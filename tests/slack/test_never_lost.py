"""The last word arrives whole and once, whatever has become of the place where it belongs."""

from copy import deepcopy

import pytest

from bot.sentences import UNSOURCED
from bot.slack.messages.last_word import MOST_MESSAGES
from bot.slack.messages.sentences import IN_A_FILE, MOVED
from tests.fakes.research import says
from tests.fakes.slack import MANIFEST, serve_slack
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_workspace import BOT

LONG = "\n\n".join(f"Paragraph {number} says: " + "word " * 100 for number in range(12))
VERY_LONG = "\n\n".join(f"Paragraph {number} says: " + "word " * 100 for number in range(60))
POINTER = MOVED["en"].format(channel="<#C1>")


async def asked(bot, slack, answer, before_end, channel="C1"):
    """A question whose placeholder is there when `before_end` is called, and that is then answered."""
    gate = bot.knows(says(answer), held=True)
    ts = await slack.mention("U1", "Where is it, please?", channel)
    await slack.until(lambda: bot.questions and bot.questions[-1].engine.asked and slack.answers(channel, ts))
    before_end(ts)
    gate.set()
    return ts


def of_the_bot(slack, channel):
    return [message for message in slack.workspace.messages.get(channel, {}).values() if message.get("user") == BOT]


def words(texts):
    return " ".join(" ".join(texts).split())


async def test_where_the_thread_is_gone_the_answer_is_a_message_of_its_own_and_goes_on_beneath(bot, slack):
    def gone(ts):
        slack.workspace.messages["C1"].clear()

    await asked(bot, slack, LONG, gone)
    await slack.until(lambda: UNSOURCED["en"] in words(message["text"] for message in of_the_bot(slack, "C1")))
    messages = of_the_bot(slack, "C1")
    assert "thread_ts" not in messages[0]
    assert {message["thread_ts"] for message in messages[1:]} == {messages[0]["ts"]}
    assert words(message["text"] for message in messages).startswith(words([LONG]))


@pytest.mark.parametrize("answer", ["Here it is.", LONG])
async def test_where_the_channel_was_archived_the_asker_gets_the_answer_directly_and_is_told_why(bot, slack, answer):
    def archived(ts):
        slack.workspace.channels["C1"].archived = True

    await asked(bot, slack, answer, archived)
    await slack.until(lambda: UNSOURCED["en"] in words(message["text"] for message in of_the_bot(slack, "DU1")))
    messages = of_the_bot(slack, "DU1")
    told = words(message["text"] for message in messages)
    assert told.startswith(words([f"_{POINTER}_", answer]))
    assert told.count("Paragraph 3 says") == answer.count("Paragraph 3 says")
    assert {message.get("thread_ts") for message in messages} <= {None, messages[0]["ts"]}


async def test_where_the_bot_was_taken_out_of_the_channel_the_asker_gets_the_answer_directly(bot, slack):
    def removed(ts):
        slack.workspace.channels["C1"].members.remove(BOT)
        slack.refuse("chat.update", "not_in_channel", times=5)

    await asked(bot, slack, "Here it is.", removed)
    await slack.until(lambda: of_the_bot(slack, "DU1"))
    assert of_the_bot(slack, "DU1")[0]["text"].startswith(f"_{POINTER}_\n\nHere it is.")


async def test_one_that_was_told_directly_is_not_told_again_after_a_dropped_connection(bot, slack):
    def archived(ts):
        slack.workspace.channels["C1"].archived = True
        slack.refuse("chat.update", "is_inactive")
        slack.refuse("chat.postMessage", "is_archived")
        slack.drop("chat.postMessage", done=True)

    await asked(bot, slack, "Here it is.", archived)
    await slack.until(lambda: slack.calls("conversations.history"))
    ts = await slack.dm("U3", "help")
    await slack.until(lambda: slack.answers("DU3", ts))
    assert len(of_the_bot(slack, "DU1")) == 1


async def test_what_takes_many_messages_is_in_a_file_whole_and_its_beginning_in_the_message(bot, slack):
    ts = await asked(bot, slack, VERY_LONG, lambda ts: None)
    await slack.until(lambda: IN_A_FILE["en"] in slack.answers("C1", ts)[0])
    first, *more = slack.thread("C1", ts)[1:]
    assert slack.answers("C1", ts)[0].startswith("Paragraph 0 says")
    assert [len(message.files) for message in more] == [1]
    content = slack.api.files.content(more[0].files[0])
    assert words([content]).startswith(words([VERY_LONG]))
    assert {"footnote_feedback", "footnote_how"} <= {
        element["action_id"]
        for block in first.blocks
        for element in block.get("elements", ())
        if "action_id" in element
    }


@pytest.mark.parametrize("done", [False, True])
async def test_a_file_whose_connection_broke_is_there_once(bot, slack, done):
    ts = await asked(bot, slack, VERY_LONG, lambda ts: slack.drop("files.completeUploadExternal", done=done))
    await slack.until(lambda: IN_A_FILE["en"] in slack.answers("C1", ts)[0])
    assert sum(len(message.files) for message in slack.thread("C1", ts)) == 1


async def test_where_the_app_may_write_no_files_it_takes_as_many_messages_as_it_needs(tmp_path):
    manifest = deepcopy(MANIFEST)
    manifest["oauth_config"]["scopes"]["bot"].remove("files:write")
    async with serve_slack(manifest=manifest) as slack, running_bot(slack, tmp_path) as bot:
        ts = await asked(bot, slack, VERY_LONG, lambda ts: None)
        await slack.until(lambda: UNSOURCED["en"] in words(slack.answers("C1", ts)))
        assert len(slack.answers("C1", ts)) > MOST_MESSAGES
        assert words(slack.answers("C1", ts)).startswith(words([VERY_LONG]))


@pytest.mark.parametrize("code", ["invalid_blocks", "msg_blocks_too_long", "msg_blocks_too_many"])
async def test_where_slack_refuses_the_blocks_the_words_are_there(bot, slack, code):
    ts = await asked(bot, slack, LONG, lambda ts: slack.refuse("chat.update", code))
    await slack.until(lambda: UNSOURCED["en"] in words(slack.answers("C1", ts)))
    assert words(slack.answers("C1", ts)).startswith(words([LONG]))


async def test_a_message_that_can_not_be_edited_goes_once_the_answer_is_in_another(bot, slack):
    ts = await asked(bot, slack, "Here it is.", lambda ts: slack.refuse("chat.update", "edit_window_closed", times=3))
    await slack.until(lambda: slack.calls("chat.delete"))
    await slack.until(lambda: len(slack.answers("C1", ts)) == 1 and slack.answer("C1", ts).startswith("Here it is."))


@pytest.mark.parametrize("channel", ["C1", "DU1"])
async def test_a_process_that_has_lost_a_run_to_another_writes_no_more_and_can_be_stopped(slack, tmp_path, channel):
    slack.workspace.direct("U1")
    async with running_bot(slack, tmp_path) as bot:
        gate = bot.knows(says("Never."), held=True)
        ts = await slack.mention("U1", "Where is it, please?", channel)
        await slack.until(lambda: bot.questions and bot.questions[-1].engine.asked and slack.answers(channel, ts))
        taken = {"owner": "another"}
        await bot.store.change(f"{channel}:{ts}", lambda run: run.model_copy(update=taken), own=False)
        gate.set()
        await slack.until(lambda: bot.questions[0].result)
    assert "Never." not in " ".join(slack.answers(channel, ts))
