"""What a model can emit: calls written as text, arguments of any shape, hallucinated names, empty replies."""

import json

import pytest

from bot.engine.scripted import ScriptedEngine
from bot.research import AnswerDelta, ResearchAgent, WebHit
from tests.fakes.research import calls, play, says, searches
from tests.fakes.search import FakeSearch, hits

CALL = '{"name": "search", "arguments": {"query": "falcon"}}'


def drafted(played):
    return "".join(event.text for event in played.events if isinstance(event, AnswerDelta))


TEXT_FORMS = [
    pytest.param(f"```json\n{CALL}\n```", id="fenced as json"),
    pytest.param(f"```\n{CALL}\n```", id="fenced without a language"),
    pytest.param(f"```tool_call\n{CALL}\n```", id="fenced as something else"),
    pytest.param(f"~~~json\n{CALL}\n~~~", id="fenced with tildes"),
    pytest.param(f"```json\n{CALL}", id="a fence left open"),
    pytest.param(CALL, id="bare"),
    pytest.param(json.dumps(json.loads(CALL), indent=2), id="bare over several lines"),
    pytest.param(CALL.replace("arguments", "parameters"), id="parameters"),
    pytest.param(f"<tool_call>{CALL}</tool_call>", id="tagged"),
    pytest.param(f"<tool_call>\n{CALL}\n</tool_call>\n", id="tagged over lines"),
    pytest.param(f"<tool_call>\n{CALL}", id="a tag left open"),
    pytest.param(f"<tool_call>```json\n{CALL}\n```</tool_call>", id="tagged and fenced"),
    pytest.param(f'{{"function": {CALL}}}', id="under function"),
    pytest.param(f'{{"type": "function", "function": {CALL}}}', id="under function with a type"),
    pytest.param(f'{{"function_call": {CALL}}}', id="under function_call"),
    pytest.param('{"name": "search", "arguments": "{\\"query\\": \\"falcon\\"}"}', id="arguments as a JSON string"),
    pytest.param('{{"name": "search", "arguments": {{"query": "falcon"}}}}', id="doubled braces"),
    pytest.param(CALL[:-1], id="a brace too few"),
    pytest.param(CALL[:-2], id="two braces too few"),
    pytest.param(CALL + "}", id="a brace too many"),
    pytest.param(f"I will search for that.\n\n{CALL}", id="words before"),
    pytest.param(f"{CALL}\n\nI will tell you what I find.", id="words after"),
    pytest.param(f"Let me look.\n```json\n{CALL}\n```\nOne moment.", id="words around"),
    pytest.param(f"Let me look: <tool_call>{CALL}</tool_call>", id="words on the same line"),
    pytest.param(f"<think>I need {CALL.replace('falcon', 'no')}</think>{CALL}", id="after a thought"),
    pytest.param(f"<think>I need a search</think>\n```json\n{CALL}\n```", id="fenced after a thought"),
]


@pytest.mark.parametrize("text", TEXT_FORMS)
async def test_a_call_written_as_text_is_run_and_never_shown(text):
    played = await play(says(text), says("It flies [1]."), search=FakeSearch(hits(1)))
    assert [call["query"] for call in played.search.calls] == ["falcon"]
    assert played.dicts[0] == {"type": "search_call", "arguments": {"query": "falcon"}}
    assert played.types == ["search_call", "search_result", "final_answer"]
    assert played.result.answer == "It flies [1]."
    assert not any(part in drafted(played) for part in ('"name"', "{", "tool_call", "```", "~~~", '"search"'))


@pytest.mark.parametrize("text", TEXT_FORMS)
async def test_a_call_written_as_text_is_a_call_in_the_transcript(text):
    played = await play(says(text), says("It flies [1]."), search=FakeSearch(hits(1)))
    assistant, tool = played.messages()[2:]
    assert [(call.id, call.name, call.arguments) for call in assistant.tool_calls] == [
        ("call_0", "search", {"query": "falcon"})
    ]
    assert (tool.tool_call_id, tool.name) == ("call_0", "search")
    assert '"name"' not in assistant.content


@pytest.mark.parametrize("text", TEXT_FORMS)
async def test_a_call_written_as_text_while_tools_are_withheld_is_neither_run_nor_shown(text):
    played = await play(
        searches("first"), says(text), *[says("It flies [1].")] * 3, search=FakeSearch(hits(1)), max_iterations=1
    )
    assert [call["query"] for call in played.search.calls] == ["first"]
    assert played.result.answer == "It flies [1]."
    assert '"name"' not in drafted(played)


@pytest.mark.parametrize("text", TEXT_FORMS)
async def test_a_forced_synthesis_that_is_only_a_call_is_empty(text):
    played = await play(
        searches("first"), calls("fly"), *[says(text)] * 2, search=FakeSearch(hits(1)), max_iterations=1
    )
    assert '"name"' not in played.result.answer + drafted(played)
    assert len(played.search.calls) == 1


async def test_several_calls_written_as_text_are_all_run():
    other = CALL.replace("falcon", "kestrel")
    text = f"<tool_call>{CALL}</tool_call>\n<tool_call>{other}</tool_call>"
    played = await play(says(text), says("Done."), search=FakeSearch(hits(1), hits(1)))
    assert [call["query"] for call in played.search.calls] == ["falcon", "kestrel"]
    assert [call.id for call in played.messages()[2].tool_calls] == ["call_0", "call_1"]


async def test_the_web_and_clarify_can_be_called_as_text_too():
    played = await play(
        says('```json\n{"name": "web_search", "arguments": {"query": "x", "news": true}}\n```'),
        says('<tool_call>{"name": "clarify", "arguments": {"question": "Which?"}}</tool_call>'),
        says("W [1]."),
        web_search=lambda *_: [WebHit("W", "https://w.example")],
        clarify_handler=lambda question: "That one.",
    )
    assert [call.tool_name for call in played.result.tool_calls] == ["web_search", "clarify"]
    assert played.result.answer == "W [1]."


async def test_a_call_to_a_web_that_is_not_wired_is_never_shown_as_text():
    text = '```json\n{"name": "web_search", "arguments": {"query": "x"}}\n```'
    played = await play(says(text), *[says("I cannot search the web.")] * 2)
    assert '"web_search"' not in played.result.answer + drafted(played)


@pytest.mark.parametrize(
    "text",
    [
        'Send this:\n\n```json\n{"query": "falcon"}\n```',
        'A person: {"name": "Ada", "arguments": "many"}',
        "Call search(query) to search.",
        "Use `{}` for an empty object.",
    ],
)
async def test_json_that_is_no_call_is_an_answer_like_any_other(text):
    played = await play(says(text))
    assert played.result.answer == text
    assert drafted(played).strip() == text


# Arguments


@pytest.mark.parametrize(
    "arguments",
    [
        [1, 2], [{"query": "x"}], None, 7, 7.5, True, "x", "", "[1, 2]", "null", "7", '"x"', '{"query": ', "{" * 5000,
        "[" * 100_000, "9" * 5000, '{"query": ' + "9" * 5000 + "}", "NaN", b"{}", object(), {1, 2},
    ],
    ids=lambda arguments: repr(arguments)[:20],
)  # fmt: skip
async def test_arguments_that_are_no_object_are_none(arguments):
    played = await play({"tool_calls": [{"name": "search", "arguments": arguments}]}, says("Done."))
    assert played.dicts[0] == {"type": "search_call", "arguments": {}}
    assert played.messages()[2].tool_calls[0].arguments == {}
    assert played.result.answer == "Done."


NAMES = ("query", "person", "time_range", "sources", "limit", "recency", "news", "question")


@pytest.mark.parametrize(
    "value",
    [None, True, 7, -1.5, float("nan"), float("inf"), 10**400, 10**5000, "", "ten", "\ud800", "\x00", [], [[["x"]]],
     [None, {}, 3], {}, {"start": []}, {"query": {"query": "x"}}, {"": None}],
    ids=lambda value: repr(value)[:20] if not isinstance(value, int) or value < 10**9 else "huge",
)  # fmt: skip
@pytest.mark.parametrize("tool", ["search", "web_search", "clarify"])
async def test_an_argument_of_any_shape_never_ends_the_run(tool, value):
    odd = [calls((tool, {"query": "x", "question": "Which?", name: value})) for name in NAMES]
    played = await play(
        searches("first"),
        *odd,
        says("Done."),
        search=FakeSearch(hits(1)),
        web_search=lambda *_: [],
        clarify_handler=lambda question: "That.",
        max_iterations=9,
    )
    assert played.result.answer == "Done."
    assert len(played.tool_contents()) == 1 + len(NAMES)


async def test_arguments_nested_a_hundred_deep_never_end_the_run():
    deep = "x"
    for _ in range(100):
        deep = [deep]
    played = await play(calls(("search", {"query": deep, "person": {"a": deep}})), says("Done."))
    assert played.result.answer == "Done."


@pytest.mark.parametrize("query", ["/think", " /no_think ", "/nothink"])
async def test_a_soft_switch_for_a_query_is_an_empty_query(query):
    played = await play(searches(query, person="Ada"), says("Done."))
    assert (played.search.calls[0]["query"], played.search.calls[0]["person"]) == ("", "Ada")


async def test_what_to_search_for_is_found_under_another_name():
    played = await play(calls(("search", {"search_query": "falcon", "limit": "ten"})), says("Done."))
    assert (played.search.calls[0]["query"], played.search.calls[0]["limit"]) == ("falcon", 20)
    assert played.dicts[0]["arguments"] == {"search_query": "falcon", "limit": "ten"}


# Replies of any shape


@pytest.mark.parametrize(
    "tool_calls",
    [None, {}, "search", 7, [None], ["search"], [7], [[]], [{}], [{"name": None}], [{"name": 7}], [{"name": []}],
     [{"function": None}], [{"function": {"name": "fly"}}], [{"id": None, "name": "fly"}], [{"id": 7, "name": "fly"}]],
    ids=repr,
)  # fmt: skip
async def test_tool_calls_of_any_shape_end_in_an_answer(tool_calls):
    played = await play(
        {"content": "Text.", "tool_calls": tool_calls}, *[says("Text.")] * 2, search=FakeSearch(hits(1))
    )
    assert played.result.answer == "Text."
    for call in played.engine.calls:
        ids = [one.id for message in call["messages"] for one in message.tool_calls]
        assert all(isinstance(one, str) and one for one in ids)
        assert [message.tool_call_id for message in call["messages"] if message.role == "tool"] == ids


@pytest.mark.parametrize("content", [None, 7, [], {}, True, b"x", [{"type": "text", "text": "Hi."}]], ids=repr)
async def test_a_content_that_is_no_text_never_ends_the_run(content):
    played = await play({"content": content}, {"content": content})
    assert played.types == ["final_answer"]
    assert played.result.answer


@pytest.mark.parametrize(
    "usage",
    [None, [], "many", 7, {"prompt_tokens": None}, {"prompt_tokens": "7"}, {"total_tokens": []},
     {"completion_tokens": float("nan")}, {"completion_tokens": float("inf")}, {"prompt_tokens": -1}],
    ids=repr,
)  # fmt: skip
async def test_a_usage_of_any_shape_is_counted_as_well_as_it_can_be(usage):
    played = await play({"content": "Hi.", "usage": usage}, says("Hi."))
    assert played.result.answer == "Hi."
    assert played.result.usage.keys() == {"prompt_tokens", "completion_tokens", "total_tokens"}
    assert all(isinstance(count, int) and count >= 0 for count in played.result.usage.values())


@pytest.mark.parametrize("done_reason", [None, 7, [], "", "load", "LENGTH"], ids=repr)
async def test_a_done_reason_of_any_shape_never_ends_the_run(done_reason):
    played = await play(says("Hi.", done_reason=done_reason))
    assert played.result.answer.startswith("Hi.")


@pytest.mark.parametrize("reply", [None, [], "text", 7, {}, {"message": "x"}], ids=repr)
async def test_a_reply_that_is_no_mapping_or_an_empty_one_still_ends_in_an_answer(reply):
    class Odd(ScriptedEngine):
        async def generate(self, messages, **options):
            return reply

    events = []
    result = await ResearchAgent(Odd([]), FakeSearch(), on_event=events.append).run("What is Falcon?")
    assert result.answer
    assert events[-1].as_dict()["text"] == result.answer


@pytest.mark.parametrize("name", ["fly", "search_web", "", "se arch", "<|im_start|>", "\ud800"])
async def test_twenty_calls_to_a_tool_that_there_is_not_each_get_their_error(name):
    played = await play(calls(*[name] * 20), says("Done."))
    assert [("unknown tool" in content["error"]) for content in played.tool_contents()] == [True] * 20
    assert played.types == ["final_answer"]


async def test_twenty_calls_of_all_kinds_run_only_the_budget_in_their_order():
    mixed = [("search", {"query": "a"}), ("fly", {}), ("clarify", {"question": "Which?"}), ("web_search", {})] * 5
    played = await play(
        calls(*mixed), says("Done."), search=FakeSearch(*[hits(1)] * 5), web_search=lambda *_: [],
        clarify_handler=lambda question: "That.",
    )  # fmt: skip
    assert [call.tool_name for call in played.result.tool_calls] == ["search", "clarify"] * 2 + ["search"]
    assert len(played.tool_contents()) == 20
    assert played.offered() is None


async def test_a_lost_call_is_asked_again_with_the_tools_still_offered():
    played = await play({"content": " ", "usage": {"completion_tokens": 9}}, searches(), says("Done."))
    assert played.offered(0) == played.offered(1) == ["search", "clarify"]
    assert played.messages(0) == played.messages(1)
