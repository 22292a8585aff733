"""What is said of the web where there is no model, only quoting."""

import pytest

from bot.engine.extractive import ExtractiveEngine
from bot.sentences import EXTRACTIVE, SEARCH_FAILED_WEB
from bot.web import NO_RESULTS, WebSearchResult, WebSource, answer
from tests.fakes.search import hit

PAGE = WebSource(1, "Falcon 2 is out", "https://falcon.example/2", "Out.", "Falcon 2 was released.\n\nIt is fast.")


async def said(found):
    return await answer(ExtractiveEngine(), "Is Falcon 2 out?", found=found)


async def test_the_best_pages_are_quoted_under_their_numbers():
    result = await said(WebSearchResult("x", "Tavily", [PAGE, WebSource(2, "Else", "https://else.example", "Less.")]))
    assert result.answer.startswith(EXTRACTIVE["en"])
    assert "**Falcon 2 is out** [1]\n> Falcon 2 was released.\n> It is fast." in result.answer
    assert "**Else** [2]\n> Less." in result.answer
    assert [source["url"] for source in result.sources] == ["https://falcon.example/2", "https://else.example"]


async def test_what_was_said_before_is_quoted_behind_the_pages():
    before = [hit(1, content_snippet="We said so.", title="Our talk")]
    result = await answer(
        ExtractiveEngine(), "Is it out?", found=WebSearchResult("x", "Tavily", [PAGE]), evidence=before
    )
    assert "**Falcon 2 is out** [1]" in result.answer
    assert "**Our talk** [2]\n> We said so." in result.answer


@pytest.mark.parametrize(("error", "is_outage"), [("Tavily refused the key.", True), (NO_RESULTS, False)])
async def test_an_outage_is_not_told_as_nothing_found(error, is_outage):
    result = await said(WebSearchResult("x", "Tavily", error=error))
    assert (SEARCH_FAILED_WEB["en"] in result.answer) is is_outage
