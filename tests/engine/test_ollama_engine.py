import asyncio

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.engine import EngineError, Message, Role, ToolCall
from bot.engine.ollama import Limits, OllamaEngine
from bot.research.tools import CLARIFY_TOOL_SPEC, SEARCH_TOOL_SPEC, WEB_SEARCH_TOOL_SPEC
from tests.fakes.ollama import serve_ollama
from tests.fakes.ollama_rules import Model

MODEL = "gemma4:31b"
NOBODY = "http://127.0.0.1:9"
QUESTION = [Message(Role.SYSTEM, "Rules."), Message(Role.USER, "What does Bob earn?")]
TOOLS = [SEARCH_TOOL_SPEC, WEB_SEARCH_TOOL_SPEC, CLARIFY_TOOL_SPEC]
CRASH = "an error was encountered while running the model: unexpected EOF"
LOST_CALL = 'error parsing tool call: raw=\'{"query": "Bob\', err=unexpected end of JSON input'


@pytest.fixture
async def server():
    async with serve_ollama() as server:
        server.models["plain:latest"] = Model(["completion"])
        server.models["gpt-oss:20b"] = Model(["completion", "tools", "thinking"], family="gptoss")
        yield server


@pytest.fixture
async def engine_of(server):
    opened = []

    def make(host="", **limits):
        opened.append(OllamaEngine(host or server.url, limits=Limits(**{"retry_pause": 0, **limits})))
        return opened[-1]

    yield make
    for engine in opened:
        await engine.aclose()


@pytest.fixture
def engine(engine_of):
    return engine_of()


async def ask(engine, messages=QUESTION, **settings):
    defaults = {"model": MODEL, "temperature": 0.3, "max_tokens": 1500, "num_ctx": 16384}
    return await engine.generate(messages, **{**defaults, **settings})


# What goes out.


async def test_the_whole_tool_schema_is_on_the_wire(server, engine):
    server.says("Hello")
    await ask(engine, tools=TOOLS)
    assert server.chats[0]["tools"] == TOOLS
    parameters = server.chats[0]["tools"][0]["function"]["parameters"]
    assert set(parameters["properties"]["time_range"]["properties"]) == {"start", "end"}


async def test_withheld_tools_are_not_on_the_wire(server, engine):
    server.says("Hello")
    await ask(engine)
    assert "tools" not in server.chats[0]


async def test_every_call_says_the_window_and_that_nothing_may_be_cut(server, engine):
    server.says("Hello")
    await ask(engine, temperature=0.1, max_tokens=100)
    body = server.chats[0]
    assert body["options"] == {"num_ctx": 16384, "num_predict": 100, "temperature": 0.1}
    assert (body["truncate"], body["shift"], body["stream"], body["keep_alive"]) == (False, False, True, "30m")


async def test_a_model_keeps_one_window_since_another_would_load_it_again(server, engine):
    for num_ctx in (8192, 16384, 4096):
        server.says("Hello")
        await ask(engine, num_ctx=num_ctx)
    server.says("Hello")
    await ask(engine, num_ctx=2048, model="plain")
    assert [body["options"]["num_ctx"] for body in server.chats] == [8192, 16384, 16384, 2048]


async def test_system_messages_are_folded_into_one_at_the_head(server, engine):
    server.says("Hello")
    await ask(engine, [*QUESTION, Message(Role.SYSTEM, "First hint."), Message(Role.SYSTEM, "Second hint.")])
    assert server.chats[0]["messages"] == [
        {"role": "system", "content": "Rules.\n\nFirst hint.\n\nSecond hint."},
        {"role": "user", "content": "What does Bob earn?"},
    ]


async def test_a_tool_message_says_its_tool_and_its_call(server, engine):
    server.says("Hello")
    calls = [ToolCall("call_7", "search", {"query": "Bob", "time_range": {"start": "2026-01-01"}})]
    result = Message(Role.TOOL, "{}", name="search", tool_call_id="call_7")
    await ask(engine, [*QUESTION, Message(Role.ASSISTANT, tool_calls=calls), result])
    arguments = {"query": "Bob", "time_range": {"start": "2026-01-01"}}
    assert server.chats[0]["messages"][2:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "call_7", "function": {"name": "search", "arguments": arguments}}],
        },
        {"role": "tool", "content": "{}", "tool_name": "search", "tool_call_id": "call_7"},
    ]


@pytest.mark.parametrize(
    ("model", "think"),
    [
        pytest.param(MODEL, False, id="off for a model that thinks"),
        pytest.param("gpt-oss:20b", "low", id="as little as it can for one that cannot stop"),
        pytest.param("plain", None, id="not a word for one that does not"),
    ],
)
async def test_thinking_is(server, engine, model, think):
    for _ in range(2):
        server.says("Hello")
        await ask(engine, model=model)
    assert [body.get("think") for body in server.chats] == [think, think]
    assert server.paths.count("/api/show") == 1


# What comes back.


async def test_text_is_told_piece_by_piece(server, engine):
    server.says("30 ", "days", done_reason="length")
    pieces = []
    reply = await ask(engine, on_text=pieces.append)
    assert pieces == ["30 ", "days"]
    assert (reply["content"], reply["tool_calls"], reply["done_reason"]) == ("30 days", [], "length")


async def test_the_tokens_are_counted(server, engine):
    server.says("30 ", "days")
    assert (await ask(engine))["usage"] == {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}


async def test_a_call_keeps_the_id_that_the_server_gave_it(server, engine):
    server.calls("search", query="Bob", time_range={"start": "2026-01-01"})
    (call,) = (await ask(engine, tools=TOOLS))["tool_calls"]
    assert call["id"].startswith("call_")
    assert (call["name"], call["arguments"]) == ("search", {"query": "Bob", "time_range": {"start": "2026-01-01"}})


async def test_signs_that_some_take_for_line_ends_are_text(server, engine):
    server.says("a\x85b\x0bc", "\u2028d é")
    assert (await ask(engine))["content"] == "a\x85b\x0bc\u2028d é"


async def test_thinking_is_not_told(server, engine):
    server.thinks("Bob earns a lot", "I do not know.")
    pieces = []
    assert (await ask(engine, on_text=pieces.append))["content"] == "I do not know."
    assert pieces == ["I do not know."]


async def test_a_reply_that_thinking_ate_is_asked_again_with_more_tokens(server, engine):
    server.thinks("so many words", done_reason="length")
    server.says("30 days")
    reply = await ask(engine, max_tokens=100)
    assert reply["content"] == "30 days"
    assert [body["options"]["num_predict"] for body in server.chats] == [100, 400]
    assert reply["usage"]["completion_tokens"] == 4
    assert len({body["options"]["num_ctx"] for body in server.chats}) == 1


async def test_a_model_that_only_thinks_is_named_with_the_true_cause(server, engine):
    for _ in range(2):
        server.thinks("so many words", done_reason="length")
    with pytest.raises(EngineError, match="spent all 400 tokens of its reply on thinking"):
        await ask(engine, max_tokens=100)


async def test_more_tokens_stay_within_the_window(server, engine):
    server.thinks("so many words", done_reason="length")
    server.says("30 days")
    await ask(engine, max_tokens=1500, num_ctx=2048)
    assert server.chats[1]["options"]["num_predict"] == 2048 - 5


# What goes wrong.


@pytest.mark.parametrize(
    ("model", "status", "error", "sentence"),
    [
        pytest.param("nope", 0, "", "Ollama has no model nope; fetch it with: ollama pull nope", id="no such model"),
        pytest.param(MODEL, 503, "server busy, please try again", "Ollama is busy", id="busy twice"),
        pytest.param(MODEL, 500, LOST_CALL, "wrote a tool call that Ollama could not read", id="a lost call twice"),
        pytest.param(MODEL, 500, CRASH, "The process that runs gemma4:31b died", id="dead twice"),
        pytest.param(
            MODEL, 500, "model requires more system memory (30 GiB) than is available", "needs more memory", id="memory"
        ),
        pytest.param(MODEL, 500, "cannot say 'Bob'", "Ollama answered 500 for gemma4:31b; its log", id="anything else"),
        pytest.param(MODEL, 401, "unauthorized", "set OLLAMA_HOST to Ollama itself", id="somebody else answers"),
        pytest.param(MODEL, 301, "", "set OLLAMA_HOST to Ollama itself", id="somebody sends us elsewhere"),
        pytest.param("embeddinggemma", 0, "", "cannot hold a conversation", id="a model that only embeds"),
    ],
)
async def test_a_refusal_is_told_in_a_sentence_without_message_text(server, engine, model, status, error, sentence):
    for _ in range(2):
        server.fails(status, error)
    with pytest.raises(EngineError) as raised:
        await ask(engine, model=model)
    assert sentence in str(raised.value)
    assert "Bob" not in str(raised.value)


async def test_a_model_without_tools_is_named_with_the_mend(server, engine):
    with pytest.raises(EngineError, match=r"plain cannot call tools; set FOOTNOTE_MODEL .* ollama pull gemma4:31b"):
        await ask(engine, model="plain", tools=TOOLS)


async def test_a_window_that_is_exceeded_is_told_with_the_counts(engine):
    with pytest.raises(EngineError, match="take 3000 tokens, but gemma4:31b was given a window of 2048"):
        await ask(engine, [Message(Role.USER, "Bob " * 3000)], num_ctx=2048)


async def test_a_server_that_is_not_there_is_named_with_the_setting_that_mends_it(engine_of):
    with pytest.raises(EngineError, match=r"Ollama does not answer at http://127\.0\.0\.1:9; .* set OLLAMA_HOST"):
        await ask(engine_of(NOBODY))


@pytest.mark.parametrize("mid_line", [False, True])
async def test_a_stream_that_ends_too_early_is_an_error(server, engine, mid_line):
    server.breaks_off("30 ", mid_line=mid_line)
    with pytest.raises(EngineError, match="broke off in the middle"):
        await ask(engine)
    assert len(server.chats) == 1


async def test_what_fails_after_the_first_token_is_not_asked_again(server, engine):
    server.fails_after("30 ", error=CRASH)
    pieces = []
    with pytest.raises(EngineError, match="The process that runs gemma4:31b died"):
        await ask(engine, on_text=pieces.append)
    assert (pieces, len(server.chats)) == (["30 "], 1)


@pytest.mark.parametrize(
    "fail",
    [
        pytest.param(lambda server: server.resets(), id="the connection is reset"),
        pytest.param(lambda server: server.breaks_off(), id="the stream ends before it began"),
        pytest.param(lambda server: server.fails(503, "server busy"), id="the server is busy"),
        pytest.param(lambda server: server.fails(500, LOST_CALL), id="a call is lost"),
        pytest.param(lambda server: server.fails_after(error=CRASH), id="the process dies at once"),
    ],
)
async def test_what_passes_is_asked_once_again(server, engine, fail):
    fail(server)
    server.says("30 days")
    assert (await ask(engine))["content"] == "30 days"
    assert server.chats[0] == server.chats[1]


async def test_an_error_in_the_callers_own_callback_is_the_callers(server, engine):
    server.says("30 days")
    with pytest.raises(ValueError, match="mine"):
        await ask(engine, on_text=lambda _: (_ for _ in ()).throw(ValueError("mine")))


@pytest.mark.parametrize(
    ("status", "text", "sentence"),
    [
        pytest.param(502, "<html>Bad gateway</html>", "answered 502 for gemma4:31b", id="a page of a proxy"),
        pytest.param(200, "[]", "broke off", id="another service"),
        pytest.param(200, "Hello", "broke off", id="no JSON"),
    ],
)
async def test_what_is_not_ollama_is_no_model(engine_of, status, text, sentence):
    async def answer(request):
        return web.Response(status=status, text=text)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app) as other:
        engine = engine_of(str(other.make_url("")))
        with pytest.raises(EngineError, match=sentence):
            await ask(engine)
        assert not (await engine.check(MODEL)).usable


# Limits.


@pytest.mark.parametrize(
    ("pieces", "limits", "sentence"),
    [
        pytest.param(
            [],
            {"first_token": 0.05, "silence": 0.01},
            r"did not begin to answer within 0\.05 s",
            id="to the first token",
        ),
        pytest.param(["30 "], {"silence": 0.05}, r"fell silent for 0\.05 s", id="between two tokens"),
        pytest.param(["30 "], {"total": 0.1}, r"did not finish a reply within 0\.1 s", id="in all"),
    ],
)
async def test_there_is_a_limit(server, engine_of, pieces, limits, sentence):
    server.hangs(*pieces)
    async with asyncio.timeout(5):
        with pytest.raises(EngineError, match=sentence):
            await ask(engine_of(**limits))
    await server.until(lambda: server.cancelled == 1)


async def test_cancelling_closes_the_connection_at_once(server, engine):
    server.hangs("30 ")
    heard = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(ask(engine, on_text=lambda _: heard.set()))
        await heard.wait()
        asking.cancel()
    await server.until(lambda: server.cancelled == 1)
    server.says("Hello")
    assert (await ask(engine))["content"] == "Hello"


# At start.


@pytest.mark.parametrize(
    ("model", "reachable", "present", "tools", "mend"),
    [
        pytest.param(MODEL, True, True, True, "", id="all is well"),
        pytest.param("gemma4:12b", True, False, False, "ollama pull gemma4:12b", id="no such model"),
        pytest.param("plain", True, True, False, "ollama pull gemma4:31b", id="it cannot call tools"),
    ],
)
async def test_a_check_says_whether_the_model_can_research(server, engine, model, reachable, present, tools, mend):
    status = await engine.check(model)
    assert (status.reachable, status.present, status.tools) == (reachable, present, tools)
    assert (status.usable, mend in status.problem) == (not mend, True)
    assert server.paths == ["/api/show"]


async def test_a_check_of_a_server_that_is_not_there_names_it(engine_of):
    status = await engine_of(NOBODY).check(MODEL)
    assert (status.reachable, status.usable) == (False, False)
    assert "Ollama does not answer at http://127.0.0.1:9" in status.problem


async def test_the_models_that_are_there_are_listed(engine, engine_of):
    assert MODEL in await engine.models()
    with pytest.raises(EngineError, match="does not answer"):
        await engine_of(NOBODY).models()


async def test_a_model_is_pulled_step_by_step(server, engine):
    del server.models[MODEL]
    steps = [step async for step in engine.pull(MODEL)]
    assert [(step.status, step.completed, step.total) for step in steps[-2:]] == [
        ("pulling aaaaaaaaaaaa", 100, 100),
        ("success", 0, 0),
    ]
    assert (await engine.check(MODEL)).present


async def test_a_model_that_nobody_knows_cannot_be_pulled(engine, engine_of):
    with pytest.raises(EngineError, match="could not fetch nope; is the name right"):
        [step async for step in engine.pull("nope")]
    with pytest.raises(EngineError, match="does not answer"):
        [step async for step in engine_of(NOBODY).pull(MODEL)]


async def test_a_host_is_taken_as_ollama_takes_it(server):
    server.says("Hello")
    async with OllamaEngine(server.url.removeprefix("http://")) as engine:
        assert (await ask(engine))["content"] == "Hello"


async def test_nothing_that_is_asked_or_answered_is_logged(server, engine, caplog):
    caplog.set_level("DEBUG", logger="bot")
    server.fails(500, LOST_CALL)
    server.says("Bob earns 90k")
    await ask(engine)
    assert "Asking gemma4:31b again" in caplog.text
    assert "Bob" not in caplog.text
