"""Public bug reports about the model and about runs without end, as tests of the loop.

Each test names its report: the address is `https://github.com/<repository>/issues/<number>`.
"""

import asyncio
import json
import threading

import pytest

from bot.engine import EngineError, Role
from bot.engine.scripted import ScriptedEngine
from bot.research import AnswerDelta, ResearchAgent, WebHit
from tests.fakes.research import calls, play, says, searches
from tests.fakes.search import FakeSearch, hit, hits

QUESTION = "What is Falcon?"
LOST = {"content": "", "usage": {"completion_tokens": 40}}


# haoxiang-xu/PuPu#129, Aider-AI/aider#4687, open-webui/open-webui#19591: another num_ctx reloads the model


class Recording(ScriptedEngine):
    """Keeps the parameters of every call too."""

    def __init__(self, replies):
        super().__init__(replies)
        self.options = []

    async def generate(self, messages, **options):
        self.options.append({name: options[name] for name in ("model", "temperature", "max_tokens", "num_ctx")})
        return await super().generate(messages, **options)


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([searches(), calls("fly"), says("A [9]."), says("A [1].")], id="a repaired synthesis"),
        pytest.param([LOST, searches(), RuntimeError("500"), says("A [1].")], id="a lost call and a failure"),
    ],
)
async def test_every_call_of_a_run_has_the_same_parameters(replies):
    engine = Recording(replies)
    options = {"model": "m", "temperature": 0.1, "max_tokens": 700, "num_ctx": 8192}
    await ResearchAgent(engine, FakeSearch(hits(1)), max_iterations=1, **options).run(QUESTION)
    assert engine.options == [options] * 4


# ollama/ollama#17274, #15315: a lost call


async def test_a_lost_call_later_in_the_run_is_asked_again_with_the_same_messages():
    replies = [searches("a"), LOST, searches("b"), says("Both [1][2].")]
    played = await play(*replies, search=FakeSearch(hits(1), hits(1, first=2)), max_iterations=2)
    assert played.messages(1) == played.messages(2)
    assert (played.result.answer, played.result.stop_reason) == ("Both [1][2].", "answered")


async def test_a_second_lost_call_of_a_run_is_an_empty_reply_like_any_other():
    played = await play(LOST, searches(), LOST, says("It is [1]."), search=FakeSearch(hits(1)))
    assert played.messages()[-1].role is Role.USER
    assert "final answer" in played.messages()[-1].content
    assert (played.result.answer, played.result.iterations) == ("It is [1].", 4)


# ollama/ollama#10976, sipeed/picoclaw#966: thinking eats the whole reply


@pytest.mark.parametrize("thought", ["", "<think>still thinking about", "<think>done</think>  "])
async def test_a_reply_that_was_only_thought_is_asked_again_and_never_shown(thought):
    only = {"content": thought, "usage": {"completion_tokens": 1500}, "done_reason": "length"}
    played = await play(only, says("Hello."))
    assert (played.result.answer, played.result.iterations) == ("Hello.", 2)
    assert "thinking" not in json.dumps([event.as_dict() for event in played.events])
    played = await play(only, only)
    assert (played.result.stop_reason, played.result.iterations) == ("no_content", 2)


# ollama/ollama#12884, #17638, #13710: HTTP 500, error parsing tool call


@pytest.mark.parametrize("error", [EngineError("error parsing tool call"), OSError(), TimeoutError(), KeyError("x")])
async def test_a_failure_on_the_second_turn_is_not_repeated_and_ends_in_what_was_found(error):
    played = await play(searches(), error, says("It is [1]."), search=FakeSearch(hits(1)))
    assert (played.result.answer, played.result.stop_reason) == ("It is [1].", "engine_failed")
    assert len(played.engine.calls) == played.result.iterations == 3
    assert played.types == ["search_call", "search_result", "error", "final_answer"]


async def test_a_failure_after_an_empty_search_is_one_honest_sentence_without_a_further_call():
    played = await play(searches(), EngineError("error parsing tool call"))
    assert "did not answer" in played.result.answer
    assert (played.result.stop_reason, played.result.sources) == ("engine_failed", [])


async def test_a_stream_that_breaks_off_in_the_middle_is_not_the_answer():
    class Breaking(ScriptedEngine):
        async def generate(self, messages, *, on_text=None, **options):
            if len(self.calls) == 1:
                self.calls.append({})
                on_text("It is certainly the ")
                raise ConnectionResetError
            return await super().generate(messages, on_text=on_text, **options)

    events = []
    engine = Breaking([searches(), None, says("It is [1].")])
    result = await ResearchAgent(engine, FakeSearch(hits(1)), on_event=events.append).run(QUESTION)
    assert (result.answer, result.stop_reason) == ("It is [1].", "engine_failed")
    assert events[-1].as_dict()["text"] == "It is [1]."
    assert "theIt" not in "".join(event.text for event in events if isinstance(event, AnswerDelta))


# open-jarvis/OpenJarvis#575: a raw 404 for the user


async def test_the_cause_of_a_failure_is_in_no_event_and_no_answer():
    cause = "404 model 'gemma4:31b' not found at http://10.0.0.7:11434 (token sk-secret)"
    played = await play(EngineError(cause))
    shown = json.dumps(played.dicts) + played.result.answer + "".join(played.result.warnings)
    for word in ("404", "10.0.0.7", "sk-secret", "EngineError", "Traceback"):
        assert word not in shown


# NousResearch/hermes-agent#96247, PrimeIntellect-ai/prime-agent#1326: calls without end


async def test_a_model_that_always_calls_still_ends_in_an_answer():
    replies = [searches(f"q{i}") for i in range(6)]
    search = FakeSearch(*[hits(1, first=i + 1) for i in range(6)])
    played = await play(*replies, says("It is [5]."), search=search)
    assert (len(search.calls), played.result.iterations) == (5, 7)
    assert (played.result.answer, played.result.stop_reason) == ("It is [1].", "budget")
    assert played.result.sources[0]["title"] == "Document 5"


async def test_the_same_call_seven_times_is_charged_each_time_under_new_refs_and_told():
    search = FakeSearch(*[hits(2)] * 7)
    played = await play(calls(*[("search", {"query": "x"})] * 7), says("It is [9]."), search=search)
    contents = played.tool_contents()
    assert [[entry["ref"] for entry in content["hits"]] for content in contents[:5]] == [
        [1, 2], [3, 4], [5, 6], [7, 8], [9, 10],
    ]  # fmt: skip
    assert ["before" in content.get("note", "") for content in contents[:5]] == [False] + [True] * 4
    assert all("error" in content for content in contents[5:])
    assert played.types == ["search_call", "search_result"] * 5 + ["final_answer"]
    assert len(played.result.tool_calls) == 5


async def test_a_call_that_differs_only_in_how_it_is_written_was_made_before():
    replies = [searches("x", limit="20"), calls(("search", '{"query": " x ", "person": null}'))]
    played = await play(*replies, says("Done."), search=FakeSearch(hits(1), hits(1)))
    assert "before" in played.tool_contents()[1]["note"]


# synthetic-sciences/openscience#176: a plan in place of an answer


async def test_text_ends_the_run_though_it_is_only_a_plan():
    played = await play(searches(), says("Next I will search the mails."), search=FakeSearch(hits(1)))
    assert (played.result.answer, played.result.iterations) == ("Next I will search the mails.", 2)
    assert not played.result.grounded


# onyx-dot-app/onyx#14333, odysseus-dev/odysseus#2746: sources and an empty answer


@pytest.mark.parametrize("blank", ["", "  \n", "\u200b", "<think>x</think>"])
async def test_an_answer_that_stays_empty_is_the_literal_and_never_blank(blank):
    played = await play(searches(), *[{"content": blank}] * 3, search=FakeSearch(hits(1)), max_iterations=2)
    assert played.result.stop_reason == "no_synthesis"
    assert played.result.answer.startswith("(no synthesis available")
    assert (played.result.sources, played.dicts[-1]["sources"]) == ([], [])


# nearai/ironclaw#7295: two people at once


async def test_two_runs_at_once_on_one_agent_keep_their_evidence_apart():
    class Meeting(FakeSearch):
        """Answers with the query, once both runs have asked."""

        async def search(self, query, **filters):
            self.calls.append(query)
            if len(self.calls) == 2:
                both.set()
            async with asyncio.timeout(2):
                await both.wait()
            return [hit(1, title=f"About {query}")]

    class PerQuestion:
        async def generate(self, messages, *, on_text=None, **options):
            question = next(message.content for message in messages if message.role is Role.USER)
            searched = any(message.role is Role.TOOL for message in messages)
            return says(f"{question}: [1].") if searched else searches(question)

    both = asyncio.Event()
    agent = ResearchAgent(PerQuestion(), Meeting())
    async with asyncio.TaskGroup() as tasks:
        runs = [tasks.create_task(agent.run(question)) for question in ("Ada", "Bob")]
    assert [(run.result().answer, run.result().sources[0]["title"]) for run in runs] == [
        ("Ada: [1].", "About Ada"), ("Bob: [1].", "About Bob"),
    ]  # fmt: skip


# A run is limited in every place where it waits


async def test_a_search_cut_off_by_the_limit_of_the_run_still_has_its_result_event():
    class Hanging(FakeSearch):
        async def search(self, query, **filters):
            await asyncio.Event().wait()

    events = []
    agent = ResearchAgent(
        ScriptedEngine([searches(), says("Nothing was searched.")]),
        Hanging(),
        run_timeout=0.5,
        on_event=events.append,
    )
    result = await agent.run(QUESTION)
    assert result.stop_reason == "deadline"
    assert [event.as_dict()["type"] for event in events if event.as_dict()["type"] != "answer_delta"] == [
        "search_call", "search_result", "final_answer",
    ]  # fmt: skip


async def test_a_web_search_that_blocks_its_thread_is_a_failed_search():
    release = threading.Event()
    played = await play(
        calls(("web_search", {"query": "x"})),
        says("Not searched."),
        web_search=lambda *_: release.wait(2),
        step_timeout=0.05,
    )
    release.set()
    assert played.result.tool_calls[0].error == "TimeoutError"
    assert played.result.answer == "Not searched."


async def test_a_web_hit_and_a_document_share_one_numbering():
    played = await play(
        searches(),
        calls(("web_search", {"query": "x"})),
        says("Web [3], document [1]."),
        search=FakeSearch(hits(2)),
        web_search=lambda *_: [WebHit("W", "https://w.example")],
    )
    assert [source["title"] for source in played.result.sources] == ["W", "Document 1"]
