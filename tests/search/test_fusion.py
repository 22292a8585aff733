import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.search.fusion import Fusion, filled, fuse, refined

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-1, 100, allow_nan=False), max_size=8)
FUSIONS = st.builds(Fusion, lexical_weight=st.floats(0, 1), reciprocal_rank=st.booleans())


def test_scores_are_stretched_and_added():
    fused = fuse({"a": 10.0, "b": 5.0, "c": 0.0}, {"c": 0.9, "b": 0.7, "a": 0.1}, Fusion(), floor=0.3)
    assert fused == pytest.approx({"b": 0.25 + 0.375, "a": 0.5, "c": 0.5})
    assert list(fused) == ["b", "a", "c"]


def test_they_are_stretched_from_no_match_at_all():
    fused = fuse({"a": 10.0, "b": 9.0}, {"b": 0.9, "a": 0.8}, Fusion(), floor=0.4)
    assert fused == pytest.approx({"b": 0.45 + 0.5, "a": 0.5 + 0.4})


def test_a_candidate_of_one_list_alone_has_nothing_from_the_other():
    fused = fuse({"a": 10.0, "b": 5.0}, {"c": 0.8, "b": 0.4}, Fusion())
    assert fused == pytest.approx({"a": 0.5, "b": 0.5, "c": 0.5})


@pytest.mark.parametrize(("weight", "first"), [(1.0, "a"), (0.0, "b"), (0.9, "a"), (0.1, "b")])
def test_the_weight_says_which_list_counts_more(weight, first):
    assert next(iter(fuse({"a": 2.0, "b": 1.0}, {"a": 0.1, "b": 0.9}, Fusion(lexical_weight=weight)))) == first


def test_by_rank_the_scores_do_not_count():
    fused = fuse({"a": 1000.0, "b": 1.0}, {"b": 0.9, "a": 0.1}, Fusion(reciprocal_rank=True))
    assert fused == pytest.approx({"a": 0.5 / 61 + 0.5 / 62, "b": 0.5 / 61 + 0.5 / 62})
    assert list(fused) == ["a", "b"]


def test_what_no_word_matches_has_no_rank_among_the_words():
    fused = fuse({"z": 2.0, "a": 0.0, "b": 0.0}, {"b": 0.9, "a": 0.8, "z": 0.1}, Fusion(reciprocal_rank=True))
    assert fused == pytest.approx({"z": 0.5 / 61 + 0.5 / 63, "b": 0.5 / 61, "a": 0.5 / 62})


def test_one_score_against_many_is_fused_by_rank():
    fused = fuse({"z": 3.0}, {"a": 0.9, "z": 0.5, "b": 0.1}, Fusion())
    assert list(fused) == ["z", "a", "b"]
    assert fused["z"] == pytest.approx(0.5 / 61 + 0.5 / 62)


def test_a_list_alone_keeps_its_order():
    assert fuse({"a": 1.0, "b": 4.0}, {}, Fusion()) == {"b": 1.0, "a": 0.25}
    assert fuse({}, {"a": 0.4, "b": 0.8}, Fusion()) == {"b": 1.0, "a": 0.5}
    assert fuse({}, {}, Fusion()) == {}


@given(SCORES, SCORES, FUSIONS)
def test_every_candidate_has_one_score_between_0_and_1_best_first(lexical, dense, fusion):
    fused = fuse(lexical, dense, fusion)
    assert fused.keys() == lexical.keys() | dense.keys()
    assert all(0 <= score <= 1.000001 for score in fused.values())
    assert list(fused) == sorted(fused, key=lambda one: (-fused[one], one))


@given(SCORES, SCORES, FUSIONS)
def test_the_order_of_what_comes_in_does_not_matter(lexical, dense, fusion):
    turned = fuse(dict(reversed(lexical.items())), dict(reversed(dense.items())), fusion)
    assert list(turned.items()) == list(fuse(lexical, dense, fusion).items())


def test_missing_scores_are_filled_in():
    assert filled({"a": 1.0, "x": 9.0}, ["a", "b"], 0.5) == {"a": 1.0, "b": 0.5}


def test_a_vector_moves_towards_the_best_passages():
    question, passage = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    moved = refined(question, [passage], 0.5)
    assert moved == pytest.approx(np.array([1, 0.5]) / np.hypot(1, 0.5))
    assert refined(question, [], 0.5) is None
    assert refined(question, [passage], 0.0) is None
    assert refined(question, [-question], 1.0) is None
