"""The fake runs in a process of its own, through several lives of the app."""

import asyncio

from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack import BOT_TOKEN, FakeSlack
from tests.fakes.slack_clients import socket
from tests.fakes.slack_process import slack_elsewhere


async def ask(slack, pipe):
    """Ada asks before anybody listens, and again once the first socket is gone; tells what was answered."""
    first = await slack.mention("U1", "one?", "C1")
    await slack.until(lambda: slack.answer("C1", first), seconds=30)
    await slack.until(lambda: not slack.sockets.connected, seconds=30)
    second = await slack.mention("U1", "two?", "C1")
    await slack.until(lambda: slack.answer("C1", second), seconds=30)
    pipe.send([slack.answers("C1", ts) for ts in (first, second)])


async def answer(url, life):
    here = FakeSlack()
    here.app.url = url
    async with socket(here) as requests, asyncio.timeout(30):
        await here.until(lambda: requests, seconds=30)
        event = requests[0].payload["event"]
        client = AsyncWebClient(BOT_TOKEN, base_url=url)
        await client.chat_postMessage(channel=event["channel"], thread_ts=event["ts"], text=f"answer {life}")


async def test_people_in_another_process_are_answered_by_one_app_after_another():
    async with slack_elsewhere(ask) as (url, pipe):
        for life in (1, 2):
            await answer(url, life)
        assert await asyncio.to_thread(pipe.recv) == [["answer 1"], ["answer 2"]]
