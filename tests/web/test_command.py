"""`footnote web`, and the web made from the settings of the program."""

import json
from dataclasses import dataclass, field

import pytest
from pydantic import SecretStr

from bot.cli.running import Failed
from bot.cli.web import as_json, search
from bot.web import WebSearchResult, WebSettings, WebSource, search_web, settings_from
from tests.fakes.web_engines import PAGES, settings_of
from tests.fakes.web_service import KEY, Page, serve, status
from tests.fakes.web_tavily import FakeTavily


@pytest.fixture
async def tavily():
    async with serve(FakeTavily(pages=list(PAGES))) as service:
        yield service


async def printed(capsys, service, **given):
    options = {"query": "falcon", "json": False, "news": False, "recency": None, **given}
    code = await search(WebSettings(**settings_of("tavily", service.url)), **options)
    return code, capsys.readouterr().out


async def test_it_lists_what_was_found_with_addresses_that_open(capsys, tavily):
    code, out = await printed(capsys, tavily)
    assert code == 0
    assert out.startswith("By Tavily\n[1] Falcon 2 is out\n    https://www.falcon.example/news/2?utm_source=x\n")
    assert "    How to fly it." in out


async def test_for_programs_it_prints_the_event_the_outcome_and_the_snippets(capsys, tavily):
    code, out = await printed(capsys, tavily, json=True, news=True, recency="week")
    given = json.loads(out)
    assert code == 0
    assert list(given) == ["query", "engine", "sources", "outcome", "notes"]
    assert given["sources"] == [{"ref": 1, "title": PAGES[0].title, "url": PAGES[0].url, "snippet": PAGES[0].snippet}]
    assert (given["query"], given["engine"], given["outcome"]) == ("falcon", "Tavily", "partial")
    assert (tavily.asked[0].body["topic"], tavily.asked[0].body["time_range"]) == ("news", "week")


async def test_an_outage_fails_and_says_why(capsys, tavily):
    tavily.fault = status(401, {"detail": {"error": "Unauthorized"}})
    code, out = await printed(capsys, tavily)
    assert (code, out) == (1, "Tavily refused the key: HTTP 401, Unauthorized.\n")
    code, out = await printed(capsys, tavily, json=True)
    assert (code, json.loads(out)["outcome"]) == (1, "failed")
    assert json.loads(out)["error"] == "Tavily refused the key: HTTP 401, Unauthorized."


async def test_an_empty_result_is_no_failure(capsys, tavily):
    tavily.pages.clear()
    assert await printed(capsys, tavily) == (0, "By Tavily\nThe web search found no results.\n")


async def test_what_is_said_of_a_source_is_shortened_and_that_is_seen(capsys, tavily):
    tavily.pages = [Page("A", "https://a.example/", "word " * 200)]
    _, out = await printed(capsys, tavily)
    shown = out.split("\n")[3]
    assert len(shown) == 405
    assert shown.endswith("…")


async def test_what_an_engine_says_cannot_steer_the_terminal(capsys, tavily):
    tavily.fault = status(200, {"results": [{"title": "A\x1b[2J\nB", "url": "https://a.example/", "content": "\x9bm"}]})
    _, out = await printed(capsys, tavily)
    assert "\x1b" not in out
    assert "\x9b" not in out
    assert "[1] A[2J B\n" in out


@pytest.mark.parametrize("query", ["", "   "])
async def test_an_empty_query_is_a_wrong_command_line(capsys, tavily, query):
    with pytest.raises(Failed, match="empty") as failed:
        await printed(capsys, tavily, query=query)
    assert failed.value.code == 2


def test_no_text_of_a_page_is_printed_for_programs():
    result = WebSearchResult("q", "e", [WebSource(1, "A", "https://a.example/", "snippet", "the whole page")])
    assert "the whole page" not in json.dumps(as_json(result))


@dataclass(frozen=True)
class Program:
    """Settings as the program has them."""

    footnote_web: str = "on"
    footnote_web_engines: str = " Tavily, duckduckgo,tavily "
    tavily_api_key: SecretStr = field(default_factory=lambda: SecretStr(KEY))
    searxng_url: str | None = None
    footnote_model: str = "no matter"


def test_the_settings_of_the_web_are_those_of_the_program_by_their_names():
    settings = settings_from(Program())
    assert settings == WebSettings(footnote_web="on", footnote_web_engines=("tavily", "duckduckgo"), tavily_api_key=KEY)


@pytest.mark.parametrize("engines", ["", " , "])
def test_no_engines_named_are_all_that_are_configured(engines):
    assert settings_from(Program(footnote_web_engines=engines)).chosen == ("tavily",)


def test_an_engine_that_there_is_not_is_named_with_those_that_there_are():
    with pytest.raises(ValueError, match=r"there is no search engine 'bing'; there are firecrawl, tavily, you"):
        settings_from(Program(footnote_web_engines="tavily,bing"))


async def test_without_a_web_one_is_made_from_the_settings(env):
    result = await search_web("Sum up http://127.0.0.1:9/")
    assert (result.outcome, result.kind) == ("failed", "refused")


async def test_settings_that_cannot_be_used_are_a_failure_and_no_exception(env, tmp_path):
    (tmp_path / ".env").write_bytes(b"FOOTNOTE_WEB=\xff")
    assert (await search_web("falcon")).error == "The web search failed (ConfigError)."
