"""The result of a web search, and the text form of results."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.sentences import in_language, said
from bot.web import NO_RESULTS, TIMED_OUT, Failure, WebSearchResult, WebSource, parse_results
from bot.web.outcome import error_of
from bot.web.sentences import NOT_SET

SOURCE = WebSource(1, "A", "https://a.example/", "snippet", "text")


def test_the_client_gets_no_text_of_a_page():
    assert SOURCE.public() == {"ref": 1, "title": "A", "url": "https://a.example/"}
    assert WebSearchResult("q", "e", [SOURCE]).event() == {"query": "q", "engine": "e", "sources": [SOURCE.public()]}


def test_the_event_of_a_failure_has_its_error_and_that_of_a_success_has_none():
    assert WebSearchResult("q", error=TIMED_OUT).event() == {
        "query": "q",
        "engine": "",
        "sources": [],
        "error": TIMED_OUT,
    }
    assert "error" not in WebSearchResult("q", "e", [SOURCE]).event()


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        pytest.param({"sources": [SOURCE]}, "ok", id="sources"),
        pytest.param({}, "empty", id="neither error nor source"),
        pytest.param({"error": NO_RESULTS}, "empty", id="the sentence of no results"),
        pytest.param({"error": NO_RESULTS, "sources": [SOURCE]}, "empty", id="the sentence wins over sources"),
        pytest.param({"error": TIMED_OUT}, "failed", id="a time-out"),
        pytest.param({"error": "boom", "sources": [SOURCE]}, "failed", id="an error wins over sources"),
        pytest.param({"error": ""}, "failed", id="an error without words"),
        pytest.param({"sources": [SOURCE], "outcome": "partial"}, "partial", id="what is given"),
    ],
)
def test_the_outcome_follows_unless_it_is_given(given, outcome):
    assert WebSearchResult("q", **given).outcome == outcome


@pytest.mark.parametrize("given", [{"outcome": "partial"}, {"notes": ["One page was not read."]}])
def test_a_search_with_an_error_is_not_partial(given):
    with pytest.raises(ValueError, match="not partial"):
        WebSearchResult("q", error=TIMED_OUT, **given)


def test_a_result_has_its_defaults():
    result = WebSearchResult("q")
    assert (result.engine, result.sources, result.error, result.notes) == ("", [], None, [])
    result.sources.append(SOURCE)
    assert WebSearchResult("q").sources == []
    assert WebSearchResult("q", "e", [SOURCE], None) == WebSearchResult("q", "e", [SOURCE])


def test_a_failure_is_one_sentence():
    assert Failure("Tavily", "timeout").sentence == "Tavily took too long."
    assert Failure("", "timeout").sentence == TIMED_OUT
    assert Failure("", "unforeseen", "KeyError").sentence == "The web search failed (KeyError)."
    assert Failure("", "unforeseen").sentence == "The web search failed."
    assert Failure("Brave", "blocked", "HTTP 403.").sentence == "Brave refused to search: HTTP 403."
    assert Failure("Brave", "unforeseen", "KeyError").sentence == "Brave failed: KeyError."


def test_a_failure_is_told_in_french_with_the_engines_own_words_as_they_are():
    told = in_language(Failure("Tavily", "bad_key", "HTTP 401, Unauthorized").sentence, "fr")
    assert told == "Tavily a refusé la clé : HTTP 401, Unauthorized."
    both = [Failure("Tavily", "no_key", said(NOT_SET, setting="TAVILY_API_KEY")), Failure("Brave", "timeout")]
    assert in_language(error_of(both), "fr") == (
        "Tavily n'a pas de clé : TAVILY_API_KEY n'est pas défini. Brave a mis trop de temps."
    )
    assert in_language(TIMED_OUT, "fr") == "La recherche sur le web a pris trop de temps."


@pytest.mark.parametrize(
    ("kind", "asked", "answered"),
    [("bad_key", True, True), ("rate_limited", False, False), ("timeout", True, False), ("unreachable", True, False)],
)
def test_only_an_engine_that_said_something_got_the_query_for_certain(kind, asked, answered):
    assert Failure("Tavily", kind, asked=asked).answered is answered


def test_a_failed_result_has_the_kind_of_its_first_failure():
    failures = [Failure("One", "bad_key"), Failure("Two", "timeout")]
    assert WebSearchResult("q", error="x", failures=failures).kind == "bad_key"
    assert WebSearchResult("q", "e", [SOURCE], failures=failures).kind is None


BLOCK = "### {title}\nSource: {url}\nSummary: {summary}"


def test_blocks_become_sources():
    content = "\n\n---\n\n".join(
        [
            BLOCK.format(title="A", url="https://a.example/", summary="One.\nTwo."),
            BLOCK.format(title="B", url="http://b.example/x?y=1", summary=""),
        ]
    )
    assert parse_results(content) == [
        WebSource(1, "A", "https://a.example/", "One.\nTwo."),
        WebSource(2, "B", "http://b.example/x?y=1", ""),
    ]


@pytest.mark.parametrize(
    "block",
    [
        "Nothing to see here",
        "### Title\nSummary: no address",
        "### Title\nSource: not an address\nSummary: x",
        "### Title\nSource: https://a.example/",
        "Source of the problem: https://a.example/",
        "",
        "#### Title\nSource: https://a.example/\nSummary: x",
    ],
)
def test_a_block_that_does_not_fit_is_skipped_and_the_numbers_run_on(block):
    good = [BLOCK.format(title=name, url=f"https://{name}.example/", summary="s") for name in "ab"]
    found = parse_results("\n\n---\n\n".join([good[0], block, good[1]]))
    assert [(source.ref, source.title) for source in found] == [(1, "a"), (2, "b")]


@pytest.mark.parametrize("title", ["###\n", "### \n", ""])
def test_a_missing_title_falls_back_to_the_address(title):
    [source] = parse_results(f"{title}Source: https://a.example/\nSummary: s")
    assert source.title == "https://a.example/"


def test_a_rule_inside_a_summary_parts_nothing_unless_it_stands_between_blank_lines():
    [source] = parse_results(BLOCK.format(title="A", url="https://a.example/", summary="one\n---\ntwo"))
    assert source.snippet == "one\n---\ntwo"


def test_line_ends_of_windows_are_read():
    blocks = [BLOCK.format(title=name, url=f"https://{name}.example/", summary="s") for name in "ab"]
    content = "\n\n---\n\n".join(blocks).replace("\n", "\r\n")
    assert [source.url for source in parse_results(content)] == ["https://a.example/", "https://b.example/"]


words = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20)


@settings(max_examples=150)
@given(
    rows=st.lists(
        st.tuples(words, st.from_regex(r"https?://[a-z]{1,8}\.example/[a-z]{0,5}", fullmatch=True), words), max_size=4
    )
)
def test_what_was_written_is_what_is_read(rows):
    content = "\n\n---\n\n".join(BLOCK.format(title=title, url=url, summary=text) for title, url, text in rows)
    found = parse_results(content)
    assert [(source.ref, source.url) for source in found] == [(ref, row[1]) for ref, row in enumerate(rows, 1)]
    assert [source.title for source in found] == [row[0].strip() or row[1] for row in rows]


@settings(max_examples=150)
@given(
    content=st.text(max_size=200)
    | st.lists(st.sampled_from(["### ", "Source: https://a.example/", "Summary:", "---", "\n", " "])).map("".join)
)
def test_any_text_is_read_without_an_exception(content):
    assert [source.ref for source in parse_results(content)] == list(range(1, len(parse_results(content)) + 1))
