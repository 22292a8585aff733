"""The message of an answer as a fold over the events, and its last form."""

from dataclasses import fields
from datetime import tzinfo
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.research import (
    AnswerDelta,
    ClarifyCall,
    ClarifyResponse,
    Error,
    Event,
    FinalAnswer,
    ResearchResult,
    SearchCall,
    SearchError,
    SearchHit,
    SearchResult,
    WebHit,
    WebSearch,
)
from bot.sentences import UNSOURCED
from bot.slack.messages.conclusion import conclude
from bot.slack.messages.render import Progress, begun, draft, final, fold, in_line, listed
from bot.slack.messages.split import LIMIT
from bot.web import NO_RESULTS

PAGE = {"ref": 1, "title": "A", "url": "https://a.test/"}


def shown(*events, language="en"):
    progress = begun(language)
    for event in events:
        progress = fold(progress, event)
    return draft(progress)


@pytest.mark.parametrize(
    ("events", "text"),
    [
        pytest.param([], "_Looking into it…_", id="nothing yet"),
        pytest.param([SearchCall({"query": "leave"})], "_Searching the documents for “leave”…_", id="a search"),
        pytest.param([SearchCall({"person": "Ada"})], "_Going through the documents…_", id="one without words"),
        pytest.param([SearchCall({"query": ["a"]})], "_Searching the documents for “['a']”…_", id="odd arguments"),
        pytest.param(
            [SearchCall({"query": "a <b>\n@here " + "x" * 200})],
            f"_Searching the documents for “a &lt;b&gt; @\u200bhere {'x' * 87}…”…_",
            id="a query is one short line that pings nobody",
        ),
        pytest.param(
            [SearchCall({"query": "leave"}), SearchResult(0, [], [])],
            "✓ Searched the documents for “leave”: 0 found\n_Looking into it…_",
            id="its result",
        ),
        pytest.param(
            [SearchCall({}), SearchResult(3, [], [])],
            "✓ Went through the documents: 3 found\n_Looking into it…_",
            id="the result of one without words",
        ),
        pytest.param(
            [SearchCall({"query": "x"}, web=True), SearchResult(3, [], [], web=True)],
            "✓ Searched the web for “x”: 3 found\n_Looking into it…_",
            id="a web search",
        ),
        pytest.param([SearchCall({"query": "x"}, web=True)], "_Searching the web for “x”…_", id="while it runs"),
        pytest.param(
            [SearchError("secret"), SearchError("secret", web=True)],
            "✗ The documents could not be searched\n✗ The web could not be consulted\n_Looking into it…_",
            id="searches that failed",
        ),
        pytest.param(
            [WebSearch("x", "E", [PAGE, {**PAGE, "ref": 2}]), WebSearch("y", "", [], error="secret")],
            "✓ Searched the web for “x”: 2 found · E\n[1] <https://a.test/|A>\n[2] <https://a.test/|A>\n"
            "✗ The web could not be consulted\n_Looking into it…_",
            id="searches before the model",
        ),
        pytest.param(
            [WebSearch("y", "E", [], error=NO_RESULTS)],
            "✓ Searched the web for “y”: 0 found · E\n_Looking into it…_",
            id="one that found nothing",
        ),
        pytest.param(
            [SearchCall({"url": "https://a.test/"}, web=True)], "_Reading https://a.test/…_", id="a page is read"
        ),
        pytest.param(
            [WebSearch("Is https://x.test/ so?", "", [], error="x"), WebSearch("https://x.test/", "E", [PAGE])],
            "✗ The page could not be read\n✓ Read https://a.test/\n_Looking into it…_",
            id="a page that was read, after one that was not",
        ),
        pytest.param([ClarifyCall("Which?")], "_I have a question first, see below…_", id="a question back"),
        pytest.param([ClarifyCall("Which?"), ClarifyResponse("That")], "_Looking into it…_", id="and its answer"),
        pytest.param([Error("secret")], "_Looking into it…_", id="a failure of the model"),
        pytest.param([AnswerDelta("**a"), AnswerDelta(" b** [1]")], "*a b* [1]", id="a draft"),
        pytest.param(
            [AnswerDelta("never mind"), SearchCall({"query": "x"})],
            "_Searching the documents for “x”…_",
            id="a search voids the draft",
        ),
        pytest.param([AnswerDelta("no"), ClarifyCall("?")], "_I have a question first, see below…_", id="as this does"),
        pytest.param([AnswerDelta("draft"), FinalAnswer("done", [])], "done", id="the answer replaces it"),
    ],
)  # fmt: skip
def test_events_fold_into_what_is_shown(events, text):
    assert shown(*events) == text


def test_a_place_in_line_is_shown_until_the_wait_is_over():
    waiting = in_line(begun("en"), 3)
    assert draft(waiting) == "_Waiting for the language model: number 3 in line…_"
    assert draft(in_line(waiting, 0)) == "_Looking into it…_"


def test_a_draft_over_the_limit_shows_its_beginning():
    text = shown(AnswerDelta("word " * 2_000))
    assert text.startswith("word word")
    assert text.endswith("\n…")
    assert len(text.encode()) <= LIMIT


words = st.text(st.sampled_from("aé漢😀<>&*_`[1]\n |-#@"), max_size=400)
built = {
    SearchCall: st.builds(SearchCall, st.fixed_dictionaries({"query": words}), st.booleans()),
    SearchResult: st.builds(SearchResult, st.integers(0, 99), st.just([]), st.just([]), st.booleans()),
    SearchError: st.builds(SearchError, words, st.booleans()),
    ClarifyCall: st.builds(ClarifyCall, words),
    ClarifyResponse: st.builds(ClarifyResponse, words),
    WebSearch: st.builds(WebSearch, words, words, st.just([]), st.one_of(st.none(), words)),
    AnswerDelta: st.builds(AnswerDelta, words),
    Error: st.builds(Error, words),
    FinalAnswer: st.builds(FinalAnswer, words, st.just([])),
}


def test_every_kind_of_event_is_tried():
    assert set(built) == set(get_args(Event))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(*built.values()), max_size=60), st.sampled_from(["en", "fr", "de"]))
def test_whatever_happens_there_is_something_to_show_within_the_limit(events, language):
    text = shown(*events, language=language)
    assert text.strip()
    assert len(text.encode()) <= LIMIT


def source(ref, **changes):
    one = {"ref": ref, "title": f"T{ref}", "sender": "Ada", "date": "2026-01-02", "source": "wiki"}
    return {**one, "source_id": f"d{ref}", "url": f"https://wiki.test/{ref}", **changes}


NAMED = "Ada · 2026-01-02"


@pytest.mark.parametrize(
    ("sources", "line"),
    [
        pytest.param([source(1)], f"[1] <https://wiki.test/1|T1> · {NAMED}", id="title, sender, date, link"),
        pytest.param([source(1, sender="", date="")], "[1] <https://wiki.test/1|T1>", id="unknown is left out"),
        pytest.param([source(1, url="")], f"[1] T1 · {NAMED}", id="without a link"),
        pytest.param([source(1, url="file:///x")], f"[1] T1 · {NAMED}", id="with one that Slack cannot open"),
        pytest.param([source(1, source="files", url="")], f"[1] T1 · `d1` · {NAMED}", id="a file has its path"),
        pytest.param([source(1, source="files", url="", title="d1")], f"[1] `d1` · {NAMED}", id="but once"),
        pytest.param([source(1, title="")], f"[1] <https://wiki.test/1> · {NAMED}", id="no title"),
        pytest.param(
            [source(1), source(2, source_id="d1")], f"[1] [2] <https://wiki.test/1|T1> · {NAMED}", id="folded"
        ),
        pytest.param(
            [source(1, title="<!here>\n|x")], f"[1] <https://wiki.test/1|&lt;!here&gt; ¦x> · {NAMED}", id="harmless"
        ),
    ],
)
def test_the_list_of_sources_has_a_line_a_document(sources, line):
    (piece,) = listed("", sources, "en")
    assert piece.text == f"*Sources*\n{line}"


def test_a_long_answer_and_its_sources_are_cut_between_lines():
    sources = [source(ref) for ref in range(1, 61)]
    parts = [piece.text for piece in final("A claim [1]. " * 300, sources, "en", notes=["A <note>."])]
    assert all(len(part.encode()) <= LIMIT for part in parts)
    assert "_A &lt;note&gt;._" in "\n".join(parts)
    assert [line for part in parts for line in part.split("\n") if line.startswith("[")] == [
        f"[{ref}] <https://wiki.test/{ref}|T{ref}> · Ada · 2026-01-02" for ref in range(1, 61)
    ]


@pytest.mark.parametrize("text", ["#", "-", ">", "[]()", "```"])
def test_an_answer_that_is_all_markup_is_shown_all_the_same(text):
    assert "".join(piece.text for piece in final(text, [], "en")).strip()


def test_warnings_are_told_once():
    result = ResearchResult("Yes.\n\nCut off.", 1, [], warnings=["Cut off.", "Only words were searched."])
    (piece,) = conclude(result, [], []).pieces
    assert piece.text == f"Yes.\n\nCut off.\n\n_Only words were searched._\n\n_{UNSOURCED['en']}_"


def test_a_link_that_only_begins_like_a_hinted_one_does_not_rest_on_it():
    result = ResearchResult("See https://wiki.test/12 for it.", 1, [])
    assert conclude(result, [source(1)], []).sources == ()


def test_progress_holds_no_client_and_no_callback():
    values = {str, int, tuple[str, ...], tuple[SearchHit | WebHit, ...], tzinfo | None}
    assert {field.type for field in fields(Progress)} <= values
