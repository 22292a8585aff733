"""`footnote run`: the whole path, a process of its own between a fake Slack and a fake Ollama."""

import asyncio
import signal

import pytest

from tests.fakes.ollama import serve_ollama
from tests.fakes.slack import APP_TOKEN, BOT, BOT_TOKEN, serve_slack


@pytest.fixture
async def slack(env):
    """A workspace whose people are in the channel C1, and the settings for it."""
    async with serve_slack() as slack:
        slack.workspace.person("U1", "Ada Lovelace")
        slack.workspace.channel("C1", "general", "U1", BOT)
        env(SLACK_API_URL=slack.url, SLACK_BOT_TOKEN=BOT_TOKEN, SLACK_APP_TOKEN=APP_TOKEN)
        yield slack


async def test_a_mention_is_answered_from_the_indexed_files_and_sigterm_ends_it(slack, footnote, process, docs, env):
    await asyncio.to_thread(footnote, "index", "files", docs, "--url", "https://wiki.test/")
    async with serve_ollama() as ollama:
        env(OLLAMA_HOST=ollama.url)
        ollama.calls("search", query="paid leave")
        ollama.says("You have **30 days** [1].")
        async with process("run") as running:
            await slack.until(lambda: slack.sockets.connected, 20)
            ts = await slack.mention("U1", "How much leave do I have?", "C1")
            await slack.until(lambda: "Sources" in slack.answer("C1", ts), 20)
            answer = slack.answer("C1", ts)
            running.send_signal(signal.SIGTERM)
            async with asyncio.timeout(5):
                assert await running.wait() == 0
    assert "You have *30 days* <https://wiki.test/leave.md|[1]>." in answer


async def test_without_a_model_or_an_index_it_runs_and_says_so(slack, process):
    async with process("run") as running:
        await slack.until(lambda: slack.sockets.connected, 20)
        ts = await slack.mention("U1", "How much leave do I have?", "C1")
        await slack.until(lambda: "I found nothing" in slack.answer("C1", ts), 20)
        running.send_signal(signal.SIGTERM)
        _, err = await running.communicate()
    assert running.returncode == 0
    assert b"ollama pull gemma4:31b" in err


async def test_a_token_that_slack_does_not_accept_is_one_line_and_2(slack, process, env):
    env(SLACK_BOT_TOKEN="xoxb-revoked")
    async with process("run") as running:
        _, err = await running.communicate()
    assert running.returncode == 2
    assert err.decode().splitlines()[-1].startswith("error: SLACK_BOT_TOKEN is not accepted by Slack")
    assert "Traceback" not in err.decode()
