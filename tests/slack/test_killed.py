"""Bots that are killed amid answers: nothing is lost, and nothing is said twice.

Briefly; `python -m tests.benchmarks killed` does it a hundred times.
"""

from functools import partial

import pytest

from bot.store import elasticsearch, sqlite
from tests.fakes.slack_killed import kill
from tests.fakes.slack_wishes import Outcome
from tests.fakes.stores import scratch_prefix


def whole(outcome: Outcome) -> bool:
    return outcome.asked >= 6 and (outcome.lost, outcome.doubled) == ([], [])


async def test_one_bot_on_a_file_goes_on_where_the_one_before_was_killed(tmp_path):
    opens = partial(sqlite.open_documents, tmp_path / "state.sqlite")
    assert whole(outcome := await kill(opens, times=5, open_=6)), outcome


@pytest.mark.elasticsearch
async def test_of_two_bots_on_elasticsearch_the_other_goes_on(elasticsearch_url):
    async with scratch_prefix(elasticsearch_url) as prefix:
        opens = partial(elasticsearch.open_documents, elasticsearch_url, prefix=prefix)
        assert whole(outcome := await kill(opens, times=5, open_=6, bots=2)), outcome
