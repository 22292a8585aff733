"""`footnote ask` where the question asks for the web."""

import asyncio
import json

import pytest

from tests.fakes.ollama import serve_ollama
from tests.fakes.web_engines import PAGES
from tests.fakes.web_service import serve, status
from tests.fakes.web_tavily import FakeTavily


@pytest.fixture
async def tavily(env):
    async with serve(FakeTavily(pages=list(PAGES))) as service:
        env(TAVILY_API_KEY="key-0123456789-secret", TAVILY_API_URL=service.url)
        yield service


@pytest.fixture
def indexed(footnote, docs):
    footnote("index", "files", docs, "--url", "https://wiki.test/")


@pytest.fixture
async def ollama(indexed, env):
    async with serve_ollama() as ollama:
        env(OLLAMA_HOST=ollama.url)
        yield ollama


async def ask(footnote, *arguments):
    return await asyncio.to_thread(footnote, "ask", *arguments)


async def test_a_question_for_the_web_is_answered_from_it_and_says_who_got_it(footnote, ollama, tavily):
    ollama.says("Falcon 2 is out [1].")
    done = await ask(footnote, "web: is falcon 2 out?")
    assert tavily.asked[0].body["query"] == "is falcon 2 out?"
    assert f"[1] {PAGES[0].title}" in done.out
    assert "The question went to Tavily." in done.out
    assert PAGES[0].snippet in json.dumps(ollama.chats[0]["messages"])


async def test_a_phrase_gives_the_model_the_web_beside_the_documents(footnote, ollama, tavily):
    ollama.calls("web_search", query="falcon 2")
    ollama.says("Falcon 2 is out [1].")
    done = await ask(footnote, "--json", "Search the web for falcon 2")
    result = json.loads(done.out)
    assert [call["tool_name"] for call in result["tool_calls"]] == ["web_search"]
    assert "The question went to Tavily." in result["warnings"]


async def test_a_question_that_does_not_ask_for_it_has_no_web(footnote, ollama, tavily):
    ollama.says("I do not know.")
    await ask(footnote, "Is falcon 2 out?")
    assert "web_search" not in json.dumps(ollama.chats[0]["tools"])
    assert tavily.asked == []


async def test_where_the_web_is_off_nothing_goes_out_and_it_is_said(footnote, ollama, tavily, env):
    env(FOOTNOTE_WEB="off")
    ollama.says("I do not know.")
    done = await ask(footnote, "web: is falcon 2 out?")
    assert "The web is turned off here" in done.out
    assert tavily.asked == []


async def test_an_outage_is_told_as_one(footnote, ollama, tavily):
    tavily.fault = status(401, {"detail": {"error": "Unauthorized"}})
    ollama.says("The web could not be checked.")
    done = await ask(footnote, "web: is falcon 2 out?")
    assert "The web was not searched: Tavily refused the key: HTTP 401, Unauthorized." in done.out


async def test_an_engine_that_is_not_there_was_tried_and_that_is_said_once(footnote, ollama, env):
    env(TAVILY_API_KEY="key-0123456789-secret", TAVILY_API_URL="http://127.0.0.1:1")
    ollama.says("The web could not be checked.")
    done = await ask(footnote, "web: is falcon 2 out?")
    assert "No answer came from Tavily" in done.out
    assert "went to" not in done.out
    assert done.err == ""


async def test_that_the_web_has_nothing_is_told_as_that(footnote, ollama, tavily):
    tavily.pages.clear()
    ollama.says("The web could not be checked.")
    done = await ask(footnote, "web: is falcon 2 out?")
    assert "The web was searched, and nothing was found." in done.out
    assert "not searched" not in done.out


async def test_a_link_to_a_document_is_that_document(footnote, ollama, tavily):
    ollama.says("30 days [1].")
    done = await ask(footnote, "--json", "How much leave does https://wiki.test/leave.md give?")
    assert json.loads(done.out)["sources"][0]["title"] == "Leave policy"
    assert "Everyone has 30 days" in json.dumps(ollama.chats[0]["messages"])
    assert tavily.asked == []


async def test_a_private_address_is_not_opened_and_the_documents_are_asked(footnote, ollama, tavily):
    ollama.calls("search", query="leave")
    ollama.says("30 days [1].")
    done = await ask(footnote, "What does http://127.0.0.1:9/leave say?")
    assert "I did not open the link: Only the usual ports of the web are read." in done.out
    assert "[1] Leave policy" in done.out


@pytest.mark.parametrize("question", ["web:", "web: "])
def test_the_web_without_a_question_is_a_wrong_command_line(footnote, question):
    done = footnote("ask", question)
    assert (done.code, done.err) == (2, "error: The question is empty; ask something.\n")
