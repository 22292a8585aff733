"""How the bot starts, and how it stops."""

import asyncio
import signal
import sys

import pytest

from bot.slack.app import SlackSetupError, run_slack
from bot.store.sqlite import open_store
from tests.fakes.research import says
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN
from tests.fakes.slack_bot import running_bot

SCRIPT = """
import asyncio, sys
from pathlib import Path
from bot.slack.app import Settings, run_slack
from bot.store.sqlite import open_store

async def main(url, home):
    async with open_store(Path(home) / "state.sqlite") as store:
        tokens = {"bot_token": "xoxb-fake", "app_token": "xapp-fake"}
        soon = {"settings": Settings(drain=0.1), "readable": None}
        await run_slack(**tokens, store=store, researcher=Hangs, documents=None, api_url=url, **soon)

class Hangs:
    def __init__(self, **options): pass
    async def run(self, query, **given): await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""


async def start(tmp_path, url, bot_token=BOT_TOKEN, app_token=APP_TOKEN):
    async with open_store(tmp_path / "state.sqlite") as store:
        await run_slack(
            bot_token=bot_token,
            app_token=app_token,
            store=store,
            researcher=None,
            documents=None,
            readable=None,
            api_url=url,
        )


@pytest.mark.parametrize(
    ("tokens", "named"),
    [
        ({"bot_token": "xoxb-wrong"}, r"SLACK_BOT_TOKEN is not accepted by Slack \(invalid_auth\)"),
        ({"app_token": "xapp-wrong"}, r"SLACK_APP_TOKEN is not accepted by Slack \(invalid_auth\)"),
        ({"app_token": BOT_TOKEN}, r"SLACK_APP_TOKEN is not accepted by Slack \(not_allowed_token_type\)"),
    ],
)
async def test_a_wrong_token_ends_the_start_with_a_line_that_names_it(slack, tmp_path, tokens, named):
    async with asyncio.timeout(5):
        with pytest.raises(SlackSetupError, match=named) as raised:
            await start(tmp_path, slack.url, **tokens)
    assert "\n" not in str(raised.value)
    assert "wrong" not in str(raised.value)


async def test_a_slack_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SlackSetupError, match=r"Slack cannot be reached at http://127\.0\.0\.1:9/.*SLACK_API_URL"):
        await start(tmp_path, "http://127.0.0.1:9")


async def test_an_address_that_is_not_slacks_is_named(slack, tmp_path):
    with pytest.raises(SlackSetupError, match="no answer of Slack's"):
        await start(tmp_path, slack.url.replace("/api/", "/else/"))


async def test_variables_of_other_apps_do_not_change_how_it_runs(slack, tmp_path, monkeypatch):
    for name in ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET"):
        monkeypatch.setenv(name, "xoxb-other")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Hello."))
        ts = await slack.mention("U1", "Hello, how are you?", "C1")
        await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))


async def test_nothing_is_asked_of_slack_at_an_event_but_for_its_answer(slack, tmp_path):
    async with running_bot(slack, tmp_path):
        before = len(slack.made)
        delivery = await slack.event({"type": "message", "subtype": "channel_topic", "channel": "C1", "ts": "1.1"})
        await slack.until(lambda: delivery.acknowledged)
        assert len(slack.made) == before


async def bot_process(slack, tmp_path):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", "-c", SCRIPT, slack.url, str(tmp_path), stderr=asyncio.subprocess.PIPE
    )
    await slack.until(lambda: slack.sockets.connected, seconds=30)
    return process


async def ended(process):
    async with asyncio.timeout(5):
        _, errors = await process.communicate()
    return process.returncode, errors.decode()


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_within_five_seconds_when_nothing_runs(slack, tmp_path, name):
    process = await bot_process(slack, tmp_path)
    process.send_signal(name)
    assert await ended(process) == (0, "")


async def test_a_signal_ends_it_with_a_word_in_every_thread_where_something_runs(slack, tmp_path):
    process = await bot_process(slack, tmp_path)
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.until(lambda: slack.answers("C1", ts), seconds=10)
    process.send_signal(signal.SIGTERM)
    assert await ended(process) == (0, "")
