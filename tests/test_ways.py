"""What of a run may not go to a search engine, whichever way it came into the run."""

from functools import partial

import pytest

from bot.engine import Message, Role
from bot.engine.scripted import ScriptedEngine
from bot.research import ResearchAgent, RunState, ToolInvocation, Waiting
from bot.ways import Research, Ways
from bot.web import asked
from tests.fakes.research import calls, says
from tests.fakes.search import FakeSearch, hit
from tests.fakes.web_engines import engines_on_loopback
from tests.fakes.web_service import status

QUESTION = "search the web for the salary of a compiler engineer"
SECRET = hit(content_snippet="The salary is 91,250 euros, code ZX-81.")


def _state():
    found = ToolInvocation({"query": "salary"}, num_results=1, top_titles=["x"], raw_hits=[SECRET])
    return RunState(
        query=QUESTION,
        language="en",
        system=Message(Role.SYSTEM, ""),
        question=[Message(Role.USER, QUESTION)],
        invocations=[found],
    )


CARRIED = [
    ("what was found before the run paused", "ZX-81 salary", {"resume": _state()}),
    ("the titles of what earlier answers cite", "The plan to close Lyon", {"hints": ["- The plan to close Lyon: x"]}),
    ("evidence", "ZX-81 salary", {"evidence": [SECRET]}),
    ("an earlier answer", "ZX-81 salary", {"history": [Message(Role.ASSISTANT, "The code is ZX-81.")]}),
]


@pytest.mark.parametrize(("query", "given"), [case[1:] for case in CARRIED], ids=[case[0] for case in CARRIED])
async def test_no_query_carries_what_the_run_holds(query, given):
    engine = ScriptedEngine([calls(("web_search", {"query": query})), says("I cannot say.")])
    async with engines_on_loopback("tavily") as (web, [tavily]):
        ways = Ways(web, partial(ResearchAgent), None)
        await Research(ways, asked(QUESTION), engine, FakeSearch()).run(QUESTION, **given)
    assert tavily.asked == []


ASKS_BACK = calls(("clarify", {"question": "Which one?"}))
WEB_SEARCH = calls(("web_search", {"query": "ZX-81 salary"}))


async def test_what_the_asker_replies_to_a_question_back_may_go_to_an_engine():
    engine = ScriptedEngine([calls(("search", {"query": "salary"})), ASKS_BACK, WEB_SEARCH, says("It is fair [1].")])
    async with engines_on_loopback("tavily") as (web, [tavily]):
        research = Research(
            Ways(web, partial(ResearchAgent), None),
            asked(QUESTION),
            engine,
            FakeSearch([SECRET]),
            clarify_handler=lambda question: "That of ZX-81.",
        )
        await research.run(QUESTION)
    assert [one.body["query"] for one in tavily.asked] == ["ZX-81 salary"]


async def test_a_run_that_goes_on_names_whoever_got_a_query_before_it_paused():
    async def later(question):
        raise Waiting

    kept = []
    async with engines_on_loopback("tavily", "brave") as (web, [tavily, _]):
        tavily.fault = status(401, {})
        ways = Ways(web, partial(ResearchAgent), None)
        engine = ScriptedEngine([calls(("web_search", {"query": "salary"})), ASKS_BACK])
        first = Research(ways, asked(QUESTION), engine, FakeSearch(), clarify_handler=later, on_checkpoint=kept.append)
        with pytest.raises(Waiting):
            await first.run(QUESTION)
        tavily.fault = None
        goes_on = ScriptedEngine([calls(("web_search", {"query": "pay"})), says("It is fair [1].")])
        result = await Research(ways, asked(QUESTION), goes_on, FakeSearch()).run(
            QUESTION, resume=kept[-1].answered("the second")
        )
    assert "The question went to Tavily, Brave." in result.warnings
