"""What a ranking is worth: trec_eval's figures on one case, and what holds for every ranking."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.eval.metrics import mean, ndcg, recall, reciprocal_rank

IDS = [f"d{number}" for number in range(30)]
RANKED = st.permutations(IDS).flatmap(lambda ids: st.integers(0, len(ids)).map(lambda length: ids[:length]))
GRADES = st.dictionaries(st.sampled_from(IDS), st.integers(1, 4), min_size=1)
METRICS = [ndcg, recall, reciprocal_rank]


def test_the_figures_are_those_of_trec_eval():
    ranked, grades = ["d9", "d1", "d8", "d2", "d3"], {"d1": 3, "d2": 2, "d3": 1, "d4": 1}
    assert ndcg(ranked, grades) == pytest.approx(0.6049058003)
    assert recall(ranked, grades) == 0.75
    assert reciprocal_rank(ranked, grades) == 0.5


def test_means_count_every_query_alike():
    figures = mean([(["d1"], {"d1": 1}), (["d2", "d1"], {"d1": 1, "d3": 1}), ([], {"d1": 1})])
    assert (figures.recall, figures.mrr) == (0.5, 0.5)
    assert list(figures.as_json()) == ["ndcg@10", "recall@100", "mrr"]


def test_what_lies_deeper_does_not_count():
    deep = [f"x{number}" for number in range(100)]
    assert ndcg([*deep[:10], "d1"], {"d1": 1}) == 0
    assert recall([*deep, "d1"], {"d1": 1}) == 0
    assert reciprocal_rank([*deep, "d1"], {"d1": 1}) == 0
    assert reciprocal_rank([*deep[:99], "d1"], {"d1": 1}) == 0.01


@pytest.mark.parametrize("metric", METRICS)
@given(ranked=RANKED, grades=GRADES)
def test_every_figure_lies_between_0_and_1(metric, ranked, grades):
    assert 0 <= metric(ranked, grades) <= 1


@pytest.mark.parametrize("metric", METRICS)
@given(grades=GRADES)
def test_the_ideal_order_is_worth_1(metric, grades):
    assert metric(sorted(grades, key=lambda one: -grades[one]), grades) == pytest.approx(1)


@pytest.mark.parametrize("metric", METRICS)
@given(ranked=RANKED, grades=GRADES, place=st.integers(0, 28))
def test_a_better_document_moved_up_never_makes_it_worse(metric, ranked, grades, place):
    worse, better = ranked[place : place + 1], ranked[place + 1 : place + 2]
    if better and grades.get(better[0], 0) > grades.get(worse[0], 0):
        swapped = [*ranked[:place], *better, *worse, *ranked[place + 2 :]]
        assert metric(swapped, grades) >= metric(ranked, grades)


@given(ranked=RANKED, grades=GRADES)
def test_recall_knows_no_order(ranked, grades):
    assert recall(sorted(ranked), grades) == recall(ranked, grades)
