"""Whatever an engine answers: never an exception, and never a success with nothing."""

import asyncio
import json
import random
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.web import Limits, Web, search_web
from bot.web.engines import Query
from bot.web.engines.answers import date, hit, own_words, redacted, refusal, seconds, text
from bot.web.engines.brave import Brave
from bot.web.pages import Pages
from tests.fakes.web_answers import anything, scalars, spoiled
from tests.fakes.web_engines import FAKES, FakeReader, engines_on_loopback
from tests.fakes.web_service import page

FEW = settings(max_examples=4, deadline=None)
"""Here; the benchmark `web_outcome` plays thousands."""


@asynccontextmanager
async def _engine(name):
    """One engine on loopback, and a function that plays it one answer and checks what comes of that."""
    async with engines_on_loopback(name) as (opened, [service]):
        for engine in opened.engines:
            if isinstance(engine, Brave):
                engine.spacing = 0

        async def plays(body, code=200, *, news=False):
            service.fault = body if body is None else page(body, "application/json", code)
            web = Web(opened.engines, Pages(FakeReader()), limits=Limits(pages=0))
            result = await search_web("falcon", news=news, web=web)
            assert result.kind != "unforeseen", result.error
            assert (result.outcome in ("ok", "partial")) == bool(result.sources)
            assert (result.error is None) == bool(result.sources)
            assert code == 200 or result.outcome == "failed"
            for source in result.sources:
                assert source.url.startswith(("http://", "https://"))
                assert all("\n" not in words for words in (source.title, source.snippet))
            return result.outcome

        yield plays, service


@pytest.mark.parametrize("name", FAKES)
@FEW
@given(
    bodies=st.lists(anything.map(json.dumps), min_size=5, max_size=8), code=st.sampled_from([200, 200, 201, 404, 599])
)
def test_any_json_is_an_outcome(name, bodies, code):
    async def play():
        async with _engine(name) as (plays, _):
            for body in bodies:
                await plays(body, code)

    asyncio.run(play())


@pytest.mark.parametrize("name", [name for name in FAKES if name != "duckduckgo"])
@pytest.mark.parametrize("news", [False, True])
async def test_an_answer_with_anything_put_wrong_in_it_is_an_outcome(name, news):
    chance = random.Random(7)
    async with _engine(name) as (plays, service):
        await plays(None, news=news)
        real = json.loads(service.answered[-1])
        outcomes = [await plays(json.dumps(spoiled(chance, real)), news=news) for _ in range(60)]
    assert {"failed"} < set(outcomes)


html_pieces = st.sampled_from(
    [
        '<div class="result__body">', "</div>", '<a class="result__a" href="https://a.example/x">', "</a>", "<h2>",
        '<a href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fb.example">', '<div class="no-results">', "text", "<a href>",
        '<div id="links">', "<!--", "&#0;", "\x00",
    ]
)  # fmt: skip


@FEW
@given(bodies=st.lists(st.lists(html_pieces | st.text(max_size=8), max_size=12).map("".join), min_size=10, max_size=15))
def test_any_page_of_duckduckgo_is_an_outcome(bodies):
    async def play():
        async with _engine("duckduckgo") as (plays, _):
            for body in bodies:
                await plays(body.encode("utf-8", "replace").decode())

    asyncio.run(play())


@settings(max_examples=80)
@given(value=anything, secret=st.text(min_size=1, max_size=8))
def test_anything_can_be_read_as_words_a_date_or_a_hit(value, secret):
    assert "\n" not in text(value)
    assert "\n" not in date(value)
    assert secret not in redacted(own_words(value), [secret]) or secret in "…"
    assert refusal(500, value).words.startswith("HTTP 500")
    found = hit(value, value, value, when=value, where=value)
    assert found is None or found.url == value


@settings(max_examples=200)
@given(value=st.text(max_size=40) | scalars.map(str) | st.none())
def test_any_retry_after_is_seconds_or_nothing(value):
    wait = seconds(value)
    assert wait is None or 0 <= wait <= 3600


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        ("7", 7),
        ("0", 0),
        ("99999", 3600),
        ("-3", 0),
        ("soon", None),
        ("Mon, 01 Jan 2001 00:00:00 GMT", 0),
        ("nan", None),
    ],
)
def test_a_retry_after_is_read(value, wait):
    assert seconds(value) == wait


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2026-11-30T10:00:00+01:00", "2026-11-30"),
        ("Mon, 30 Nov 2026 08:00:00 GMT", "2026-11-30"),
        ("2 hours ago", "2 hours ago"),
        (None, ""),
    ],
)
def test_a_date_is_iso_where_it_can_be_read(value, day):
    assert date(value) == day


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("key tvly-abcdef123456 is bad", "key … is bad"),
        ("Authorization: Bearer abcdef123", "Authorization: …"),
        ("https://user:pw@host/x", "https://…host/x"),
        ("api_key=abcdef123", "…"),
        ("x" * 500, "x" * 199 + "…"),
        ("all is well", "all is well"),
    ],
)
def test_what_an_engine_says_is_shown_without_secrets_and_short(words, shown):
    assert redacted(words) == shown


def test_a_query_has_its_defaults():
    assert (Query("x").recency, Query("x").news, Query("x").limit) == (None, False, 8)
