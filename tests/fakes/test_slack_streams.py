"""Native streams of the fake keep Slack's word."""

import pytest

from tests.fakes.slack_clients import error
from tests.fakes.slack_streams import LARGEST

READER = {"recipient_user_id": "U1", "recipient_team_id": "T1"}


@pytest.fixture
async def root(slack):
    return await slack.say("U1", "hello", "C1")


async def started(client, root, channel="C1", **more):
    more = {**READER, **more} if channel == "C1" else more
    return (await client.chat_startStream(channel=channel, thread_ts=root, **more))["ts"]


async def test_a_stream_grows_and_ends(slack, client, root):
    ts = await started(client, root, markdown_text="one ")
    await client.chat_appendStream(channel="C1", ts=ts, markdown_text="two ")
    divider = [{"type": "divider"}]
    metadata = {"event_type": "run", "event_payload": {"id": "1"}}
    await client.chat_stopStream(channel="C1", ts=ts, markdown_text="three", blocks=divider, metadata=metadata)
    assert slack.answers("C1", root) == ["one two three"]
    message = slack.workspace.message("C1", ts)
    assert (message["blocks"][0]["type"], message["metadata"]) == ("divider", metadata)
    assert await error(client.chat_appendStream(channel="C1", ts=ts, markdown_text="x")) == (
        "message_not_in_streaming_state"
    )
    assert await error(client.chat_stopStream(channel="C1", ts=ts)) == "message_not_in_streaming_state"


async def test_the_clients_own_stream_does_too(slack, client, root):
    stream = await client.chat_stream(channel="C1", thread_ts=root, buffer_size=1, **READER)
    await stream.append(markdown_text="one ")
    await stream.append(markdown_text="two")
    await stream.stop()
    assert slack.answers("C1", root) == ["one two"]


async def test_in_a_channel_a_stream_has_one_reader_who_must_be_named(slack, client, root):
    start = client.chat_startStream
    assert await error(start(channel="C1", thread_ts=root)) == "missing_recipient_team_id"
    assert await error(start(channel="C1", thread_ts=root, recipient_team_id="T1")) == "missing_recipient_user_id"
    other = {"recipient_team_id": "T1", "recipient_user_id": "UO"}
    assert await error(start(channel="C1", thread_ts=root, **other)) == "user_not_found"
    ts = await started(client, root, markdown_text="x" * 300)
    assert [len(slack.thread("C1", root, by=user)[1].text) for user in ("U1", "U2")] == [300, 256]
    await client.chat_stopStream(channel="C1", ts=ts)
    assert len(slack.thread("C1", root, by="U2")[1].text) == 300


async def test_in_a_direct_message_no_reader_is_named(slack, client):
    root = await slack.dm("U1", "hello")
    await started(client, root, "DU1", markdown_text="hi")
    assert slack.answer("DU1", root) == "hi"


async def test_a_stream_lives_for_five_minutes_however_busy_it_is(slack, client, root):
    ts = await started(client, root)
    slack.clock.advance(200)
    await client.chat_appendStream(channel="C1", ts=ts, markdown_text="one")
    slack.clock.advance(101)
    for call in (client.chat_appendStream, client.chat_stopStream):
        assert await error(call(channel="C1", ts=ts, markdown_text="two")) == "message_not_in_streaming_state"
    await client.chat_update(channel="C1", ts=ts, text="one two")
    assert slack.answers("C1", root) == ["one two"]


async def test_a_stream_takes_so_much_and_no_more_and_its_cards_count(slack, client, root):
    card = {"type": "task_update", "id": "1", "title": "é" * 2_000, "status": "in_progress"}
    ts = await started(client, root, markdown_text="x" * (LARGEST - 4_000), chunks=[card])
    assert await error(client.chat_appendStream(channel="C1", ts=ts, markdown_text="y")) == "msg_too_long"
    assert await error(client.chat_stopStream(channel="C1", ts=ts, markdown_text="y")) == "msg_too_long"
    await client.chat_stopStream(channel="C1", ts=ts)
    assert "y" not in slack.answer("C1", root)


@pytest.mark.parametrize(
    "chunk",
    [{"type": "song"}, {"type": "markdown_text"}, {"type": "task_update", "id": "1", "title": "x", "status": "lost"}],
)
async def test_chunks_that_are_none_are_refused(slack, client, root, chunk):
    ts = await started(client, root)
    assert await error(client.chat_appendStream(channel="C1", ts=ts, chunks=[chunk])) == "invalid_chunks"


async def test_fifty_cards_are_enough(slack, client, root):
    cards = [{"type": "task_update", "id": str(number), "title": "x"} for number in range(51)]
    ts = await started(client, root, chunks=cards[:50])
    assert await error(client.chat_appendStream(channel="C1", ts=ts, chunks=cards[50:])) == "msg_blocks_too_many"


async def test_a_live_stream_cannot_be_edited(slack, client, root):
    ts = await started(client, root, markdown_text="one")
    assert await error(client.chat_update(channel="C1", ts=ts, text="x")) == "streaming_state_conflict"


async def test_what_is_no_stream_cannot_be_appended_to(slack, client, root):
    ts = (await client.chat_postMessage(channel="C1", thread_ts=root, text="x"))["ts"]
    append = client.chat_appendStream
    assert await error(append(channel="C1", ts=ts, markdown_text="x")) == "message_not_in_streaming_state"
    assert await error(append(channel="C1", ts=root, markdown_text="x")) == "message_not_owned_by_app"
    assert await error(append(channel="C1", ts="1.1", markdown_text="x")) == "message_not_found"


async def test_where_there_are_no_streams_slack_knows_no_such_method(slack, client, root):
    slack.api.streams.available = False
    assert await error(client.chat_startStream(channel="C1", thread_ts=root, **READER)) == "unknown_method"


async def test_stop_ends_the_stream_and_tells_the_app_but_leaves_the_session(slack, client, root):
    ts = await started(client, root, markdown_text="one")
    await slack.press_stop("U2", "C1", root)
    event = slack.deliveries[-1].event
    assert (event["type"], event["user"], event["thread_ts"], event["streaming_message_ts"]) == (
        "agent_session_stopped",
        "U2",
        root,
        [ts],
    )
    assert await error(client.chat_appendStream(channel="C1", ts=ts, markdown_text="x")) == "stopped_by_user"
    stop = client.chat_stopStream
    assert await error(stop(channel="C1", ts=ts, markdown_text="x")) == "message_not_in_streaming_state"
    assert slack.api.threads.thread("C1", root).session == "processing"
    await stop(channel="C1", ts=ts)
    assert slack.api.threads.thread("C1", root).session == "active"


async def test_a_stream_stops_with_the_status_of_its_session(slack, client, root):
    ts = await started(client, root)
    assert await error(client.chat_stopStream(channel="C1", ts=ts, session_status="bored")) == "invalid_status"
    await client.chat_stopStream(channel="C1", ts=ts, markdown_text="Which one?", session_status="suspended")
    assert slack.api.threads.thread("C1", root).session == "suspended"
