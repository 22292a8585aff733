import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.search.snippets import CHARS, excerpt, snippet, stems

WORDS = st.text(alphabet="abcdé", min_size=1, max_size=12)
TEXTS = st.lists(WORDS | st.sampled_from([".", "\n", "\n\n", "!", "leave"]), max_size=200).map(" ".join)


@settings(max_examples=200)
@given(TEXTS, st.frozensets(WORDS, max_size=4), st.integers(60, 300))
def test_a_snippet_is_a_part_of_the_text_within_the_limit_that_cuts_no_word(text, words, limit):
    part = snippet(text, stems(" ".join(words)), limit)
    assert len(part) <= limit
    bare = part.removeprefix("…").removesuffix("…")
    assert bare in text
    assert set(re.findall(r"\w+", bare)) <= set(re.findall(r"\w+", text))


@given(st.text(max_size=800), st.integers(20, 300))
def test_no_text_is_too_odd_for_a_snippet(text, limit):
    assert len(snippet(text, stems(text[:20]), limit)) <= limit


def test_a_short_text_is_shown_whole():
    assert snippet("  Sixteen weeks.\n", frozenset()) == "Sixteen weeks."


FILLER = "Nothing of interest is said in this sentence here. " * 30


@pytest.mark.parametrize("query", ["parental leave", "Parental LEAVES", "congé parentale"])
def test_a_snippet_is_cut_around_the_words_that_match(query):
    part = snippet(f"{FILLER}Parental leave (congé parental) is sixteen weeks. {FILLER}", stems(query))
    assert "is sixteen weeks" in part
    assert part.startswith("…")
    assert part.endswith("…")
    assert len(part) <= CHARS


@pytest.mark.parametrize("written", ["—été", "«été»", "l’été", "été–", "é—été", "ÉTÉ", "İ été"])
def test_a_word_is_found_whatever_sign_stands_at_it(written):
    assert written in snippet(f"{FILLER}{written} 2026. {FILLER}", stems("été"))


def test_another_question_about_a_text_is_answered_from_what_it_looks_for():
    text = f"{FILLER}Parental leave. {FILLER}Sick pay. {FILLER}"
    for words, shown, other in [("parental", "leave", "pay"), ("pay", "Sick", "leave"), ("LEAVES", "Parental", "pay")]:
        part = snippet(text, stems(words))
        assert shown in part
        assert other not in part


def test_the_place_with_the_most_different_words_wins():
    text = f"Leave, leave, leave and leave. {FILLER}Leave of a parent lasts weeks. {FILLER}"
    assert "lasts weeks" in snippet(text, stems("parent leave weeks"))


def test_without_a_match_the_beginning_is_shown():
    part = snippet(f"The first words. {FILLER}", stems("absent"))
    assert part.startswith("The first words.")
    assert part.endswith("…")


def test_a_snippet_begins_with_a_sentence_where_one_is_near():
    part = snippet(f"{FILLER}Here it begins: parental leave. {FILLER}", stems("parental"))
    assert re.match(r"…(Nothing|Here)", part)


def test_a_word_that_is_longer_than_the_limit_is_cut():
    assert len(snippet("x" * 2000, frozenset())) <= CHARS


def test_a_wanted_word_that_is_longer_than_the_limit_hides_no_other():
    text = f"{'leave' * 200} {FILLER}parental weeks"
    assert snippet(text, stems(f"{'leave' * 200} parental weeks")).endswith("parental weeks")


def test_an_excerpt_says_where_it_begins():
    text = f"{FILLER}Parental leave. {FILLER}".strip()
    start, part = excerpt(text, stems("parental"), CHARS)
    assert text[start:].startswith(part.strip("…"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("leaves", "leave"),
        ("employees", "employee"),
        ("Walking", "walks"),
        ("événements", "evenement"),
        ("policies", "policy"),
    ],
)
def test_forms_of_a_word_are_compared_as_one(one, other):
    assert stems(one) == stems(other)
