"""The sources of an answer: how old they are, in words, and what was searched for them."""

from datetime import UTC, date, datetime

import pytest

from bot.research import ResearchResult, ToolInvocation
from bot.slack.messages.explained import searched, way
from bot.slack.messages.sources import age, asked_about
from bot.store import Run, Step
from tests.fakes.search import hit

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("day", "words"),
    [
        ("2026-11-30", "today"),
        ("2026-11-29", "yesterday"),
        ("2026-11-28", "2 days ago"),
        ("2026-11-16", "2 weeks ago"),
        ("2026-10-01", "2 months ago"),
        ("2024-12-02", "24 months ago"),
        ("2024-11-30", "2 years ago"),
        ("2026-12-01", ""),
        ("2026-12-02", "still to come"),
        ("2 days ago", ""),
        ("", ""),
    ],
)
def test_an_age_is_in_words_that_are_as_exact_as_one_needs(day, words):
    assert age(day, TODAY, "en") == words


def test_it_is_in_the_language_of_the_question():
    assert age("2026-11-16", TODAY, "fr") == "il y a 2 semaines"


@pytest.mark.parametrize("value", ["1,3:C1:2.0", ":C1:2.0", "x:C1:2.0"])
def test_a_button_stands_for_footnotes_and_a_run(value):
    assert asked_about(value) == ([1, 3] if "," in value else [], "C1:2.0")


def result(*calls):
    return ResearchResult("Yes.", 1, [*calls])


def test_what_was_searched_counts_each_passage_once_and_dates_what_is_past():
    coming = hit(2, timestamp="2026-12-24T00:00:00+00:00")
    first = ToolInvocation({"query": "a", "sources": None}, 2, raw_hits=[hit(1), coming])
    again = ToolInvocation({"query": "b", "sources": ["mail"]}, 1, raw_hits=[hit(1)])
    failed = ToolInvocation({"query": "c", "sources": ["calendar"]}, error="down")
    told = searched(result(first, again, failed), ["files", "<chat>"], TODAY, "en")
    assert told == "Searched files, &lt;chat&gt;, mail: 2 found · the newest is of 2026-11-24 (6 days ago)"


def test_of_each_source_that_was_searched_is_told_when_it_was_last_indexed():
    call = ToolInvocation({"query": "a", "sources": ["files", "<mail>", "chat"]}, 0)
    known = {"files": datetime(2026, 11, 30, 7, tzinfo=UTC), "<mail>": datetime(2026, 11, 28, tzinfo=UTC)}
    told = searched(result(call), [], TODAY, "en", indexed=known | {"wiki": datetime(2026, 11, 1, tzinfo=UTC)})
    fresh = "files indexed 2026-11-30 (today), &lt;mail&gt; indexed 2026-11-28 (2 days ago)"
    assert told == f"Searched files, &lt;mail&gt;, chat: 0 found · {fresh}"
    told = searched(result(call), [], TODAY, "fr", indexed=known)
    assert told.endswith(
        "files : indexé le 2026-11-30 (aujourd'hui), &lt;mail&gt; : indexé le 2026-11-28 (il y a 2 jours)"
    )


def test_what_went_to_the_web_is_told_and_what_was_kept_back_is_not():
    web = ToolInvocation({"query": "kept back"}, tool_name="web_search", error="not sent")
    told = searched(result(web), [], TODAY, "en", queries=("<!here> news",))
    assert told == "Asked the web: “&lt;!here&gt; news”"
    assert searched(result(web), [], TODAY, "en") == ""


def test_how_it_came_names_each_step_and_who_got_what():
    steps = (
        Step(what="search", text="leave", found=23, kept=20, seconds=0.25),
        Step(what="model", tokens=300, seconds=2),
        Step(what="query", text="leave law", engine="brave"),
        Step(what="page_request", text="https://a.test/"),
        Step(what="page_request", text="https://b.test/", engine="Firecrawl"),
        Step(what="web_search", text="leave law", found=3, kept=3),
        Step(what="page", text="https://c.test/", failed=True),
        Step(what="search", failed=True, text="x"),
        Step(what="clarify", text="Which <year>?"),
    )
    run = Run(key="C1:1.0", channel="C1", thread_ts="1.0", user="U1", asked={}, steps=steps, seconds=4.0)
    assert way(run, "en").split("\n") == [
        "*How I got this*",
        "1. Searched the documents for “leave”: 23 found, 20 kept, 3 dropped · 0.2 s",
        "2. The language model read and wrote: 300 tokens · 2.0 s",
        "3. Searched the web for “leave law”: 3 found, 3 kept, 0 dropped · 0.0 s",
        "4. Tried to read the page https://c.test/, which failed · 0.0 s",
        "5. Searched for “x”, which failed · 0.0 s",
        "6. Asked back: “Which &lt;year&gt;?” · 0.0 s",
        "In all: 4.0 s, 300 tokens",
        "This left the building: “leave law” to brave, a request for the page https://a.test/, "
        "a request for the page https://b.test/, made by Firecrawl",
    ]
