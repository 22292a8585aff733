import re
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.slack.messages.mrkdwn import FENCE, convert
from bot.slack.messages.split import LIMIT, split

LINK = "<https://wiki.test/a?b=1&amp;c=2|The handbook>"


def said(pieces):
    """What the pieces say, whatever blanks and fences stand at the cuts."""
    return re.sub(rf"\s|{FENCE}", "", "".join(pieces))


def closed(piece):
    return piece.split("\n").count(FENCE) % 2 == 0


def test_a_short_text_stays_whole():
    assert split("hello") == ["hello"]
    assert split("") == []


def test_the_cut_is_between_paragraphs_where_there_are_some():
    first, second = "a " * 900, "b " * 900
    assert split(f"{first.strip()}\n\n{second.strip()}", 2_500) == [first.strip(), second.strip()]


def test_else_between_lines_and_never_in_a_row():
    rows = [f"• *row {number}* · days: {number}" for number in range(200)]
    pieces = split("\n".join(rows), 1_000)
    assert [row for piece in pieces for row in piece.split("\n")] == rows


def test_numbered_lists_go_on_counting():
    pieces = split("\n".join(f"{number}. step" for number in range(1, 400)), 1_000)
    assert len(pieces) > 1
    assert pieces[1].startswith(f"{pieces[0].count('step') + 1}. ")


def test_a_code_block_is_closed_and_opened_again():
    code = "\n".join(f"line {number} = &lt;{number}&gt;" for number in range(200))
    pieces = split(f"Look:\n\n{FENCE}\n{code}\n{FENCE}\n\nThat is it.", 1_000)
    assert all(map(closed, pieces))
    assert all(piece.startswith(FENCE) for piece in pieces[1:])
    assert said(pieces) == said([f"Look:{code}That is it."])


def test_a_code_block_that_fits_into_a_piece_is_kept_whole():
    code = f"{FENCE}\n" + "\n".join(f"line {number}" for number in range(90)) + f"\n{FENCE}"
    assert split(f"{'word ' * 40}\n\n{code}\n\nThat is it.", 900) == [("word " * 40).strip(), f"{code}\n\nThat is it."]
    items = "• item\n" * 60
    assert split(f"{items}{code}\n• and so on", 900) == [items.strip(), f"{code}\n• and so on"]


def test_a_list_that_fits_into_a_piece_is_kept_whole():
    steps = "\n".join(f"{number}. step" for number in range(1, 100))
    assert split(f"{'word ' * 40}\n\n{steps}\n\nThat is it.", 1_000) == [
        ("word " * 40).strip(),
        f"{steps}\n\nThat is it.",
    ]


def test_a_longer_list_is_cut_before_an_item_and_not_within_one():
    steps = [f"{number}. step\n    ◦ first\n    ◦ then" for number in range(1, 90)]
    pieces = split("\n".join(steps), 1_000)
    assert [piece for piece in pieces if not piece[0].isdigit()] == []
    assert "\n".join(pieces) == "\n".join(steps)


def test_a_long_text_is_cut_in_a_time_that_grows_with_its_length():
    began = time.process_time()
    split(("[" * 50 + "word " * 20 + f"\n{FENCE}\ncode\n{FENCE}\n") * 1_500)
    assert time.process_time() - began < 5


def test_no_piece_holds_an_empty_code_block():
    for length in range(900, 1_100):
        text = f"{'a' * length}\n{FENCE}\n{'b' * 40}\n{FENCE}\n{'c' * length}"
        pieces = split(text, 1_000)
        assert all(map(closed, pieces))
        assert f"{FENCE}\n{FENCE}" not in "\n".join(pieces)
        assert said(pieces) == said([text])


def test_an_indented_line_keeps_its_margin_at_a_cut():
    pieces = split("\n".join(["• first"] + [f"    ◦ point {number}" for number in range(100)]), 500)
    assert all(piece.startswith("    ◦ point") for piece in pieces[1:])


def test_a_link_is_never_cut():
    pieces = split(("word " + LINK) * 100, 300)
    assert "".join(pieces).count(LINK) == 100
    assert all(piece.count("<") == piece.count(">") for piece in pieces)


def test_the_limit_is_one_of_bytes():
    pieces = split("漢字😀" * 1_000)
    assert max(len(piece.encode()) for piece in pieces) <= LIMIT
    assert "".join(pieces) == "漢字😀" * 1_000


mrkdwn = st.lists(
    st.sampled_from(["word", " ", "\n", "\n\n", LINK, "&amp;", "😀", f"\n{FENCE}\ncode\n\nmore\n{FENCE}\n", "x" * 90]),
    max_size=80,
).map("".join)


@settings(max_examples=200, deadline=None)
@given(mrkdwn, st.integers(120, 400))
def test_cutting_loses_nothing_keeps_the_limit_and_breaks_nothing(text, limit):
    pieces = split(text, limit)
    assert said(pieces) == said([text])
    assert all(len(piece.encode()) <= limit for piece in pieces)
    assert all(map(closed, pieces))
    assert all(re.fullmatch(r"(?:[^<>]|<[^<>\n]+>)*", piece) for piece in pieces)
    assert not any(re.search(r"&(?!(?:amp|lt|gt);)", piece) for piece in pieces)


MARKDOWN = [
    "#",
    "-",
    ">",
    "1.",
    FENCE,
    "|",
    "---",
    "**",
    "_",
    "[a](https://b.test)",
    "[1]",
    "<!channel>",
    "&",
    "word",
    "\n",
]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(MARKDOWN)))
def test_whatever_a_model_writes_can_be_cut(parts):
    text = convert(" ".join(parts) * 5, {1: "https://s.test"})
    pieces = split(text, 300)
    assert said(pieces) == said([text])
    assert all(map(closed, pieces))
