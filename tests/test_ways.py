"""What of a run may not go to a search engine, whichever way it came into the run."""

from functools import partial

import pytest

from bot.engine import Message, Role
from bot.engine.scripted import ScriptedEngine
from bot.research import ResearchAgent, RunState, ToolInvocation
from bot.ways import Research, Ways
from bot.web import asked
from tests.fakes.research import calls, says
from tests.fakes.search import FakeSearch, hit
from tests.fakes.web_engines import engines_on_loopback

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
