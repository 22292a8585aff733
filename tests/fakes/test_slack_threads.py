"""Status, titles, prompts and sessions of the fake keep Slack's word."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack import BOT_TOKEN, serve_slack
from tests.fakes.slack_clients import error
from tests.fakes.slack_manifest import everything, without
from tests.fakes.slack_people import ComposerLocked


@pytest.fixture
async def root(slack):
    return await slack.say("U1", "hello", "C1")


async def test_while_a_status_is_shown_nobody_can_write_in_the_thread(slack, client, root):
    await client.assistant_threads_setStatus(channel_id="C1", thread_ts=root, status="is thinking")
    with pytest.raises(ComposerLocked):
        await slack.say("U1", "the second", "C1", root)
    await slack.say("U1", "elsewhere", "C1")
    await client.assistant_threads_setStatus(channel_id="C1", thread_ts=root, status="")
    await slack.say("U1", "the second", "C1", root)


async def test_a_post_clears_the_status_and_an_edit_does_not(slack, client, root):
    ts = (await client.chat_postMessage(channel="C1", thread_ts=root, text="one"))["ts"]
    await client.assistant_threads_setStatus(channel_id="C1", thread_ts=root, status="is thinking")
    await client.chat_update(channel="C1", ts=ts, text="two")
    assert slack.api.threads.thread("C1", root).status == "is thinking"
    await client.chat_postMessage(channel="C1", thread_ts=root, text="three")
    assert slack.api.threads.thread("C1", root).status == ""


async def test_a_status_is_gone_after_two_minutes(slack, client, root):
    await client.assistant_threads_setStatus(channel_id="C1", thread_ts=root, status="is thinking")
    slack.clock.advance(119)
    assert slack.api.threads.locked("C1", root)
    slack.clock.advance(2)
    assert not slack.api.threads.locked("C1", root)


async def test_what_is_no_status_is_refused(slack, client, root):
    status = client.assistant_threads_setStatus
    assert await error(status(channel_id="C1", thread_ts="1.1", status="x")) == "invalid_thread_ts"
    assert await error(status(channel_id="C9", thread_ts=root, status="x")) == "channel_not_found"
    for loading in (["x"] * 11, ["x" * 51]):
        many = status(channel_id="C1", thread_ts=root, status="x", loading_messages=loading)
        assert await error(many) == "invalid_arguments"


async def test_a_session_shows_a_stop_button_while_it_is_processing(slack, client, root):
    set_status = client.agents_sessions_setStatus
    await set_status(channel_id="C1", thread_ts=root, status="processing", title="Leave")
    assert slack.api.threads.thread("C1", root).title == "Leave"
    with pytest.raises(ComposerLocked):
        await slack.say("U1", "the second", "C1", root)
    await slack.press_stop("U1", "C1", root)
    assert slack.deliveries[-1].event["streaming_message_ts"] == []
    await set_status(channel_id="C1", thread_ts=root, status="suspended")
    await slack.say("U1", "the second", "C1", root)
    with pytest.raises(AssertionError, match="no Stop button"):
        await slack.press_stop("U1", "C1", root)


async def test_status_and_session_share_one_slot(slack, client, root):
    await client.agents_sessions_setStatus(channel_id="C1", thread_ts=root, status="suspended")
    await client.assistant_threads_setStatus(channel_id="C1", thread_ts=root, status="is thinking")
    assert slack.api.threads.locked("C1", root)
    await client.agents_sessions_setStatus(channel_id="C1", thread_ts=root, status="active")
    assert not slack.api.threads.locked("C1", root)


async def test_a_session_that_nobody_ends_lingers_for_an_hour(slack, client, root):
    await client.agents_sessions_setStatus(channel_id="C1", thread_ts=root, status="processing")
    slack.clock.advance(3_599)
    assert slack.api.threads.locked("C1", root)
    slack.clock.advance(2)
    assert not slack.api.threads.locked("C1", root)


async def test_what_is_no_session_is_refused(slack, client, root):
    set_status, rename = client.agents_sessions_setStatus, client.agents_sessions_rename
    assert await error(rename(channel_id="C1", thread_ts=root, title="x")) == "session_not_found"
    assert await error(set_status(channel_id="C1", status="active")) == "thread_ts_required"
    assert await error(set_status(channel_id="C1", thread_ts=root, status="bored")) == "invalid_status"
    outsider = set_status(channel_id="C1", thread_ts=root, status="active", initiator_user_id="UG")
    assert await error(outsider) == "user_not_found"
    await set_status(channel_id="C1", thread_ts=root, status="active")
    await rename(channel_id="C1", thread_ts=root, title="Leave")
    assert slack.api.threads.thread("C1", root).title == "Leave"


async def test_only_an_agent_has_sessions_titles_and_prompts():
    async with serve_slack(manifest=everything()) as slack:
        client = AsyncWebClient(BOT_TOKEN, base_url=slack.url)
        root = await slack.say("U1", "hello", "C1")
        session = client.agents_sessions_setStatus(channel_id="C1", thread_ts=root, status="active")
        title = client.assistant_threads_setTitle(channel_id="C1", thread_ts=root, title="Leave")
        prompts = client.assistant_threads_setSuggestedPrompts(channel_id="C1", prompts=[_prompt(1)])
        assert [await error(call) for call in (session, title, prompts)] == [
            "not_authorized",
            "not_agent_app",
            "not_agent_app",
        ]
        await client.assistant_threads_setStatus(channel_id="C1", thread_ts=root, status="is thinking")


async def test_without_the_event_there_is_a_warning_and_no_button():
    async with serve_slack(manifest=without("agent_session_stopped")) as slack:
        client = AsyncWebClient(BOT_TOKEN, base_url=slack.url)
        root = await slack.say("U1", "hello", "C1")
        reply = await client.agents_sessions_setStatus(channel_id="C1", thread_ts=root, status="processing")
        assert reply["warning"] == "missing_agent_session_stopped_event_subscription"
        assert not slack.api.threads.stoppable("C1", root)


async def test_four_prompts_are_shown_in_a_direct_conversation(slack, client):
    channel = slack.workspace.direct("U1").id
    prompts = client.assistant_threads_setSuggestedPrompts
    await prompts(channel_id=channel, title="Ask", prompts=[_prompt(number) for number in range(4)])
    assert len(slack.api.threads.thread(channel).prompts) == 4
    many = prompts(channel_id=channel, prompts=[_prompt(number) for number in range(5)])
    assert await error(many) == "invalid_arguments"


def _prompt(number):
    return {"title": f"{number}", "message": f"Question {number}?"}
