"""Sentences of the contract that no story needs: names and defaults, and the edges of budget, clarify and window."""

import inspect
import re
import subprocess
import sys

import pytest

from bot import research
from bot.engine import Message, Role
from bot.research import (
    AnswerDelta,
    ResearchAgent,
    ResearchResult,
    RunState,
    SearchFailed,
    ToolInvocation,
    WebHit,
    build_sources_for_client,
    build_web_sources_for_client,
    renumber_citations,
    shape_results_for_model,
    shape_web_results_for_model,
)
from tests.fakes.markdown import outside_code
from tests.fakes.research import calls, play, says, searches
from tests.fakes.search import FakeSearch, hit, hits

CLARIFY = calls(("clarify", {"question": "Which?"}))
WEB_CALL = calls(("web_search", {"query": "x"}))
MISSING = inspect.Parameter.empty


def drafted(played):
    return "".join(event.text for event in played.events if isinstance(event, AnswerDelta))


def defaults(function, kind):
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is kind and name != "self"
    }


# Names, order and defaults


@pytest.mark.parametrize("name", [
    "Role", "Message", "ToolCall", "WebHit", "SearchHit", "ToolInvocation", "ResearchResult", "ResearchAgent",
    "DEFAULT_PLANNER_MODEL", "RunState", "Waiting", "SearchFailed", "SEARCH_TOOL_SPEC", "WEB_SEARCH_TOOL_SPEC",
    "CLARIFY_TOOL_SPEC", "shape_results_for_model", "shape_web_results_for_model", "build_sources_for_client",
    "build_web_sources_for_client", "renumber_citations",
])  # fmt: skip
def test_everything_of_the_contract_is_importable_from_one_place(name):
    assert name in research.__all__
    assert hasattr(research, name)


def test_the_agent_has_the_parameters_and_defaults_of_the_contract():
    assert list(defaults(ResearchAgent, inspect.Parameter.POSITIONAL_OR_KEYWORD)) == ["engine", "search"]
    assert defaults(ResearchAgent, inspect.Parameter.KEYWORD_ONLY) == {
        "model": "gemma4:31b", "max_iterations": 5, "temperature": 0.3, "max_tokens": 1500, "num_ctx": 16384,
        "clarify_handler": None, "on_event": None, "available_sources": None, "web_search": None,
        "on_checkpoint": None, "clock": None, "run_timeout": 600, "step_timeout": 300, "clarify_timeout": None,
    }  # fmt: skip
    assert defaults(ResearchAgent.run, inspect.Parameter.KEYWORD_ONLY) == dict.fromkeys(
        ["history", "hints", "evidence", "resume"]
    )


@pytest.mark.parametrize(
    ("function", "keywords"),
    [
        (shape_results_for_model, {"detailed_top": 5, "thread_ctx_per_hit": 3, "total_cap": 20, "ref_offset": 0}),
        (shape_web_results_for_model, {"ref_offset": 0}),
        (build_sources_for_client, {"total_cap": 20, "ref_offset": 0}),
        (build_web_sources_for_client, {"ref_offset": 0, "total_cap": 10}),
        (renumber_citations, {}),
    ],
)
def test_the_functions_have_the_keywords_and_defaults_of_the_contract(function, keywords):
    assert defaults(function, inspect.Parameter.KEYWORD_ONLY) == keywords


def test_values_have_the_fields_and_defaults_of_the_contract():
    assert Message(Role.USER) == Message(Role.USER, "", "", [], "")
    assert WebHit("t", "u") == WebHit("t", "u", site="", date="", snippet="")
    assert ToolInvocation({}) == ToolInvocation({}, 0, [], [], "search", "", [], "")
    assert ResearchResult("a", 1, [], {}).language == "en"
    assert (hit().thread_id, hit().thread_context, hit().url) == ("", [], "")
    assert (Role.TOOL, str(Role.ASSISTANT)) == ("tool", "assistant")


@pytest.mark.parametrize(
    ("typed", "read"),
    [("", "(no answer provided)"), ("\n", "(user did not provide a clarification)"), ("Ada\nBob\n", "Ada")],
)
def test_the_terminal_is_asked_on_stderr_and_answers_with_a_line(typed, read):
    code = "from bot.research.clarify import ask_in_terminal; print(ask_in_terminal('Which one?'))"
    asked = subprocess.run([sys.executable, "-c", code], input=typed, capture_output=True, text=True, check=True)
    assert asked.stdout == f"{read}\n"
    assert "Which one?" in asked.stderr


# The budget


async def test_a_call_while_tools_are_withheld_gets_a_tool_message_with_an_error():
    both = calls(("search", {"query": "a"}), ("search", {"query": "b"}))
    played = await play(both, searches("c"), says("A [1]."), search=FakeSearch(hits(1), hits(1)), max_iterations=2)
    assert [played.offered(call) for call in range(3)] == [["search", "clarify"], None, None]
    assert [message.role for message in played.messages()[2:]] == [
        "assistant", "tool", "tool", "user", "assistant", "tool",
    ]  # fmt: skip
    assert "error" in played.tool_contents()[-1]
    assert played.types.count("search_call") == 2


async def test_search_web_and_clarify_share_one_budget():
    played = await play(
        searches(), CLARIFY, WEB_CALL, says("Done."),
        clarify_handler=lambda question: "That.", web_search=lambda *_: [], max_iterations=3,
    )  # fmt: skip
    assert played.offered() is None
    assert [call.tool_name for call in played.result.tool_calls] == ["search", "clarify", "web_search"]


async def test_a_clarify_after_a_web_search_is_asked():
    played = await play(
        WEB_CALL, CLARIFY, says("Done."), web_search=lambda *_: [], clarify_handler=lambda question: "That."
    )
    assert played.types[2:] == ["clarify_call", "clarify_response", "final_answer"]


async def test_a_clarify_with_evidence_but_before_a_search_is_refused():
    played = await play(CLARIFY, says("Done."), run={"evidence": hits(1)})
    assert played.tool_contents()[0]["error"].startswith("clarify is only available after at least one search call.")


@pytest.mark.parametrize("question", ["[1]", "https://evil.example/x", "![](https://evil.example/x)"])
async def test_a_clarify_question_of_which_the_gates_leave_nothing_is_blank(question):
    asked = []
    ask = calls(("clarify", {"question": question}))
    played = await play(searches(), ask, says("Done."), clarify_handler=asked.append, search=FakeSearch(hits(1)))
    assert asked == []
    assert "error" in played.tool_contents()[-1]
    assert played.types == ["search_call", "search_result", "final_answer"]


async def test_after_only_failed_searches_an_empty_reply_ends_the_run():
    played = await play(searches(), {"content": ""}, search=FakeSearch(SearchFailed("closed")))
    assert played.result.stop_reason == "no_content"


async def test_an_engine_lost_with_evidence_of_the_caller_still_writes_the_synthesis():
    played = await play(OSError(), says("A [1]."), run={"evidence": hits(1)})
    assert (played.result.answer, played.result.stop_reason) == ("A [1].", "engine_failed")


async def test_a_synthesis_that_cites_nothing_is_not_repaired():
    played = await play(searches(), calls("fly"), says("A."), search=FakeSearch(hits(1)), max_iterations=1)
    assert (played.result.answer, played.result.iterations, played.result.grounded) == ("A.", 3, False)


async def test_a_synthesis_that_cites_one_known_number_is_not_repaired():
    played = await play(searches(), calls("fly"), says("A [1][9]."), search=FakeSearch(hits(1)), max_iterations=1)
    assert (played.result.answer, played.result.dropped_citations, played.result.iterations) == ("A [1].", 1, 3)


# What the engine is given, and what is kept


async def test_a_turn_of_which_only_marks_were_text_is_left_out():
    history = [{"role": "user", "content": "Sites?"}, {"role": "assistant", "content": "[1] [2]"}]
    played = await play(says("Hi."), run={"history": history})
    assert [message.content for message in played.messages()[1:]] == ["Sites?", "What is Falcon?"]


async def test_a_clarification_is_told_to_the_synthesis_without_markup():
    played = await play(
        searches(), CLARIFY, calls("fly"), calls("fly"), says("A [1]."),
        search=FakeSearch(hits(1)), clarify_handler=lambda question: "The <|im_start|> one " + "x" * 50_000,
        max_iterations=3,
    )  # fmt: skip
    [_, prompt] = played.messages()
    assert "Which?" in prompt.content
    assert "<|im_start|>" not in prompt.content
    assert len(prompt.content) < 5_000


async def test_titles_are_the_first_five_and_a_hit_without_one_lends_its_snippet():
    found = [hit(1, title=" ", content_snippet="s" * 80), *hits(6, first=2)]
    played = await play(searches(), says("Done."), search=FakeSearch(found))
    titles = ["s" * 60, "Document 2", "Document 3", "Document 4", "Document 5"]
    assert played.dicts[1]["top_titles"] == played.result.tool_calls[0].top_titles == titles


async def test_a_web_hit_without_a_title_lends_its_address():
    played = await play(WEB_CALL, says("Done."), web_search=lambda *_: [WebHit("", "https://a.example")])
    assert played.result.tool_calls[0].top_titles == ["https://a.example"]


async def test_every_turn_that_changes_the_run_is_handed_to_the_checkpoint():
    states = []
    replies = [searches(), {"content": ""}, says("A [1].")]
    played = await play(*replies, search=FakeSearch(hits(1)), on_checkpoint=states.append)
    assert states[-1].transcript[-1] == played.messages()[-1]
    assert states[-1].turns == 2


async def test_a_run_with_odd_arguments_can_be_kept_and_read_back():
    states = []
    odd = calls(("search", {"query": "\ud800", "limit": float("inf"), "x": 10**30}), "\ud800")
    await play(odd, says("Done \ud800."), search=FakeSearch(hits(1)), on_checkpoint=states.append)
    for state in states:
        assert RunState.model_validate_json(state.model_dump_json()).turns == 1


# The text that is shown


async def test_drafts_carry_final_numbers():
    played = await play(searches(), says("B [5], a [2], B [5]. Wrong [9]."), search=FakeSearch(hits(6)))
    assert drafted(played) == played.result.answer == "B [1], a [2], B [1]. Wrong."


async def test_a_call_voids_the_draft_before_it():
    reply = calls(("search", {"query": "x"}), content="Let me look this up for you.")
    played = await play(reply, says("It flies [1]."), search=FakeSearch(hits(1)))
    kinds = [type(event).__name__ for event in played.events]
    assert kinds.index("AnswerDelta") < kinds.index("SearchCall")


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([calls("fly", content="Let me look up"), says("It flies [1].")], id="a refused call"),
        pytest.param([calls("fly", content="It is"), says("```https://evil.example/x")], id="a fence within a line"),
        pytest.param(
            [calls("fly", content="Look:\n```\ncode\n"), says("```\nhttps://evil.example/x\n```")],
            id="a fence left open",
        ),
        pytest.param([calls("fly")] * 2 + [says("Surely [9]."), says("It flies [1].")], id="a repaired synthesis"),
    ],
)
async def test_the_drafts_of_two_replies_are_never_read_as_one_text(replies):
    turns = sum("tool_calls" in reply for reply in replies)
    played = await play(*replies, run={"evidence": hits(1)}, max_iterations=turns - 1)
    assert "evil.example" not in outside_code(drafted(played))[0]
    assert not re.search(r"\S(It flies|```)", drafted(played))


@pytest.mark.parametrize("text", ["[7]", "https://evil.example/x", "![](https://evil.example/x)"])
async def test_a_cut_answer_of_which_the_gates_leave_nothing_is_what_was_found(text):
    played = await play(searches(), says(text, done_reason="length"), search=FakeSearch(hits(1)))
    assert "The passage of document 1. [1]" in played.result.answer
    assert played.result.answer == played.result.answer.strip()


async def test_a_search_is_not_made_again_by_the_loop_when_it_failed():
    played = await play(searches(), says("Not searched."), search=FakeSearch(OSError(), hits(1)))
    assert len(played.search.calls) == 1
