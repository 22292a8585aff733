"""When a message shows what: the first search is shown with what it found, where that comes within two seconds."""

import asyncio

import pytest

from bot.research import AnswerDelta, SearchCall, SearchError, SearchResult
from bot.slack.messages.render import begun
from bot.slack.messages.stage import Stage
from tests.fakes.search import hit
from tests.fakes.virtual import run_virtually

FOUND = SearchResult(1, [], [], hits=[hit(1)])


def shown(*events):
    """When something else was shown, and what: the query, the number of steps, whether passages; each of the events
    comes at its time."""
    told = []

    async def main():
        loop = asyncio.get_running_loop()
        stage = Stage(begun("en"), lambda: told.append((round(loop.time(), 1), what(stage.shown))))
        for at, event in events:
            loop.call_at(at, stage.note, event)
        await asyncio.sleep(10)  # of virtual time

    run_virtually(main())
    return told


def what(progress):
    return progress.query, len(progress.steps), bool(progress.found)


@pytest.mark.parametrize("seconds", [0.1, 1.5])
def test_passages_that_come_soon_are_shown_before_any_step(seconds):
    assert shown((0, SearchCall({"query": "leave"})), (seconds, FOUND)) == [(seconds, ("leave", 1, True))]


def test_a_search_that_takes_longer_is_shown_while_it_goes_on():
    told = shown((0, SearchCall({"query": "leave"})), (5, FOUND))
    assert told == [(1.8, ("leave", 0, False)), (5.0, ("leave", 1, True))]


@pytest.mark.parametrize("outcome", [SearchError("down"), SearchResult(0, [], [])])
def test_one_that_finds_nothing_is_shown_as_soon_as_that_is_known(outcome):
    assert shown((0, SearchCall({"query": "leave"})), (0.5, outcome)) == [(0.5, ("leave", 1, False))]


def test_what_follows_is_shown_at_once():
    second = SearchCall({"query": "law"})
    told = shown((0, SearchCall({"query": "leave"})), (0.5, FOUND), (3, second), (4, AnswerDelta("You")))
    assert [time for time, _ in told] == [0.5, 3.0, 4.0]


def test_a_first_search_of_the_web_is_shown_at_once():
    assert shown((1, SearchCall({"query": "law"}, web=True)))[0][0] == 1.0
