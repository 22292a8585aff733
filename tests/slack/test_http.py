"""Slack over HTTP: the same bot, behind a door that only Slack can open."""

import asyncio
import io
import json
import sqlite3
import time
from dataclasses import replace

import aiohttp
import pytest
from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.api.connection import Identity, bolt
from bot.slack.app import SlackSetupError
from bot.slack.transport.http import LARGEST, Door, opened
from bot.slack.transport.manifest import PATH
from tests.fakes.ports import free_port
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_http import FORM, JSON, signed

SECRET = "s3cret"
WHO = Identity("UBOT", "B1", "T1", "", "https://acme.slack.com/")


@pytest.fixture
def door():
    return Door(SECRET, "127.0.0.1", free_port())


@pytest.fixture
def posts(slack, door):
    return slack.deliver_to(f"http://127.0.0.1:{door.port}{PATH}", SECRET)


@pytest.fixture
async def bot(slack, posts, door, tmp_path):
    async with running_bot(slack, tmp_path, door=door) as bot:
        yield bot


async def test_a_mention_is_answered_and_no_socket_is_opened(bot, slack, posts):
    bot.knows(says("Hello."))
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))
    assert set(posts.statuses) == {200}
    assert slack.calls("apps.connections.open") == []


async def test_slack_may_verify_the_address(bot, posts):
    assert json.loads(await posts.challenge()) == {"challenge": "3eZbrw1aB"}


@pytest.mark.parametrize("text", ["what is a payload?", "payload", "a&payload=b"])
async def test_a_command_may_speak_of_a_payload(bot, slack, posts, text):
    hook = await slack.command("U1", text, "C1")
    assert posts.statuses == [200]
    await slack.until(lambda: slack.calls("chat.postMessage") or hook.told)
    assert text.replace("&", "&amp;") in slack.calls("chat.postMessage")[0].call["text"]


async def test_what_comes_again_is_answered_once(bot, slack, posts):
    bot.knows(says("Once."))
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.until(lambda: slack.answer("C1", ts).startswith("Once."))
    await posts.redeliver(slack.deliveries[0], "http_timeout")
    assert (posts.statuses[-1], len(bot.questions)) == (200, 1)


class Broken:
    """A store that cannot claim, until it is mended."""

    def __init__(self, store):
        self.store = store
        self.mended = False

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def begin(self, run):
        if not self.mended:
            raise sqlite3.OperationalError("database or disk is full")
        return await self.store.begin(run)


async def test_what_cannot_be_claimed_is_refused_so_that_it_comes_again(slack, posts, door, tmp_path):
    slack.pair = ("app_mention",)
    async with running_bot(slack, tmp_path, door=door, through=Broken) as bot:
        bot.knows(says("Hello."))
        ts = await slack.mention("U1", "Hello, how are you?", "C1")
        assert posts.statuses == [500]
        bot.store.mended = True
        await posts.redeliver(slack.deliveries[0], "http_error")
        await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))


# Who knocks

BODY = json.dumps({"type": "event_callback", "event": {"type": "app_mention", "user": "U1", "text": "hush"}})


def at(moment):
    """A time stamp that was never signed."""
    return {"X-Slack-Request-Timestamp": moment}


@pytest.mark.parametrize(
    ("headers", "secret"),
    [
        pytest.param({}, "wrong", id="signed with another secret"),
        pytest.param(at("tomorrow"), SECRET, id="a time that is none"),
        pytest.param({"X-Slack-Signature": "v0=ü"}, SECRET, id="a signature that is none"),
        pytest.param(at(str(int(time.time()) - 10)), SECRET, id="a time that was not signed"),
    ],
)
async def test_what_is_not_signed_by_slack_is_refused(bot, posts, headers, secret):
    status, said, _ = await posts.post(BODY, JSON, headers, secret)
    assert status == 401
    assert "hush" not in said
    assert bot.questions == []


@pytest.mark.parametrize("minutes", [-6, 6])
async def test_what_was_signed_at_another_time_is_refused(bot, posts, minutes):
    headers = signed(SECRET, BODY, at=time.time() + 60 * minutes)
    assert (await posts.post(BODY, JSON, headers))[0] == 401


@pytest.mark.parametrize(
    ("body", "kind"), [("{", JSON), ("[]", JSON), ("payload={", FORM), ("", FORM), ("x", "text/plain; charset=none")]
)
async def test_what_makes_no_sense_is_not_even_read_without_a_signature(bot, posts, body, kind, caplog):
    assert (await posts.post(body, kind, secret="wrong"))[0] == 401
    assert "Traceback" not in caplog.text


async def test_letters_that_are_none_are_refused(bot, posts):
    async with aiohttp.ClientSession() as session:
        headers = {"Content-Type": JSON, **signed(SECRET, "x")}
        async with session.post(posts.url, data=b"\xff\xfe", headers=headers) as reply:
            assert reply.status == 401


async def test_a_body_beyond_all_measure_is_not_taken(bot, posts):
    body = "x" * (LARGEST + 1)
    async with (
        aiohttp.ClientSession() as session,
        session.post(posts.url, data=io.BytesIO(body.encode()), headers=signed(SECRET, body)) as reply,
    ):
        assert reply.status == 413


HALF = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: {JSON}\r\nContent-Length: 100\r\n\r\n{{"


async def test_a_request_that_does_not_end_is_not_waited_for(door):
    app = bolt(AsyncWebClient(), "xoxb-1", WHO)
    async with opened(app, replace(door, patience=0.1)):
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        writer.write(HALF.encode())
        async with asyncio.timeout(4):
            assert b" 408 " in await reader.readline()
        writer.close()
        await writer.wait_closed()


async def test_whoever_hangs_up_halfway_breaks_nothing(bot, posts, door, caplog):
    _, writer = await asyncio.open_connection("127.0.0.1", door.port)
    writer.write(HALF.encode())
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    await posts.challenge()
    assert [record.message for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []


async def test_there_is_nothing_else_behind_the_door(bot, posts):
    async with aiohttp.ClientSession() as session:
        async with session.get(posts.url) as reply:
            assert reply.status == 405
        async with session.post(posts.url.replace(PATH, "/"), data="x") as reply:
            assert reply.status == 404


# Beginning and end


async def test_a_port_that_is_taken_is_named(slack, posts, door, tmp_path):
    async with opened(AsyncApp(signing_secret="s", token="x"), door):
        with pytest.RaisesGroup(SlackSetupError) as raised:
            async with running_bot(slack, tmp_path, door=door):
                pass
    assert str(raised.value.exceptions[0]).startswith(
        f"FOOTNOTE_HTTP_PORT: nothing can listen on 127.0.0.1:{door.port}"
    )


async def test_what_came_before_the_end_is_still_acknowledged(slack, posts, door):
    came, gate = asyncio.Event(), asyncio.Event()

    async def slow() -> BoltResponse:
        came.set()
        await gate.wait()
        return BoltResponse(status=200)

    app = bolt(AsyncWebClient(base_url=slack.url), "xoxb-1", WHO)
    app.middleware(slow)
    async with asyncio.TaskGroup() as tasks:
        async with opened(app, door), asyncio.timeout(4):
            posted = tasks.create_task(posts.post(BODY, JSON))
            await came.wait()
            asyncio.get_running_loop().call_later(0.05, gate.set)
        assert gate.is_set()
    assert posted.result()[0] == 200
    with pytest.raises(aiohttp.ClientConnectionError):
        await posts.post(BODY, JSON)
