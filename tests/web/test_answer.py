"""One message answered from the web: one search, one call of the model, the gates, one last event."""

import asyncio
from zoneinfo import ZoneInfo

import pytest

from bot.engine import EngineError, Message, Role
from bot.engine.queue import ModelQueue
from bot.engine.scripted import ScriptedEngine
from bot.research import AnswerDelta, Error, FinalAnswer, WebSearch
from bot.web import NO_RESULTS, WebSearchResult, WebSource, answer, search_web
from indexers.reading import PageText
from tests.fakes.research import says
from tests.fakes.search import hit
from tests.fakes.web_engines import PAGES, FakeReader, engines_on_loopback
from tests.fakes.web_service import status

URLS = [page.url for page in PAGES]
READ = dict.fromkeys(URLS, "The page says so.")


async def asking(*replies, reader=None, **options):
    """Asks what Falcon is, with one engine on loopback; gives the result, the events, the model and the service."""
    events, model = [], ScriptedEngine(replies)
    question = options.pop("question", "What is Falcon 2?")
    fault = options.pop("fault", None)
    async with engines_on_loopback("tavily", reader=reader or FakeReader(READ)) as (web, [service]):
        service.fault = fault
        result = await answer(model, question, web=web, on_event=events.append, **options)
    return result, events, model, service


async def test_an_answer_cites_the_sources_that_were_found():
    result, _, model, _ = await asking(says("It is out [1]. They are fast [3]."))
    assert result.answer == "It is out [1]. They are fast [2]."
    assert [source["url"] for source in result.sources] == [URLS[0], URLS[2]]
    assert [(source["ref"], source["source"], source["sender"]) for source in result.sources] == [
        (1, "web", "falcon.example"),
        (2, "web", "birds.example"),
    ]
    assert (result.grounded, result.stop_reason, result.iterations) == (True, "answered", 1)
    assert result.usage["total_tokens"] == 110
    assert len(model.calls) == 1


async def test_the_search_is_told_before_the_answer_and_the_answer_is_last_and_once():
    result, events, _, _ = await asking(says("It is out [1]."))
    assert isinstance(events[0], WebSearch)
    assert events[0].as_dict() == {
        "type": "web_search",
        "query": "What is Falcon 2?",
        "engine": "Tavily",
        "sources": [{"ref": ref, "title": page.title, "url": page.url} for ref, page in enumerate(PAGES, 1)],
    }
    assert [event for event in events if isinstance(event, FinalAnswer)] == [events[-1]]
    assert events[-1].as_dict() == {"type": "final_answer", "text": result.answer, "sources": result.sources}
    assert all(isinstance(event, AnswerDelta) for event in events[1:-1])
    assert "".join(event.text for event in events[1:-1]) == result.answer


async def test_the_model_gets_the_sources_fenced_before_the_question_and_no_tools():
    history = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi [4]"}]
    _, _, model, _ = await asking(says("Yes [1]."), history=history, hints=["  Ada asks. ", " "])
    [call] = model.calls
    roles = [(message.role, message.content) for message in call["messages"]]
    assert call["tools"] is None
    assert [role for role, _ in roles] == [
        Role.SYSTEM,
        Role.USER,
        Role.ASSISTANT,
        Role.SYSTEM,
        Role.USER,
        Role.USER,
    ]
    assert roles[1:4] == [(Role.USER, "Hello"), (Role.ASSISTANT, "Hi"), (Role.SYSTEM, "Ada asks.")]
    assert roles[5][1] == "What is Falcon 2?"
    assert "The page says so." in roles[4][1]
    assert "The page says so." not in roles[0][1]


async def test_the_prompt_tells_the_time_in_the_askers_zone():
    _, _, model, _ = await asking(says("Yes."), timezone=ZoneInfo("Asia/Kathmandu"))
    assert "+05:45" in model.calls[0]["messages"][0].content
    assert "Asia/Kathmandu" in model.calls[0]["messages"][0].content


FAULTS = [
    pytest.param(status(401, {"detail": {"error": "no"}}), "NOT searched", id="an outage"),
    pytest.param(status(200, {"results": []}), "gave nothing", id="an empty result"),
]


@pytest.mark.parametrize(("fault", "told"), FAULTS)
async def test_without_sources_the_answer_is_the_models_own_and_ungrounded(fault, told):
    written = says("As of what I know, it flies [1]. The web could not be checked.")
    result, events, model, _ = await asking(written, fault=fault)
    assert result.answer == "As of what I know, it flies. The web could not be checked."
    assert (result.grounded, result.sources, result.dropped_citations) == (False, [], 1)
    assert result.stop_reason == "answered"
    assert told in model.calls[0]["messages"][-2].content
    assert events[0].as_dict()["error"]
    assert events[-1].as_dict()["type"] == "final_answer"


async def test_numbers_and_links_of_no_source_do_not_reach_the_answer():
    written = (
        "See [this](https://evil.example/?q=secret), https://evil.example and ![x](https://evil.example/i.png) [9] [1]."
    )
    result, events, _, _ = await asking(says(written))
    shown = result.answer + "".join(event.text for event in events if isinstance(event, AnswerDelta))
    assert "evil.example" not in shown
    assert "[9]" not in shown
    assert result.dropped_citations == 1


async def test_links_of_cited_sources_and_of_the_askers_words_stay_live():
    written = f"See [the news]({URLS[0]}) [1] and [yours](https://mine.example/x)."
    result, _, _, _ = await asking(says(written), hints=["The links: https://mine.example/x"])
    assert f"[the news]({URLS[0]})" in result.answer
    assert "[yours](https://mine.example/x)" in result.answer


async def test_a_page_that_was_named_is_cited_as_itself():
    reader = FakeReader({"https://example.com/": "The page."})
    question = "Sum up https://example.com/"
    result, _, model, service = await asking(says("It says so [1]."), reader=reader, question=question)
    assert [(source["url"], source["title"]) for source in result.sources] == [("https://example.com/",) * 2]
    assert service.asked == []
    assert "The page." in model.calls[0]["messages"][-2].content


async def test_a_model_that_is_lost_leaves_what_was_found_cited():
    result, events, _, _ = await asking(EngineError("down"))
    assert result.stop_reason == "engine_failed"
    assert result.grounded
    assert "> The page says so. [1]" in result.answer
    assert isinstance(events[1], Error)
    assert isinstance(events[-1], FinalAnswer)


async def test_a_model_that_is_lost_without_sources_says_so():
    result, events, _, _ = await asking(EngineError("down"), fault=status(500, {}))
    assert (result.stop_reason, result.grounded) == ("engine_failed", False)
    assert result.answer.startswith("The language model did not answer")
    assert [type(event) for event in events] == [WebSearch, Error, FinalAnswer]


async def test_a_model_that_says_nothing_is_asked_once():
    result, _, model, _ = await asking(says(""))
    assert (result.stop_reason, len(model.calls)) == ("no_content", 1)
    assert result.answer == "(model returned no content and no tool calls)"


async def test_an_answer_that_was_cut_off_says_so():
    result, _, _, _ = await asking(says("It is out [1]", done_reason="length"))
    assert result.answer.endswith("(This answer reached the length limit and stops here.)")
    assert any("length limit" in warning for warning in result.warnings)


async def test_what_is_partial_is_a_warning():
    reader = FakeReader({URLS[0]: "text", URLS[1]: "text"})
    result, events, _, _ = await asking(says("It is out [1]."), reader=reader)
    assert result.warnings == events[-1].warnings
    assert result.warnings[0].startswith("“A history of falcons” (birds.example) was not read")


async def test_what_is_partial_is_told_in_the_language_of_the_question():
    reader = FakeReader({URLS[0]: "text", URLS[1]: PageText(URLS[1], "", "text", ("cut",))})
    question = "Quelle est la dernière version du Falcon ?"
    result, events, model, _ = await asking(says("Elle est sortie [1]."), reader=reader, question=question)
    assert result.warnings == events[-1].warnings
    assert result.warnings == [
        "« A history of falcons » (birds.example) n'a pas été lu ; on n'en connaît que ce qu'en dit la recherche : "
        "Le site ne répond pas.",
        "Seul le début a été lu : « Falcon's manual » (docs.falcon.example).",
    ]
    assert "Only the beginning was read of" in model.calls[0]["messages"][-2].content


async def test_who_failed_before_an_empty_search_is_a_warning_too():
    async with engines_on_loopback("tavily", "searxng", pages=[]) as (web, [tavily, _]):
        tavily.fault = status(429, {})
        result = await answer(ScriptedEngine([says("No.")]), "What is Falcon 2?", web=web)
    assert result.warnings == ["Tavily takes no more searches for now: HTTP 429. SearXNG was asked in its place."]


async def test_the_search_is_on_record():
    result, _, _, _ = await asking(says("It is out [1]."))
    [call] = result.tool_calls
    assert (call.tool_name, call.arguments["query"], call.num_results) == ("web_search", "What is Falcon 2?", 3)
    assert (call.error, [hit.url for hit in call.web_hits]) == ("", URLS)
    result, _, _, _ = await asking(says("No."), fault=status(401, {}))
    assert result.tool_calls[0].error == "Tavily refused the key: HTTP 401."


async def test_pages_in_any_script_fit_the_window():
    reader = FakeReader(dict.fromkeys(URLS, "漢字" * 3_000))
    _, _, model, _ = await asking(says("Yes [1]."), reader=reader, num_ctx=8192)
    messages = model.calls[0]["messages"]
    assert sum(len(message.content.encode()) for message in messages) / 3 + 1500 < 8192
    assert messages[-1].content == "What is Falcon 2?"
    assert all(f"[{ref}] " in messages[-2].content for ref in (1, 2, 3))
    assert "[The text is cut.]" in messages[-2].content


async def test_what_was_said_before_is_numbered_behind_the_pages_fenced_and_no_part_of_the_query():
    before = [hit(number, content_snippet=f"We said {number}.") for number in (1, 2)]
    result, _, model, service = await asking(says("Out [1], as we said [5]."), evidence=before)
    [*_, context, conversation, question] = model.calls[0]["messages"]
    assert "[3] " in context.content
    assert "[4] " in conversation.content
    assert "=== BEGIN EVIDENCE" in conversation.content
    assert question.content == "What is Falcon 2?"
    assert [source["source"] for source in result.sources] == ["web", before[1].source]
    assert "We said" not in str(service.asked)


async def test_without_the_web_what_was_said_before_is_numbered_from_one():
    before = [hit(1, content_snippet="We said so.")]
    result, _, model, _ = await asking(says("As we said [1]."), evidence=before, fault=status(500, {}))
    assert "[1] " in model.calls[0]["messages"][-2].content
    assert "NOT searched" in model.calls[0]["messages"][-3].content
    assert result.sources[0]["source"] == before[0].source


async def test_a_long_conversation_leaves_the_pages_their_room():
    before = [hit(number, content_snippet="word " * 150) for number in range(1, 41)]
    _, _, model, _ = await asking(says("Yes [1]."), evidence=before, num_ctx=4096)
    messages = model.calls[0]["messages"]
    assert sum(len(message.content.encode()) for message in messages) / 3 + 1500 < 4096
    assert "The page says so." in messages[-3].content


async def test_a_window_too_small_for_any_source_still_gets_the_question():
    _, _, model, _ = await asking(says("Yes."), num_ctx=300, max_tokens=64)
    assert model.calls[0]["messages"][-1].content == "What is Falcon 2?"


async def test_a_model_that_never_answers_is_lost_in_time():
    class Hangs:
        async def generate(self, messages, **options):
            await asyncio.Event().wait()

    found = WebSearchResult("q", "Tool", [WebSource(1, "A", "https://a.example/", "It is so.")])
    result = await answer(Hangs(), "Is it so?", found=found, step_timeout=0.05)
    assert result.stop_reason == "engine_failed"
    assert "> It is so. [1]" in result.answer


async def test_an_answer_of_nothing_but_addresses_becomes_what_was_found():
    result, _, _, _ = await asking(says("https://evil.example/?q=secret"))
    assert "evil.example" not in result.answer
    assert "> The page says so. [1]" in result.answer
    result, _, _, _ = await asking(says("https://evil.example/?q=secret"), fault=status(500, {}))
    assert result.answer.startswith("The language model gave no answer to this")


async def test_a_long_history_gives_way_and_that_is_said():
    history = [Message(role, "word " * 4_000) for role in (Role.USER, Role.ASSISTANT) * 3]
    result, _, model, _ = await asking(says("Yes [1]."), history=history)
    assert len(model.calls[0]["messages"]) < 9
    assert any("left out" in warning for warning in result.warnings)


async def test_a_listener_that_fails_breaks_nothing():
    def fails(event):
        raise ValueError("no")

    async with engines_on_loopback("tavily", reader=FakeReader(READ)) as (web, _):
        result = await answer(ScriptedEngine([says("It is out [1].")]), "falcon", web=web, on_event=fails)
    assert result.grounded


async def test_a_search_that_was_made_before_is_not_made_again():
    async with engines_on_loopback("tavily", reader=FakeReader(READ)) as (web, [service]):
        found = await search_web("What is Falcon 2?", web=web)
        events = []
        model = ScriptedEngine([says("It is out [1].")])
        result = await answer(model, "What is Falcon 2?", web=web, found=found, on_event=events.append)
    assert len(service.asked) == 1
    assert result.grounded
    assert isinstance(events[0], WebSearch)


async def test_results_that_came_as_text_alone_can_be_cited():
    found = WebSearchResult("q", "Tool", [WebSource(1, "A", "https://www.a.example/x", "It is so.")])
    result = await answer(ScriptedEngine([says("So [1].")]), "Is it so?", found=found)
    assert result.sources[0]["url"] == "https://www.a.example/x"
    assert result.sources[0]["sender"] == "a.example"


async def test_an_error_wins_over_the_sources_in_the_answer_too():
    found = WebSearchResult("q", "Tool", [WebSource(1, "A", "https://a.example/", "It is so.")], NO_RESULTS)
    result = await answer(ScriptedEngine([says("So [1].")]), "Is it so?", found=found)
    assert (result.answer, result.grounded) == ("So.", False)


async def test_the_language_is_that_of_the_question():
    result, _, _, _ = await asking(
        EngineError("down"), question="Quelle est la dernière version du Falcon ?", fault=status(500)
    )
    assert result.language == "fr"
    assert result.answer.startswith("Le modèle de langage")


async def test_a_queue_before_the_model_is_waited_for():
    places = []
    queue = ModelQueue(1)
    engine = queue.bind(ScriptedEngine([says("So [1].")]), asker="U1", on_place=places.append)
    found = WebSearchResult("q", "Tool", [WebSource(1, "A", "https://a.example/", "It is so.")])
    result = await answer(engine, "Is it so?", found=found)
    assert result.grounded
