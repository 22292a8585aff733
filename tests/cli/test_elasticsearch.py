"""The commands with an index in Elasticsearch: what they do there, and what they say where it is of no use."""

import asyncio
import json
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch

from tests.cli.conftest import NOWHERE
from tests.fakes.ollama import serve_ollama


@pytest.fixture
def there(footnote, env, elasticsearch_url):
    """The command, with the index in Elasticsearch; gives the prefix of its indices there."""
    prefix = f"footnote-test-{uuid4().hex}"
    env(ELASTICSEARCH_URL=elasticsearch_url, ELASTICSEARCH_PREFIX=prefix)
    yield prefix
    with Elasticsearch(elasticsearch_url) as client:
        for index in client.indices.get(index=f"{prefix}-v*"):
            client.indices.delete(index=index)


@pytest.mark.elasticsearch
def test_documents_are_indexed_there_and_found_there(footnote, there, docs, home):
    assert footnote("index", "files", docs).out.startswith("Indexed 2 documents (2 passages).")
    assert "Unchanged: 2." in footnote("index", "files", docs).out
    assert "Leave policy" in footnote("search", "paid leave").out
    assert "30 days" in json.loads(footnote("ask", "How long is paid leave?", "--json").out)["answer"]
    assert not (home / "index.sqlite").exists()


@pytest.mark.elasticsearch
@pytest.mark.parametrize("command", ["search", "ask"])
def test_where_nothing_was_indexed_the_command_that_begins_is_named(footnote, there, command):
    done = footnote(command, "leave")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "footnote index files PATH" in done.err


@pytest.mark.parametrize("arguments", [["index", "files", "."], ["search", "x"], ["ask", "x"]])
def test_an_elasticsearch_that_is_down_is_one_line(footnote, env, arguments):
    env(ELASTICSEARCH_URL=NOWHERE)
    done = footnote(*arguments)
    assert (done.code, done.out) == (1, "")
    assert done.err == (f"error: Elasticsearch does not answer at {NOWHERE}; start it, or correct ELASTICSEARCH_URL.\n")


async def in_thread(footnote, *arguments):
    """So that the fake on this loop can answer."""
    return await asyncio.to_thread(footnote, *arguments)


@pytest.fixture
async def ollama(footnote, env):
    async with serve_ollama() as ollama:
        env(OLLAMA_HOST=ollama.url, FOOTNOTE_EMBEDDINGS="ollama")
        yield ollama


@pytest.mark.elasticsearch
async def test_an_embedded_index_moves_there_and_nothing_is_embedded_again(footnote, ollama, env, docs, request):
    assert (await in_thread(footnote, "index", "files", docs)).code == 0
    request.getfixturevalue("there")
    ollama.embeds.clear()
    done = await in_thread(footnote, "index", "migrate")
    assert done.out.startswith("Moved to Elasticsearch: 2 documents (2 passages).\n")
    assert (done.code, done.err, ollama.embeds) == (0, "", [])
    found = json.loads((await in_thread(footnote, "search", "paid leave", "--json")).out)
    assert (found["hits"][0]["title"], found["warnings"]) == ("Leave policy", [])
    again = await in_thread(footnote, "index", "migrate")
    assert again.out.startswith("Moved to Elasticsearch: 0 documents (0 passages). There already: 2.\n")
    assert "Unchanged: 2." in (await in_thread(footnote, "index", "files", docs)).out


def test_without_an_address_there_is_nowhere_to_move_to(footnote):
    done = footnote("index", "migrate")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "ELASTICSEARCH_URL is not set" in done.err


def test_without_an_embedded_index_there_is_nothing_to_move(footnote, env, home):
    env(ELASTICSEARCH_URL=NOWHERE)
    done = footnote("index", "migrate")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert f"nothing to move: no index at {home / 'index.sqlite'}" in done.err


@pytest.mark.elasticsearch
async def test_an_index_is_made_anew_with_the_vectors_of_another_model(footnote, there, ollama, env, docs):
    env(FOOTNOTE_EMBEDDINGS="none")
    await in_thread(footnote, "index", "files", docs)
    env(FOOTNOTE_EMBEDDINGS="ollama")
    done = await in_thread(footnote, "index", "rebuild")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Made anew, with vectors of ollama:embeddinggemma: 2 documents (2 passages).\n")
    found = json.loads((await in_thread(footnote, "search", "paid leave", "--json")).out)
    assert (found["hits"][0]["title"], found["warnings"]) == ("Leave policy", [])


@pytest.mark.elasticsearch
async def test_what_a_refusal_names_mends_it(footnote, there, ollama, env, docs):
    await in_thread(footnote, "index", "files", docs)
    env(FOOTNOTE_ANALYZER="french")
    refused = await in_thread(footnote, "search", "leave")
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "`footnote index rebuild`" in refused.err
    assert (await in_thread(footnote, "index", "rebuild")).code == 0
    assert "Leave policy" in (await in_thread(footnote, "search", "leave")).out


@pytest.mark.elasticsearch
def test_vectors_are_taken_over_only_if_that_is_said(footnote, there, env, docs):
    footnote("index", "files", docs)
    env(FOOTNOTE_EMBEDDINGS="ollama")
    refused = footnote("index", "rebuild")
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "FOOTNOTE_EMBEDDINGS=none" in refused.err
    env(FOOTNOTE_EMBEDDINGS="none")
    assert footnote("index", "rebuild").out.startswith("Made anew, with the vectors that it had: 2 documents")


@pytest.mark.elasticsearch
def test_what_is_not_there_cannot_be_made_anew(footnote, there):
    done = footnote("index", "rebuild")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "footnote index files PATH" in done.err


def test_an_embedded_index_is_made_anew_in_another_way_which_is_said(footnote, home):
    done = footnote("index", "rebuild")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"delete {home / 'index.sqlite'}" in done.err
