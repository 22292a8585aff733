import json

import pytest

from bot.engine import Message, Role, ToolCall
from bot.engine.extractive import ExtractiveEngine
from bot.research import ResearchAgent, SearchFailed
from tests.fakes.search import FakeSearch, hit, hits

TOOL = {"type": "function", "function": {"name": "search"}}
RULES = Message(Role.SYSTEM, "Rules.")
EVIDENCE = (
    "Evidence, numbered.\n=== BEGIN EVIDENCE 1a2b ===\n[1] Thread\nslack · 2026-11-24\nURL: https://x.example\n"
    "The roof leaks\n[again].\n\n[2] Bare\nslack\n=== END EVIDENCE 1a2b ==="
)


def user(text):
    return Message(Role.USER, text)


def result(**content):
    return Message(Role.TOOL, json.dumps(content), name="search", tool_call_id="call_0")


def found(ref=1, title="Leave policy", snippet="30 days a year.", score=0.9):
    return {"ref": ref, "title": title, "snippet": snippet, "score": score}


async def reply(*messages, tools=(TOOL,), on_text=None):
    return await ExtractiveEngine().generate(
        [RULES, *messages], model="", temperature=0, max_tokens=1, num_ctx=1, tools=tools or None, on_text=on_text
    )


async def answer(*messages):
    call = Message(Role.ASSISTANT, tool_calls=[ToolCall("call_0", "search", {})])
    return (await reply(user("How many days of leave do I have?"), call, *messages))["content"]


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([user("How much leave?")], id="alone"),
        pytest.param([user("Hello"), Message(Role.ASSISTANT, "Hi"), user("How much leave?")], id="after other turns"),
        pytest.param([user("How much leave?"), Message(Role.SYSTEM, "A hint.")], id="before hints"),
        pytest.param([user("How much leave?"), Message(Role.SYSTEM, "A hint."), user(EVIDENCE)], id="before evidence"),
    ],
)
async def test_the_question_is_searched_as_it_stands(messages):
    (call,) = (await reply(*messages))["tool_calls"]
    assert (call["name"], call["arguments"]) == ("search", {"query": "How much leave?"})


async def test_the_passages_are_quoted_with_title_and_mark_and_said_to_be_just_that():
    text = await answer(result(hits=[found(1), found(2, "Handbook", "Ask\n\nyour lead.")]))
    assert text == (
        "No language model is available, so these are the passages that match your question best, quoted as they "
        "stand:\n\n**Leave policy** [1]\n> 30 days a year.\n\n**Handbook** [2]\n> Ask\n> your lead."
    )


async def test_the_answer_is_also_told_as_text():
    told = []
    text = (await reply(user("Leave?"), result(hits=[found()]), on_text=told.append))["content"]
    assert told == [text]


async def test_only_the_best_passages_are_quoted():
    text = await answer(result(hits=[found(ref, snippet=f"Number {ref}.") for ref in range(1, 9)]))
    assert text.count("> ") == 4
    text = await answer(result(hits=[found(1), found(2, snippet="Far off.", score=0.1)]))
    assert "Far off" not in text


async def test_the_same_passage_is_quoted_once():
    assert (await answer(result(hits=[found(1), found(2)]))).count("30 days") == 1


async def test_hits_that_came_without_their_text_are_not_quoted():
    text = await answer(result(hits=[found(1), {"ref": 2, "title": "Title", "score": 0.9}, found(3, snippet=" ")]))
    assert "[2]" not in text
    assert "[3]" not in text


@pytest.mark.parametrize(
    ("snippet", "quoted"),
    [
        pytest.param("As [7] and [1, 2] say.", "> As (7) and (1, 2) say.", id="marks of its own"),
        pytest.param("Run `ask` now.", "> Run `ask` now.", id="code that is closed"),
        pytest.param("```\nask [2]", "> '''\n> ask (2)", id="a block of code"),
        pytest.param("~~~\nask", "> '''\n> ask", id="a block of code by another sign"),
        pytest.param("…fetch` is\nlike `get`", "> …fetch' is\n> like `get`", id="code that is left open"),
    ],
)
async def test_a_passage_cannot_cite_or_hide_marks(snippet, quoted):
    assert (await answer(result(hits=[found(snippet=snippet)]))).endswith(quoted)


async def test_nothing_found_is_said_plainly():
    assert await answer(result(hits=[])) == "I found nothing about this in the sources I searched."


async def test_a_search_that_failed_is_said_to_have_failed():
    assert await answer(result(error="search failed: no index.")) == "The documents could not be searched."


async def test_the_answer_is_in_the_language_of_the_question():
    question = user("Combien de jours de congé ai-je par an ?")
    assert (await reply(question, result(hits=[found()])))["content"].startswith("Aucun modèle de langage")
    assert (await reply(question, result(hits=[])))["content"].startswith("Je n'ai rien trouvé")


async def test_without_hits_the_evidence_that_came_with_the_question_is_quoted():
    text = await answer(user(EVIDENCE), result(hits=[]))
    assert text.endswith("**Thread** [1]\n> The roof leaks\n> [again].")


async def test_the_prompt_of_a_synthesis_is_answered_from_its_evidence_in_the_language_of_its_question():
    prompt = user(f"{EVIDENCE}\n\nQuestion: Pourquoi le toit fuit-il encore ?")
    text = (await reply(prompt, tools=()))["content"]
    assert text.startswith("Aucun modèle")
    assert "**Thread** [1]" in text


async def test_a_result_that_is_no_json_finds_nothing():
    assert (await answer(Message(Role.TOOL, "?"))).startswith("I found nothing")
    assert (await answer(Message(Role.TOOL, "[]"))).startswith("I found nothing")


# In the loop.


async def research(search, query="How many days of leave do I have?", **settings):
    return await ResearchAgent(ExtractiveEngine(), search, **settings).run(query)


async def test_a_run_is_one_search_and_an_answer_with_footnotes():
    search = FakeSearch([hit(1, content_snippet="30 days.", title="Leave"), hit(2, content_snippet="Ask first.")])
    outcome = await research(search)
    assert outcome.answer.endswith("**Leave** [1]\n> 30 days.\n\n**Document 2** [2]\n> Ask first.")
    assert ([source["ref"] for source in outcome.sources], outcome.grounded) == ([1, 2], True)
    assert (outcome.stop_reason, len(search.calls)) == ("answered", 1)


async def test_a_run_with_a_budget_of_one_answers_too():
    assert (await research(FakeSearch(hits(3)), max_iterations=1)).grounded


async def test_a_run_that_finds_nothing_says_so():
    outcome = await research(FakeSearch([]))
    assert (outcome.answer, outcome.grounded) == ("I found nothing about this in the sources I searched.", False)


async def test_a_run_whose_search_fails_says_so():
    outcome = await research(FakeSearch(SearchFailed("the index is gone")))
    assert outcome.answer == "The documents could not be searched."


def test_the_reason_is_for_the_operator():
    assert ExtractiveEngine("ollama pull gemma4:31b").reason == "ollama pull gemma4:31b"
