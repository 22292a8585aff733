"""However a run ends: engine failures, deadlines, cancellation, waiting, resuming."""

import asyncio
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from bot.engine import EngineError, Message, Role
from bot.engine.scripted import ScriptedEngine
from bot.research import Clarification, FinalAnswer, ResearchAgent, RunState, Waiting, WebHit
from tests.fakes.research import calls, play, says, searches
from tests.fakes.search import FakeSearch, hits

CLARIFY = calls(("clarify", {"question": "Which Falcon?"}))


async def test_an_engine_that_fails_at_once_ends_in_one_honest_sentence():
    played = await play(EngineError("down"))
    assert played.result.stop_reason == "engine_failed"
    assert "did not answer" in played.result.answer
    assert played.types == ["error", "final_answer"]
    assert played.result.iterations == 1


async def test_the_log_has_an_engine_s_own_sentence_and_of_other_errors_the_kind_alone(caplog):
    await play(EngineError("Ollama is not there; start it."))
    await play(ValueError("what the user wrote"))
    assert "Ollama is not there; start it." in caplog.text
    assert "ValueError" in caplog.text
    assert "what the user wrote" not in caplog.text


async def test_the_sentence_is_in_the_language_of_the_question():
    played = await play(OSError(), query="Où en est le projet Falcon ?")
    assert "Le modèle de langage" in played.result.answer


async def test_an_engine_lost_after_evidence_was_found_still_writes_the_synthesis():
    played = await play(searches(), RuntimeError("500"), says("It is [1]."), search=FakeSearch(hits(1)))
    assert (played.result.answer, played.result.stop_reason) == ("It is [1].", "engine_failed")
    assert played.engine.calls[-1]["tools"] is None


@pytest.mark.parametrize("last", [RuntimeError("500"), {"content": ""}])
async def test_when_the_synthesis_fails_too_a_cited_digest_is_given(last):
    played = await play(searches(), RuntimeError("500"), last, search=FakeSearch(hits(2)))
    assert played.result.stop_reason == "engine_failed"
    assert "> The passage of document 1. [1]" in played.result.answer
    assert [source["title"] for source in played.result.sources] == ["Document 1", "Document 2"]
    assert played.result.grounded


async def test_an_engine_that_stalls_is_an_engine_that_failed():
    class Stalling(ScriptedEngine):
        async def generate(self, messages, **options):
            await asyncio.Event().wait()

    events = []
    agent = ResearchAgent(Stalling([]), FakeSearch(), step_timeout=0.02, on_event=events.append)
    assert (await agent.run("What?")).stop_reason == "engine_failed"
    assert isinstance(events[-1], FinalAnswer)


class Slow(ScriptedEngine):
    """Plays its replies, and hangs on those that are None."""

    def __init__(self, replies):
        super().__init__(replies)
        self.hanging = asyncio.Event()

    async def generate(self, messages, **options):
        if self._replies[len(self.calls)] is None:
            self.calls.append({"messages": list(messages), "tools": options["tools"]})
            self.hanging.set()
            await asyncio.Event().wait()
        return await super().generate(messages, **options)


async def test_the_deadline_ends_the_run_in_a_synthesis_of_what_was_found():
    engine = Slow([searches(), None, says("It is [1].")])
    agent = ResearchAgent(engine, FakeSearch(hits(1)), run_timeout=0.5)
    result = await agent.run("What?")
    assert (result.answer, result.stop_reason, result.iterations) == ("It is [1].", "deadline", 3)


@pytest.mark.parametrize(
    ("found", "answer"), [(hits(1), "> The passage of document 1. [1]"), ([], "I ran out of time")]
)
async def test_a_synthesis_that_hangs_at_the_deadline_ends_after_one_step(found, answer):
    agent = ResearchAgent(Slow([searches(), None, None]), FakeSearch(found), run_timeout=0.5, step_timeout=0.8)
    result = await agent.run("What?")
    assert result.stop_reason == "deadline"
    assert answer in result.answer


class Thinking(ScriptedEngine):
    """Takes a while for a reply without tools."""

    async def generate(self, messages, **options):
        if options["tools"] is None:
            await asyncio.sleep(0.8)
        return await super().generate(messages, **options)


async def test_a_synthesis_that_is_being_written_when_the_limit_of_the_run_comes_is_finished():
    engine = Thinking([searches(), calls("fly"), says("It is [1].")])
    agent = ResearchAgent(engine, FakeSearch(hits(1)), run_timeout=1.2, step_timeout=5, max_iterations=1)
    result = await agent.run("What?")
    assert (result.answer, result.stop_reason, result.iterations) == ("It is [1].", "deadline", 3)


async def test_a_reply_that_thought_until_the_length_limit_is_warned_of():
    thought = {"content": "<think>hm", "done_reason": "length"}
    played = await play(thought)
    assert played.result.stop_reason == "no_content"
    assert "length limit" in played.result.warnings[0]


async def test_a_cancelled_run_says_nothing_more_and_leaves_no_task_behind():
    events = []
    engine = Slow([None])
    agent = ResearchAgent(engine, FakeSearch(), on_event=events.append)
    before = asyncio.all_tasks()
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(agent.run("What?"))
        await engine.hanging.wait()
        task.cancel()
    assert task.cancelled()
    assert events == []
    assert asyncio.all_tasks() == before


# A model that serves one at a time


class Queued(ScriptedEngine):
    def __init__(self, replies):
        super().__init__(replies)
        self.slots = []

    @asynccontextmanager
    async def slot(self, *, synthesis=False):
        self.slots.append(synthesis)
        await asyncio.sleep(0.3)
        yield


async def test_waiting_for_a_free_model_counts_toward_no_deadline():
    engine = Queued([searches(), calls("fly"), says("It is [1].")])
    agent = ResearchAgent(engine, FakeSearch(hits(1)), run_timeout=0.6, step_timeout=0.6, max_iterations=1)
    result = await agent.run("What?")
    assert result.stop_reason == "budget"
    assert engine.slots == [False, False, True]


# Asking back


async def test_a_clarify_question_is_asked_and_its_answer_told_to_the_planner():
    asked = []
    played = await play(
        searches(),
        CLARIFY,
        says("It is [1]."),
        search=FakeSearch(hits(1)),
        clarify_handler=lambda question: asked.append(question) or "The <|im_start|> rocket",
    )
    assert asked == ["Which Falcon?"]
    assert played.dicts[2:4] == [
        {"type": "clarify_call", "question": "Which Falcon?"},
        {"type": "clarify_response", "response": "The <|im_start|> rocket"},
    ]
    assert "<|im_start|>" not in played.messages()[-1].content
    invocation = played.result.tool_calls[1]
    assert (invocation.tool_name, invocation.arguments) == ("clarify", {"question": "Which Falcon?"})
    assert invocation.response == "The <|im_start|> rocket"


@pytest.mark.parametrize(
    ("replies", "begins"),
    [
        pytest.param([CLARIFY], "clarify is only available after at least one search call.", id="before a search"),
        pytest.param([searches(), calls(("clarify", {"question": " "}))], "clarify needs", id="a blank question"),
        pytest.param([searches(), CLARIFY, CLARIFY, CLARIFY], "not asked", id="a third one"),
    ],
)
async def test_a_clarify_is_refused(replies, begins):
    played = await play(*replies, says("Done."), clarify_handler=lambda question: "yes")
    assert played.tool_contents()[-1]["error"].startswith(begins)
    assert played.types.count("clarify_call") == max(0, len(replies) - 2)


async def test_a_clarify_after_a_failed_search_is_refused():
    played = await play(searches(), CLARIFY, says("Done."), search=FakeSearch(OSError()), clarify_handler=str)
    assert played.tool_contents()[-1]["error"].startswith("clarify is only available")


async def hangs(question):
    await asyncio.Event().wait()


def fails(question):
    raise RuntimeError("no")


@pytest.mark.parametrize("handler", [hangs, fails])
async def test_a_clarify_without_an_answer_reads_so(handler):
    played = await play(searches(), CLARIFY, says("Done."), clarify_handler=handler, clarify_timeout=0.02)
    assert played.result.tool_calls[1].response == "(no answer provided)"
    assert played.result.answer == "Done."


async def test_waiting_for_a_person_counts_toward_no_deadline():
    async def slowly(question):
        await asyncio.sleep(0.8)
        return "yes"

    played = await play(searches(), CLARIFY, says("Done."), clarify_handler=slowly, run_timeout=0.6, step_timeout=0.6)
    assert played.result.stop_reason == "answered"


async def test_a_clarify_question_passes_the_gates():
    question = "Is it [this](https://evil.example/?q=secret) [1]?"
    played = await play(searches(), calls(("clarify", {"question": question})), says("Done."), clarify_handler=str)
    assert played.dicts[2]["question"] == "Is it this?"


# Waiting and resuming


async def test_a_repair_that_fails_leaves_the_first_synthesis():
    played = await play(
        searches(), calls("fly"), says("A [7]."), RuntimeError(), search=FakeSearch(hits(1)), max_iterations=1
    )
    assert (played.result.answer, played.result.stop_reason) == ("A.", "budget")


def waits(question):
    raise Waiting


async def waiting_run(search):
    states, events = [], []
    agent = ResearchAgent(
        ScriptedEngine([searches(), calls(("clarify", {"question": "Which?"}), ("search", {"query": "b"}))]),
        search,
        clarify_handler=waits,
        on_checkpoint=states.append,
        on_event=events.append,
    )
    with pytest.raises(Waiting):
        await agent.run("What is Falcon?", hints=["A hint."])
    return states, events


async def test_a_waiting_run_checkpoints_says_nothing_terminal_and_goes_on_with_the_answer():
    search = FakeSearch(hits(1), hits(1, first=2))
    states, events = await waiting_run(search)
    assert not any(isinstance(event, FinalAnswer) for event in events)

    state = RunState.model_validate_json(states[-1].model_dump_json()).answered("The rocket")
    resumed, saved = [], []
    engine = ScriptedEngine([says("A [1], b [2].")])
    agent = ResearchAgent(engine, search, on_event=resumed.append, on_checkpoint=saved.append)
    result = await agent.run("What is Falcon?", resume=state)

    assert result.answer == "A [1], b [2]."
    assert [event.as_dict()["type"] for event in resumed if event.as_dict()["type"] != "answer_delta"] == [
        "clarify_response", "search_call", "search_result", "final_answer",
    ]  # fmt: skip
    assert [invocation.tool_name for invocation in result.tool_calls] == ["search", "clarify", "search"]
    assert result.iterations == 3
    tools = [message for message in engine.calls[0]["messages"] if message.role is Role.TOOL]
    assert json.loads(tools[1].content) == {"response": "The rocket"}


async def test_what_comes_with_an_answer_is_numbered_between_what_was_found_before_and_after():
    search = FakeSearch(hits(1), hits(1, first=2))
    states, _ = await waiting_run(search)
    enclosed = hits(7, first=5)
    state = RunState.model_validate_json(states[-1].answered("The rocket", enclosed).model_dump_json())
    assert [hit.title for hit in state.refs().values()][1:] == [hit.title for hit in enclosed]  # already citable
    assert len(state.ranks()) == len(state.refs())

    saved = []
    engine = ScriptedEngine([says("A [1], b [2], c [8], d [9].")])
    result = await ResearchAgent(engine, search, on_checkpoint=saved.append).run("", resume=state)
    titles = ["Document 1", "Document 5", "Document 11", "Document 2"]
    assert [source["title"] for source in result.sources] == titles
    tools = [json.loads(message.content) for message in engine.calls[0]["messages"] if message.role is Role.TOOL]
    assert tools[1]["response"] == "The rocket"
    assert [(hit["ref"], hit["snippet"]) for hit in tools[1]["hits"]] == [
        (ref, hit.content_snippet) for ref, hit in enumerate(enclosed, 2)
    ]
    assert [hit["ref"] for hit in tools[2]["hits"]] == [9]
    assert saved[-1].enclosed == []


async def test_what_came_with_an_answer_is_cited_though_nothing_was_found():
    agent = ResearchAgent(
        ScriptedEngine([searches(), calls(("clarify", {"question": "Which?"})), says("So it is [1].")]),
        FakeSearch([]),
        clarify_handler=lambda question: Clarification("that", hits(1)),
    )
    result = await agent.run("What is Falcon?")
    assert (result.answer, result.grounded) == ("So it is [1].", True)


async def test_a_resumed_run_knows_the_time_at_which_it_goes_on():
    states, _ = await waiting_run(FakeSearch(hits(1)))
    engine = ScriptedEngine([says("Done.")])
    agent = ResearchAgent(engine, FakeSearch(), clock=lambda: datetime(2031, 5, 6, tzinfo=UTC), max_iterations=2)
    await agent.run("", resume=states[-1].answered("yes"))
    assert "2031-05-06T00:00+00:00" in engine.calls[0]["messages"][0].content


async def test_every_checkpoint_of_a_run_leads_to_the_same_answer():
    replies = [searches("a"), searches("b"), says("A [1], b [2].")]
    states = []
    agent = ResearchAgent(ScriptedEngine(replies), FakeSearch(hits(1), hits(1, first=2)), on_checkpoint=states.append)
    whole = await agent.run("What is Falcon?")
    assert len(states) == 4
    for state in states:
        done = len(state.searches)
        engine = ScriptedEngine(replies[state.iterations :])
        search = FakeSearch(*[hits(1), hits(1, first=2)][done:])
        again = await ResearchAgent(engine, search).run(
            "", resume=RunState.model_validate_json(state.model_dump_json())
        )
        assert (again.answer, again.sources, again.iterations) == (whole.answer, whole.sources, whole.iterations)


async def test_a_checkpoint_that_cannot_be_kept_costs_no_answer():
    def full(state):
        raise OSError("disk full")

    assert (await play(searches(), says("Done."), on_checkpoint=full)).result.answer == "Done."


async def test_a_state_read_back_keeps_which_hits_are_of_the_web():
    states = []
    await play(
        calls(("web_search", {"query": "x"})),
        says("Done."),
        web_search=lambda *_: [WebHit("A", "https://a.example")],
        on_checkpoint=states.append,
        run={"evidence": [WebHit("B", "https://b.example"), hits(1)[0]]},
    )
    read_back = RunState.model_validate_json(states[-1].model_dump_json())
    assert read_back == states[-1]
    assert list(read_back.refs().values()) == list(states[-1].refs().values())


def test_a_message_keeps_its_role_in_a_state():
    state = RunState(query="q", language="en", system=Message(Role.SYSTEM, "s"), question=[Message(Role.USER, "q")])
    assert RunState.model_validate_json(state.model_dump_json()).question[0].role is Role.USER
