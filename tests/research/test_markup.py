"""What counts as code, looked at with another reader of Markdown too."""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.research.markup import Lines, mask, outside_code, parts_of

PIECES = [
    *("`", "``", "```", "~~~", "\n", "\n\n", "\n    ", "\n  ", " ", "\t", "[x](", "[y]", "(", ")", "](", "[r]: ", "!["),
    *(
        "'",
        '"',
        "\\",
        "> ",
        "- ",
        "1. ",
        "14. ",
        '<b title="',
        '">',
        "<!--",
        "-->",
        "<pre>",
        "<div>",
        "CODE",
        "http://a",
    ),
    *("# ", "* * *\n", "    "),
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def shouted(text):
    return outside_code(text, str.upper)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        pytest.param("a `b` c", "A `b` C", id="a code span"),
        pytest.param("a ``b ` c`` d", "A ``b ` c`` D", id="a span of two backticks holds one"),
        pytest.param("a `b", "A `B", id="a backtick that nothing closes is text"),
        pytest.param("a ``b` c", "A ``B` C", id="a run of another length closes nothing"),
        pytest.param("a `b\nc` d", "A `B\nC` D", id="a span ends on its line"),
        pytest.param("a\n```py\nb\n```\nc", "A\n```py\nb\n```\nC", id="a fenced block"),
        pytest.param("a\n~~~\nb\n```\n~~~\nc", "A\n~~~\nb\n```\n~~~\nC", id="a fence of tildes holds backticks"),
        pytest.param("a\n```\nb", "A\n```\nb", id="a fence left open goes to the end"),
        pytest.param("````\na\n```\nb\n````\nc", "````\na\n```\nb\n````\nC", id="a longer fence holds a shorter one"),
        pytest.param(
            "- a\n\t```\n  ```\n`b`", "- A\n\t```\n  ```\n`B`", id="a fence behind a tab: nothing is sure after it"
        ),
        pytest.param("- a\n  ```\n  b\n  ```\n- c", "- A\n  ```\n  b\n  ```\n- C", id="a fence in a list"),
        pytest.param("1. a\n    ```\n    b\n    ```\nc", "1. A\n    ```\n    b\n    ```\nC", id="deep in an item"),
        pytest.param("> ```\n> b\n> ```\n> c", "> ```\n> b\n> ```\n> C", id="a fence in a quotation"),
        pytest.param("> ```\n> b\nc\n```\nd", "> ```\n> b\nC\n```\nD", id="a fence ends with its quotation"),
        pytest.param("a\n    ```\n    b", "A\n    ```\n    B", id="deep in a paragraph nothing is fenced"),
        pytest.param(r"a \`b` c", r"A \`B` C", id="an escaped backtick opens nothing"),
        pytest.param("[a](`b) `c` d", "[A](`B) `C` D", id="a backtick in an address opens nothing"),
        pytest.param('<b title="`"> c `d', '<B TITLE="`"> C `D', id="a backtick in a tag opens nothing"),
        pytest.param("a ` b\nc `d` e\n\nf `g` h", "A ` B\nC `D` E\n\nF `g` H", id="unclear up to the paragraph's end"),
        pytest.param("| `a | b` | c |", "| `A | B` | C |", id="the cells of a table come before code"),
        pytest.param("```a | b\n|-|-|\nc", "```A | B\n|-|-|\nC", id="the head of a table opens no fence"),
        pytest.param("<div>\n```\na", "<DIV>\n```\nA", id="in HTML nothing is fenced"),
        pytest.param("<pre>\n\n```\na", "<PRE>\n\n```\nA", id="nor after what may hold anything"),
        pytest.param("- > ```\n- a", "- > ```\n- A", id="a fence in a quotation in a list"),
        pytest.param("```a``` b", "```a``` B", id="three backticks within a line"),
        pytest.param("a\r\n```\r\nb\r\n```\r\nc", "A\r\n```\r\nb\r\n```\r\nC", id="Windows line breaks"),
    ],
)
def test_code_is_left_alone_and_prose_is_not(text, result):
    assert shouted(text) == result


@settings(max_examples=150, deadline=None)
@given(texts)
def test_the_parts_put_together_are_the_text(text):
    assert "".join(part.text for part in parts_of(text)) == text
    masked = mask(text)
    assert masked.restore(masked.text) == text


@settings(max_examples=150, deadline=None)
@given(texts)
def test_what_is_code_here_is_code_to_another_reader(text):
    marked = "".join(
        p.text.replace("CODE", "HIDDEN") if p.code and not _opens(p.text) else p.text for p in parts_of(text)
    )
    assert "HIDDEN" not in _prose(MarkdownIt("commonmark").enable("table").parse(marked))


@settings(max_examples=100, deadline=None)
@given(texts)
def test_lines_read_one_by_one_are_read_the_same(text):
    lines = Lines()
    together = [part for line in text.splitlines(keepends=True) for part in lines.line(line)]
    assert together == list(parts_of(text))


@pytest.mark.parametrize("unit", ["`", "` ", "`` `", "<a `", "](`", "~~~\n", "```\n", "> ", "- `", "\\`", "<", "\n"])
def test_reading_takes_time_in_proportion_to_the_length(unit):
    assert spent(lambda: mask(unit * (100_000 // len(unit)))) < 2


def spent(work):
    start = process_time()
    work()
    return process_time() - start


def _opens(part):
    """The first line of a block, whose rest names a language and is shown nowhere."""
    return part.lstrip(" >-.0123456789").startswith(("```CODE", "~~~"))


def _prose(tokens):
    shown = []
    for token in tokens:
        if token.type == "inline":
            shown.append(_prose(token.children))
        elif token.type not in ("code_inline", "fence", "code_block"):
            shown.append(token.content)
    return " ".join(shown)
