"""What the fake sends comes again until it is taken, whatever becomes of the socket."""

import asyncio
import sys
from pathlib import Path

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack import APP_TOKEN
from tests.fakes.slack_clients import socket

ROOT = Path(__file__).parents[2]
CLIENT = """
import asyncio, sys
from tests.fakes.slack_clients import socket
from tests.fakes.slack import FakeSlack

async def main(url, acknowledge):
    slack = FakeSlack()
    slack.app.url = url
    async with socket(slack, acknowledge=acknowledge) as requests:
        await asyncio.Event().wait()

asyncio.run(main(sys.argv[1], sys.argv[2] == "acknowledge"))
"""


def attempts(requests):
    return [(request.payload["event_id"], request.retry_attempt, request.retry_reason) for request in requests]


async def test_what_nobody_acknowledges_comes_three_times_more_as_the_same_event(slack):
    async with socket(slack, acknowledge=False) as requests:
        await slack.say("U1", "hello", "C1")
        for pause in (1, 2, 1, 62, 1, 300, 3, 900):
            slack.clock.advance(pause)
            await slack.transport.retry_due()
        await slack.event({"type": "unknown", "acknowledge": True})
        await slack.until(lambda: slack.deliveries[-1].acknowledged)
    id = requests[0].payload["event_id"]
    assert attempts(requests)[:-1] == [(id, None, None), *[(id, number, "timeout") for number in (1, 2, 3)]]
    assert len({request.envelope_id for request in requests}) == 5


async def test_what_is_acknowledged_does_not_come_again(slack):
    async with socket(slack) as requests:
        await slack.say("U1", "hello", "C1")
        await slack.until(lambda: slack.deliveries[0].acknowledged)
        slack.clock.advance(1_000)
        await slack.transport.retry_due()
        await slack.event({"type": "unknown"})
        await slack.until(lambda: slack.deliveries[1].acknowledged)
    assert len(requests) == 2


async def test_what_went_into_a_socket_that_died_comes_on_the_next(slack):
    async with socket(slack, acknowledge=False):
        await slack.say("U1", "hello", "C1")
        assert slack.deliveries[0].sent
    await slack.until(lambda: not slack.sockets.connected)
    async with socket(slack) as requests:
        await slack.until(lambda: slack.deliveries[0].acknowledged)
    assert attempts(requests) == [(slack.deliveries[0].envelope["payload"]["event_id"], 1, "timeout")]


async def test_a_dropped_socket_is_one_that_broke_off(slack):
    async with socket(slack, patient=False):
        await slack.sockets.drop()
        assert slack.sockets.connected == 0
        await slack.until(lambda: slack.sockets.connected == 1)


async def test_an_open_socket_that_hears_nothing_is_noticed_by_who_pings_it(slack):
    async with socket(slack, patient=False):
        slack.sockets.deaf = True
        await slack.until(lambda: slack.sockets.connections > 1 or slack.sockets.connected == 0)


async def test_a_handshake_can_fail_and_its_ticket_is_gone_then(slack):
    slack.sockets.fail_handshakes()
    url = (await AsyncWebClient(APP_TOKEN, base_url=slack.url).apps_connections_open(app_token=APP_TOKEN))["url"]
    statuses = [await _status(url) for _ in range(2)]
    assert (statuses, slack.sockets.refused) == ([503, 403], 2)


async def _status(url):
    async with aiohttp.ClientSession() as session, session.get(url.replace("ws", "http", 1)) as reply:
        return reply.status


async def test_one_socket_too_many_is_sent_away(slack):
    async with asyncio.TaskGroup() as tasks:
        enough = asyncio.Event()
        holders = [tasks.create_task(_hold(slack, enough)) for _ in range(11)]
        await slack.until(lambda: slack.sockets.connections > 11)
        enough.set()
    assert all(holder.done() for holder in holders)


async def _hold(slack, enough):
    async with socket(slack):
        await enough.wait()


async def test_an_app_that_is_killed_gets_what_it_missed_when_it_is_started_again(slack):
    ts = []
    for acknowledge in ("never", "acknowledge"):
        command = (sys.executable, "-c", CLIENT, slack.url, acknowledge)
        app = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
        await slack.until(lambda: slack.sockets.connected == 1, seconds=20)
        if acknowledge == "acknowledge":
            await slack.until(lambda: all(delivery.acknowledged for delivery in slack.deliveries))
        ts.append(await slack.say("U1", "hello", "C1"))
        await slack.until(lambda: slack.deliveries[-1].sent)
        app.kill()
        await app.wait()
        await slack.until(lambda: slack.sockets.connected == 0)
        ts.append(await slack.say("U1", "are you there?", "C1"))
    assert [delivery.event["ts"] for delivery in slack.deliveries if delivery.attempts] == ts[:2]
