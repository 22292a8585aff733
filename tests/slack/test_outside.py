""" "How I got this" tells what has left the house for an answer, and nothing else."""

import pytest

from bot.slack.messages.blocks import HOW
from bot.slack.messages.sentences import ASKED_THE_WEB, NOTHING_WENT_OUT
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack_bot import running_bot
from tests.fakes.web_engines import PAGES, FakeReader, engines_on_loopback

SITE = "https://docs.falcon.example/manual"
SECRET = hit(
    1, title="Plans", content_snippet="Falcon ships to Weyland-Yutani on the ninth of May for 12,000,000 euros."
)


@pytest.fixture
async def engine():
    """The web with one engine that reads the first result, and its service."""
    reader = FakeReader({SITE: "The manual says: fly it by day."})
    async with engines_on_loopback("tavily", reader=reader, read=1) as (web, (service,)):
        service.web = web
        yield service


@pytest.fixture
async def bot(slack, tmp_path, engine):
    async with running_bot(slack, tmp_path, web=engine.web) as bot:
        yield bot


async def how(bot, slack, question, *replies, finds=()):
    """What whoever asked is told, and the footer of the answer."""
    bot.knows(*replies, finds=finds)
    ts = await slack.mention("U1", question, "C1")
    footer = []

    def answered():
        blocks = slack.workspace.message("C1", slack.thread("C1", ts)[-1].ts).get("blocks", [])
        footer[:] = [one["elements"][0]["text"] for one in blocks if one["type"] == "context"]
        return HOW in str(blocks)

    await slack.until(answered)
    await slack.click("U1", "C1", slack.thread("C1", ts)[-1].ts, HOW)
    await slack.until(lambda: slack.whispers("U1"))
    return slack.whispers("U1")[-1]["text"], "".join(footer)


async def test_a_search_beforehand_sends_the_query_and_reads_the_first_pages(bot, slack):
    told, footer = await how(bot, slack, "web: Is Falcon 2 out?", says("Yes [1]."))
    assert "1. Searched the web for “Is Falcon 2 out?”: 3 found, 3 kept, 0 dropped" in told
    left = f"This left the building: “Is Falcon 2 out?” to Tavily, a request for the page {PAGES[0].url}"
    assert told.endswith(left)
    assert footer == ASKED_THE_WEB["en"].format(queries="“Is Falcon 2 out?”")


async def test_a_page_that_is_named_is_requested_and_the_question_stays(bot, slack):
    told, footer = await how(bot, slack, f"Sum up {SITE} for the secret project", says("Fly it by day [1]."))
    assert f"1. Read the page {SITE} · " in told
    assert told.endswith(f"This left the building: a request for the page {SITE}")
    assert "secret project" not in told + footer


async def test_what_the_model_searches_for_is_told_with_who_got_it(bot, slack):
    script = (calls(("web_search", {"query": "newest falcon"})), says("Falcon 2 [1]."))
    told, footer = await how(bot, slack, "Search the web for the newest Falcon", *script)
    assert told.endswith("This left the building: “newest falcon” to Tavily")
    assert footer == ASKED_THE_WEB["en"].format(queries="“newest falcon”")


async def test_a_query_that_was_kept_back_did_not_leave(bot, slack, engine):
    stolen = calls(("web_search", {"query": "Weyland-Yutani 12,000,000 euros ninth of May"}))
    script = (searches("falcon"), stolen, says("In May [1]."))
    told, footer = await how(bot, slack, "Search the web for when Falcon ships", *script, finds=[[SECRET]])
    assert engine.asked == []
    assert "which failed" in told
    assert told.endswith(NOTHING_WENT_OUT["en"])
    assert "Asked the web" not in footer
