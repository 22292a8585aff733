"""The promise of quality, on a collection that FOOTNOTE_COLLECTIONS names; SciFact is the benchmark's."""

from functools import cache

import pytest

from bot.eval.collection import read
from bot.eval.retrieval import fill, measure
from bot.search import Fusion
from tests.benchmarks.collection import folders, silent
from tests.fakes.indexes import BACKENDS


@cache
def cranfield():
    named = [folder for folder in folders() if folder.name == "cranfield"]
    if not named:
        pytest.skip("FOOTNOTE_COLLECTIONS names no folder that holds cranfield")
    return read(named[0])


@pytest.mark.parametrize("backend", BACKENDS)
async def test_both_lists_together_are_as_good_as_promised_and_better_than_each(backend, request):
    collection = cranfield()
    async with backend(request) as index:
        await fill(index, collection, silent)
        figures = await measure(index, collection, Fusion(), progress=silent)
    assert figures.fused.ndcg >= 0.440
    assert figures.fused.ndcg >= max(figures.lexical.ndcg, figures.dense.ndcg)
    assert figures.fused.ndcg == pytest.approx(0.4455, abs=0.005)  # so that the backends lie within .01 of each other
