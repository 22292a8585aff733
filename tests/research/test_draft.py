"""Drafts: what may be shown of an answer while it is still being written."""

import re
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.research.citations import gate_citations, renumber_citations
from bot.research.draft import Draft
from bot.research.links import gate_links
from bot.research.reply import read_reply
from tests.fakes.markdown import outside_code

OK = "https://ok.example/a"
CALL = '{"name": "search", "arguments": {"query": "falcon"}}'
SOURCES = {
    ref: {"ref": ref, "title": f"T{ref}", "sender": "", "date": "", "source": "s", "source_id": "", "url": url}
    for ref, url in ((5, "https://five.example/p"), (6, ""), (7, "https://seven.example/p"))
}


def drafted(text, size=7, *, finished=True):
    draft = Draft(SOURCES, [OK])
    deltas = [draft.feed(text[start : start + size]) for start in range(0, len(text), size)]
    return "".join([*deltas, draft.finish() if finished else ""])


def answered(text):
    """The text as the loop shows it at the end."""
    marked, _ = gate_citations(read_reply({"content": text}, [], []).text, SOURCES.keys())
    numbered, listed = renumber_citations(marked, SOURCES)
    return gate_links(numbered, [OK, *(source["url"] for source in listed if source["url"])]).strip()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param(
            "Falcon flies [7], says Ada [5, 7].", "Falcon flies [1], says Ada [2][1].", id="numbers are final"
        ),
        pytest.param(
            "Falcon flies [99]. It does [5][98].", "Falcon flies. It does [1].", id="unknown ones are left out"
        ),
        pytest.param("[5]: http://evil.example\nFalcon [5]", "Falcon [1]", id="a definition is never begun"),
        pytest.param("See [the plan](https://evil.example/x y).", "See the plan.", id="no half of an address"),
        pytest.param(f"See [the plan]({OK}) now", f"See [the plan]({OK}) now", id="a link of the user's"),
        pytest.param(
            "It is [5]. See [here](https://five.example/p) and [there](https://seven.example/p).",
            "It is [1]. See [here](https://five.example/p) and there.",
            id="a link to a source is live once that is cited",
        ),
        pytest.param(
            "Use `arr[99]` so:\n```py\narr[99]\n```\nDone [6].",
            "Use `arr[99]` so:\n```py\narr[99]\n```\nDone [1].",
            id="code",
        ),
        pytest.param("<think>hm [5]\n\nso</think>\n\nFalcon [7].", "Falcon [1].", id="a thought before"),
        pytest.param("Falcon [7]. <think>hm [5]</think> Yes.", "Falcon [1]. Yes.", id="a thought within"),
        pytest.param("Falcon [7]. <think>hm [5]", "Falcon [1].", id="a thought that never ends"),
        pytest.param(
            'Set {"a": 1} and\n```json\n{"b": [5]}\n```\n', 'Set {"a": 1} and\n```json\n{"b": [5]}\n```', id="JSON"
        ),
        pytest.param(
            "- https://evil.example\n- Plan\n\n\nEnd  \nhere", "- Plan\n\n\nEnd  \nhere", id="white space is kept"
        ),
    ],
)
@pytest.mark.parametrize("size", [1, 5, 12, 1_000])
def test_a_draft_and_its_end_are_the_answer(text, shown, size):
    assert drafted(text, size) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("The falcon flies over the river [5", "The falcon flies over the river", id="an open mark"),
        pytest.param("The falcon flies over [the river](http", "The falcon flies over", id="an open link"),
        pytest.param("The falcon flies over the `river and", "The falcon flies over the", id="an open code span"),
        pytest.param("The falcon flies over the <a href=", "The falcon flies over the", id="an open tag"),
        pytest.param(f"I will search for it.\n\n{CALL}", "I will search for it.", id="a call"),
        pytest.param(f"I will search for it.\n```json\n{CALL}\n```", "I will search for it.", id="a fenced call"),
        pytest.param(f"I will search for it now: {CALL}\n", "I will search for it now:", id="a call on the line"),
        pytest.param(f"I will search for it:\n<tool_call>\n{CALL}", "I will search for it:", id="a tagged call"),
        pytest.param(
            "I will search for it: <function=search>", "I will search for it:", id="a call in tags of its own"
        ),
        pytest.param('I will search for it:\n[\n  {\n    "na', "I will search for it:", id="what may become a call"),
        pytest.param("<think>I will search for it.\n\nAnd so", "", id="an open thought"),
        pytest.param("The code is:\n```py\nprint(1)\nprint(2)\n", "The code is:", id="an open fence"),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_what_may_still_turn_into_something_else_is_held_back(text, shown, size):
    given = drafted(text, size, finished=False)
    assert shown.startswith(given)
    assert len(given) >= len(shown) - 24


def test_text_is_shown_before_the_line_ends():
    assert (
        drafted("The falcon flies over the river, and then ", 44, finished=False)
        == "The falcon flies over the river, and then"
    )


words = st.sampled_from(
    ["Falcon", "flies", "since 2026,", "(as Ada says)", "1.5 M€", "e.g. README.md", "**bold**", "don't", "a_b"]
)
marks = st.sampled_from(
    [
        "[5]",
        "[7].",
        "[5][6]",
        "[5, 7]",
        "[99]",
        "[99].",
        "([6])",
        "[5], [99]",
        "[99] and [7]",
        "【6】",
        "[2024]",
        "[5-7]",
    ]
)
spans = st.sampled_from(
    [
        "`arr[5]`",
        "`x`",
        f"[a plan]({OK})",
        f"<{OK}>",
        OK,
        "[no](https://evil.example)",
        "https://evil.example/x",
        "evil.com.",
    ]
)
line = st.lists(words | marks | spans, min_size=1, max_size=9).map(" ".join)
item = st.builds("{}{}".format, st.sampled_from(["- ", "1. ", "  - ", "> ", "## "]), line)
block = st.sampled_from(
    ["```py\nx = arr[5]\n\ny = 'https://evil.example'\n```", "~~~\n[99]\n~~~", "- a\n  ```\n  b[5]\n  ```"]
)
paragraph = st.lists(line | item, min_size=1, max_size=4).map("\n".join)
answers = st.lists(paragraph | block, min_size=1, max_size=5).map("\n\n".join)


@settings(max_examples=50, deadline=None)
@given(answers, st.integers(1, 40))
def test_the_deltas_of_an_answer_put_together_are_the_answer(text, size):
    assert drafted(text, size) == answered(text)


@settings(max_examples=40, deadline=None)
@given(answers, st.integers(1, 40), st.integers(0, 200))
def test_a_draft_that_is_broken_off_is_a_beginning_of_the_answer(text, size, length):
    assert drafted(text, size).startswith(drafted(text[:length], size, finished=False))


PIECES = [
    *(
        "[x](",
        "[y]",
        "(",
        ")",
        "](",
        "[r]: ",
        "![",
        "<",
        ">",
        "<a href=",
        "<b title=",
        "http://evil.example/a",
        "evil.com/x",
    ),
    *(
        "//evil.example",
        "www.evil.example",
        "javascript:x",
        "&#104;ttp",
        "://",
        "\u200b",
        "`",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "\n    ",
    ),
    *(
        " ",
        "\\",
        "> ",
        "- ",
        "[5]",
        "[9",
        "9]",
        "[7, 99] ",
        "word ",
        "of ",
        "<think>",
        "</think>",
        "{",
        "}",
        CALL,
        "and ",
        OK,
    ),
]
texts = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


@settings(max_examples=100, deadline=None)
@given(texts, st.integers(1, 30), st.booleans())
def test_of_any_text_a_draft_shows_no_address_and_no_unknown_number(text, size, finished):
    shown = drafted(text, size, finished=finished)
    seen, addresses = outside_code(shown)
    assert {address for address in addresses if ":" in address or "evil" in address} <= {OK, "https://five.example/p"}
    assert "http://evil" not in seen
    assert "javascript:x" not in seen
    assert max(map(int, re.findall(r"\[(\d+)\]", seen)), default=0) <= 2


@pytest.mark.parametrize(
    "unit", ["x", "x ", "\n", "[5] ", "`` `", "[5]: ", "<a ", "> ", "```\n", "{", "[x](a ", "a.com ", " ", "]("]
)
def test_drafting_takes_time_in_proportion_to_the_length(unit):
    text = unit * (20_000 // len(unit))
    start = process_time()
    drafted(text)
    assert process_time() - start < 4
