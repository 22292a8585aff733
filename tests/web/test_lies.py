"""Engines that lie: an outage in the dress of an empty result, and answers without an end."""

import json

import pytest

from bot.web import Limits, Web, search_web
from bot.web.pages import Pages
from tests.fakes.web_engines import FakeReader, engines_on_loopback
from tests.fakes.web_service import floods, page

NOT_SAID = [
    ("tavily", {"results": [], "error": "quota exceeded"}),
    ("tavily", {"results": [], "detail": {"error": "the backend is down"}}),
    ("you", {"results": {"web": "oops"}}),
    ("you", {"results": {"web": {"error": "x"}}}),
    ("you", {"results": {}, "error": "limit"}),
    ("serply", {"results": [], "message": "Unauthorized"}),
    ("serply", {"results": [], "detail": "quota"}),
    ("brave", {"type": "search", "web": "x"}),
    ("brave", {"type": "search", "web": {"results": "x"}}),
    ("brave", {"type": "search", "error": {"code": "RATE_LIMITED"}}),
    ("searxng", {"results": [], "error": "x"}),
    ("searxng", {"results": [], "unresponsive_engines": {"google": "CAPTCHA"}}),
    ("searxng", {"results": [], "unresponsive_engines": "all of them"}),
    ("firecrawl", {"success": True, "data": {"web": None}}),
    ("firecrawl", {"success": True, "data": {"web": "x"}}),
    ("firecrawl", {"success": True, "data": {"web": []}, "warning": "the search timed out"}),
    ("firecrawl", {"success": True, "data": {"web": []}, "error": "boom"}),
    ("duckduckgo", "<html><body><div id='links' class='results'>Something went wrong.</div></body></html>"),
]
NOTHING = [
    ("tavily", {"results": [], "error": None}),
    ("you", {"results": {"web": None}}),
    ("you", {"results": {}}),
    ("serply", {"results": [], "message": "ok"}),
    ("brave", {"type": "search"}),
    ("searxng", {"results": [], "unresponsive_engines": []}),
    ("firecrawl", {"success": True, "data": {"web": []}, "warning": "No search results found"}),
]


async def _outcome(name, body):
    async with engines_on_loopback(name) as (opened, [service]):
        service.fault = page(body) if isinstance(body, str) else page(json.dumps(body), "application/json")
        return await search_web("falcon", web=Web(opened.engines, Pages(FakeReader()), limits=Limits(pages=0)))


@pytest.mark.parametrize(("name", "body"), NOT_SAID)
async def test_an_error_beside_an_empty_list_or_in_its_place_is_no_empty_result(name, body):
    result = await _outcome(name, body)
    assert (result.outcome, result.sources) == ("failed", [])


@pytest.mark.parametrize(("name", "body"), NOTHING)
async def test_an_empty_list_without_an_error_is_an_empty_result(name, body):
    assert (await _outcome(name, body)).outcome == "empty"


async def test_what_an_engine_says_beside_hits_spoils_none():
    body = {"results": [{"title": "A", "url": "https://a.example/", "content": "x"}], "message": "one index is down"}
    assert (await _outcome("tavily", body)).outcome in ("ok", "partial")


@pytest.mark.parametrize("name", ["tavily", "firecrawl", "duckduckgo"])
async def test_an_answer_that_floods_is_left_after_little_of_it(name):
    async with engines_on_loopback(name) as (web, [service]):
        service.fault = floods
        assert (await search_web("falcon", web=web)).kind == "bad_response"
        assert service.flooded < 30


@pytest.mark.parametrize("name", ["tavily", "firecrawl", "duckduckgo"])
async def test_a_title_and_a_snippet_have_an_end(name):
    long = "word " * 20_000
    rows = [{"title": long, "url": "https://a.example/", "content": long, "description": long}]
    bodies = {
        "tavily": {"results": rows},
        "firecrawl": {"success": True, "data": {"web": rows}},
        "duckduckgo": f"<div class='result__body'><h2><a href='https://a.example/'>{long}</a></h2><a>{long}</a></div>",
    }
    [source] = (await _outcome(name, bodies[name])).sources
    assert len(source.title) <= 300
    assert len(source.snippet) <= 2_000
