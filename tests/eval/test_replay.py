"""Answers that people found bad, given again from what was found for them then."""

from datetime import UTC, datetime

import pytest

from bot.engine import EngineError
from bot.engine.recorded import RecordedEngine
from bot.engine.scripted import ScriptedEngine
from bot.eval.case import Case, CaseError, case_of, read
from bot.eval.replay import ENDED, FROM_THE_WEB, UNSEARCHED, replay
from bot.research import Clarification, Message, ResearchAgent, Role, WebHit
from bot.store import Feedback, Run, Turn
from tests.fakes.research import calls, says, searches
from tests.fakes.search import FakeSearch, hit

PAGE = WebHit("Law", "https://law.test", snippet="25 days at least.")


async def recorded(*replies, finds=(), web=(), query="How much leave?", reply="the paid one", **run):
    """The case of a run with these replies of the model."""
    states, kept = [], []
    engine = RecordedEngine(ScriptedEngine(replies), kept.append)
    agent = ResearchAgent(
        engine,
        FakeSearch(*finds),
        on_checkpoint=states.append,
        clarify_handler=lambda question: reply,
        web_search=(lambda query, recency, news: list(web)) if web else None,
        clock=lambda: datetime(2026, 11, 30, 9, tzinfo=UTC),
    )
    result = await agent.run(query, **run)
    turn = Turn(ts="1.0", asker="U1", question=query, answer=result.answer, sources=tuple(result.sources))
    state = states[-1].model_dump_json() if states else ""
    asked = {"key": "C1:1.0", "channel": "C1", "thread_ts": "1.0", "user": "U1", "asked": {}, "at": 1.0}
    trace = Run(**asked, state=state, spoken=tuple(kept), turn=turn)
    case = case_of(Feedback(run="C1:1.0", user="U2", good=False, reason="Wrong.", trace=trace))
    return Case.model_validate_json(case.model_dump_json())


HISTORY = [Message(Role.USER, "Hello."), Message(Role.ASSISTANT, "Hello [1].")]


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([searches("leave"), says("30 days [1].")], id="a search"),
        pytest.param([searches("a"), searches("b"), says("[2] and [1]. [4]")], id="the same search twice"),
        pytest.param([calls(("web_search", {"query": "law"})), says("25 [1].")], id="the web"),
        pytest.param(
            [searches("leave"), calls(("clarify", {"question": "Which?"})), says("30 [1].")], id="a question back"
        ),
        pytest.param([searches("leave"), EngineError("down"), says("So it is [1].")], id="a model that failed"),
        pytest.param([says("Hello.")], id="no search"),
        pytest.param([searches("x", time_range={"start": "2026-11-01"}), says("It is [1].")], id="a time"),
    ],
)
async def test_recorded_replies_give_the_recorded_answer(replies):
    finds = [[hit(1), hit(2)], [hit(3), hit(4)]]
    case = await recorded(*replies, finds=finds, web=[PAGE], history=HISTORY, hints=["Ada asks."], evidence=[hit(9)])
    again = await replay(case, ResearchAgent)
    assert (again.answer, again.sources, again.note) == (case.answer, case.sources, "")
    assert again.same
    assert case.reason == "Wrong."


async def test_what_came_with_a_reply_comes_with_it_again():
    replies = [searches("a"), calls(("clarify", {"question": "Which?"})), searches("b"), says("[3], [2] and [1].")]
    reply = Clarification("this one", [hit(7)])
    case = await recorded(*replies, finds=[[hit(1)], [hit(2)]], reply=reply)
    again = await replay(case, ResearchAgent)
    assert [source["title"] for source in again.sources] == ["Document 2", "Document 7", "Document 1"]
    assert again.same


async def test_a_search_that_failed_fails_again():
    case = await recorded(searches("leave"), says("Nothing could be searched."), finds=[OSError()])
    again = await replay(case, ResearchAgent)
    assert again.same
    assert case.searches[0].error == "OSError"


async def test_another_model_gets_what_was_found_then_whatever_it_searches_for():
    case = await recorded(searches("leave"), says("25 days [1]."), finds=[[hit(1), hit(2)]], history=HISTORY)
    engine = ScriptedEngine([searches("holidays", limit=1), says("30 days [1].")])
    again = await replay(case, ResearchAgent, engine)
    assert (again.answer, again.same) == ("30 days [1].", False)
    assert [source["title"] for source in again.sources] == ["Document 1"]
    assert [turn.content for turn in engine.calls[0]["messages"]][1:3] == ["Hello.", "Hello."]


async def test_replies_that_do_not_reach_are_said():
    case = await recorded(searches("leave"), says("25 days [1]."), finds=[[hit(1)]])
    cut = case.model_copy(update={"replies": case.replies[:1]})
    assert (await replay(cut, ResearchAgent)).note == ENDED


async def test_an_answer_without_a_search_is_not_given_to_another_model():
    case = await recorded(says("Hello."))
    assert (await replay(case, ResearchAgent, ScriptedEngine([says("Hi.")]))).note == UNSEARCHED
    assert (await replay(case, ResearchAgent)).same


async def test_an_answer_from_the_web_alone_is_not_run_again():
    turn = Turn(ts="1.0", asker="U1", question="News?", answer="None.")
    run = Run(key="C1:1.0", channel="C1", thread_ts="1.0", user="U1", asked={}, turn=turn)
    case = case_of(Feedback(run="C1:1.0", user="U2", good=False, trace=run))
    assert (await replay(case, ResearchAgent)).note == FROM_THE_WEB


def test_what_is_not_kept_any_more_is_no_case():
    assert case_of(Feedback(run="C1:1.0", user="U2", good=False)) is None


def test_what_is_no_case_is_named(tmp_path):
    with pytest.raises(CaseError, match="holds no replay case"):
        list(read([tmp_path]))
    with pytest.raises(CaseError, match=r"gone\.json cannot be read: No such file"):
        list(read([tmp_path / "gone.json"]))
    (tmp_path / "a.json").write_text('{"version": 2}')
    with pytest.raises(CaseError, match=r"a\.json is no replay case of version 1: see version\."):
        list(read([tmp_path]))
    (tmp_path / "a.json").write_text("no JSON")
    with pytest.raises(CaseError, match=r"a\.json is no replay case of version 1: it is not a JSON object\."):
        list(read([tmp_path]))
