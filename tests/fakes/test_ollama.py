"""What a real Ollama did, by its official client and by plain HTTP; the fake does the same."""

import asyncio
import json

import httpx
import numpy as np
import ollama
import pytest

from tests.fakes.ollama import serve_ollama
from tests.fakes.ollama_rules import Model

HELLO = [{"role": "user", "content": "Hello"}]
TOOL = {"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {}}}}


@pytest.fixture
async def server():
    async with serve_ollama() as server:
        yield server


@pytest.fixture
async def client(server):
    async with ollama.AsyncClient(server.url) as client:
        yield client


@pytest.fixture
async def http(server):
    async with httpx.AsyncClient(base_url=server.url) as http:
        yield http


async def test_capabilities_are_told_by_show_and_not_by_the_list(client):
    assert (await client.show("gemma4:31b")).capabilities == ["completion", "tools", "thinking"]
    assert [model.model for model in (await client.list()).models] == ["gemma4:31b", "embeddinggemma:latest"]


async def test_the_list_knows_completion_alone(http):
    models = (await http.get("/api/tags")).json()["models"]
    assert {tuple(model["capabilities"]) for model in models} == {("completion",)}


async def test_a_scripted_answer_is_streamed_piece_by_piece_and_counted(server, client):
    server.says("30 ", "days")
    parts = [part async for part in await client.chat("gemma4:31b", HELLO, stream=True)]
    assert [part.message.content for part in parts] == ["30 ", "days", ""]
    assert (parts[-1].done, parts[-1].done_reason, parts[-1].eval_count) == (True, "stop", 2)


async def test_an_answer_that_is_not_streamed_comes_whole(server, client):
    server.says("30 ", "days")
    assert (await client.chat("gemma4:31b", HELLO)).message.content == "30 days"


async def test_a_call_comes_with_an_id_and_its_arguments_as_an_object(server, http):
    server.calls("search", query="leave")
    reply = (await http.post("/api/chat", json={"model": "gemma4:31b", "messages": HELLO, "stream": False})).json()
    call = reply["message"]["tool_calls"][0]
    assert call["id"].startswith("call_")
    assert call["function"] == {"index": 0, "name": "search", "arguments": {"query": "leave"}}


async def test_the_body_of_a_chat_is_kept(server, client):
    server.says("Hello")
    await client.chat("gemma4:31b", HELLO, options={"num_ctx": 2048})
    assert server.chats[0]["options"] == {"num_ctx": 2048}


async def test_a_server_process_that_dies_raises_after_the_text_so_far(server, client):
    server.fails_after("30 ", error="an error was encountered while running the model: unexpected EOF")
    parts = aiter(await client.chat("gemma4:31b", HELLO, stream=True))
    assert (await anext(parts)).message.content == "30 "
    with pytest.raises(ollama.ResponseError, match="unexpected EOF") as raised:
        await anext(parts)
    assert raised.value.status_code == -1


async def test_a_stream_that_just_ends_raises_nothing(server, client):
    server.breaks_off("30 ")
    parts = [part async for part in await client.chat("gemma4:31b", HELLO, stream=True)]
    assert not any(part.done for part in parts)


async def test_a_line_cut_in_half_is_no_json(server, client):
    server.breaks_off("30 ", mid_line=True)
    with pytest.raises(json.JSONDecodeError):
        [part async for part in await client.chat("gemma4:31b", HELLO, stream=True)]


async def test_a_connection_can_be_reset_before_the_first_byte(server, http):
    server.resets()
    with pytest.raises(httpx.TransportError):
        await http.post("/api/chat", json={"model": "gemma4:31b", "messages": HELLO})


async def test_a_client_that_goes_away_ends_the_chat(server, client):
    server.hangs("30 ")
    async for _ in await client.chat("gemma4:31b", HELLO, stream=True):
        break
    await client.close()
    await server.until(lambda: server.cancelled == 1)


async def test_one_chat_at_a_time_when_told():
    async with (
        serve_ollama(parallel=1) as server,
        ollama.AsyncClient(server.url) as client,
        asyncio.TaskGroup() as all_,
    ):
        for _ in range(3):
            server.says("Hello")
            all_.create_task(client.chat("gemma4:31b", HELLO))
    assert (len(server.chats), server.most_at_once) == (3, 1)


@pytest.mark.parametrize(
    ("model", "body", "status", "error"),
    [
        pytest.param("nope", {}, 404, "model 'nope' not found", id="an unknown model"),
        pytest.param("embeddinggemma", {}, 400, '"embeddinggemma" does not support chat', id="an embedding model"),
        pytest.param(
            "plain", {"think": True}, 400, '"plain" does not support thinking', id="thinking where there is none"
        ),
        pytest.param(
            "plain", {"tools": [TOOL]}, 400, '"plain" does not support tools', id="tools where there are none"
        ),
        pytest.param(
            "plain",
            {"options": {"num_ctx": "x"}},
            500,
            'option "num_ctx" must be of type integer',
            id="a window that is no number",
        ),
        pytest.param(
            "plain",
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}]},
            400,
            "Value looks like object, but can't find closing '}' symbol",
            id="arguments as a string",
        ),
    ],
)
async def test_a_chat_is_refused(server, http, model, body, status, error):
    server.models["plain:latest"] = Model(["completion"])
    reply = await http.post("/api/chat", json={"model": model, "messages": HELLO, **body})
    assert (reply.status_code, reply.json()) == (status, {"error": error})


async def test_thinking_can_be_told_off_a_model_that_does_not_think(server, client):
    server.models["plain:latest"] = Model(["completion"])
    server.says("Hello")
    assert (await client.chat("plain", HELLO, think=False)).message.content == "Hello"


async def test_a_chat_without_messages_loads_the_model(client):
    assert (await client.chat("gemma4:31b")).done_reason == "load"


LONG = [{"role": "user", "content": "word " * 2000}, *HELLO]


async def test_what_is_too_long_is_cut_in_silence(server, client):
    server.says("Hello")
    reply = await client.chat("gemma4:31b", [*LONG, *LONG], options={"num_ctx": 2500})
    assert reply.prompt_eval_count == 2500


@pytest.mark.parametrize(
    ("messages", "whole"),
    [
        pytest.param(LONG, {"truncate": False, "shift": False}, id="when nothing may be cut"),
        pytest.param(LONG[:1], {}, id="when one message alone is longer"),
    ],
)
async def test_a_window_that_is_exceeded_is_told_with_the_counts_inside_the_error(http, messages, whole):
    options = {"num_ctx": 2048}
    reply = await http.post(
        "/api/chat", json={"model": "gemma4:31b", "messages": messages, "options": options, **whole}
    )
    inside = json.loads(reply.json()["error"])["error"]
    assert reply.status_code == 400
    assert (inside["type"], inside["n_ctx"]) == ("exceed_context_size_error", 2048)
    assert inside["n_prompt_tokens"] > 2048


async def test_a_model_is_pulled_with_progress_and_is_there_then(server, client):
    del server.models["gemma4:31b"]
    steps = [step async for step in await client.pull("gemma4:31b", stream=True)]
    assert (steps[-1].status, steps[-2].completed) == ("success", 100)
    assert "gemma4:31b" in server.models


async def test_a_model_that_nobody_knows_cannot_be_pulled(client):
    with pytest.raises(ollama.ResponseError, match="file does not exist"):
        [step async for step in await client.pull("nope", stream=True)]


@pytest.mark.parametrize("given", ["", [], None])
async def test_nothing_to_embed_gives_no_vectors(http, given):
    reply = await http.post("/api/embed", json={"model": "embeddinggemma", "input": given})
    assert (reply.status_code, reply.json()["embeddings"]) == (200, [])


async def test_vectors_have_length_one_and_do_not_depend_on_the_batch(client):
    alone = (await client.embed("embeddinggemma", "paid leave")).embeddings
    batch = (await client.embed("embeddinggemma", ["paid leave", ""])).embeddings
    assert np.allclose(np.linalg.norm(batch, axis=1), 1)
    assert np.allclose(alone[0], batch[0])


async def test_texts_that_share_words_are_near(client):
    a, b, c = np.array((await client.embed("embeddinggemma", ["paid leave days", "leave days", "storm"])).embeddings)
    assert a @ b > 0.8 > 0.2 > a @ c


async def test_texts_that_are_no_texts_are_refused(http):
    reply = await http.post("/api/embed", json={"model": "embeddinggemma", "input": [1, 2]})
    assert (reply.status_code, reply.json()) == (400, {"error": "invalid input type"})


async def test_a_long_text_is_cut_in_silence_or_refused_without_saying_which(client):
    long = "word " * 6000
    assert (await client.embed("embeddinggemma", long)).prompt_eval_count == 2048
    with pytest.raises(ollama.ResponseError, match="the input length exceeds the context length"):
        await client.embed("embeddinggemma", ["short", long], truncate=False)


async def test_dimensions_can_be_cut_but_not_added(client):
    for asked, given in ((256, 256), (4096, 768)):
        assert len((await client.embed("embeddinggemma", "leave", dimensions=asked)).embeddings[0]) == given


async def test_a_chat_model_does_not_embed(client):
    with pytest.raises(ollama.ResponseError, match="does not support embeddings") as raised:
        await client.embed("gemma4:31b", "leave")
    assert raised.value.status_code == 501


async def test_the_old_way_to_embed_is_not_normalised(client):
    assert np.linalg.norm((await client.embeddings("embeddinggemma", "leave")).embedding) > 2
