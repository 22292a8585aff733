"""What the last word says besides the answer."""

import pytest

from bot.research import ResearchResult, ToolInvocation
from bot.sentences import SEARCH_FAILED, SEARCH_FAILED_WEB, UNSOURCED
from bot.slack.messages.conclusion import conclude

FAILED = ToolInvocation({"query": "leave"}, error="the index could not be read")
NOTE = f"_{SEARCH_FAILED['en']}._"


def said(answer, calls, **more):
    return "\n".join(piece.text for piece in conclude(ResearchResult(answer, 1, calls, **more), [], []).pieces)


def test_an_outage_is_not_taken_for_an_answer_that_there_is_nothing():
    assert said("There is no such policy.", [FAILED]) == f"There is no such policy.\n\n{NOTE}\n\n_{UNSOURCED['en']}_"
    assert NOTE in said("", [FAILED], stop_reason="no_content")


@pytest.mark.parametrize("failed", [SEARCH_FAILED, SEARCH_FAILED_WEB])
def test_that_nothing_could_be_searched_is_no_claim(failed):
    assert UNSOURCED["en"] not in said(f"{failed['en']}.", [])


@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        pytest.param("It is 30 days.", [FAILED, ToolInvocation({"query": "days"}, 3)], id="one that was made"),
        pytest.param(
            "It is out.", [ToolInvocation({"query": "x"}, tool_name="web_search", error="down")], id="the web"
        ),
        pytest.param("Hello.", [], id="no search"),
        pytest.param(f"{SEARCH_FAILED['en']}.", [FAILED], id="already said"),
    ],
)
def test_otherwise_nothing_is_said_of_it(answer, calls):
    assert NOTE not in said(answer, calls)
