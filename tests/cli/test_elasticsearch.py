"""The commands with an index in Elasticsearch: what they do there, and what they say where it is of no use."""

import asyncio
import json
from uuid import uuid4

import pytest

from indexers.index.elasticsearch import open_elasticsearch
from tests.cli.conftest import NOWHERE


async def remove(url, prefix):
    async with open_elasticsearch(url, prefix=prefix, create=True) as index:
        await index.remove()


@pytest.fixture
def there(footnote, env, elasticsearch_url):
    """The command, with the index in Elasticsearch; gives the prefix of its indices there."""
    prefix = f"footnote-test-{uuid4().hex}"
    env(ELASTICSEARCH_URL=elasticsearch_url, ELASTICSEARCH_PREFIX=prefix)
    yield prefix
    asyncio.run(remove(elasticsearch_url, prefix))


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
