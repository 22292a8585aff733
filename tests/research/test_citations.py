"""Marks, in every way in which models write them."""

import copy
import re
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.research.citations import Numbering, cites, gate_citations, renumber_citations, strip_citations
from tests.fakes.research import play, says, searches
from tests.fakes.search import FakeSearch, hit

KNOWN = {1, 2, 3, 4, 5, 7}

FORMS = [
    ("[5]", "[5]"),
    ("[5][7]", "[5][7]"),
    ("[5, 7]", "[5][7]"),
    ("[5,7]", "[5][7]"),
    ("[5; 7]", "[5][7]"),
    ("[5\u202f; 7]", "[5][7]"),
    ("[5 and 7]", "[5][7]"),
    ("[2, 5, and 7]", "[2][5][7]"),
    ("[5 et 7]", "[5][7]"),
    ("[3-5]", "[3][4][5]"),
    ("[3–5]", "[3][4][5]"),
    ("[1, 3-5]", "[1][3][4][5]"),
    ("【5】", "[5]"),
    ("［5］", "[5]"),
    ("【5†source】", "[5]"),
    ("【5†L1-L3】", "[5]"),
    ("[[5]]", "[5]"),
    ("[[5], [7]]", "[5], [7]"),
    ("[^5]", "[5]"),
    ("[ 5 ]", "[5]"),
    ("[5\u200b]", "[5]"),
    ("[05]", "[5]"),
    ("[ref 5]", "[5]"),
    ("[Source 5]", "[5]"),
    ("[source: 5]", "[5]"),
    ("[sources 5 & 7]", "[5][7]"),
    ("[ref 5, ref 7]", "[5][7]"),
    (r"\[5\]", "[5]"),
    ("[5](http://evil.example/?q=a)", "[5]"),
    ("[5](<http://evil.example> 'title')", "[5]"),
    ("[5](\n http://evil.example\n)", "[5]"),
    ("[5](http://evil.example/a(b)c)", "[5]"),
    ("[[5]](http://evil.example)", "[5]"),
    ("![5](http://evil.example/x.png)", "[5]"),
    ("[5: https://evil.example]", "[5]"),
    ("[5](see p. 3)", "[5](see p. 3)"),
]
UNKNOWN = [
    ("foo [99].", "foo.", 1),
    ("foo [99] bar", "foo bar", 1),
    ("[99] foo", "foo", 1),
    ("foo\n[99] bar", "foo\nbar", 1),
    ("- [99] foo", "- foo", 1),
    ("foo [5, 99].", "foo [5].", 1),
    ("foo [4-7].", "foo [4][5][7].", 1),
    ("foo [99], [5].", "foo [5].", 1),
    ("foo [5], [99].", "foo [5].", 1),
    ("foo [5] and [99].", "foo [5].", 1),
    ("foo [99][98][5]", "foo [5]", 2),
    ("foo ([99]).", "foo.", 1),
    ("foo (see [99]).", "foo (see).", 1),
    ("foo [[98], [99]].", "foo.", 2),
    ("foo [0].", "foo.", 1),
    ("foo [9[99]9] bar", "foo bar", 2),
    ("foo [1[99]] bar", "foo [1] bar", 1),
    ("foo [99](http://evil.example).", "foo.", 1),
    ("【99†source】", "", 1),
]
NESTED = "[9" * 9 + "]" * 9
TEXT = [
    "[2024]",
    "[2020-2024]",
    "[5, 2024]",
    "[1-50]",
    "[1–11]",
    "[7-5]",
    "[٥]",
    "[５]",
    "[5a]",
    "[a5]",
    "[1,000]",
    "[x]",
    "[ ]",
    "5",
    "(5)",
]
CODE = ["`a[5]`", "``b[5, 99] ` ``", "```\narr[99]\n```", "~~~\narr[99]\n~~~", "```\narr[99]"]


@pytest.mark.parametrize(("written", "marks"), FORMS)
def test_a_mark_however_written_becomes_single_marks(written, marks):
    assert gate_citations(f"It flies {written}.", KNOWN) == (f"It flies {marks}.", 0)


@pytest.mark.parametrize(("written", "marks"), FORMS)
def test_the_numbers_are_read_from_every_form_in_order(written, marks):
    assert cites(f"First {written}, then [2024].") == [int(number) for number in re.findall(r"\[(\d+)\]", marks)]


@pytest.mark.parametrize(("written", "marks"), FORMS)
def test_every_form_is_stripped_from_the_history(written, marks):
    rest = strip_citations(f"It {written} flies.")
    assert not cites(rest)
    assert rest.startswith("It")
    assert rest.endswith(" flies.")


@pytest.mark.parametrize(("text", "kept", "dropped"), UNKNOWN)
def test_numbers_of_no_source_are_removed_and_counted(text, kept, dropped):
    assert gate_citations(text, KNOWN) == (kept, dropped)


@pytest.mark.parametrize("text", TEXT)
def test_what_is_no_mark_is_text(text):
    assert gate_citations(f"a {text} b", KNOWN) == (f"a {text} b", 0)
    assert strip_citations(f"a {text} b") == f"a {text} b"
    assert cites(text) == []


@pytest.mark.parametrize("code", CODE)
def test_code_is_left_alone(code):
    assert gate_citations(f"a [99] b\n{code}", KNOWN) == (f"a b\n{code}", 1)
    assert strip_citations(code) == code
    assert cites(code) == []
    assert renumber_citations(code, sources(5, 99)) == (code, [])


@pytest.mark.parametrize(
    "definition",
    ["[5]: http://evil.example", "[5]: <https://evil.example> 'x'", "  [^5]: www.evil.example", "> [5]: //evil.example",
     "[5]:\n  http://evil.example", "[99]: javascript:alert(1)", "[5]: http://evil.example The plan"],
)  # fmt: skip
def test_definitions_of_numbers_are_deleted_whole(definition):
    assert gate_citations(f"a [5]\n{definition}\nb", KNOWN) == ("a [5]\nb", 0)
    assert cites(definition) == []


def test_what_is_nested_without_end_is_no_mark():
    assert cites(gate_citations(f"a {NESTED} b", KNOWN)[0]) == []


def test_renumbering_goes_by_first_citation_and_lists_only_what_is_cited():
    given = sources(*range(1, 9))
    before = copy.deepcopy(given)
    text, listed = renumber_citations("X [5] Y [7] Z [2] W [5]. None [99].", given)
    assert text == "X [1] Y [2] Z [3] W [1]. None [99]."
    assert [(source["ref"], source["title"]) for source in listed] == [(1, "T5"), (2, "T7"), (3, "T2")]
    assert given == before


def test_renumbering_in_pieces_is_renumbering_the_whole():
    numbering = Numbering(sources(3, 5, 7))
    pieces = ["A [7]. ", "B [3] `[5]`. ", "C [7][5]."]
    assert ("".join(map(numbering.renumber, pieces)), numbering.sources) == renumber_citations(
        "".join(pieces), sources(3, 5, 7)
    )


def sources(*refs):
    return {
        ref: {"ref": ref, "title": f"T{ref}", "sender": "", "date": "", "source": "s", "source_id": "", "url": ""}
        for ref in refs
    }


signs = st.sampled_from(
    [
        "[",
        "]",
        "[5]",
        "[99]",
        "[5, 99]",
        "9",
        "5",
        ",",
        " ",
        "-",
        "\\",
        "(",
        ")",
        "`",
        "\n",
        "^",
        "![",
        "](http://e.example)",
        "word",
        "【",
        "】",
        "ref ",
    ]
)
marked = st.lists(signs, max_size=12).map("".join)


@settings(max_examples=120, deadline=None)
@given(marked)
def test_only_known_numbers_are_left_however_they_are_nested(text):
    gated, _ = gate_citations(text, {5})
    assert set(cites(gated)) <= {5}
    assert gate_citations(gated, {5})[0] == gated


@settings(max_examples=120, deadline=None)
@given(marked)
def test_every_source_listed_is_cited_and_every_number_is_listed(text):
    numbered, listed = renumber_citations(gate_citations(text, {5, 99})[0], sources(5, 99))
    assert [source["ref"] for source in listed] == list(range(1, len(listed) + 1))
    assert set(cites(numbered)) == {source["ref"] for source in listed}


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_characters="[]【】［］"), max_size=40))
def test_text_without_brackets_is_unchanged(text):
    assert gate_citations(text, KNOWN) == (text, 0)


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "]",
        "[5",
        "[5,",
        "[5](",
        "[5](a ",
        "[5]: ",
        "[ref ",
        "[ref  5 ",
        "([1]",
        "[[",
        "【",
        "[1] ",
        "[ \t",
        "[5†",
        "`[",
    ],
)
def test_gating_takes_time_in_proportion_to_the_length(unit):
    text = unit * (40_000 // len(unit))
    start = process_time()
    gate_citations(text, KNOWN)
    assert process_time() - start < 3


async def test_a_result_names_the_passage_behind_each_of_its_sources():
    found = [hit(1), hit(2), hit(2, chunk_id="files:doc2#7", content_snippet="Its seventh.")]
    played = await play(searches(), says("Late [3], and so is this [1][3]. Code: `[2]`"), search=FakeSearch(found))
    assert [source["title"] for source in played.result.sources] == ["Document 2", "Document 1"]
    assert [passage.chunk_id for passage in played.result.passages] == ["files:doc2#7", "files:doc1#0"]
