"""How a question ends, in what is kept."""

import pytest

from bot.slack.questions.endings import Ending, Endings
from bot.slack.questions.running import wished
from bot.store import Run
from bot.store.sqlite import open_store


@pytest.fixture
async def store(tmp_path):
    async with open_store(tmp_path / "state.sqlite") as store:
        yield store


@pytest.mark.parametrize(
    ("wish", "status", "why"),
    [
        ({}, "done", None),
        ({"status": "stopping", "stopping": "U1"}, "done", None),
        ({"status": "stopping", "deleted": True}, "stopping", "deleted"),
        ({"status": "stopping", "anew": {"text": "And why?"}}, "stopping", "anew"),
    ],
)
async def test_a_wish_that_came_while_the_last_word_was_on_its_way_stands(store, wish, status, why):
    await store.begin(Run(key="C1:1.0", channel="C1", thread_ts="1.0", user="U1", asked={"text": "Why?"}))
    await store.change("C1:1.0", lambda run: run.model_copy(update=wish))
    ending = Ending("C1:1.0", 1, {"status": "done", "messages": ("2.0",), "parts": ()}, ("C1", "1.0"))
    kept = await Endings(store).keep(ending)
    assert (kept.status, kept.messages) == (status, ("2.0",))
    stop = wished(kept)
    assert (stop.why if stop else None) == why


async def test_an_ending_says_nothing_of_an_answer_that_was_begun_anew_since(store):
    await store.begin(Run(key="C1:1.0", channel="C1", thread_ts="1.0", user="U1", asked={}))
    await store.change("C1:1.0", lambda run: run.model_copy(update={"attempt": 2}))
    kept = await Endings(store).keep(Ending("C1:1.0", 1, {"status": "done"}, ("C1", "1.0")))
    assert (kept.status, kept.attempt) == ("open", 2)
