"""In direct messages an answer is streamed, within Slack's limits; whatever becomes of the stream, the answer is there
once and whole."""

from dataclasses import asdict

import pytest

from bot.research import AnswerDelta, SearchCall, SearchResult
from bot.sentences import STOPPED as STOPPED_BY
from bot.sentences import UNSOURCED, sentence
from bot.slack.api import connection
from bot.slack.api.outbox import Mark, Outbox
from bot.slack.api.pace import Pace
from bot.slack.messages.blocks import working
from bot.slack.messages.chunks import Told, safe
from bot.slack.messages.links import label
from bot.slack.messages.render import Progress
from bot.slack.questions.inbound import read
from bot.slack.settings import Settings
from bot.store import Run
from bot.store.sqlite import open_store
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack import BOT_TOKEN
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_streams import LIFETIME
from tests.fakes.slack_workspace import BOT

LEAVE = hit(1, title="Leave policy", url="https://wiki.test/leave")
ANSWER = f"Here it is.\n\n_{UNSOURCED['en']}_"


async def asked(bot, slack, *replies, finds=()):
    """A question whose stream has begun; its ts, and what lets the model answer."""
    gate = bot.knows(*(replies or (says("Here it is."),)), finds=finds, held=True)
    ts = await slack.dm("U1", "Where is it, please?")
    await slack.until(lambda: bot.questions and bot.questions[-1].engine.asked and slack.answers("DU1", ts))
    return ts, gate


def streams(slack):
    return list(slack.api.streams.streams.values())


def tell(bot, text):
    bot.questions[-1].options["on_event"](AnswerDelta(text=text))


async def test_steps_and_text_are_streamed_and_the_answer_then_stands_in_the_same_message(bot, slack):
    ts, gate = await asked(bot, slack, searches("leave"), says("30 days [1]."), finds=[[LEAVE]])
    told = bot.questions[-1].options["on_event"]
    told(SearchCall({"query": "leave"}))
    told(SearchResult(1, [], []))
    await slack.until(lambda: "Searched the documents" in str(streams(slack)[0].rows))
    tell(bot, "You have ")
    await slack.until(lambda: streams(slack)[0].message["text"] == "You have ")
    tell(bot, "30 <!channel> [days](https://evil.test)")
    await slack.until(lambda: streams(slack)[0].message["text"].endswith("test)"))
    assert streams(slack)[0].message["text"] == "You have 30 &lt;!channel&gt; [days] (https://evil.test)"
    gate.set()
    await slack.until(lambda: slack.answer("DU1", ts).startswith("30 days <https://wiki.test/leave|[1]>."))
    assert len(slack.answers("DU1", ts)) == len(streams(slack)) == 1
    assert not streams(slack)[0].live
    message = slack.workspace.message("DU1", streams(slack)[0].message["ts"])
    assert message["metadata"]["event_payload"] == {"run": f"DU1:{ts}", "part": "0"}


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("ask <!here> or @channel", "ask &lt;!here&gt; or @\u200bchannel"),
        ("write to ada@acme.test", "write to ada@acme.test"),
        ("![days](https://evil.test)", "![days] (https://evil.test)"),
        ("[days][1] <x>\n\n[1]: https://evil.test", "[days][1] &lt;x&gt;\n\n[1] : https://evil.test"),
    ],
)
def test_streamed_text_pings_nobody_and_hides_no_link_however_much_of_it_is_there(written, shown):
    assert safe(written) == shown
    assert all(shown.startswith(safe(written[:end])) for end in range(len(written)))


def test_a_streamed_step_holds_nothing_that_slack_could_take_for_a_mention_or_a_link():
    step = f"Searched for “{label('<!here> <https://evil.test|https://real.test> [x](https://evil.test)')}”"
    [row, _] = Told().news(Progress("en", "", steps=(step,)))
    assert row["title"] == "Searched for “‹!here› ‹https://evil.test|https://real.test› [x] (https://evil.test)”"


async def test_in_channels_there_are_edits(bot, slack):
    bot.knows(says("Here it is."))
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    await slack.until(lambda: slack.answers("C1", ts) == [ANSWER])
    assert not slack.calls("chat.startStream")


async def test_by_setting_there_are_edits_everywhere(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"streams": False}) as bot:
        ts, gate = await asked(bot, slack)
        gate.set()
        await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])
    assert not slack.calls("chat.startStream")


@pytest.mark.parametrize("code", ["unknown_method", "feature_not_enabled", "method_deprecated", "missing_scope"])
async def test_where_slack_has_no_streams_it_is_asked_once(bot, slack, code):
    slack.refuse("chat.startStream", code)
    for _ in range(2):
        ts, gate = await asked(bot, slack)
        gate.set()
        await slack.until(lambda ts=ts: slack.answers("DU1", ts) == [ANSWER])
    assert len(slack.calls("chat.startStream")) == 1


@pytest.mark.parametrize(
    "code", ["message_not_in_streaming_state", "streaming_state_conflict", "internal_error", "invalid_chunks"]
)
async def test_a_stream_that_takes_no_more_is_gone_on_with_by_edits(bot, slack, code):
    ts, gate = await asked(bot, slack)
    slack.refuse("chat.appendStream", code)
    tell(bot, "You have ")
    await slack.until(lambda: slack.calls("chat.appendStream"))
    tell(bot, "30 days")
    await slack.until(lambda: slack.answers("DU1", ts) == ["You have 30 days"])
    gate.set()
    await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])
    assert len(slack.calls("chat.startStream")) == 1


async def test_one_that_slack_ended_before_its_last_word_has_it_all_the_same(bot, slack):
    ts, gate = await asked(bot, slack)
    slack.clock.advance(301)
    gate.set()
    await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])


@pytest.mark.parametrize("done", [False, True])
async def test_one_whose_beginning_broke_off_leaves_no_second_message(bot, slack, done):
    slack.drop("chat.startStream", done=done)
    ts, gate = await asked(bot, slack)
    gate.set()
    await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])


async def test_one_whose_message_was_deleted_is_answered_in_another(bot, slack):
    ts, gate = await asked(bot, slack)
    del slack.workspace.messages["DU1"][streams(slack)[0].message["ts"]]
    gate.set()
    await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])


async def test_a_long_text_goes_on_in_another_segment_and_the_answer_stands_in_as_many_messages_as_it_needs(bot, slack):
    ts, gate = await asked(bot, slack)
    for number in range(20):
        tell(bot, f"Paragraph {number} says: " + "wörd " * 150)
    await slack.until(lambda: len(streams(slack)) == 2 and "Paragraph 19" in streams(slack)[1].message["text"])
    assert all(stream.size <= 9_000 for stream in streams(slack))
    told = "".join(stream.message["text"] for stream in streams(slack))
    assert [told.count(f"Paragraph {number} says") for number in range(20)] == [1] * 20
    gate.set()
    await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])


async def test_before_slack_ends_a_segment_for_its_age_the_text_goes_on_in_another(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"stream_seconds": 0.2}) as bot:
        ts, gate = await asked(bot, slack)
        tell(bot, "One. ")
        await slack.until(lambda: streams(slack)[0].message["streaming_state"] == "completed")
        assert len(streams(slack)) == 1
        tell(bot, "Two.")
        await slack.until(lambda: len(streams(slack)) > 1 and streams(slack)[1].message["text"] == "Two.")
        assert streams(slack)[0].message["text"] == "One. "
        gate.set()
        await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])


def test_a_segment_ends_well_before_slack_ends_it():
    assert Settings().stream_seconds <= 240 < LIFETIME


async def test_what_is_streamed_while_it_waits_for_its_turn_is_one_append(slack, tmp_path):
    async with running_bot(slack, tmp_path, edit_interval=0.3) as bot:
        ts, gate = await asked(bot, slack)
        tell(bot, "a")
        await slack.until(lambda: slack.calls("chat.appendStream"))
        for _ in range(50):
            tell(bot, "b")
        await slack.until(lambda: streams(slack)[0].message["text"].endswith("b" * 50))
        assert len(slack.calls("chat.appendStream")) == 2
        gate.set()
        await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])


async def test_where_the_reader_stopped_the_stream_the_answer_is_stopped(bot, slack):
    ts, _ = await asked(bot, slack)
    slack.refuse("chat.appendStream", "stopped_by_user")
    tell(bot, "You have ")
    await slack.until(lambda: slack.answers("DU1", ts) == [sentence(STOPPED_BY, "en", name="Ada Lovelace")])


async def test_the_stream_ends_before_the_bot_asks_back(bot, slack):
    bot.knows(searches("leave"), calls(("clarify", {"question": "Which year?"})), says("Here it is."), finds=[[LEAVE]])
    ts = await slack.dm("U1", "Where is it, please?")
    await slack.until(lambda: any("Which year?" in answer for answer in slack.answers("DU1", ts)))
    made = [one.call.method for one in slack.made]
    assert made.index("chat.stopStream") < made.index("chat.postMessage")
    await slack.dm("U1", "2026", ts)
    await slack.until(lambda: ANSWER in slack.answers("DU1", ts))
    assert len(slack.answers("DU1", ts)) == 2


async def test_a_stream_that_was_left_by_a_process_is_found_and_has_the_answer_once(slack, tmp_path):
    ts = await slack.dm("U1", "Where is it, please?")
    run = Run(key=f"DU1:{ts}", channel="DU1", thread_ts=ts, user="U1", asked=asdict(read(*of_slack(slack, ts))))
    async with open_store(tmp_path / "state.sqlite") as killed, connection.session() as session:
        await killed.begin(run)
        client = connection.writing(session, slack.url, BOT_TOKEN)
        outbox = Outbox(client, Pace(), at_once=client)
        button = working("Looking into it…", run.key, "en").blocks[-1]
        signed = {**button, "block_id": outbox.sign(Mark(run.key, "0"))}
        await outbox.start_stream("DU1", ts, [{"type": "blocks", "blocks": [signed]}])
    assert streams(slack)[0].live
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Here it is."))
        await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])
    assert not streams(slack)[0].live


async def test_a_stream_that_was_left_is_found_again_by_a_third_process(slack, tmp_path):
    ts = await slack.dm("U1", "Where is it, please?")
    run = Run(key=f"DU1:{ts}", channel="DU1", thread_ts=ts, user="U1", asked=asdict(read(*of_slack(slack, ts))))
    async with open_store(tmp_path / "state.sqlite") as killed, connection.session() as session:
        await killed.begin(run)
        client = connection.writing(session, slack.url, BOT_TOKEN)
        outbox = Outbox(client, Pace(), at_once=client)
        button = working("Looking into it…", run.key, "en").blocks[-1]
        signed = {**button, "block_id": outbox.sign(Mark(run.key, "0"))}
        left = await outbox.start_stream("DU1", ts, [{"type": "blocks", "blocks": [signed]}])
        async with running_bot(slack, tmp_path) as bot:
            bot.knows(says("Here it is."), held=True)
            await slack.until(lambda: any(not made.error for made in slack.calls("chat.update")))
            assert await outbox.posted("DU1", ts, run.key) == {"0": left}


def of_slack(slack, ts):
    event = {**slack.workspace.message("DU1", ts), "channel": "DU1", "channel_type": "im"}
    return event, BOT, float(ts)
