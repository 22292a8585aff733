from hypothesis import given
from hypothesis import strategies as st

from indexers.reading.cutting import cut, one_line


@given(st.text(alphabet="ab. \n。", max_size=200), st.integers(0, 60))
def test_a_cut_text_is_a_beginning_within_the_limit(text, limit):
    shorter = cut(text, limit)
    assert len(shorter) <= limit or shorter == text
    assert text.startswith(shorter)


@given(st.text(max_size=100))
def test_a_text_within_its_limit_is_left_alone(text):
    assert cut(text, len(text)) == text
    assert cut(text, None) == text


def test_it_is_cut_where_a_paragraph_ends_else_a_line_a_sentence_or_a_word():
    assert cut("one two.\n\nthree four five", 14) == "one two."
    assert cut("one two\nthree four five", 14) == "one two"
    assert cut("one two. three four five", 14) == "one two."
    assert cut("one two three four five", 14) == "one two three"
    assert cut("onetwothreefourfive", 14) == "onetwothreefou"


def test_it_is_not_cut_far_before_the_limit():
    assert cut("one\n\ntwo three four five", 20) == "one\n\ntwo three four"


def test_a_title_is_one_short_line():
    assert one_line(" A \n title\t") == "A title"
    assert len(one_line("word " * 100)) <= 200
