"""A document that is named by its link."""

import pytest

from bot.search import HybridSearch
from indexers.document import EVERYTHING
from tests.fakes.corpus import document, put

PAGE = "https://wiki.test/leave"


@pytest.fixture
async def index(index):
    await put(
        index,
        document("files:leave", "Leave is 30 days.", url=PAGE, access=frozenset({"user:ada"})),
        document("files:other", "Lunch is at noon.", url="https://wiki.test/lunch"),
        document("files:unlinked", "Nobody links to this."),
    )
    return index


@pytest.mark.parametrize("url", [PAGE, f"{PAGE}/", f"{PAGE}#days"])
async def test_a_link_finds_its_document_whole(index, url):
    (hit,) = await HybridSearch(index).for_audience(EVERYTHING).linked(url)
    assert (hit.document_id, hit.content_snippet) == ("files:leave", "Leave is 30 days.")


@pytest.mark.parametrize("url", ["https://wiki.test/leaves", "https://wiki.test/", "", "/", "#"])
async def test_another_link_finds_nothing(index, url):
    assert await HybridSearch(index).for_audience(EVERYTHING).linked(url) == []


async def test_a_link_finds_only_what_the_audience_may_read(index):
    found = {
        who: len(await HybridSearch(index).for_audience((frozenset({who}),)).linked(PAGE))
        for who in ("user:ada", "workspace")
    }
    assert found == {"user:ada": 1, "workspace": 0}


async def test_a_passage_is_readable_for_those_who_may_read_it_as_long_as_it_is_there(index):
    def reads(who, chunk="files:leave#0"):
        return HybridSearch(index).for_audience((frozenset({who}),)).readable(chunk)

    assert [await reads("user:ada"), await reads("workspace"), await reads("user:ada", "files:gone#0")] == [
        *(True, False, False)
    ]
