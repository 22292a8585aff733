"""The line to Slack: whatever becomes of a socket, there is another one, and nothing is lost."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp

from bot.slack.app import SlackSetupError
from bot.slack.transport.sockets import Line, Patience
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_line import serve_line

QUICK = Patience(hello=2.0, silence=30.0, first_pause=0.01, longest_pause=0.05, linger=0.0, farewell=2.0)


@pytest.fixture
async def bot(slack, tmp_path):
    async with running_bot(slack, tmp_path, patience=QUICK) as bot:
        yield bot


async def answered(bot, slack):
    """A question that is asked now is answered."""
    bot.knows(says("Hello."))
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."), 8)


def opened(slack):
    """How often an address was asked for."""
    return len(slack.calls("apps.connections.open"))


# Handshakes


async def test_each_handshake_that_fails_is_followed_by_one_at_a_fresh_address(slack, tmp_path):
    slack.sockets.fail_handshakes(3)
    async with running_bot(slack, tmp_path, patience=QUICK) as bot:
        assert (opened(slack), slack.sockets.refused) == (4, 3)
        await answered(bot, slack)


async def test_what_happens_while_the_address_is_dead_is_answered_later(bot, slack):
    bot.knows(says("Hello."))
    slack.sockets.fail_handshakes(3)
    await slack.sockets.drop()
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."), 8)
    assert slack.sockets.refused == 3


# Silence


async def test_a_socket_that_does_not_answer_any_more_is_replaced(slack, tmp_path):
    async with running_bot(slack, tmp_path, patience=replace(QUICK, silence=1.5)) as bot:
        slack.sockets.deaf = True
        await slack.until(lambda: slack.sockets.connections > 1, 8)
        slack.sockets.deaf = False
        await answered(bot, slack)


@asynccontextmanager
async def kept(server, patience=QUICK):
    """A line to that server, and what is told of it."""
    told = asyncio.Queue()
    async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as tasks:
        line = Line(
            AsyncApp(signing_secret="s", token="x"), session, server.link, connected=told.put_nowait, patience=patience
        )
        keeping = tasks.create_task(line.keep(""))
        try:
            async with asyncio.timeout(8):
                await server.good.wait()
            yield told
        finally:
            keeping.cancel()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"envelope_id": 1}',
        '{"envelope_id": "E1", "type": "events_api", "payload": "none"}',
        "{" * 9,
        "deep",
    ],
)
async def test_what_is_no_envelope_does_no_harm(bot, slack, text):
    await slack.sockets.say('{"a":' + 100_000 * "[" if text == "deep" else text)
    await answered(bot, slack)
    assert slack.sockets.connections == 1


async def test_a_socket_without_a_hello_is_left(tmp_path):
    async with serve_line("silent") as server, kept(server, replace(QUICK, hello=0.3)):
        assert server.connected == ["/1", "/2"]


async def test_nobody_is_told_of_a_connection_that_is_none(tmp_path):
    async with serve_line("dead", "crowded") as server, kept(server) as told:
        assert server.connected == ["/1", "/2", "/3"]
        async with asyncio.timeout(4):
            assert await told.get()
        assert told.empty()


async def test_sockets_that_are_closed_at_once_are_opened_more_and_more_slowly():
    patience = replace(QUICK, first_pause=0.1, longest_pause=0.2)
    async with serve_line(*["closing"] * 5) as server, kept(server, patience):
        pauses = [after - before for before, after in zip(server.asked, server.asked[1:], strict=False)]
    least = [0.0, 0.1, 0.2, 0.2, 0.2]
    assert all(pause >= wanted * 0.9 for pause, wanted in zip(pauses, least, strict=True))


async def test_a_socket_that_lived_for_a_while_is_followed_at_once():
    patience = replace(QUICK, steady=0.0, first_pause=60.0, longest_pause=60.0)
    async with serve_line("closing", "closing", "closing") as server, kept(server, patience):
        assert len(server.asked) == 4


# Slack asks to come back


@pytest.mark.parametrize("reason", ["refresh_requested", "warning"])
async def test_the_next_socket_is_open_before_the_old_one_is_closed(slack, tmp_path, reason):
    told = []
    async with running_bot(slack, tmp_path, patience=QUICK, connected=told.append) as bot:
        await slack.sockets.disconnect(reason)
        await slack.until(lambda: (slack.sockets.connections, slack.sockets.connected) == (2, 1))
        assert told == [True]
        await answered(bot, slack)


class Slow:
    """A store whose claims take until `gate` is open."""

    def __init__(self, store):
        self.store = store
        self.gate = asyncio.Event()
        self.claiming = False

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def begin(self, run):
        self.claiming = True
        await self.gate.wait()
        return await self.store.begin(run)


async def test_what_came_over_the_old_socket_is_acknowledged_over_it(slack, tmp_path):
    slack.pair = ("message",)
    async with running_bot(slack, tmp_path, patience=QUICK, through=Slow) as bot:
        bot.knows(says("Hello."))
        ts = await slack.mention("U1", "Hello, how are you?", "C1")
        await slack.until(lambda: bot.store.claiming)
        await slack.sockets.disconnect("refresh_requested")
        await slack.until(lambda: slack.sockets.connections == 2)
        bot.store.gate.set()
        await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))
        await slack.until(lambda: slack.deliveries[0].acknowledged)
        assert slack.deliveries[0].attempts == 0


async def test_while_there_is_no_other_socket_the_old_one_is_used(bot, slack):
    slack.hold("apps.connections.open")
    await slack.sockets.disconnect("refresh_requested")
    await slack.until(lambda: opened(slack) == 2)
    await answered(bot, slack)
    assert slack.sockets.connections == 1
    slack.release("apps.connections.open")
    await slack.until(lambda: (slack.sockets.connections, slack.sockets.connected) == (2, 1))


async def test_of_too_many_sockets_the_old_one_is_closed_first_and_the_mend_is_named(bot, slack, caplog):
    slack.hold("apps.connections.open")
    await slack.sockets.disconnect("too_many_websockets")
    await slack.until(lambda: not slack.sockets.connected)
    slack.release("apps.connections.open")
    await answered(bot, slack)
    assert "too_many_websockets" in caplog.text
    assert "stop what else runs with this SLACK_APP_TOKEN" in caplog.text


# The network, and Slack's side of it


@pytest.mark.parametrize("fault", ["drop", "fail", "limit"])
async def test_an_address_that_cannot_be_had_is_asked_for_again(bot, slack, fault):
    getattr(slack, fault)("apps.connections.open", times=4)
    await slack.sockets.drop()
    await answered(bot, slack)
    assert opened(slack) == 6


async def test_whoever_wants_to_know_is_told_when_the_line_is_gone_and_back(slack, tmp_path):
    told = []
    async with running_bot(slack, tmp_path, patience=QUICK, connected=told.append):
        slack.hold("apps.connections.open")
        await slack.sockets.drop()
        await slack.until(lambda: told == [True, False])
        slack.release("apps.connections.open")
        await slack.until(lambda: told == [True, False, True])


async def revoked(slack, tmp_path, code):
    async with running_bot(slack, tmp_path, patience=QUICK) as bot:
        slack.refuse("apps.connections.open", code, times=9)
        await slack.sockets.drop()
        async with asyncio.timeout(5):
            await bot.task


@pytest.mark.parametrize("code", ["token_revoked", "invalid_auth", "account_inactive"])
async def test_a_token_that_is_no_good_any_more_ends_it_with_a_line_that_names_it(slack, tmp_path, code):
    with pytest.raises(ExceptionGroup) as raised:  # Of the tasks of the test; what the bot raises is no group.
        await revoked(slack, tmp_path, code)
    said = rf"^SLACK_APP_TOKEN is not accepted by Slack \({code}\)\."
    assert raised.group_contains(SlackSetupError, match=said, depth=1)


async def test_no_address_of_a_socket_is_logged(bot, slack, caplog):
    caplog.set_level("DEBUG")
    slack.sockets.fail_handshakes(2)
    await slack.sockets.drop()
    await answered(bot, slack)
    ours = [record.getMessage() for record in caplog.records if record.name != "aiohttp.access"]
    assert "no socket to Slack (WSServerHandshakeError)" in ours
    assert not any("ticket" in line for line in ours)
