"""What went out of the house is told: each query with whoever got it, each page that was requested."""

import asyncio

import pytest

from bot.research import SearchFailed
from bot.web import Failure, Sent, WebSearchResult, WebSearchTool, WebSource, by_one_search
from bot.web.pages import OURS
from tests.fakes.web_engines import engines_on_loopback
from tests.fakes.web_service import hangs, status

NO_KEY = Failure("Nil", "no_key", asked=False)
A, B = "https://a.example/", "https://b.example/"
FOUND = [WebSource(1, "A", A), WebSource(2, "B", B)]


@pytest.mark.parametrize(
    ("found", "link", "sent"),
    [
        (WebSearchResult("falcon", "Two", FOUND), "", [Sent("falcon", "Two"), Sent(A, page=True)]),
        (
            WebSearchResult(
                "falcon", "Two", failures=[Failure("One", "timeout"), Failure("Nil", "no_key", asked=False)]
            ),
            "",
            [Sent("falcon", "One"), Sent("falcon", "Two")],
        ),
        (WebSearchResult("falcon", error="x", failures=[Failure("", "timeout")]), "", [Sent("falcon")]),
        (WebSearchResult("", error="There is nothing to search for."), "", []),
        (WebSearchResult("falcon", error="off", failures=[Failure("", "off", asked=False)]), "", []),
        (WebSearchResult(f"Sum up {A}", OURS, FOUND[:1]), A, [Sent(A, page=True)]),
        (WebSearchResult(f"Sum up {A}", "Firecrawl", FOUND[:1]), A, [Sent(A, "Firecrawl", page=True)]),
        (WebSearchResult(f"Sum up {A}", error="x", failures=[Failure("", "unread")]), A, [Sent(A, page=True)]),
    ],
)
def test_of_a_search_before_the_answer(found, link, sent):
    assert by_one_search(found, 1, link) == sent


async def test_of_a_search_by_the_model_that_no_engine_made():
    sent = []
    async with engines_on_loopback("tavily", "you") as (web, services):
        for service in services:
            service.fault = status(503)
        with pytest.raises(SearchFailed):
            await WebSearchTool(web, said=["falcon"], on_sent=sent.append)("falcon", None, False)
    assert sent == [Sent("falcon", "Tavily"), Sent("falcon", "You.com")]


async def test_of_one_that_was_broken_off_too():
    sent = []
    async with engines_on_loopback("tavily") as (web, (service,)):
        service.fault = hangs
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await WebSearchTool(web, said=["falcon"], on_sent=sent.append)("falcon", None, False)
    assert sent == [Sent("falcon")]
