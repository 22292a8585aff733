"""`footnote run`: the whole path, a process of its own between a fake Slack and a fake Ollama."""

import asyncio
import signal

import pytest

from bot.cli.run import web_of
from bot.config import Config
from tests.fakes.ollama import serve_ollama
from tests.fakes.web_engines import PAGES
from tests.fakes.web_service import KEY, serve
from tests.fakes.web_tavily import FakeTavily


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


async def test_research_and_a_link_of_the_documents_go_the_whole_way(slack, footnote, process, docs, env):
    await asyncio.to_thread(footnote, "index", "files", docs, "--url", "https://wiki.test/")
    async with serve_ollama() as ollama, serve(FakeTavily(pages=list(PAGES))) as tavily:
        env(OLLAMA_HOST=ollama.url, TAVILY_API_KEY=KEY, TAVILY_API_URL=tavily.url)
        async with process("run") as running:
            await slack.until(lambda: slack.sockets.connected, 20)
            ollama.says("It is out [1].")
            await slack.command("U1", "Is Falcon 2 out?", "C1")
            await slack.until(lambda: slack.workspace.messages.get("C1"), 20)
            ts = next(iter(slack.workspace.messages["C1"]))
            await slack.until(lambda: "The question went to Tavily." in slack.answer("C1", ts), 20)
            ollama.says("30 days [1].")
            ts = await slack.mention("U1", "How much, says <https://wiki.test/leave.md>?", "C1")
            await slack.until(lambda: "30 days <https://wiki.test/leave.md|[1]>" in slack.answer("C1", ts), 20)
            running.send_signal(signal.SIGTERM)
            await running.communicate()
    assert [asked.body["query"] for asked in tavily.asked] == ["Is Falcon 2 out?"]


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


@pytest.mark.parametrize(
    ("web", "channel", "setting"),
    [("on request", "C1", "on"), ("on request", "C3", "on request"), ("off", "C1", "off"), ("on", "C3", "on")],
)
def test_a_channel_may_have_the_web_on(env, web, channel, setting):
    env(FOOTNOTE_WEB=web, FOOTNOTE_WEB_CHANNELS="C1, C2", SLACK_BOT_TOKEN="xoxb-1", SLACK_APP_TOKEN="xapp-1")
    assert web_of(Config.read("run"), channel) == setting
