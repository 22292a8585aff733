"""What is opened: the embedder that fits the index, the model if it can research, and what is said of the rest."""

from datetime import UTC, datetime, timedelta

import pytest

from bot import wiring
from bot.config import Config
from bot.engine.extractive import ExtractiveEngine
from bot.engine.ollama import OllamaEngine
from indexers.document import EVERYTHING
from tests.fakes.corpus import document, put
from tests.fakes.ollama import serve_ollama
from tests.fakes.ollama_rules import Model


@pytest.fixture
def config(env, tmp_path):
    """Reads the settings, with `FOOTNOTE_HOME` in a folder of the test and nothing listening for Ollama."""

    def read(**variables: str) -> Config:
        env(FOOTNOTE_HOME=str(tmp_path), **{"OLLAMA_HOST": "http://127.0.0.1:9", **variables})
        return Config.read("ask")

    return read


@pytest.fixture
def minilm(tmp_path):
    """The two files, where `models fetch` puts them; they are read only when something is embedded."""
    folder = tmp_path / "models" / "minilm-l6-v2"
    folder.mkdir(parents=True)
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).write_bytes(b"")


@pytest.fixture
async def ollama():
    async with serve_ollama() as ollama:
        yield ollama


async def name_of(config, stored=""):
    async with wiring.open_embedder(config, stored) as (embedder, _):
        return embedder.name if embedder else None


async def note_of(config, stored=""):
    async with wiring.open_embedder(config, stored) as (_, note):
        return note


async def test_ollama_embeds_where_it_answers_and_has_the_model(config, ollama, minilm):
    assert await name_of(config(OLLAMA_HOST=ollama.url)) == "ollama:embeddinggemma"


async def test_minilm_embeds_where_ollama_lacks_the_model(config, ollama, minilm):
    del ollama.models["embeddinggemma:latest"]
    assert await name_of(config(OLLAMA_HOST=ollama.url)) == "minilm-l6-v2"


async def test_an_index_keeps_to_what_made_its_vectors(config, ollama, minilm):
    ollama.models["nomic-embed-text:latest"] = Model(["embedding"])
    assert await name_of(config(OLLAMA_HOST=ollama.url), "minilm-l6-v2") == "minilm-l6-v2"
    assert await name_of(config(OLLAMA_HOST=ollama.url), "ollama:nomic-embed-text") == "ollama:nomic-embed-text"


async def test_where_that_is_gone_nothing_else_takes_its_place_and_this_is_said(config, minilm):
    assert await name_of(config(), "ollama:embeddinggemma") is None
    assert "ollama serve" in await note_of(config(), "ollama:embeddinggemma")


async def test_a_setting_wins_over_what_is_there(config, ollama, minilm):
    assert await name_of(config(OLLAMA_HOST=ollama.url, FOOTNOTE_EMBEDDINGS="minilm")) == "minilm-l6-v2"
    assert await name_of(config(OLLAMA_HOST=ollama.url, FOOTNOTE_EMBEDDINGS="none")) is None


async def test_with_nothing_that_embeds_both_mends_are_named(config):
    note = await note_of(config())
    assert "footnote models fetch" in note
    assert "ollama serve" in note


async def test_a_model_that_can_call_tools_writes(config, ollama):
    async with wiring.open_writer(config(OLLAMA_HOST=ollama.url)) as writer:
        assert isinstance(writer.engine, OllamaEngine)
        assert (writer.model, writer.note) == ("gemma4:31b", "")


@pytest.mark.parametrize("reachable", [True, False])
async def test_a_model_that_is_missing_is_named_with_its_pull(config, ollama, reachable):
    here = {"OLLAMA_HOST": ollama.url} if reachable else {}
    async with wiring.open_writer(config(FOOTNOTE_MODEL="qwen3:8b", **here)) as writer:
        assert isinstance(writer.engine, ExtractiveEngine)
        assert writer.model == ""
        assert writer.note.count("ollama pull qwen3:8b") == 1


async def test_a_model_without_tools_does_not_write(config, ollama):
    ollama.models["gemma4:31b"] = Model(["completion"])
    async with wiring.open_writer(config(OLLAMA_HOST=ollama.url)) as writer:
        assert isinstance(writer.engine, ExtractiveEngine)
        assert "tools" in writer.note


async def test_what_there_is_of_the_model_now_is_told(config, ollama):
    async with wiring.open_writer(config(OLLAMA_HOST=ollama.url)) as writer:
        assert await writer.state() == "gemma4:31b"
        ollama.models.clear()
        assert await writer.state() == "gemma4:31b cannot be used now"
    async with wiring.open_writer(config(OLLAMA_HOST=ollama.url)) as writer:
        assert await writer.state() == "none, passages are quoted"


def test_the_settings_of_the_search_reach_it(config):
    settings = config(FOOTNOTE_FUSION="ranks", FOOTNOTE_CANDIDATES="7", FOOTNOTE_LEXICAL_WEIGHT="0.2")
    fusion = wiring.fusion(settings)
    assert (fusion.reciprocal_rank, fusion.candidates, fusion.lexical_weight) == (True, 7, 0.2)
    assert (fusion.completion, fusion.feedback) == (True, 0.3)
    plain = wiring.fusion(config(FOOTNOTE_COMPLETION="off", FOOTNOTE_FEEDBACK="0"))
    assert (plain.completion, plain.feedback) == (False, 0)


@pytest.mark.parametrize(("read_more", "days", "read", "first"), [("", "", True, "new"), ("0", "0", False, "old")])
async def test_a_search_reads_more_and_lifts_what_is_new_as_it_is_set(config, read_more, days, read, first):
    settings = config(FOOTNOTE_EMBEDDINGS="none", FOOTNOTE_READ_MORE=read_more, FOOTNOTE_FRESHNESS_DAYS=days)
    long, now = "Nothing is said here. " * 30, datetime.now(UTC)
    async with wiring.open_configured(settings, create=True) as index:
        await put(
            index,
            document("old", f"The leave policy. {long}", timestamp=now - timedelta(days=2_000)),
            document("new", f"The leave policy of today. {long}", timestamp=now),
            *(document(f"other{number}") for number in range(9)),
        )
    async with wiring.open_library(settings) as library:
        hits = (await library.search(settings).for_audience(EVERYTHING).search("latest leave policy")).hits
    assert (bool(hits[0].more), hits[0].title) == (read, first)
