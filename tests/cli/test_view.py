"""The terminal view: what a reader sees of a run, in a terminal and in a pipe."""

import io

import pytest
from rich.console import Console

from bot.cli.view import View
from bot.research import AnswerDelta, ClarifyCall, FinalAnswer, SearchCall, SearchResult, WebSearch

SOURCE = {
    "ref": 1, "title": "Leave policy", "sender": "Ada", "date": "2026-11-01", "source": "files",
    "source_id": "leave.md", "url": "https://wiki/leave",
}  # fmt: skip
RUN = [
    SearchCall({"query": "leave"}),
    SearchResult(1, ["Leave policy"], [SOURCE]),
    AnswerDelta("You have **30 "),
    FinalAnswer("You have **30 days** [1].", [SOURCE], grounded=True, warnings=["Lexical only."]),
]


def show(events, *, terminal, width=200):
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=width, legacy_windows=False)
    with View(console, lambda source: source["url"]) as view:
        for event in events:
            view(event)
    return out.getvalue()


def test_in_a_pipe_every_step_is_a_line_and_the_answer_comes_whole():
    assert show(RUN, terminal=False).splitlines() == [
        "Searching the documents for “leave”",
        "  1 found: Leave policy",
        "",
        "You have **30 days** [1].",
        "",
        "Sources",
        "[1] Leave policy (Ada, 2026-11-01) https://wiki/leave",
        "Note: Lexical only.",
    ]


def test_a_title_of_which_several_passages_are_found_is_named_once():
    found = SearchResult(5, ["Leave policy", "Leave policy", "Salaries", "Leave policy", "Travel"], [SOURCE])
    assert show([found], terminal=False) == "  5 found: Leave policy · Salaries · Travel\n"


def test_in_a_pipe_long_lines_are_not_broken():
    long = "word " * 100
    assert long.strip() in show([FinalAnswer(long.strip(), [SOURCE], grounded=True)], terminal=False, width=80)


def test_in_a_pipe_nothing_steers():
    assert "\x1b" not in show(RUN, terminal=False)


def test_in_a_terminal_a_source_opens_with_a_click():
    shown = show(RUN, terminal=True)
    assert "\x1b]8;" in shown
    assert "https://wiki/leave" in shown
    assert "[1] Leave policy (Ada, 2026-11-01)" in shown


def test_in_a_terminal_the_answer_is_rendered():
    assert "**30" not in show(RUN, terminal=True).split("found: Leave policy")[-1].split("days")[1]


def test_marks_in_the_answer_are_not_taken_for_markup():
    shown = show([FinalAnswer("See [bold]x[/bold] [1].", [SOURCE], grounded=True)], terminal=False)
    assert "See [bold]x[/bold] [1]." in shown


@pytest.mark.parametrize("voids", [SearchCall({"query": "x"}), ClarifyCall("Which?")])
def test_a_call_voids_the_draft_before_it(voids):
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    view = View(console, lambda source: "")
    view(AnswerDelta("half a thought"))
    assert "half" in _draft(view, console)
    view(voids)
    assert "half" not in _draft(view, console)


def _draft(view, console):
    with console.capture() as captured:
        console.print(view.draft())
    return captured.get()


def test_a_page_that_could_not_be_read_is_told_once():
    unread = "The page could not be read: No site of that name was found, or the internet is out of reach."
    final = FinalAnswer("I cannot open it.", [], warnings=[unread])
    shown = show([WebSearch("Sum up https://a.test/", "", [], unread), final], terminal=False)
    assert shown.count(unread) == 1
