import logging

import numpy as np
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from indexers.embedding import EmbeddingError
from indexers.embedding.ollama import OllamaEmbedder
from tests.fakes.ollama import serve_ollama
from tests.fakes.ollama_rules import Model

NOBODY = "http://127.0.0.1:9"


@pytest.fixture
async def server():
    async with serve_ollama() as server:
        server.models["nomic-embed-text:latest"] = Model(["embedding"], context=2048)
        yield server


@pytest.fixture
async def embedder_of(server):
    opened = []

    def make(model="nomic-embed-text", **settings):
        opened.append(OllamaEmbedder(model, **{"host": server.url, "retry_pause": 0, **settings}))
        return opened[-1]

    yield make
    for embedder in opened:
        await embedder.aclose()


async def test_texts_become_rows_of_length_one(embedder_of):
    embedder = embedder_of()
    assert embedder.dimensions is None
    rows = await embedder.embed_documents(["paid leave", "the storm"])
    assert (rows.shape, rows.dtype, embedder.dimensions) == ((2, 768), np.float32, 768)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


async def test_a_query_is_near_the_text_that_answers_it(embedder_of):
    embedder = embedder_of()
    rows = await embedder.embed_documents(["paid leave for new employees", "the storm tore off the roof"])
    near, far = rows @ await embedder.embed_query("leave for employees")
    assert near > 0.5 > far


async def test_query_and_document_carry_what_the_model_was_trained_with(server, embedder_of):
    embedder = embedder_of("embeddinggemma", floor=0.3)
    await embedder.embed_documents(["thirty days", "a storm"], titles=["Leave", ""])
    await embedder.embed_query("leave?")
    assert [body["input"] for body in server.embeds] == [
        ["title: Leave | text: thirty days", "title: none | text: a storm"],
        ["task: search result | query: leave?"],
    ]


async def test_texts_are_sent_in_batches_whole_and_with_nothing_that_reloads_the_model(server, embedder_of):
    await embedder_of(batch_size=2).embed_documents(["a", "b", "c", "d", "e"])
    assert [len(body["input"]) for body in server.embeds] == [2, 2, 1]
    assert {(body["truncate"], body["keep_alive"], str(body.get("options"))) for body in server.embeds} == {
        (False, "30m", "None")
    }


async def test_blank_texts_are_not_sent_and_get_zeros(server, embedder_of):
    rows = await embedder_of().embed_documents(["", "leave", " \n"])
    assert [bool(row.any()) for row in rows] == [False, True, False]
    assert server.embeds[0]["input"] == ["search_document: leave"]


async def test_blank_texts_alone_have_the_width_of_the_others(embedder_of):
    assert (await embedder_of().embed_documents([" "])).shape == (1, 768)
    assert (await embedder_of().embed_documents([])).shape == (0, 768)


async def test_a_blank_query_is_near_nothing(embedder_of):
    vector = await embedder_of().embed_query("  ")
    assert (vector.shape, vector.any()) == ((768,), False)


async def test_one_text_that_is_too_long_is_embedded_in_parts_and_fails_no_other(server, embedder_of, caplog):
    texts = ["short", "storm " * 1500 + "leave " * 1500, "other"]
    embedder = embedder_of()
    with caplog.at_level(logging.WARNING):
        rows = await embedder.embed_documents(texts)
    alone = await embedder.embed_documents([texts[0], texts[2]])
    assert np.allclose(rows[[0, 2]], alone)
    for word in ("storm", "leave"):
        assert rows[1] @ await embedder.embed_query(word) > 0.3
    assert "too long for nomic-embed-text; it is embedded in parts" in caplog.text
    assert "storm" not in caplog.text


async def test_a_question_that_is_too_long_is_embedded_in_parts_too(embedder_of):
    assert (await embedder_of().embed_query("leave " * 5000)).any()


async def test_a_model_that_reads_next_to_nothing_is_refused(server, embedder_of):
    server.models["nomic-embed-text:latest"].context = 1
    with pytest.raises(EmbeddingError, match="takes not even 200 characters"):
        await embedder_of().embed_documents(["one two three " * 100])


async def test_a_missing_model_is_named_with_the_command_that_fetches_it(embedder_of):
    embedder = embedder_of("bge-m3")
    for attempt in (embedder.embed_query("leave"), embedder.check()):
        with pytest.raises(EmbeddingError, match="ollama pull bge-m3"):
            await attempt


async def test_a_model_that_only_talks_is_refused_with_the_setting_that_mends_it(embedder_of):
    embedder = embedder_of("gemma4:31b")
    for attempt in (embedder.embed_query("leave"), embedder.check()):
        with pytest.raises(EmbeddingError, match=r"FOOTNOTE_EMBED_MODEL.*ollama pull embeddinggemma"):
            await attempt


async def test_a_server_that_is_not_there_is_named_with_the_setting_that_mends_it(embedder_of):
    embedder = embedder_of(host=NOBODY)
    for attempt in (embedder.embed_query("leave"), embedder.check()):
        with pytest.raises(EmbeddingError, match=r"does not answer at http://127\.0\.0\.1:9.*OLLAMA_HOST"):
            await attempt


@pytest.mark.parametrize("text", ["Hello", "[]", '{"embeddings": 1}'])
async def test_what_is_not_ollama_is_named(embedder_of, text):
    async def answer(request):
        return web.Response(text=text)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app) as other:
        with pytest.raises(EmbeddingError, match="is not Ollama; set OLLAMA_HOST"):
            await embedder_of(host=str(other.make_url(""))).embed_query("leave")


async def test_a_batch_that_takes_too_long_is_given_up(server, embedder_of):
    server.embed_failures = ["hang"]
    with pytest.raises(EmbeddingError, match=r"gave no vectors within 0\.05 s"):
        await embedder_of(total=0.05).embed_documents(["leave"])


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param((503, "server busy"), id="the server is busy"),
        pytest.param((500, "an error was encountered while running the model: unexpected EOF"), id="its process died"),
        pytest.param("reset", id="the connection is reset"),
    ],
)
async def test_what_passes_is_tried_once_again(server, embedder_of, failure):
    server.embed_failures = [failure]
    assert (await embedder_of().embed_documents(["leave"])).any()
    assert len(server.embeds) == 2


async def test_what_does_not_pass_is_told_without_the_text(server, embedder_of):
    server.embed_failures = [(500, "cannot embed 'salary of Bob'")] * 2
    with pytest.raises(EmbeddingError) as raised:
        await embedder_of().embed_documents(["salary of Bob"])
    assert str(raised.value) == "Ollama answered 500 for nomic-embed-text; its log says why."
    assert len(server.embeds) == 1


async def test_the_identity_does_not_depend_on_the_latest_tag(embedder_of):
    assert embedder_of("embeddinggemma:latest").name == embedder_of("embeddinggemma").name == "ollama:embeddinggemma"
    assert embedder_of("embeddinggemma").languages == "multilingual"


async def test_the_floor_of_a_measured_model_is_known_at_once(server, embedder_of):
    assert embedder_of().floor == 0.62
    await embedder_of().embed_query("leave")
    assert len(server.embeds) == 1


async def test_the_floor_of_any_other_model_is_measured_at_the_first_query_and_kept(server, embedder_of, tmp_path):
    file = tmp_path / "floors.json"
    embedder = embedder_of("embeddinggemma", floors=file)
    await embedder.embed_query("leave")
    assert 0 < embedder.floor < 1
    sent = len(server.embeds)
    again = embedder_of("embeddinggemma", floors=file)
    assert again.floor == embedder.floor
    await again.embed_query("leave")
    assert len(server.embeds) == sent + 1


async def test_a_floor_that_is_set_is_not_measured(server, embedder_of):
    embedder = embedder_of("embeddinggemma", floor=0.4)
    await embedder.embed_query("leave")
    assert (embedder.floor, len(server.embeds)) == (0.4, 1)


async def test_a_check_loads_nothing(server, embedder_of):
    await embedder_of().check()
    assert server.paths == ["/api/show"]
