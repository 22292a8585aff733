import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexers.chunks import BYTES_PER_TOKEN, SIZE, chunks, embedded_text, heading_at

MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# A",
            "## B b",
            "### C ###",
            "Title",
            "===",
            "---",
            "```",
            "```python",
            "~~~",
            "- item",
            "| a | b |",
            "",
            " ",
            "\t",
        ]
    )
    | st.text(max_size=40)
    | st.text(alphabet="word. é日\n", max_size=400),
    max_size=30,
).flatmap(lambda lines: st.sampled_from(["\n", "\r\n", "\n\n"]).map(lambda end: end.join(lines)))


def bytes_of(text):
    return len(text.encode("utf-8", "replace"))


@settings(max_examples=300)
@given(MARKDOWN, st.integers(4, 60))
def test_chunks_put_together_give_the_text_back(text, size):
    assert "".join(chunk.text for chunk in chunks(text, size=size)) == (text if text.strip() else "")


@settings(max_examples=200)
@given(MARKDOWN, st.integers(4, 60))
def test_no_chunk_is_blank_and_their_ordinals_count_up(text, size):
    cut = chunks(text, size=size)
    assert all(chunk.text.strip() for chunk in cut)
    assert [chunk.ordinal for chunk in cut] == list(range(len(cut)))


@settings(max_examples=200)
@given(st.text(alphabet="word. é日\n#`", max_size=2000), st.integers(4, 60))
def test_a_chunk_holds_no_more_than_its_size_and_a_heading(text, size):
    assert all(bytes_of(chunk.text.strip()) <= size * BYTES_PER_TOKEN * 1.25 for chunk in chunks(text, size=size))


def test_headings_without_any_text_are_cut_too():
    assert len(chunks("# A heading\n" * 5000)) > 20


def test_a_short_document_is_one_chunk():
    text = "# Leave\n\n25 days.\n\n## Parental\n\n16 weeks.\n"
    [chunk] = chunks(text)
    assert (chunk.text, chunk.headings) == (text, ())


def section(heading, words):
    return f"{heading}\n\n" + "A sentence of words. " * (words // 4) + "\n\n"


def test_a_chunk_knows_the_headings_above_its_first_line():
    text = "# Handbook\n\n" + section("## Leave", 200) + section("### Parental", 400) + section("## Pay", 200)
    cut = chunks(text, title="Handbook", size=300)
    assert [(chunk.headings, chunk.text.split("\n")[0].strip()[:12]) for chunk in cut] == [
        ((), "# Handbook"),
        (("Leave",), "### Parental"),
        (("Leave", "Parental"), "A sentence o"),
        ((), "## Pay"),
    ]


def test_underlined_headings_count_as_headings():
    cut = chunks("Handbook\n========\n\nLeave\n-----\n\n" + "Words and words. " * 200, title="Handbook")
    assert [chunk.headings for chunk in cut] == [(), ("Leave",)]


def test_a_heading_is_never_the_end_of_a_chunk():
    text = "".join(section(f"## Part {number}", 90) for number in range(40))
    for chunk in chunks(text, size=128):
        assert not chunk.text.strip().splitlines()[-1].startswith("#")


def test_a_fenced_block_that_fits_is_not_cut():
    code = "```sh\n" + "echo '# not a heading'\n\n" * 40 + "```\n"
    text = "Words before it. " * 60 + "\n\n" + code + "\n" + "Words after it. " * 60
    assert sum(code in chunk.text for chunk in chunks(text)) == 1


def test_a_fenced_block_that_does_not_fit_is_cut_between_lines():
    code = "```\n" + "".join(f"line {number} of the code\n" for number in range(500)) + "```\n"
    assert all(chunk.text.endswith("\n") for chunk in chunks(code))


def test_a_long_paragraph_is_cut_between_sentences():
    cut = chunks("This is a sentence of eight words, no more. " * 300)
    assert len(cut) > 3
    assert all(chunk.text.strip().endswith("more.") for chunk in cut)


def test_a_text_without_any_space_is_cut_at_its_size():
    assert max(bytes_of(chunk.text) for chunk in chunks("日" * 5000)) <= SIZE * BYTES_PER_TOKEN


def test_a_very_long_paragraph_is_cut_in_time():
    assert len(chunks("word word\n" * 100_000)) > 400


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_a_blank_text_has_no_chunks(text):
    assert chunks(text) == []


def test_what_is_embedded_begins_with_the_headings_above():
    [chunk] = chunks("Sixteen weeks.\n")
    assert embedded_text(chunk) == "Sixteen weeks."
    long = chunks("# Leave\n\n## Parental\n\n" + "Sixteen weeks of leave. " * 120, title="Handbook")
    assert embedded_text(long[-1]).startswith("Leave › Parental\nSixteen")


def test_the_heading_at_a_position_is_the_last_one_before_it():
    text = "Intro.\n\n## Leave\n\n```\n# a comment\n```\n\n25 days.\n"
    assert heading_at(text, ("Above",), text.index("25")) == "Leave"
    assert heading_at(text, ("Above",), 3) == "Above"
    assert heading_at("x", (), 0) == ""
