"""The fake keeps Slack's word, as the real client sees it."""

import asyncio

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack import APP_TOKEN, BOT, BOT_TOKEN, serve_slack
from tests.fakes.slack_clients import error, socket
from tests.fakes.slack_manifest import without

MARKDOWN = {"type": "markdown", "text": "x" * 12_001}


@pytest.fixture
async def slack():
    async with serve_slack() as slack:
        yield slack


async def test_a_post_is_seen_and_an_edit_replaces_it(slack, client):
    posted = await client.chat_postMessage(channel="C1", text="one")
    await client.chat_update(channel="C1", ts=posted["ts"], text="two")
    assert slack.answers("C1", posted["ts"]) == ["two"]


async def test_a_deleted_message_is_gone(slack, client):
    posted = await client.chat_postMessage(channel="C1", text="one")
    await client.chat_delete(channel="C1", ts=posted["ts"])
    assert slack.thread("C1", posted["ts"]) == []
    assert await error(client.chat_update(channel="C1", ts=posted["ts"], text="two")) == "message_not_found"


async def test_an_edit_of_more_than_4000_characters_is_refused(slack, client):
    posted = await client.chat_postMessage(channel="C1", text="one")
    await client.chat_update(channel="C1", ts=posted["ts"], text="x" * 4_000)
    assert await error(client.chat_update(channel="C1", ts=posted["ts"], text="x" * 4_001)) == "msg_too_long"


async def test_a_post_of_more_than_40000_characters_is_cut(slack, client):
    posted = await client.chat_postMessage(channel="C1", text="x" * 40_001)
    assert len(slack.answers("C1", posted["ts"])[0]) == 40_000


@pytest.mark.parametrize(
    ("method", "arguments", "refusal"),
    [
        ("chat.postMessage", {"channel": "C9", "text": "x"}, "channel_not_found"),
        ("chat.postMessage", {"channel": "C5", "text": "x"}, "not_in_channel"),
        ("chat.postMessage", {"channel": "C6", "text": "x"}, "channel_not_found"),
        ("chat.postMessage", {"channel": "C7", "text": "x"}, "is_archived"),
        ("chat.postMessage", {"channel": "C1", "text": " "}, "no_text"),
        ("chat.postMessage", {"channel": "C1", "text": "x", "thread_ts": ""}, "invalid_thread_ts"),
        ("chat.postMessage", {"channel": "C1", "text": "x", "thread_ts": "1.1"}, "thread_not_found"),
        ("chat.postMessage", {"channel": "C1", "blocks": [{"type": "divider"}] * 51}, "msg_blocks_too_many"),
        ("chat.postMessage", {"channel": "C1", "blocks": [MARKDOWN]}, "msg_blocks_too_long"),
        ("chat.postMessage", {"channel": "C1", "text": "x", "markdown_text": "x"}, "markdown_text_conflict"),
        ("chat.postMessage", {"channel": "C1", "text": "x", "metadata": {"x": 1}}, "invalid_metadata_format"),
        ("chat.postMessage", {"text": "x"}, "invalid_arguments"),
        ("chat.update", {"channel": "C1", "ts": "1.1", "text": "x"}, "message_not_found"),
        ("chat.postEphemeral", {"channel": "C1", "user": "UG", "text": "x"}, "user_not_in_channel"),
        ("conversations.replies", {"channel": "C1", "ts": "1.1"}, "thread_not_found"),
        ("conversations.members", {"channel": "C1", "cursor": "what"}, "invalid_cursor"),
        ("conversations.info", {"channel": "C6"}, "channel_not_found"),
        ("users.info", {"user": "U9"}, "user_not_found"),
        ("chat.shout", {"channel": "C1"}, "unknown_method"),
    ],
)  # fmt: skip
async def test_what_slack_refuses_is_refused(slack, client, method, arguments, refusal):
    slack.workspace.channel("C5", "elsewhere").members.remove(BOT)
    slack.workspace.channel("C6", "hidden", kind="group").members.remove(BOT)
    slack.workspace.channel("C7", "old", archived=True)
    assert await error(client.api_call(method, json=arguments)) == refusal


async def test_only_its_own_messages_can_be_changed_and_replied_to_at_their_root(slack, client):
    ts = await slack.say("U1", "hello", "C1")
    reply = await client.chat_postMessage(channel="C1", text="x", thread_ts=ts)
    assert await error(client.chat_update(channel="C1", ts=ts, text="x")) == "cant_update_message"
    assert (
        await error(client.chat_postMessage(channel="C1", text="x", thread_ts=reply["ts"])) == "cannot_reply_to_message"
    )


async def test_what_the_manifest_has_no_scope_for_is_refused():
    async with serve_slack(manifest=without("reactions:write")) as slack:
        client = AsyncWebClient(BOT_TOKEN, base_url=slack.url)
        assert await error(client.reactions_add(channel="C1", timestamp="1.1", name="eyes")) == "missing_scope"


@pytest.mark.parametrize(
    ("token", "refusal"), [(None, "not_authed"), ("xoxb-other", "invalid_auth"), (APP_TOKEN, "not_allowed_token_type")]
)
async def test_a_wrong_token_is_refused(slack, token, refusal):
    assert await error(AsyncWebClient(token, base_url=slack.url).auth_test()) == refusal


async def test_a_call_too_many_says_how_long_to_wait(slack, client):
    slack.limit("auth.test", retry_after=7)
    with pytest.raises(SlackApiError) as raised:
        await client.auth_test()
    assert (raised.value.response.status_code, raised.value.response.headers["Retry-After"]) == (429, "7")
    assert (await client.auth_test())["user_id"] == BOT


async def test_a_dropped_call_may_have_taken_effect(slack, client):
    ts = await slack.say("U1", "hello", "C1")
    slack.drop("chat.postMessage", done=True)
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel="C1", thread_ts=ts, text="x")
    assert slack.answers("C1", ts) == ["x"]


async def test_long_threads_come_in_pages_oldest_first_each_with_its_root(slack, client):
    root = await slack.say("U1", "root", "C1")
    for number in range(5):
        await slack.say("U2", f"reply {number}", "C1", root)
    pages = [page["messages"] async for page in await client.conversations_replies(channel="C1", ts=root, limit=2)]
    assert [[message["text"] for message in page] for page in pages] == [
        ["root", "reply 0", "reply 1"],
        ["root", "reply 2", "reply 3"],
        ["root", "reply 4"],
    ]


async def test_metadata_is_given_only_where_it_is_asked_for(slack, client):
    ts = await slack.say("U1", "hello", "C1")
    metadata = {"event_type": "x", "event_payload": {"id": "1"}}
    await client.chat_postMessage(channel="C1", thread_ts=ts, text="x", metadata=metadata)
    without = await client.conversations_replies(channel="C1", ts=ts)
    within = await client.conversations_replies(channel="C1", ts=ts, include_all_metadata=True)
    assert "metadata" not in without["messages"][1]
    assert within["messages"][1]["metadata"] == metadata


async def test_people_and_places_are_told_by_the_scopes_of_the_manifest(slack, client):
    ada = (await client.users_info(user="U1"))["user"]
    assert (ada["tz"], ada["profile"]["email"], ada["is_restricted"]) == ("America/New_York", "Ada@acme.test", False)
    assert (await client.users_info(user="UG"))["user"]["is_restricted"]
    assert (await client.users_info(user="UO"))["user"]["is_stranger"]
    assert (await client.conversations_members(channel="C1"))["members"] == [BOT, "U1", "U2", "U3"]
    assert (await client.conversations_info(channel="C3"))["channel"]["is_ext_shared"]
    found = await client.users_conversations(user="U1", types="public_channel,private_channel,mpim")
    assert [channel["id"] for channel in found["channels"]] == ["C1", "C2", "C3", "C4"]
    assert {user["id"] for user in (await client.users_list())["members"]} >= {"U1", "UG", "UO", BOT}


async def test_a_mention_comes_as_two_events_and_each_is_acknowledged(slack):
    async with socket(slack) as requests:
        ts = await slack.mention("U1", "hello", "C1")
        await slack.until(
            lambda: len(slack.sockets.deliveries) == 2 and all(d.acknowledged for d in slack.sockets.deliveries)
        )
        events = [request.payload["event"] for request in requests]
    assert {(event["type"], event["ts"], event["text"]) for event in events} == {
        ("app_mention", ts, "<@UBOT> hello"),
        ("message", ts, "<@UBOT> hello"),
    }
    assert len({request.payload["event_id"] for request in requests}) == 2


async def test_in_a_direct_message_no_mention_is_told(slack):
    async with socket(slack):
        await slack.mention("U1", "hello", slack.workspace.direct("U1").id)
        assert [delivery.event["channel_type"] for delivery in slack.sockets.deliveries] == ["im"]


async def test_what_was_not_acknowledged_can_come_again_as_the_same_event(slack):
    async with socket(slack, acknowledge=False) as requests:
        await slack.say("U1", "hello", "C1")
        first = slack.sockets.deliveries[0]
        await slack.sockets.redeliver(first)
        # Its answer to this one says that it has both.
        await slack.event({"type": "unknown", "acknowledge": True})
        await slack.until(lambda: slack.sockets.deliveries[-1].acknowledged)
        assert not first.acknowledged
    assert requests[0].payload == requests[1].payload
    assert (requests[0].retry_attempt, requests[1].retry_attempt) == (None, 1)


async def test_what_happens_while_nobody_listens_comes_as_a_retry(slack):
    await slack.say("U1", "hello", "C1")
    async with socket(slack) as requests:
        await slack.until(lambda: slack.sockets.deliveries[0].acknowledged)
    assert requests[0].retry_attempt == 1


async def test_a_disconnected_socket_comes_back_on_another(slack):
    async with socket(slack) as requests:
        await slack.sockets.disconnect()
        await slack.until(lambda: (slack.sockets.connections, slack.sockets.connected) == (2, 1))
        await slack.say("U1", "hello", "C1")
        await slack.until(lambda: requests)


async def test_an_edited_mention_comes_again_with_its_old_ts(slack):
    async with socket(slack):
        ts = await slack.mention("U1", "helo", "C1")
        await slack.edit("C1", ts, "<@UBOT> hello")
    events = [delivery.event for delivery in slack.sockets.deliveries]
    assert [(event["type"], event.get("subtype")) for event in events[2:]] == [
        ("message", "message_changed"),
        ("app_mention", None),
    ]
    assert events[3]["ts"] == ts
    assert events[3]["edited"]["user"] == "U1"


async def test_the_app_hears_of_its_own_posts_and_edits_where_that_is_wanted(slack, client):
    slack.echoes = True
    async with socket(slack):
        posted = await client.chat_postMessage(channel="C1", text="one")
        await client.chat_update(channel="C1", ts=posted["ts"], text="two")
    post, update = [delivery.event for delivery in slack.sockets.deliveries]
    assert (post["type"], post["bot_id"], post["user"]) == ("message", "BBOT", BOT)
    assert (update["subtype"], update["message"]["bot_id"], "user" in update["message"]) == (
        "message_changed",
        "BBOT",
        False,
    )


async def test_pings_and_previews_are_seen(slack, client):
    posted = await client.chat_postMessage(channel="C1", text="<!channel> <https://a.test|a>")
    quiet = await client.chat_postMessage(channel="C1", text="&lt;!channel&gt; <https://a.test|a>", unfurl_links=False)
    loud, silent = slack.thread("C1", posted["ts"])[0], slack.thread("C1", quiet["ts"])[0]
    assert (loud.pings, loud.previews) == (("<!channel>",), ("https://a.test",))
    assert (silent.pings, silent.previews) == ((), ())


async def test_the_address_of_a_command_takes_five_messages_and_none_once_it_is_too_old(slack):
    async with socket(slack), aiohttp.ClientSession() as session:
        command, late = [await slack.command("U1", "hello", "C1") for _ in range(2)]
        late.expired = True
        body = {"response_type": "ephemeral", "text": "x"}
        codes = [(await session.post(command.url, json=body)).status for _ in range(6)]
        assert (codes, (await session.post(late.url, json=body)).status) == ([200] * 5 + [404], 404)
    assert (command.told, command.refused, late.told) == (["x"] * 5, 1, [])


async def test_waiting_ends(slack):
    with pytest.raises(AssertionError, match="waited in vain"):
        await slack.until(lambda: False, seconds=0.01)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(slack.until(lambda: slack.workspace.messages))
        tasks.create_task(slack.say("U1", "hello", "C1"))
