"""`footnote run` as whoever runs it has it: over HTTP, with its health on a port of its own."""

import asyncio
import signal

import aiohttp
import pytest

from bot.slack.transport.manifest import PATH
from tests.fakes.ports import free_port
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN, serve_slack


@pytest.fixture
async def slack(env):
    async with serve_slack() as slack:
        env(SLACK_API_URL=slack.url, SLACK_BOT_TOKEN=BOT_TOKEN)
        yield slack


@pytest.fixture
def health(env):
    """The address of the pages of health."""
    port = free_port()
    env(FOOTNOTE_HEALTH_PORT=str(port))
    return f"http://127.0.0.1:{port}"


async def asked(url):
    """Status and page, as soon as there is one; 0 while there is none."""
    try:
        async with aiohttp.ClientSession() as session, session.get(url) as reply:
            return reply.status, await reply.text()
    except aiohttp.ClientConnectionError:
        return 0, ""


async def until(url, status):
    async with asyncio.timeout(20):
        while (reply := await asked(url))[0] != status:  # noqa: ASYNC110 - another process, which announces nothing
            await asyncio.sleep(0.05)
    return reply[1]


async def test_over_http_a_mention_is_answered_and_the_health_is_told(slack, process, env, health):
    port = free_port()
    posts = slack.deliver_to(f"http://127.0.0.1:{port}{PATH}", "s3cret")
    env(SLACK_SIGNING_SECRET="s3cret", FOOTNOTE_HTTP_PORT=str(port))
    async with process("run") as running:
        ready = await until(f"{health}/readyz", 200)
        assert (await asked(f"{health}/healthz"))[0] == 200
        ts = await slack.mention("U1", "How much leave do I have?", "C1")
        await slack.until(lambda: slack.answer("C1", ts).startswith("I found nothing"), 20)
        metrics = await until(f"{health}/metrics", 200)
        running.send_signal(signal.SIGTERM)
        await running.communicate()
    assert '"model": "none, passages are quoted"' in ready
    assert set(posts.statuses) == {200}
    assert "footnote_questions_total{outcome=" in metrics
    assert running.returncode == 0


async def test_without_slack_it_lives_and_is_not_ready(slack, process, env, health):
    env(SLACK_APP_TOKEN=APP_TOKEN)
    slack.hold("auth.test")
    async with process("run") as running:
        assert '"slack": "not connected"' in await until(f"{health}/readyz", 503)
        assert (await asked(f"{health}/healthz"))[0] == 200
        slack.release("auth.test")
        await until(f"{health}/readyz", 200)
        running.send_signal(signal.SIGTERM)
        await running.communicate()


@pytest.mark.parametrize("name", ["FOOTNOTE_HTTP_PORT", "FOOTNOTE_HEALTH_PORT"])
async def test_a_port_that_is_taken_is_one_line_and_2(slack, process, env, name):
    env(SLACK_SIGNING_SECRET="s3cret")
    env(**{name: slack.url.split(":")[2].split("/")[0]})
    async with process("run") as running:
        _, err = await running.communicate()
    assert running.returncode == 2
    assert err.decode().splitlines()[-1].startswith(f"error: {name}: nothing can listen on 127.0.0.1:")
    assert "Traceback" not in err.decode()
