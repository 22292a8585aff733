"""Every engine through its own client against its service on loopback: what it finds, and every way to fail."""

import asyncio
import logging
import socket
from dataclasses import replace

import pytest

from bot.web import Limits, WebSettings, open_web
from bot.web.engines import EngineFailed, Query
from bot.web.engines.duckduckgo import DuckDuckGo
from bot.web.engines.firecrawl import Firecrawl
from tests.fakes.web_duckduckgo import TOKEN, FakeDuckDuckGo, challenges
from tests.fakes.web_engines import FAKES, PAGES, FakeReader, engines_on_loopback, settings_of
from tests.fakes.web_firecrawl import FakeFirecrawl
from tests.fakes.web_service import (
    KEY,
    Page,
    dribbles,
    floods,
    hangs,
    no_content,
    page,
    redirect,
    says,
    serve,
    status,
    truncated,
)

every_engine = pytest.mark.parametrize("name", FAKES)
KEYED = [name for name in FAKES if name not in ("searxng", "duckduckgo")]


@every_engine
async def test_hits_come_in_order_with_addresses_as_the_engine_gave_them(name):
    async with engines_on_loopback(name) as (web, _):
        found = await web.search(Query("falcon"))
    assert found.engine == FAKES[name].NAME
    assert [hit.title for hit in found.hits] == [given.title for given in sorted(PAGES, key=_own_order(name))]
    assert {hit.url for hit in found.hits} == {given.url for given in PAGES}
    assert found.failures == []


def _own_order(name):
    return lambda given: name == "you" and given.news


@every_engine
async def test_a_hit_has_its_site_and_a_plain_snippet(name):
    async with engines_on_loopback(name, pages=[replace(PAGES[1], snippet="Fly & <b>land</b> it")]) as (web, _):
        [hit] = (await web.search(Query("falcon"))).hits
    assert hit.site == "docs.falcon.example"
    assert hit.snippet.startswith("Fly & land it")


@every_engine
async def test_an_engine_that_works_and_has_nothing_is_empty_and_asked_once(name):
    async with engines_on_loopback(name, pages=[]) as (web, [service]):
        found = await web.search(Query("falcon"))
    assert (found.engine, found.hits, found.failures) == (FAKES[name].NAME, [], [])
    assert len(service.asked) == 1


@every_engine
async def test_no_more_hits_than_wanted(name):
    pages = [Page(f"Page {number}", f"https://example.com/{number}") for number in range(30)]
    async with engines_on_loopback(name, pages=pages) as (web, _):
        assert len((await web.search(Query("falcon", limit=4))).hits) == 4


@every_engine
async def test_a_page_that_is_listed_twice_comes_once(name):
    twice = [PAGES[0], replace(PAGES[0], url="https://falcon.example/news/2/"), PAGES[1]]
    async with engines_on_loopback(name, pages=twice) as (web, _):
        found = await web.search(Query("falcon"))
    assert {hit.url for hit in found.hits} < {given.url for given in twice}
    assert len(found.hits) == 2


@every_engine
@pytest.mark.parametrize(
    "url", ["", "javascript:alert(1)", "not an address", "https://exa\nmple.com/", "https://user:pw@example.com/"]
)
async def test_a_hit_without_an_address_that_opens_is_left_out(name, url):
    async with engines_on_loopback(name, pages=[replace(PAGES[0], url=url), PAGES[1]]) as (web, _):
        assert [hit.url for hit in (await web.search(Query("falcon"))).hits] == [PAGES[1].url]


@pytest.mark.parametrize("name", [name for name in FAKES if name != "duckduckgo"])  # no link is no result there
async def test_hits_of_which_none_has_an_address_are_no_empty_result(name):
    async with engines_on_loopback(name, pages=[replace(PAGES[0], url="")]) as (web, _):
        found = await web.search(Query("falcon"))
    assert found.engine == ""
    assert [failure.kind for failure in found.failures] == ["bad_response"]


FAILING = {
    "a web page in place of an answer": (page("<html><h1>Sign in</h1></html>"), {"bad_response"}, {}),
    "no JSON": (page("{'results': []}", "application/json"), {"bad_response"}, {}),
    "JSON that stops in the middle": (page('{"results": [{"title": "A', "application/json"), {"bad_response"}, {}),
    "JSON nested without an end": (page("[" * 100_000, "application/json"), {"bad_response"}, {}),
    "a body that breaks off": (truncated, {"bad_response", "unreachable"}, {}),
    "no content": (no_content, {"bad_response"}, {}),
    "a redirect": (redirect, {"bad_response"}, {}),
    "an error told as a success": (says({"error": "quota"}), {"bad_response"}, {}),
    "400": (status(400, {"error": "bad"}), {"bad_request"}, {}),
    "401": (status(401, {"error": "no"}), {"bad_key"}, {"duckduckgo": "blocked"}),
    "403": (
        status(403, {}),
        {"bad_key"},
        {"duckduckgo": "blocked", "firecrawl": "blocked", "searxng": "bad_request"},
    ),
    "402": (status(402, {"error": "pay"}), {"no_credits"}, {}),
    "432": (status(432, {"detail": {"error": "plan limit"}}), {"no_credits"}, {}),
    "422": (status(422, {"detail": [{"msg": "wrong"}]}), {"bad_request"}, {}),
    "429": (status(429, {"error": "slow down"}, Retry_After="7"), {"rate_limited"}, {}),
    "500": (status(500, {"error": "boom"}), {"unreachable"}, {}),
    "502": (status(502, None), {"unreachable"}, {}),
    "503": (page("busy", code=503), {"unreachable"}, {}),
    "an answer that never begins": (hangs, {"timeout"}, {}),
    "an answer that never ends": (dribbles, {"timeout"}, {}),
    "50 MB": (floods, {"bad_response"}, {}),
}


@every_engine
@pytest.mark.parametrize("scenario", FAILING)
async def test_a_failure_has_its_kind_is_sent_once_and_ends_in_time(name, scenario, caplog):
    caplog.set_level(logging.DEBUG)
    fault, kinds, own = FAILING[scenario]
    seconds = 0.4 if kinds == {"timeout"} else 5.0
    async with engines_on_loopback(name, engine_seconds=seconds) as (web, [service]):
        service.fault = fault
        began = _now()
        found = await web.search(Query("falcon"))
        assert _now() - began < 4
        [failure] = found.failures
        assert failure.kind in ({own[name]} if name in own else kinds)
        assert len([one for one in service.asked if one.path != "/elsewhere"]) == 1
    assert (found.engine, found.hits) == ("", [])
    assert KEY not in failure.sentence
    assert KEY not in "".join(record.getMessage() for record in caplog.records if record.name.startswith("bot"))


def _now():
    return asyncio.get_running_loop().time()


@every_engine
async def test_an_engine_that_is_not_there_is_unreachable(name):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        settings = WebSettings(footnote_web_engines=(name,), **settings_of(name, url))
        async with open_web(settings, reader=FakeReader()) as web:
            found = await web.search(Query("falcon"))
    assert [failure.kind for failure in found.failures] == ["unreachable"]
    [told] = [failure.sentence for failure in found.failures]
    assert told == f"{FAKES[name].NAME} is out of service or out of reach."


@pytest.mark.parametrize("name", [name for name in FAKES if name != "duckduckgo"])  # ddgs hands out no headers
async def test_when_the_engine_wants_to_be_asked_again_is_kept(name):
    async with engines_on_loopback(name) as (web, [service]):
        service.fault = status(429, {}, Retry_After="7")
        [failure] = (await web.search(Query("falcon"))).failures
    assert failure.retry_after == 7.0


@pytest.mark.parametrize("name", KEYED)
async def test_a_wrong_key_is_told_in_the_engines_words_and_without_the_key(name):
    wrong = "wrong-key-abcdef123456"
    async with engines_on_loopback(name) as (_, [service]):
        settings = WebSettings(footnote_web_engines=(name,), **settings_of(name, service.url, key=wrong))
        async with open_web(settings, reader=FakeReader()) as web:
            [failure] = (await web.search(Query("falcon"))).failures
    assert failure.kind == "bad_key"
    assert failure.sentence.startswith(f"{FAKES[name].NAME} refused the key")
    assert "nvalid" in failure.words or "Unauthorized" in failure.words
    assert wrong not in failure.sentence


@pytest.mark.parametrize("name", KEYED)
async def test_an_error_that_repeats_the_key_is_told_without_it(name):
    async with engines_on_loopback(name) as (web, [service]):
        service.fault = status(400, {"error": f"the key {KEY} and Bearer abcdefgh are wrong"})
        [failure] = (await web.search(Query("falcon"))).failures
    assert KEY not in failure.words
    assert "abcdefgh" not in failure.words
    assert "are wrong" in failure.words


async def test_an_engine_that_was_chosen_without_a_key_says_what_to_set():
    async with open_web(WebSettings(footnote_web_engines=("tavily",)), reader=FakeReader()) as web:
        [failure] = (await web.search(Query("falcon"))).failures
    assert failure.kind == "no_key"
    assert failure.sentence == "Tavily has no key: TAVILY_API_KEY is not set."


LIMITS = {
    "firecrawl": ("tbs", "qdr:w"),
    "tavily": ("time_range", "week"),
    "you": ("freshness", "week"),
    "brave": ("freshness", "pw"),
    "searxng": ("time_range", "week"),
    "duckduckgo": ("df", "w"),
}


@pytest.mark.parametrize("name", LIMITS)
async def test_a_limit_in_time_is_sent_in_the_engines_words(name):
    field, value = LIMITS[name]
    async with engines_on_loopback(name) as (web, [service]):
        found = await web.search(Query("falcon", "week"))
    [asked] = service.asked
    assert {**asked.query, **asked.body}[field] == value
    assert [hit.title for hit in found.hits] == ["Falcon 2 is out"]


async def test_an_engine_that_knows_no_limit_in_time_says_that_it_was_not_applied():
    async with engines_on_loopback("serply") as (web, [service]):
        found = await web.search(Query("falcon", "week"))
    assert len(found.hits) == 3
    assert found.notes == ["Serply cannot limit a search to the last week, so that was not applied."]
    assert "week" not in service.asked[0].path


async def test_a_self_hosted_firecrawl_may_have_dropped_the_limits():
    async with engines_on_loopback("firecrawl") as (web, _):
        found = await web.search(Query("falcon", "week", news=True))
    assert found.notes == [
        "A self-hosted Firecrawl may not have applied the limit to the last week and the wish for news."
    ]


NEWS = {
    "tavily": ("/search", "Falcon 2 is out"),
    "serply": ("/v1/news/", "Falcon 2 is out"),
    "brave": ("/res/v1/news/search", "Falcon 2 is out"),
    "searxng": ("/search", "Falcon 2 is out"),
    "duckduckgo": ("/news.js", "Falcon 2 is out"),
    "firecrawl": ("/v2/search", "Falcon 2 is out"),
    "you": ("/v1/search", "Falcon 2 is out"),
}


@pytest.mark.parametrize("name", NEWS)
async def test_news_come_first_where_news_are_wanted(name):
    path, title = NEWS[name]
    async with engines_on_loopback(name) as (web, [service]):
        found = await web.search(Query("falcon", news=True))
    assert service.asked[-1].path.startswith(path)
    assert found.hits[0].title == title
    assert found.hits[0].site


async def test_you_without_a_section_of_news_says_so():
    async with engines_on_loopback("you", pages=PAGES[1:]) as (web, _):
        found = await web.search(Query("falcon", news=True))
    assert found.notes == ["You.com cannot search news alone, so that was not applied."]


async def test_duckduckgo_has_no_year_of_news():
    async with engines_on_loopback("duckduckgo") as (web, [service]):
        found = await web.search(Query("falcon", "year", news=True))
    assert "df" not in service.asked[-1].query
    assert found.notes == ["DuckDuckGo cannot limit a search to the last year, so that was not applied."]
    assert found.hits[0].date == "2026-11-30"


@pytest.mark.parametrize(("code", "kind"), [(200, "blocked"), (202, "rate_limited"), (403, "blocked")])
async def test_duckduckgos_test_against_robots_is_no_empty_result(code, kind):
    async with engines_on_loopback("duckduckgo") as (web, [service]):
        service.fault = challenges(code)
        assert [failure.kind for failure in (await web.search(Query("falcon"))).failures] == [kind]


async def test_duckduckgos_news_without_a_token_are_blocked():
    async with engines_on_loopback("duckduckgo") as (web, [service]):
        service.fault = page("<html></html>")
        assert [failure.kind for failure in (await web.search(Query("falcon", news=True))).failures] == ["blocked"]


async def test_duckduckgos_news_that_are_no_list_of_news_were_no_search():
    async with engines_on_loopback("duckduckgo") as (web, [service]):
        service.fault = page(f'{{"token": "vqd={TOKEN}"}}', "application/json")
        found = await web.search(Query("falcon", news=True))
    assert [failure.kind for failure in found.failures] == ["bad_response"]


async def test_news_of_an_impossible_day_have_none():
    async with engines_on_loopback("duckduckgo") as (web, [service]):
        service.date = 10**20
        found = await web.search(Query("falcon", news=True))
    assert (found.hits[0].title, found.hits[0].date) == ("Falcon 2 is out", "")


async def test_duckduckgos_client_has_a_limit_of_its_own():
    async with serve(FakeDuckDuckGo()) as service:
        service.fault = hangs
        engine = DuckDuckGo(url=f"{service.url}/html/", seconds=0.5)
        with pytest.raises(EngineFailed) as failed:
            await engine.search(Query("falcon"))
    assert failed.value.kind == "timeout"


async def test_firecrawls_client_has_a_limit_of_its_own():
    async with serve(FakeFirecrawl()) as service, Firecrawl(url=service.url, seconds=0.2) as engine:
        service.fault = hangs
        with pytest.raises(EngineFailed) as failed:
            await engine.search(Query("falcon"))
    assert failed.value.kind == "timeout"


@pytest.mark.parametrize("name", KEYED)
async def test_a_key_that_cannot_be_sent_is_a_failure_that_does_not_tell_it(name):
    async with engines_on_loopback(name) as (_, [service]):
        settings = WebSettings(footnote_web_engines=(name,), **settings_of(name, service.url, key="broken\nkey"))
        async with open_web(settings, reader=FakeReader()) as web:
            [failure] = (await web.search(Query("falcon"))).failures
    assert failure.kind in ("bad_request", "unreachable")
    assert "broken" not in failure.sentence
    assert service.asked == []


async def test_duckduckgos_links_through_itself_are_unwrapped_and_its_ads_left_out():
    async with engines_on_loopback("duckduckgo") as (web, [service]):
        service.wrapped, service.ads = True, ["shop.example"]
        assert [hit.url for hit in (await web.search(Query("falcon"))).hits] == [given.url for given in PAGES]


async def test_duckduckgo_with_nothing_but_ads_is_empty():
    async with engines_on_loopback("duckduckgo", pages=[]) as (web, [service]):
        service.ads = ["shop.example"]
        found = await web.search(Query("falcon"))
    assert (found.engine, found.hits) == ("DuckDuckGo", [])


async def test_searxng_whose_engines_all_failed_was_no_search_and_says_why():
    async with engines_on_loopback("searxng", pages=[]) as (web, [service]):
        service.silent = [["brave", "Suspended: too many requests"], ["google", "CAPTCHA"]]
        [failure] = (await web.search(Query("falcon"))).failures
    assert failure.kind == "blocked"
    assert failure.words == "brave: Suspended: too many requests, google: CAPTCHA"


async def test_searxng_with_some_engines_silent_says_so_beside_its_hits():
    async with engines_on_loopback("searxng") as (web, [service]):
        service.silent = [["google", "CAPTCHA"]]
        found = await web.search(Query("falcon"))
    assert len(found.hits) == 3
    assert found.notes == ["SearXNG had no answer from some of its engines: google: CAPTCHA."]


async def test_searxng_without_json_says_what_to_set():
    # open-webui/open-webui#2824, langgenius/dify#6777, searxng/searxng#3749, Eigenwise/atomic-agents#82
    async with engines_on_loopback("searxng") as (web, [service]):
        service.json = False
        [failure] = (await web.search(Query("falcon"))).failures
    assert failure.kind == "bad_request"
    assert "add json to search.formats" in failure.sentence


async def test_searxngs_limiter_is_told_apart_from_json_that_is_off():  # searxng/searxng#2993
    async with engines_on_loopback("searxng") as (web, [service]):
        service.limiter = True
        [failure] = (await web.search(Query("falcon"))).failures
    assert failure.kind == "rate_limited"
    assert "limiter" in failure.sentence


@pytest.mark.parametrize("query", ["what does !!g mean", "!!", ":fr falcon", "<3 falcons", "!images falcon"])
async def test_no_word_of_a_question_is_a_command_to_searxng(query):
    async with engines_on_loopback("searxng") as (web, [service]):
        found = await web.search(Query(query))
    assert len(found.hits) == 3
    assert not any(word.startswith(("!", ":", "<")) for word in service.asked[0].query["q"].split())


@pytest.mark.parametrize("data", [{}, [], {"images": []}])
async def test_a_self_hosted_firecrawl_that_swallowed_a_failure_was_no_search(data):
    async with engines_on_loopback("firecrawl") as (web, [service]):
        service.fault = says({"success": True, "data": data, "warning": "No search results found"})
        found = await web.search(Query("falcon"))
    assert [failure.kind for failure in found.failures] == ["bad_response"]


async def test_one_malformed_hit_costs_firecrawl_no_other():
    async with engines_on_loopback("firecrawl") as (web, [service]):
        rows = [{"title": "no address"}, "a bare string", {"markdown": "# x", "url": "https://a.example/"}]
        service.fault = says({"success": True, "data": {"web": rows}})
        assert [hit.url for hit in (await web.search(Query("falcon"))).hits] == ["https://a.example/"]


async def test_firecrawl_without_a_key_sends_none():
    async with engines_on_loopback("firecrawl") as (_, [service]):
        settings = WebSettings(firecrawl_api_url=service.url)
        async with open_web(settings, reader=FakeReader()) as web:
            assert (await web.search(Query("falcon"))).engine == "Firecrawl"
    assert "Authorization" not in service.asked[0].headers


async def test_brave_with_a_wrong_parameter_is_told_apart_from_a_wrong_key():
    # nearai/ironclaw#2780, egoist/chatwise-releases#936, 1broseidon/ketch#17
    async with engines_on_loopback("brave") as (web, [service]):
        service.fault = status(422, {"type": "ErrorResponse", "error": {"code": "VALIDATION", "detail": "no"}})
        assert [failure.kind for failure in (await web.search(Query("falcon"))).failures] == ["bad_request"]


async def test_two_searches_at_once_ask_brave_one_after_the_other():  # modelcontextprotocol/servers#596
    async with engines_on_loopback("brave") as (web, [service]):
        async with asyncio.TaskGroup() as both:
            tasks = [both.create_task(web.search(Query(f"falcon {number}"))) for number in range(2)]
        assert all(task.result().engine == "Brave" for task in tasks)
        assert service.most_at_once == 1
        assert service.times[1] - service.times[0] > 0.9


async def test_an_engine_is_asked_by_a_name_of_its_own():
    async with engines_on_loopback("serply", "searxng") as (_, services):
        for service in services:
            settings = WebSettings(**settings_of(service.NAME.lower(), service.url))
            async with open_web(settings, reader=FakeReader(), limits=Limits()) as web:
                assert (await web.search(Query("falcon"))).hits
            assert service.asked[-1].headers["User-Agent"].startswith("Footnote")
