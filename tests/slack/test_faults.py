"""Whatever fails around the bot: there is a last word in each thread, and no status is left."""

import asyncio
import random
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from bot.engine.ollama import Limits, OllamaEngine
from bot.research import ResearchAgent
from bot.search import HybridSearch
from bot.sentences import ENGINE_FAILED, SEARCH_FAILED
from bot.slack.app import Settings, run_slack
from bot.store import Store
from bot.store.elasticsearch import open_documents
from bot.store.sqlite import open_store
from bot.ways import Research, Ways
from bot.web import Web, answer
from bot.web.pages import Pages
from indexers.index.elasticsearch import open_elasticsearch
from tests.fakes.elasticsearch import serve_relay
from tests.fakes.killed_bot import nothing, readable
from tests.fakes.ollama import serve_ollama
from tests.fakes.ports import free_port
from tests.fakes.research import says, searches
from tests.fakes.search import FakeSearch, hit
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN
from tests.fakes.slack_bot import running_bot
from tests.fakes.stores import scratch_prefix
from tests.fakes.web_engines import FakeReader

QUESTION = "How much leave is there, please?"
FOUND = [hit(1, title="Leave", url="https://wiki.test/leave")]


def settled(slack, channel, ts):
    """Whether the app says no more in a thread: one message, none of it about work under way, and no status."""
    return len(slack.answers(channel, ts)) == 1 and not slack.api.threads.locked(channel, ts)


FAULTS = {
    "Slack answers with 5xx": lambda slack: [
        slack.fail("chat.postMessage", 503, 3),
        slack.fail("chat.update", 500, 5),
        slack.fail("conversations.replies", 502, 2),
    ],
    "Slack takes no more calls for a while": lambda slack: [
        slack.limit("chat.postMessage", 2),
        slack.limit("chat.update", 2),
        slack.limit("conversations.info", 1),
        slack.limit("users.info", 1),
    ],
    "connections to Slack break off": lambda slack: [
        slack.drop("chat.postMessage", 2, done=True),
        slack.drop("chat.update", 3),
    ],
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_the_answer_comes_once_where(slack, tmp_path, fault):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(searches("leave"), says("30 days [1]."), finds=[FOUND])
        FAULTS[fault](slack)
        ts = await slack.mention("U1", QUESTION, "C1")
        await slack.until(lambda: slack.answer("C1", ts).startswith("30 days"), 15)
        assert settled(slack, "C1", ts)


async def test_an_answer_that_is_under_way_outlives_its_socket(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        gate = bot.knows(says("30 days."), held=True)
        ts = await slack.mention("U1", QUESTION, "C1")
        await slack.until(lambda: bot.questions)
        await slack.sockets.drop()
        gate.set()
        await slack.until(lambda: slack.answer("C1", ts).startswith("30 days"))
        await slack.until(lambda: slack.sockets.connected, 10)
        assert settled(slack, "C1", ts)


@asynccontextmanager
async def on_a_model(slack, home, ollama_url, search):
    """The bot, with what Ollama says there."""
    limits = Limits(connect=0.3, first_token=0.5, silence=0.3, total=2, retry_pause=0.01)
    async with open_store(home / "state.sqlite") as store, OllamaEngine(ollama_url, limits=limits) as engine:

        def researcher(**options):
            ways = Ways(Web([], Pages(FakeReader())), ResearchAgent, answer)
            given = {name: options[name] for name in ("on_event", "clarify_handler", "clock", "on_checkpoint")}
            return Research(ways, options["asked"], engine, search, **given)

        bot = run_slack(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            store=store,
            researcher=researcher,
            documents=nothing,
            readable=readable,
            api_url=slack.url,
            settings=Settings(edit_interval=0.01, edits_per_minute=6_000, retry_pause=0.01, drain=0),
        )
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(bot)
            await slack.until(lambda: slack.sockets.connected)
            try:
                yield
            finally:
                task.cancel()


MODELS = {
    "hangs": lambda ollama: ollama.hangs(),
    "hangs amid its answer": lambda ollama: ollama.hangs("You have "),
    "breaks off amid its answer": lambda ollama: [ollama.breaks_off("You have ", mid_line=True) for _ in range(4)],
    "fails": lambda ollama: [ollama.fails(500, "out of memory") for _ in range(4)],
}


@pytest.mark.parametrize("fault", MODELS)
async def test_a_last_word_comes_where_the_model(slack, tmp_path, fault):
    async with serve_ollama() as ollama:
        ollama.calls("search", query="leave")
        MODELS[fault](ollama)
        async with on_a_model(slack, tmp_path, ollama.url, FakeSearch(FOUND)):
            ts = await slack.mention("U1", QUESTION, "C1")
            await slack.until(lambda: ENGINE_FAILED["en"][:20] in slack.answer("C1", ts), 15)
            assert settled(slack, "C1", ts)


async def test_a_last_word_comes_where_there_is_no_model(slack, tmp_path):
    async with on_a_model(slack, tmp_path, f"http://127.0.0.1:{free_port()}", FakeSearch(FOUND)):
        ts = await slack.mention("U1", QUESTION, "C1")
        await slack.until(lambda: ENGINE_FAILED["en"][:20] in slack.answer("C1", ts), 15)
        assert settled(slack, "C1", ts)


@pytest.mark.elasticsearch
async def test_a_last_word_comes_where_the_index_in_elasticsearch_has_gone_away(slack, tmp_path, elasticsearch_url):
    async with scratch_prefix(elasticsearch_url) as prefix, AsyncExitStack() as there, serve_ollama() as ollama:
        ollama.calls("search", query="leave")
        ollama.says("There are 30 days.")
        relay = await there.enter_async_context(serve_relay(elasticsearch_url))
        async with open_elasticsearch(relay.url, prefix=prefix, patience=0.2, create=True) as index:
            search = HybridSearch(index).for_audience((frozenset({"public"}),))
            async with on_a_model(slack, tmp_path, ollama.url, search):
                await there.aclose()
                ts = await slack.mention("U1", QUESTION, "C1")
                await slack.until(lambda: SEARCH_FAILED["en"] in slack.answer("C1", ts), 10)
                assert settled(slack, "C1", ts)


@pytest.mark.elasticsearch
async def test_an_answer_is_given_though_the_state_in_elasticsearch_has_gone_away(slack, tmp_path, elasticsearch_url):
    async with scratch_prefix(elasticsearch_url) as prefix, AsyncExitStack() as there:
        relay = await there.enter_async_context(serve_relay(elasticsearch_url))
        async with (
            open_documents(relay.url, prefix=prefix, patience=0.2) as documents,
            running_bot(slack, tmp_path, through=lambda store: Store(documents)) as bot,
        ):
            gate = bot.knows(searches("leave"), says("30 days [1]."), finds=[FOUND], held=True)
            ts = await slack.mention("U1", QUESTION, "C1")
            await slack.until(lambda: bot.questions)
            await there.aclose()
            gate.set()
            await slack.until(lambda: slack.answer("C1", ts).startswith("30 days"), 10)
            assert settled(slack, "C1", ts)
            later = await slack.mention("U1", "And this, please?", "C1")
            known = await slack.event({"type": "team_rename", "name": "x"})
            await slack.until(lambda: known.acknowledged)
            assert slack.answers("C1", later) == []
            assert not any(delivery.acknowledged for delivery in slack.deliveries if delivery.event.get("ts") == later)


async def full(store):
    """The file can grow no more, as on a full disk; what it has is left to it."""
    await store._documents._write("PRAGMA max_page_count = 1", ())


async def mended(store):
    await store._documents._write("PRAGMA max_page_count = 1000000", ())


def long_words(number=2_000):
    """They do not become shorter when they are packed."""
    return " ".join(f"{random.getrandbits(64):x}" for _ in range(number))


async def test_an_answer_is_given_though_the_disk_is_full_and_kept_once_there_is_room(slack, tmp_path):
    def often(store):
        return Store(store._documents, lease=0.3)

    async with running_bot(slack, tmp_path, through=often) as bot:
        gate = bot.knows(
            searches("leave"), says("30 days [1]."), finds=[[hit(1, content_snippet=long_words())]], held=True
        )
        ts = await slack.mention("U1", QUESTION, "C1")
        await slack.until(lambda: bot.questions)
        await full(bot.store)
        gate.set()
        await slack.until(lambda: slack.answer("C1", ts).startswith("30 days"))
        assert settled(slack, "C1", ts)
        await mended(bot.store)
        async with asyncio.timeout(5):
            while (await bot.store.run(f"C1:{ts}")).status != "done":
                pass
        assert [turn.ts for turn in await bot.store.turns("C1", ts)] == [ts]
        assert len(bot.questions) == 1
        assert settled(slack, "C1", ts)


async def test_what_cannot_be_taken_up_on_a_full_disk_is_answered_once_there_is_room(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("30 days."))
        await full(bot.store)
        ts = await slack.mention("U1", f"{QUESTION} {long_words()}", "C1")
        known = await slack.event({"type": "team_rename", "name": "x"})
        await slack.until(lambda: known.acknowledged)
        assert not slack.deliveries[0].acknowledged
        await mended(bot.store)
        await slack.sockets.redeliver(slack.deliveries[0])
        await slack.until(lambda: slack.answer("C1", ts).startswith("30 days"))
        assert settled(slack, "C1", ts)
