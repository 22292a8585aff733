from indexers.excerpts import CUT, OPENING, SENTENCE_WITHIN, opening


def test_a_short_text_is_its_own_opening():
    assert opening("  so many words\n") == "so many words"
    assert opening("x" * OPENING) == "x" * OPENING


def test_a_long_text_opens_with_whole_sentences_where_they_are_long_enough():
    assert opening(f"One sentence is said here. {'and words ' * 40}").startswith("One sentence is said here. and words")
    first = f"{'word ' * 30}end."
    assert OPENING - SENTENCE_WITHIN < len(first) < OPENING
    assert opening(f"{first} {'more ' * 30}") == f"{first}{CUT}"


def test_no_word_is_cut_that_fits():
    cut = opening("lengthy " * 100)
    assert cut.endswith(f"lengthy{CUT}")
    assert OPENING - len("lengthy ") - 1 <= len(cut) <= OPENING
    assert opening("x" * 1_000) == f"{'x' * (OPENING - 2)}{CUT}"
