"""Events, answers and footnotes as lines of a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli.lines import answer, footnote, notes, step
from bot.research import (
    ClarifyCall,
    Error,
    FinalAnswer,
    SearchCall,
    SearchError,
    SearchHit,
    SearchResult,
    WebSearch,
)
from bot.research.untrusted import readable
from bot.web import NO_RESULTS

HIT = SearchHit(
    "c1", "files:leave.md", 0, "Leave policy", "Everyone has\n30 days.", "files", "2026-11-01T09:00:00+01:00", ["Ada"],
    1.0, 2.0, 0.5,
)  # fmt: skip
SOURCE = {
    "ref": 1, "title": "Leave policy", "sender": "Ada", "date": "2026-11-01", "source": "files",
    "source_id": "leave.md", "url": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("event", "line"),
    [
        pytest.param(SearchCall({"query": "leave"}), "Searching the documents for “leave”", id="a search"),
        pytest.param(
            SearchCall({"query": "", "person": "Ada", "time_range": {"start": "2026-11-01"}, "sources": ["files"]}),
            "Searching the documents (person Ada, time_range start 2026-11-01, sources files)",
            id="a search by filters alone",
        ),
        pytest.param(
            SearchCall({"query": "leave", "news": True}, web=True),
            "Searching the web for “leave” (news True)",
            id="web",
        ),
        pytest.param(SearchCall({"query": ["odd", 1]}), "Searching the documents for “['odd', 1]”", id="odd arguments"),
        pytest.param(
            SearchResult(12, ["A", "B", "C", "D"], []), "  12 found: A · B · C", id="only the first titles are shown"
        ),
        pytest.param(SearchResult(0, [], []), "  0 found", id="nothing found"),
        pytest.param(SearchError("timed out"), "  Could not search the documents: timed out", id="a failed search"),
        pytest.param(SearchCall({"url": "https://a.test/"}, web=True), "Reading https://a.test/", id="a page"),
        pytest.param(
            SearchCall({"query": "x", "url": "https://a.test/"}, web=True),
            "Searching the web for “x” (url https://a.test/)",
            id="a search is none",
        ),
        pytest.param(
            WebSearch("Sum up https://a.test/", "Footnote", [{"url": "https://a.test/"}]),
            "Read https://a.test/, by Footnote",
            id="a page that was read",
        ),
        pytest.param(
            WebSearch("Sum up https://a.test/", "", [], "The page could not be read: The site does not answer."),
            "The page could not be read: The site does not answer.",
            id="a page that was not",
        ),
        pytest.param(WebSearch("x", "E", [{}]), "Searched the web for “x”, by E: 1 found", id="the web, beforehand"),
        pytest.param(
            WebSearch("x", "", [], "down"), "Could not search the web for “x”: down", id="the web, not reached"
        ),
        pytest.param(
            WebSearch("x", "E", [], NO_RESULTS),
            "Searched the web for “x”, by E: The web search found no results.",
            id="the web, which has nothing",
        ),
        pytest.param(Error("No model."), "No model.", id="the engine failed"),
        pytest.param(ClarifyCall("Which one?"), "", id="a question back is asked at the prompt"),
    ],
)
def test_an_event_has_its_line(event, line):
    assert step(event) == line


def test_a_sourced_answer_is_shown_as_it_is():
    assert answer(FinalAnswer("30 days [1].", [SOURCE], grounded=True), [HIT]) == "30 days [1]."


@pytest.mark.parametrize(
    ("language", "label"), [("en", "No source backs this answer."), ("fr", "Aucune source n'appuie cette réponse.")]
)
def test_an_answer_that_no_source_backs_says_so_in_its_language(language, label):
    assert label in answer(FinalAnswer("Perhaps.", [], language=language), [])


@pytest.mark.parametrize(
    "text",
    [
        "I found nothing about this in the sources I searched.",
        "The web could not be consulted.",
        "Le web n'a pas pu être consulté.",
    ],
)
def test_having_found_nothing_needs_no_label(text):
    assert answer(FinalAnswer(text, []), []) == text


def test_a_failed_engine_needs_no_label():
    assert answer(FinalAnswer("The model did not answer.", [], "engine_failed"), []) == "The model did not answer."


@pytest.mark.parametrize("reason", ["no_content", "no_synthesis"])
def test_the_literals_are_replaced_by_a_sentence_and_what_was_found(reason):
    shown = answer(FinalAnswer("(no synthesis available — …)", [], reason, language="fr"), [HIT])
    assert "(no synthesis" not in shown
    assert "Le modèle de langage n'a pas donné de réponse" in shown
    assert "- **Leave policy**: Everyone has 30 days." in shown


def test_with_nothing_found_the_literal_becomes_advice():
    assert "in other words" in answer(FinalAnswer("(model returned no content…)", [], "no_content"), [])


def test_a_footnote_has_title_sender_and_date():
    assert footnote(SOURCE) == "[1] Leave policy (Ada, 2026-11-01)"
    assert footnote({**SOURCE, "sender": "", "date": "", "title": ""}) == "[1] leave.md"


def test_a_warning_is_said_once():
    assert notes(["a", "b", "a"]) == ["Note: a", "Note: b"]


@given(st.text())
def test_no_text_can_steer_the_terminal(text):
    assert not set(readable(text)) & {*map(chr, range(9)), "\r", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066"}


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_stays_as_it_is(text):
    assert readable(text) == text
