"""Public bug reports about a model's window, as tests of the loop.

Each test names its report: the address is `https://github.com/<repository>/issues/<number>`.
"""

import pytest

from bot.engine import Role
from bot.research.ledger import tokens_of
from tests.fakes.research import calls, play, says, searches
from tests.fakes.search import FakeSearch, hit, hits

QUESTION = "What is Falcon?"
NUM_CTX, MAX_TOKENS = 16384, 1500


def long_hits(text, count=20):
    return [hit(i, title=f"T{i} " + text * 190, content_snippet=text * 800, url=f"https://e.x/{i}?" + "u" * 400)
            for i in range(count)]  # fmt: skip


def too_large(played, num_ctx=NUM_CTX, max_tokens=MAX_TOKENS):
    """The calls whose prompt and reply together are more than the window, by a count that is on the safe side."""
    sizes = [tokens_of(call["messages"]) for call in played.engine.calls]
    return [size for size in sizes if size > num_ctx - max_tokens]


def has_the_question(call):
    return any(QUESTION in message.content for message in call["messages"] if message.role is Role.USER)


# ollama/ollama#3839, #17427: a prompt that is too long loses its head, and half of the window with it


@pytest.mark.parametrize("text", ["w", "é", "文", "😀"])
async def test_no_prompt_is_larger_than_the_window_in_any_script(text):
    search = FakeSearch(*[long_hits(text)] * 5)
    played = await play(*[searches(f"q{i}") for i in range(5)], says("Done [1]."), search=search)
    assert too_large(played) == []
    assert all(map(has_the_question, played.engine.calls))


@pytest.mark.parametrize("text", ["w", "é", "文", "😀"])
async def test_the_prompt_of_the_forced_synthesis_fits_the_window_whatever_was_found(text):
    search = FakeSearch(*[long_hits(text)] * 5)
    replies = [searches(f"q{i}") for i in range(5)]
    played = await play(*replies, calls("fly"), says("Done [1]."), search=search)
    assert played.result.stop_reason == "budget"
    assert too_large(played) == []
    assert has_the_question(played.engine.calls[-1])


@pytest.mark.parametrize(("text", "count"), [("w", 40), ("文", 20)])
async def test_evidence_of_the_caller_fits_the_window_beside_the_question(text, count):
    played = await play(says("Done [1]."), run={"evidence": long_hits(text, count), "hints": ["The hint."]})
    assert too_large(played) == []
    assert has_the_question(played.engine.calls[0])
    assert "[1] T0" in played.messages(0)[-1].content


async def test_what_the_model_itself_wrote_into_its_calls_never_fills_the_window():
    replies = [calls(("search", {"query": "x" * 30_000}), ("fly", {"to": "y" * 30_000})) for _ in range(3)]
    played = await play(*replies, says("Done."), search=FakeSearch(hits(1)))
    assert too_large(played) == []
    assert all(map(has_the_question, played.engine.calls))


# ollama/ollama#8531, #10980: with a long history the system prompt or the question is dropped


async def test_a_long_history_gives_way_to_what_was_just_found():
    history = [
        {"role": role, "content": f"{role} {number} " + "x" * 600}
        for number in range(34)
        for role in ("user", "assistant")
    ]
    found = [hit(i, content_snippet="word " * 150 + "the end") for i in range(5)]
    played = await play(searches(), says("It is [1]."), search=FakeSearch(found), run={"history": history})
    assert too_large(played) == []
    assert [entry["snippet"][-7:] for entry in played.tool_contents()[0]["hits"]] == ["the end"] * 5
    assert played.messages()[0].role is Role.SYSTEM


async def test_the_history_that_stays_is_the_newest_and_begins_with_a_question():
    history = [
        {"role": role, "content": f"{role} {number} " + "x" * 2000}
        for number in range(30)
        for role in ("user", "assistant")
    ]
    played = await play(says("Hi."), run={"history": history, "hints": ["The hint."]})
    _, *turns, question, hint = played.messages()
    assert turns[0].content.startswith("user ")
    assert turns[-1].content.startswith("assistant 29 ")
    assert [(one.role, one.content) for one in (question, hint)] == [("user", QUESTION), ("system", "The hint.")]
