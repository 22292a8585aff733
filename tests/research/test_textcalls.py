"""Calls that a model wrote as text."""

import json
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.research.reply import read_reply

TOOLS = ["search", "clarify"]
CALL = '{"name": "search", "arguments": {"query": "falcon"}}'
FALCON = [("search", {"query": "falcon"})]


def read(content="", **rest):
    return read_reply({"content": content, **rest}, TOOLS, TOOLS)


def made(reply):
    return [(call.name, call.arguments) for call in reply.calls]


AS_TEXT = [
    pytest.param(CALL, id="bare"),
    pytest.param(json.dumps(json.loads(CALL), indent=2), id="over several lines"),
    pytest.param(f"```json\n{CALL}\n```", id="fenced as json"),
    pytest.param(f"```\n{CALL}\n```", id="fenced"),
    pytest.param(f"~~~\n{CALL}\n~~~", id="fenced with tildes"),
    pytest.param(f"```tool_call\n{CALL}", id="a fence left open"),
    pytest.param(f"`{CALL}`", id="as a code span"),
    pytest.param(f"[{CALL}]", id="in a list"),
    pytest.param(f'{{"tool_calls": [{CALL}]}}', id="under tool_calls"),
    pytest.param(f'{{"function": {CALL}}}', id="under function"),
    pytest.param(f'{{"type": "function", "function": {CALL}}}', id="as OpenAI has it"),
    pytest.param(CALL.replace('"arguments"', '"parameters"'), id="parameters"),
    pytest.param('{"tool": "search", "args": {"query": "falcon"}}', id="tool and args"),
    pytest.param('{"tool_name": "search", "input": {"query": "falcon"}}', id="tool_name and input"),
    pytest.param('{"function": "search", "kwargs": {"query": "falcon"}}', id="function and kwargs"),
    pytest.param('{"arguments": {"query": "falcon"}, "name": "search"}', id="the arguments first"),
    pytest.param('{"name": "search", "arguments": "{\\"query\\": \\"falcon\\"}"}', id="arguments as JSON"),
    pytest.param('{"name": "search", "query": "falcon"}', id="arguments beside the name"),
    pytest.param('{{"name": "search", "arguments": {"query": "falcon"}}}}', id="doubled braces"),
    pytest.param('{{"name": "search", "arguments": {{"query": "falcon"}}}}', id="all braces doubled"),
    pytest.param(CALL[:-1], id="a brace too few"),
    pytest.param(CALL[:-2], id="two too few"),
    pytest.param(CALL + "}}", id="two too many"),
    pytest.param(CALL.replace('"', "'"), id="single quotes"),
    pytest.param('{name: "search", arguments: {query: "falcon"}}', id="keys without quotes"),
    pytest.param('{"name": "search", "arguments": {"query": "falcon",},}', id="commas at the ends"),
    pytest.param(f"<tool_call>\n{CALL}\n</tool_call>", id="tagged"),
    pytest.param(f"<tool_call>{CALL}", id="a tag left open"),
    pytest.param(f"<tool_call>```json\n{CALL}\n```</tool_call>", id="tagged and fenced"),
    pytest.param(f"[TOOL_CALLS] [{CALL}]", id="in Mistral's marks"),
    pytest.param('[TOOL_CALLS]search[ARGS]{"query": "falcon"}', id="in Mistral's later marks"),
    pytest.param('[Calling tool: search({"query": "falcon"})]', id="announced"),
    pytest.param(
        "<function=search>\n<parameter=query>\nfalcon\n</parameter>\n</function>", id="as Qwen's coder has it"
    ),
    pytest.param(
        "<tool_call><function=search><parameter=query>falcon</parameter></function></tool_call>", id="in both tags"
    ),
    pytest.param('<function=search>{"query": "falcon"}</function>', id="as Llama has it"),
    pytest.param('<|tool_call>call:search{query:<|"|>falcon<|"|>}<tool_call|>', id="as Gemma has it"),
    pytest.param(
        '<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "falcon"}<|call|>',
        id="as harmony has it",
    ),
    pytest.param(f"<think>Or {CALL.replace('falcon', 'hawk')}?</think>{CALL}", id="after a thought"),
]
ALONE = {"as a code span", "arguments beside the name", "after a thought", "as harmony has it"}
"""With words around them these are examples, or no thoughts and no channels."""


@pytest.mark.parametrize("text", AS_TEXT)
def test_a_call_written_as_text_is_a_call(text):
    reply = read(text, usage={"completion_tokens": 9})
    assert (made(reply), reply.text, reply.lost) == (FALCON, "", False)
    assert reply.calls[0].id == "call_0"


@pytest.mark.parametrize("text", [case for case in AS_TEXT if case.id not in ALONE])
def test_words_around_a_call_are_the_text(text):
    reply = read(f"Let me look.\n\n{text}\n\nOne moment.")
    assert made(reply) == FALCON
    assert reply.text == "Let me look.\n\nOne moment."


def test_a_call_is_read_though_tools_are_withheld():
    assert made(read_reply({"content": CALL}, [], TOOLS)) == FALCON


def test_several_calls_are_read_in_order():
    two = f"{CALL}\n{CALL.replace('falcon', 'hawk')}"
    hawk = ("search", {"query": "hawk"})
    for text in (two, f"```json\n{two}\n```", f"[{two.replace(chr(10), ',')}]", f"<tool_call>{two}</tool_call>"):
        assert made(read(text)) == [*FALCON, hawk]
        assert read(text).text == ""


@pytest.mark.parametrize(
    "text",
    [
        'Like this:\n```json\n{"name": "fly", "arguments": {"to": "x"}}\n```\nThat is all.',
        'Write `{"name": "search", "arguments": {"query": "x"}}` there.',
        'The file:\n```json\n{"name": "Ada", "age": 3}\n```',
        '```json\n{"name": "Ada", "age": 3}\n```',
        '{"answer": "It flies [1]."}',
        "def main() {\n  return {}\n}",
        "Use {placeholders} and [brackets] and `<tool_call>`.",
        "It is 5 < 7 { and } so on.",
    ],
)
def test_an_example_that_is_no_call_is_left_alone(text):
    reply = read(text)
    assert (reply.text, reply.calls) == (text, [])


def test_a_call_of_no_known_tool_is_one_when_it_is_all_there_is():
    unknown = '{"name": "fly", "arguments": {"to": "x"}}'
    for text in (unknown, f"```json\n{unknown}\n```", f"Well. <tool_call>{unknown}</tool_call>"):
        assert made(read(text)) == [("fly", {"to": "x"})]


pieces = st.sampled_from(
    [
        CALL,
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        ":",
        ",",
        '"name"',
        '"search"',
        '"arguments"',
        "name",
        "search",
        "```",
        "```json\n",
        "\n",
        "<tool_call>",
        "</tool_call>",
        "<function=search>",
        "</function>",
        "<parameter=query>",
        "[TOOL_CALLS]",
        "call:search",
        "`",
        "<think>",
        "</think>",
        "[Calling tool: ",
        "(",
        ")",
        "<|channel|>",
        "final",
        "<|message|>",
        "to=functions.search",
        "words ",
        "\\",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(pieces, max_size=14).map("".join))
def test_whatever_a_text_holds_it_is_read_and_no_call_in_it_is_shown(text):
    reply = read(text)
    assert all(isinstance(call.arguments, dict) for call in reply.calls)
    assert CALL not in reply.text or "`" in reply.text


@pytest.mark.parametrize(
    "unit",
    [
        "{",
        '{"name": ',
        '{"name": "search", ',
        "[{",
        "<tool_call>",
        "<think>",
        "</think>",
        "<function=a>",
        " ",
        "\n",
        CALL,
    ],
)
def test_reading_takes_time_in_proportion_to_the_length(unit):
    start = process_time()
    read(unit * (100_000 // len(unit)))
    assert process_time() - start < 3
