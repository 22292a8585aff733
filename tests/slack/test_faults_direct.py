"""Whatever fails around the bot where it streams: there is one last word in each thread of a direct conversation, with
and without an agent's session, and nothing shows that somebody is at work still."""

import pytest

from bot.sentences import ENGINE_FAILED
from bot.slack.transport.manifest import manifest
from tests.fakes.ollama import serve_ollama
from tests.fakes.ports import free_port
from tests.fakes.research import says, searches
from tests.fakes.search import FakeSearch
from tests.fakes.slack import serve_slack
from tests.fakes.slack_bot import running_bot
from tests.slack.test_faults import FOUND, MODELS, QUESTION, on_a_model

METHODS = ("chat.startStream", "chat.appendStream", "chat.stopStream", "chat.postMessage", "chat.update")
STATUS = ("assistant.threads.setStatus", "agents.sessions.setStatus")
FAULTS = {
    "Slack answers with 5xx": lambda slack: [slack.fail(method, 503, 2) for method in (*METHODS, *STATUS)],
    "Slack takes no more calls for a while": lambda slack: [slack.limit(method, 2) for method in (*METHODS, *STATUS)],
    "connections to Slack break off": lambda slack: [slack.drop(method, 1) for method in (*METHODS, *STATUS)],
    "Slack does it and says nothing": lambda slack: [slack.drop(method, 1, done=True) for method in METHODS],
}


@pytest.fixture(params=[False, True], ids=["direct", "agent"])
async def slack(request):
    async with serve_slack(manifest=manifest(agent=request.param)) as slack:
        yield slack


async def settled(slack, ts, begins):
    """One message says it, and nothing is under way."""

    def is_settled():
        written = slack.answers("DU1", ts)
        streaming = [one for one in slack.workspace.replies("DU1", ts) if one.get("streaming_state") == "in_progress"]
        return len(written) == 1 and begins in written[0] and not streaming and not slack.api.threads.locked("DU1", ts)

    await slack.until(is_settled, 20)


@pytest.mark.parametrize("fault", FAULTS)
async def test_the_answer_comes_once_where(slack, tmp_path, fault):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(searches("leave"), says("30 days [1]."), finds=[FOUND])
        FAULTS[fault](slack)
        await settled(slack, await slack.dm("U1", QUESTION), "30 days")


async def test_an_answer_that_is_under_way_outlives_its_socket(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        gate = bot.knows(says("30 days."), held=True)
        ts = await slack.dm("U1", QUESTION)
        await slack.until(lambda: bot.questions)
        await slack.sockets.drop()
        gate.set()
        await settled(slack, ts, "30 days")


@pytest.mark.parametrize("fault", MODELS)
async def test_a_last_word_comes_where_the_model(slack, tmp_path, fault):
    async with serve_ollama() as ollama:
        ollama.calls("search", query="leave")
        MODELS[fault](ollama)
        async with on_a_model(slack, tmp_path, ollama.url, FakeSearch(FOUND)):
            await settled(slack, await slack.dm("U1", QUESTION), ENGINE_FAILED["en"][:20])


async def test_a_last_word_comes_where_there_is_no_model(slack, tmp_path):
    async with on_a_model(slack, tmp_path, f"http://127.0.0.1:{free_port()}", FakeSearch(FOUND)):
        await settled(slack, await slack.dm("U1", QUESTION), ENGINE_FAILED["en"][:20])
