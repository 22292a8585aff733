"""Engines in their order: the next one on failure only, rests, limits, and what is said of it."""

import asyncio

import pytest

from bot.research import WebHit
from bot.web import Limits, Web, WebSettings
from bot.web.breaker import LONG_REST, REST
from bot.web.engines import EngineFailed, Found, Query
from bot.web.outcome import TIMED_OUT, error_of
from bot.web.pages import Pages
from bot.web.web import distinct, query_text
from tests.fakes.web_engines import FakeReader, engines_on_loopback
from tests.fakes.web_service import hangs, status

HIT = WebHit("A", "https://a.example/")


class FakeEngine:
    """Plays results or failures in turn, the last one again and again; `asked` records the queries."""

    def __init__(self, name, *turns):
        self.name = name
        self._turns = list(turns)
        self.asked = []

    async def search(self, query):
        self.asked.append(query)
        turn = self._turns.pop(0) if len(self._turns) > 1 else self._turns[0]
        if isinstance(turn, BaseException):
            raise turn
        if turn == "hangs":
            await asyncio.Event().wait()
        return Found(turn)


class Clock:
    seconds = 1000.0

    def __call__(self):
        return self.seconds


def web_of(*engines, clock=None, **limits):
    return Web(engines, Pages(FakeReader()), limits=Limits(**limits), clock=clock or Clock())


def down(kind="unreachable", **more):
    return EngineFailed(kind, **more)


async def test_the_first_engine_that_works_answers_and_no_other_is_asked():
    first, second = FakeEngine("One", [HIT]), FakeEngine("Two", [HIT])
    found = await web_of(first, second).search(Query("x"))
    assert (found.engine, second.asked) == ("One", [])


async def test_an_empty_result_of_an_engine_that_works_ends_the_search():
    first, second = FakeEngine("One", []), FakeEngine("Two", [HIT])
    found = await web_of(first, second).search(Query("x"))
    assert (found.engine, found.hits, second.asked) == ("One", [], [])


async def test_after_a_failure_the_next_engine_is_asked_and_that_is_said():
    first, second = FakeEngine("Tavily", down("bad_key", words="HTTP 401, Unauthorized")), FakeEngine("Two", [HIT])
    found = await web_of(first, second).search(Query("x"))
    assert found.engine == "Two"
    assert found.notes == ["Tavily refused the key: HTTP 401, Unauthorized. Two was asked in its place."]
    assert [failure.kind for failure in found.failures] == ["bad_key"]


async def test_when_every_engine_fails_all_of_them_are_named_with_their_reasons():
    first, second = FakeEngine("One", down("no_credits")), FakeEngine("Two", down("blocked", words="CAPTCHA"))
    found = await web_of(first, second).search(Query("x"))
    assert error_of(found.failures) == "One has no credits left. Two refused to search: CAPTCHA."


async def test_an_exception_that_nobody_foresaw_is_a_failure_by_the_name_of_its_class(caplog):
    found = await web_of(FakeEngine("One", KeyError("secret words"))).search(Query("x"))
    assert error_of(found.failures) == "The web search failed (KeyError)."
    assert "secret words" not in caplog.text


async def test_an_engine_that_hangs_leaves_the_next_one_its_turn():
    found = await web_of(FakeEngine("One", "hangs"), FakeEngine("Two", [HIT]), engine_seconds=0.05).search(Query("x"))
    assert found.engine == "Two"


async def test_the_whole_search_ends_within_its_limit():
    engines = [FakeEngine("One", down("bad_key")), FakeEngine("Two", "hangs"), FakeEngine("Three", [HIT])]
    found = await web_of(*engines, engine_seconds=5, search_seconds=0.05).search(Query("x"))
    assert (found.engine, engines[2].asked) == ("", [])
    assert error_of(found.failures) == TIMED_OUT


async def test_a_cancelled_search_asks_nobody_else():
    async with engines_on_loopback("tavily", "searxng") as (web, [tavily, searxng]):
        tavily.fault = hangs
        async with asyncio.TaskGroup() as group:
            search = group.create_task(web.search(Query("x")))
            async with asyncio.timeout(2):
                await tavily.came.wait()
            search.cancel()
        assert search.cancelled()
        assert (len(tavily.asked), searxng.asked) == (1, [])


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [
        pytest.param(down("bad_key"), LONG_REST, id="a wrong key"),
        pytest.param(down("no_credits"), LONG_REST, id="no credits"),
        pytest.param(down("rate_limited"), REST, id="a rate limit"),
        pytest.param(down("rate_limited", retry_after=7.0), 7.0, id="a rate limit that says how long"),
        pytest.param(down("unreachable", retry_after=30.0), 30.0, id="maintenance that says how long"),
    ],
)
async def test_an_engine_that_cannot_serve_rests_and_its_reason_is_kept(failure, seconds):
    clock, engine = Clock(), FakeEngine("One", failure)
    web = web_of(engine, clock=clock)
    await web.search(Query("x"))
    clock.seconds += seconds - 0.1
    [kept] = (await web.search(Query("x"))).failures
    assert (len(engine.asked), kept.kind, kept.asked) == (1, failure.kind, False)
    clock.seconds += 0.2
    await web.search(Query("x"))
    assert len(engine.asked) == 2


@pytest.mark.parametrize("kind", ["timeout", "unreachable", "blocked"])
async def test_an_engine_rests_after_three_outages_in_a_row(kind):
    engine = FakeEngine("One", down(kind))
    web = web_of(engine)
    for _ in range(5):
        await web.search(Query("x"))
    assert len(engine.asked) == 3


async def test_an_answer_between_two_outages_starts_the_count_again():
    engine = FakeEngine("One", down(), down(), [HIT], down(), down(), [HIT])
    web = web_of(engine)
    for _ in range(6):
        await web.search(Query("x"))
    assert len(engine.asked) == 6


@pytest.mark.parametrize("kind", ["bad_request", "bad_response", "no_key", "unforeseen"])
async def test_a_failure_of_one_search_rests_nobody(kind):
    engine = FakeEngine("One", down(kind))
    web = web_of(engine)
    for _ in range(5):
        await web.search(Query("x"))
    assert len(engine.asked) == 5


async def test_where_a_limit_leaves_nothing_the_same_engine_is_asked_without_it_and_that_is_said():
    engine = FakeEngine("One", [], [HIT])
    found = await web_of(engine).search(Query("x", "week", news=True))
    assert found.hits == [HIT]
    assert [(query.recency, query.news) for query in engine.asked] == [("week", True), (None, False)]
    assert found.notes == [
        "One found nothing in the news from the last week; these results are from a search without that limit."
    ]


async def test_where_the_search_without_the_limit_fails_the_answer_is_still_that_there_was_nothing():
    first, second = FakeEngine("One", [], down("timeout")), FakeEngine("Two", [HIT])
    found = await web_of(first, second).search(Query("x", "day"))
    assert (found.engine, found.hits, second.asked) == ("One", [], [])
    assert found.notes == ["Asked again without that limit: One took too long."]


async def test_only_the_engines_that_are_configured_are_asked():
    assert WebSettings().chosen == ("duckduckgo",)
    assert WebSettings(tavily_api_key="k").chosen == ("tavily",)
    assert WebSettings(searxng_url="http://s.example", brave_api_key="k").chosen == ("brave", "searxng")
    assert WebSettings(firecrawl_api_url="http://f.example").chosen == ("firecrawl",)
    assert WebSettings(tavily_api_key="k", footnote_web_engines=("duckduckgo", "tavily")).chosen == (
        "duckduckgo",
        "tavily",
    )


def test_settings_do_not_show_their_keys():
    shown = repr(
        WebSettings(
            firecrawl_api_key="k-1", tavily_api_key="k-2", you_api_key="k-3", serply_api_key="k-4", brave_api_key="k-5"
        )
    )
    assert "k-" not in shown


async def test_a_dead_first_engine_costs_the_second_question_nothing():
    async with engines_on_loopback("tavily", "searxng") as (web, [tavily, searxng]):
        tavily.fault = status(401, {"detail": {"error": "Unauthorized"}})
        for _ in range(2):
            assert (await web.search(Query("falcon"))).engine == "SearXNG"
    assert (len(tavily.asked), len(searxng.asked)) == (1, 2)


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("  two\n lines\t here ", "two lines here"),
        ("a\u202e\x00b", "ab"),
        ("falcon\U000e0073\U000e0065\U000e0063\u200b\ufe0f", "falcon"),  # a word could be hidden in such
        ("\u200b", ""),
        ("x" * 300, "x" * 256),
        ("word " * 60, ("word " * 51).strip()),
        ("", ""),
    ],
)
def test_a_query_is_one_line_of_at_most_256_characters(message, query):
    assert query_text(message) == query
    assert len(query) <= 256


def test_the_same_page_under_other_spellings_is_one_page_and_the_first_spelling_stays():
    assert [hit.url for hit in distinct([WebHit("", "x"), WebHit("", "x")])] == ["x"]
    urls = [
        "https://www.a.example/p/?utm_source=x#top",
        "http://a.example/p",
        "https://a.example/p?id=2",
        "ftp://a.example/p",
    ]
    assert [hit.url for hit in distinct(WebHit("", url) for url in urls)] == [urls[0], urls[2], urls[3]]
