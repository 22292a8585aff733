"""Replies of models, of which nothing can be relied on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.research.reply import RawCall, read_reply

TOOLS = ["search", "clarify"]
CALL = '{"name": "search", "arguments": {"query": "falcon"}}'
FALCON = [("search", {"query": "falcon"})]


def read(content="", **rest):
    return read_reply({"content": content, **rest}, TOOLS, TOOLS)


def made(reply):
    return [(call.name, call.arguments) for call in reply.calls]


@pytest.mark.parametrize("tag", ["think", "thinking", "THINK", "reasoning"])
def test_thoughts_are_stripped_in_all_three_forms(tag):
    assert read(f"<{tag}>[2] is wrong</{tag}>\n\nIt flies [1].").text == "It flies [1]."
    assert read(f"[2] is wrong\n</{tag}>\n\nIt flies [1].").text == "It flies [1]."
    assert read(f"It flies [1].\n<{tag}>[2] is wrong").text == "It flies [1]."
    assert read(f"It <{tag}>a</{tag}> flies <{tag}>b</{tag}> [1].").text == "It flies [1]."
    assert read(f"<{tag}>```\nopen</{tag}>It flies [1].").text == "It flies [1]."


def test_a_thought_in_code_is_shown():
    assert read("Models write `<think>` and `</think>`.").text == "Models write `<think>` and `</think>`."


def test_the_final_channel_is_the_text():
    harmony = (
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>It flies [1].<|return|>"
    )
    assert read(harmony).text == "It flies [1]."
    assert read("<|channel|>analysis<|message|>hm, so").text == ""


@pytest.mark.parametrize("end", ["<|im_end|>", "</s>", "<end_of_turn>\n", "<|eot_id|><|im_end|>"])
def test_the_end_of_a_turn_is_not_shown(end):
    assert read(f"It flies [1].{end}").text == "It flies [1]."


@pytest.mark.parametrize(
    ("given", "name", "arguments"),
    [
        pytest.param({"name": "search", "arguments": {"query": "x"}}, "search", {"query": "x"}, id="a mapping"),
        pytest.param({"name": "search", "arguments": '{"query": "x"}'}, "search", {"query": "x"}, id="JSON"),
        pytest.param(
            {"function": {"name": "search", "arguments": '{"query": "x"}'}}, "search", {"query": "x"}, id="OpenAI"
        ),
        pytest.param({"name": "search", "parameters": {"query": "x"}}, "search", {"query": "x"}, id="parameters"),
        pytest.param({"name": "search", "args": {"query": "x"}}, "search", {"query": "x"}, id="args"),
        pytest.param({"name": "search", "arguments": None, "input": {"a": 1}}, "search", {"a": 1}, id="input"),
        pytest.param({"name": "search"}, "search", {}, id="no arguments"),
        pytest.param({"name": "search", "arguments": None}, "search", {}, id="null"),
        pytest.param({"name": "search", "arguments": [1, 2]}, "search", {}, id="a list"),
        pytest.param({"name": "search", "arguments": 7}, "search", {}, id="a number"),
        pytest.param({"name": "search", "arguments": "falcon"}, "search", {}, id="a string"),
        pytest.param({"name": "search", "arguments": "[1]"}, "search", {}, id="JSON of a list"),
        pytest.param({"name": "search", "arguments": "[" * 100_000}, "search", {}, id="JSON without end"),
        pytest.param({"name": "search", "arguments": {1: 2}}, "search", {"1": 2}, id="keys that are no strings"),
        pytest.param({"arguments": {"query": "x"}}, "", {"query": "x"}, id="no name"),
        pytest.param({"name": None}, "", {}, id="a name that is none"),
        pytest.param({"name": ["search"]}, "", {}, id="a name that is a list"),
        pytest.param({}, "", {}, id="nothing"),
    ],
)
def test_a_call_is_read_as_well_as_it_can_be(given, name, arguments):
    assert read(tool_calls=[given]).calls == [RawCall("call_0", name, arguments)]


def test_calls_without_an_id_are_numbered_in_their_reply():
    reply = read(
        tool_calls=[None, {"id": "a", "name": "search"}, {"name": "search"}, {"id": 7, "name": "clarify"}, "x"]
    )
    assert [call.id for call in reply.calls] == ["a", "call_1", "call_2"]


def test_a_call_that_is_made_and_written_is_made_once():
    reply = read(f"Looking.\n{CALL}", tool_calls=[{"id": "a", "name": "search", "arguments": {"query": "falcon"}}])
    assert (made(reply), reply.text) == (FALCON, "Looking.")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        (7, ""),
        ({"text": "a"}, ""),
        (["It ", {"type": "text", "text": "flies."}, {"type": "image"}, None], "It flies."),
        ("  It flies. \n", "It flies."),
        ("\u200b\n\ufeff", ""),
    ],
)
def test_content_is_text_or_nothing(content, text):
    assert read(content).text == text


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 8}, (3, 4, 8)),
        ({"prompt_tokens": 3, "completion_tokens": 4}, (3, 4, 7)),
        ({"prompt_tokens": 3.0, "completion_tokens": None, "other": 9}, (3, 0, 3)),
        ({"prompt_tokens": "3", "completion_tokens": True, "total_tokens": -1}, (0, 0, 0)),
        ({"prompt_tokens": float("nan"), "completion_tokens": float("inf")}, (0, 0, 0)),
        (None, (0, 0, 0)),
        ([1], (0, 0, 0)),
    ],
)
def test_usage_is_three_counts(usage, counts):
    assert read(usage=usage).usage == dict(
        zip(("prompt_tokens", "completion_tokens", "total_tokens"), counts, strict=True)
    )


def test_a_reply_that_generated_tokens_and_says_nothing_is_lost():
    assert read("", usage={"completion_tokens": 40}).lost
    assert read("<think>so", usage={"completion_tokens": 40}).lost
    assert read("<tool_call>search falcon</tool_call>", usage={"completion_tokens": 40}).lost
    assert not read("", usage={"completion_tokens": 0}).lost
    assert not read("a", usage={"completion_tokens": 40}).lost
    assert not read("", usage={"completion_tokens": 40}, tool_calls=[{"name": "x"}]).lost


def test_a_reply_at_the_length_limit_is_cut():
    assert read("a", done_reason="length").cut
    assert not read("a", done_reason="stop").cut


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just(CALL),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "arguments", "function", "id", "text", "content", "tool_calls"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(
    st.fixed_dictionaries(
        {}, optional={"content": json_like, "tool_calls": json_like, "usage": json_like, "done_reason": json_like}
    )
    | json_like
)
def test_whatever_a_reply_is_it_is_read(reply):
    read_reply(reply, TOOLS, TOOLS)
