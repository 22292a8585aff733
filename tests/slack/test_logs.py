"""No log holds a word of anybody's, however much is logged, and whatever goes wrong."""

import logging

import pytest

from bot.slack.transport.http import Door
from bot.slack.transport.manifest import PATH
from bot.web.engines import Query
from bot.web.settings import ENGINES
from indexers.index.elasticsearch.client import connected
from tests.fakes.ports import free_port
from tests.fakes.research import says, searches
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN
from tests.fakes.slack_bot import running_bot
from tests.fakes.stores import scratch_prefix
from tests.fakes.web_engines import FakeReader, engines_on_loopback

HUSH = "xylophone"


@pytest.fixture
def logged(caplog):
    """All that any logger says, each at its most talkative."""
    levels = {}
    with caplog.at_level(logging.DEBUG):
        for name in list(logging.root.manager.loggerDict):
            levels[name] = logging.getLogger(name).level
            logging.getLogger(name).setLevel(logging.DEBUG)
        yield lambda: "\n".join(
            f"{record.name} {record.getMessage()} {record.args!r} {record.exc_text or record.exc_info or ''}"
            for record in caplog.records
        )
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


async def talk(slack, bot):
    """A question, a file, an edit, a deletion, a command, and an answer."""
    bot.knows(searches(HUSH), says(f"The {HUSH} is out."))
    bot.knows(says(f"The {HUSH}."))
    ts = await slack.mention("U1", f"Where is the {HUSH}?", "C1", files=[{"id": "F1", "name": f"{HUSH}.pdf"}])
    await slack.until(lambda: HUSH in slack.answer("C1", ts), 8)
    await slack.edit("C1", ts, f"Where was the {HUSH}?")
    await slack.delete("C1", ts)
    await slack.command("U1", f"a payload of {HUSH}", "C1")
    await slack.transport.deliver({"type": "shortcut", "callback_id": "x", "text": HUSH}, kind="interactive")
    await slack.until(lambda: all(one.acknowledged for one in slack.deliveries))


class Failing:
    """A store that says what it was to keep when it cannot."""

    def __init__(self, store):
        self.store = store

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def begin(self, run):
        raise OSError(f"cannot store the {HUSH}")


def door(slack):
    port = free_port()
    return Door("s3cret", "127.0.0.1", port), slack.deliver_to(f"http://127.0.0.1:{port}{PATH}", "s3cret")


async def test_over_sockets(logged, slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        await talk(slack, bot)
        await slack.sockets.disconnect("refresh_requested")
        await slack.until(lambda: slack.sockets.connections == 2)
    assert "asked" in logged()
    assert HUSH not in logged()


async def test_over_http(logged, slack, tmp_path):
    at, posts = door(slack)
    async with running_bot(slack, tmp_path, door=at) as bot:
        await talk(slack, bot)
        assert (await posts.post(f'{{"text": "{HUSH}"}}', "application/json", secret="wrong"))[0] == 401
    assert HUSH not in logged()


@pytest.mark.elasticsearch
async def test_with_elasticsearch(logged, elasticsearch_url):
    async with scratch_prefix(elasticsearch_url) as prefix, connected(elasticsearch_url) as server:
        logging.getLogger("elastic_transport.node").setLevel(logging.DEBUG)
        await server.writer.index(index=prefix, document={"text": f"The {HUSH} is out."}, refresh=True)
        found = await server.reader.search(index=prefix, query={"match": {"text": HUSH}})
    assert HUSH in str(found)
    assert HUSH not in logged()


@pytest.mark.parametrize("name", ENGINES)
async def test_with_engines_of_the_web(logged, name):
    logging.getLogger("aiohttp.access").setLevel(logging.WARNING)  # the engine's own, which is a server here
    async with engines_on_loopback(name, reader=FakeReader()) as (web, _):
        assert (await web.search(Query(HUSH, None, False, 5))).engine
    assert HUSH not in logged()


async def test_where_the_store_fails(logged, slack, tmp_path):
    async with running_bot(slack, tmp_path, through=Failing):
        await slack.mention("U1", f"Where is the {HUSH}?", "C1")
        await slack.until(lambda: "a delivery of Slack's failed: OSError" in logged())
    assert HUSH not in logged()


async def test_where_the_research_fails(logged, slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(RuntimeError(f"cannot say {HUSH}"))
        ts = await slack.mention("U1", f"Where is the {HUSH}?", "C1")
        await slack.until(lambda: slack.answers("C1", ts) and "failed" in logged())
    assert HUSH not in logged()


async def test_secrets_are_in_no_log(logged, slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        await talk(slack, bot)
    ours = "\n".join(line for line in logged().splitlines() if not line.startswith("aiohttp.access"))
    assert not [secret for secret in (BOT_TOKEN, APP_TOKEN, "ticket=") if secret in ours]
