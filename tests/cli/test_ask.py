"""`footnote ask`: the answer for people and for programs, with a model and without."""

import asyncio
import json

import pytest

from bot.research.clarify import NO_ANSWER
from tests.fakes.ollama import serve_ollama


@pytest.fixture
def indexed(footnote, docs):
    footnote("index", "files", docs)
    return footnote


@pytest.fixture
async def ollama(indexed, env):
    """A fake Ollama that has the model, and an index to ask about."""
    async with serve_ollama() as ollama:
        env(OLLAMA_HOST=ollama.url)
        yield ollama


async def ask(footnote, *arguments):
    """In a thread of its own, so that the fake on this loop can answer."""
    return await asyncio.to_thread(footnote, "ask", *arguments)


def test_without_a_model_the_best_passage_is_quoted_and_the_mend_is_named(indexed, docs):
    done = indexed("ask", "How many days of paid leave are there?")
    assert done.code == 0
    assert "Everyone has 30 days of paid leave a year." in done.out
    assert "[1] Leave policy" in done.out
    assert (docs / "leave.md").as_uri() in done.out
    assert "ollama pull gemma4:31b" in done.out


async def test_a_model_searches_and_its_answer_has_footnotes_that_open_the_file(indexed, ollama, docs):
    ollama.calls("search", query="paid leave")
    ollama.says("You have **30 ", "days** [1].")
    done = await ask(indexed, "How much leave do I have?")
    assert done.code == 0
    assert "Searching the documents for “paid leave”" in done.out
    assert "You have **30 days** [1]." in done.out
    assert "[1] Leave policy" in done.out
    assert (docs / "leave.md").as_uri() in done.out


async def test_json_is_one_object_with_the_documented_fields(indexed, ollama):
    ollama.calls("search", query="paid leave")
    ollama.says("30 days [1].")
    done = await ask(indexed, "--json", "How much leave do I have?")
    result = json.loads(done.out)
    assert list(result) == ["answer", "sources", "grounded", "stop_reason", "warnings", "usage", "tool_calls"]
    assert (result["answer"], result["grounded"], result["stop_reason"]) == ("30 days [1].", True, "answered")
    assert result["sources"][0]["title"] == "Leave policy"
    (call,) = result["tool_calls"]
    assert list(call) == ["tool_name", "arguments", "num_results", "top_titles", "response", "error"]
    assert (call["tool_name"], call["num_results"], call["top_titles"]) == ("search", 1, ["Leave policy"])


async def test_a_failed_engine_is_1(indexed, ollama):
    ollama.fails(500, "out of memory")
    ollama.fails(500, "out of memory")
    done = await ask(indexed, "--json", "How much leave do I have?")
    assert done.code == 1
    assert json.loads(done.out)["stop_reason"] == "engine_failed"


async def test_for_people_a_failed_engine_is_said_once(indexed, ollama):
    ollama.fails(500, "out of memory")
    ollama.fails(500, "out of memory")
    done = await ask(indexed, "How much leave do I have?")
    assert done.code == 1
    assert done.out.count("The language model did not answer") == 1


async def test_an_answer_that_no_source_backs_says_so(indexed, ollama):
    ollama.says("Hello!")
    assert "No source backs this answer." in (await ask(indexed, "Hello")).out


async def test_the_literal_stays_in_json_and_is_a_sentence_for_people(indexed, ollama):
    for _ in range(4):  # an empty reply is asked for again once
        ollama.says("")
    literal = "(model returned no content and no tool calls)"
    assert json.loads((await ask(indexed, "--json", "Hello")).out)["answer"] == literal
    done = await ask(indexed, "Bonjour, peux-tu m'aider à comprendre ce document ?")
    assert literal not in done.out
    assert "Posez-la autrement" in done.out


async def test_the_history_goes_to_the_model(indexed, ollama, tmp_path):
    turns = [{"role": "user", "content": "Who is Ada?"}, {"role": "assistant", "content": "The head of platform."}]
    (tmp_path / "turns.json").write_text(json.dumps(turns))
    ollama.says("Since 2019.")
    await ask(indexed, "--history", tmp_path / "turns.json", "Since when?")
    contents = [message["content"] for message in ollama.chats[0]["messages"]]
    assert contents[1:] == ["Who is Ada?", "The head of platform.", "Since when?"]


@pytest.mark.parametrize("content", [None, "{", "{}", '["hi"]', '[{"role": "user"}]', '[{"role": 1, "content": "x"}]'])
def test_a_bad_history_is_one_line_and_2(indexed, tmp_path, content):
    file = tmp_path / "turns.json"
    if content is not None:
        file.write_text(content)
    done = indexed("ask", "--history", file, "Since when?")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "turns.json" in done.err


async def test_a_question_back_is_answered_from_stdin(indexed, ollama, process):
    ollama.calls("search", query="leave")
    ollama.calls("clarify", question="Which country?")
    ollama.says("In France, 30 days [1].")
    async with process("ask", "--json", "How much leave?") as running:
        out, err = await running.communicate(b"France\n")
    assert json.loads(out)["tool_calls"][1]["response"] == "France"
    assert b"Which country?" in err


async def test_for_people_the_question_back_stands_among_the_steps(indexed, ollama, process):
    ollama.calls("search", query="leave")
    ollama.calls("clarify", question="Which country?")
    ollama.says("In general, 30 days [1].")
    async with process("ask", "How much leave?") as running:
        out, _ = await running.communicate(b"")
    assert out.index(b"1 found") < out.index(b"Which country?") < out.index(b"In general, 30 days [1].")
    assert ollama.chats[2]["messages"][-1]["content"].find(NO_ANSWER) > 0


async def test_as_somebody_else_the_model_gets_only_what_they_may_read(indexed, ollama):
    ollama.calls("search", query="leave")
    ollama.says("Nothing.")
    done = await ask(indexed, "--as", "public", "--json", "How much leave?")
    assert json.loads(done.out)["tool_calls"][0]["num_results"] == 0
    assert "30 days" not in json.dumps(ollama.chats)


def test_bytes_that_are_no_text_do_no_harm(indexed):
    assert indexed("ask", "--json", "paid leave \udcff?").code == 0
