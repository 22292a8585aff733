"""What is special about a store in Elasticsearch."""

import base64

import pytest

from bot.store import Run, Store, StoreError
from bot.store.bodies import body
from bot.store.documents import Document
from bot.store.elasticsearch import SCHEMA, open_documents
from indexers.index.elasticsearch.client import connected
from tests.fakes.elasticsearch import drop, drop_answer, refuse, serve_answer, serve_relay
from tests.fakes.ports import free_port
from tests.fakes.stores import scratch_prefix

pytestmark = pytest.mark.elasticsearch
QUESTION = Run(key="C1:1.0", channel="C1", thread_ts="1.0", user="U1", asked={"text": "Why?"})


@pytest.fixture
async def prefix(elasticsearch_url):
    async with scratch_prefix(elasticsearch_url) as prefix:
        yield prefix


@pytest.fixture
async def relay(elasticsearch_url):
    async with serve_relay(elasticsearch_url) as relay:
        yield relay


def document(text="x"):
    return Document(text.encode(), 1.0)


@pytest.fixture
async def documents(relay, prefix):
    async with open_documents(relay.url, prefix=prefix, patience=0.1) as documents:
        yield documents


@pytest.mark.parametrize("fault", [drop, drop_answer, refuse(503), refuse(429)])
async def test_a_claim_of_which_nobody_knows_is_made_once(relay, documents, fault):
    relay.at("/C1:1.0", 1, fault)
    store = Store(documents)
    begun = await store.begin(QUESTION)
    assert begun is not None
    assert await store.run("C1:1.0") == begun
    assert await store.begin(QUESTION) is None


async def test_a_change_whose_answer_is_lost_is_made_once(relay, documents):
    await documents.create("channel", "C1", document("old"))
    kept = await documents.get("channel", "C1")
    relay.at("/C1", 1, drop_answer)
    assert await documents.replace("channel", "C1", Document(b"new", 2.0, version=kept.version))
    assert not await documents.replace("channel", "C1", Document(b"newer", 3.0, version=kept.version))
    assert (await documents.get("channel", "C1")).body == b"new"


async def test_a_server_that_stays_busy_is_told_in_one_sentence(relay, documents):
    relay.at("/C1", 1, refuse(429), times=20)
    with pytest.raises(StoreError, match=r"too busy or not whole; try again in a moment\.$"):
        await documents.create("channel", "C1", document())


async def test_a_full_disk_is_told_in_one_sentence(relay, documents):
    relay.at("/C1", 1, refuse(403, "cluster_block_exception"), times=20)
    with pytest.raises(StoreError, match="see whether its disk is full"):
        await documents.put("channel", "C1", document())


async def test_a_server_that_is_not_there_is_named():
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(StoreError, match=f"does not answer at {url}"):
        async with open_documents(url, patience=0.01):
            pass


async def test_what_is_no_elasticsearch_is_named():
    async with serve_answer("<html>") as url:
        with pytest.raises(StoreError, match="is not Elasticsearch; correct ELASTICSEARCH_URL"):
            async with open_documents(url, patience=0.01):
                pass


async def test_a_state_that_is_deleted_meanwhile_is_told_and_not_made_anew_by_a_write(
    elasticsearch_url, prefix, documents
):
    async with connected(elasticsearch_url) as server:
        await server.writer.indices.delete(index=f"{prefix}-state-1")
        for call in (documents.put("channel", "C1", document()), documents.get("channel", "C1")):
            with pytest.raises(StoreError, match="is gone; restart `footnote run`"):
                await call
        assert not await server.writer.indices.exists(index=f"{prefix}-state")


async def test_an_index_that_its_server_is_just_opening_is_waited_for(elasticsearch_url, prefix):
    async with serve_relay(elasticsearch_url) as relay:
        relay.at("/opened", 1, refuse(503, "no_shard_available_action_exception"), times=6)
        async with open_documents(relay.url, prefix=prefix, patience=0.05) as documents:
            assert len([call for call in relay.calls if call.path.endswith("opened")]) > 5
            assert await documents.get("mark", "opened") is None


async def test_the_state_of_a_newer_version_is_refused_and_left_alone(elasticsearch_url, prefix, documents):
    async with connected(elasticsearch_url) as server:
        await server.writer.indices.put_mapping(index=f"{prefix}-state", meta={"schema": SCHEMA + 1})
    with pytest.raises(StoreError, match="written by a newer Footnote"):
        async with open_documents(elasticsearch_url, prefix=prefix):
            pass


async def test_the_state_of_an_older_version_is_brought_forward(elasticsearch_url, prefix):
    fields = {name: {"type": "keyword"} for name in ("kind", "id", "status", "user")}
    old = {"dynamic": "strict", "properties": {**fields, "at": {"type": "double"}, "body": {"type": "binary"}}}
    async with connected(elasticsearch_url) as server:
        aliases = {f"{prefix}-state": {"is_write_index": True}}
        await server.writer.indices.create(index=f"{prefix}-state-1", aliases=aliases, mappings=old)
        source = {"kind": "channel", "id": "C1", "status": "", "user": "", "at": 1.0, "body": "eA=="}
        await server.writer.index(index=f"{prefix}-state", id="channel/C1", document=source)
        asked = base64.b64encode(body(QUESTION)).decode()
        source = {"kind": "run", "id": "C1:1.0", "status": "open", "user": "U1", "at": 1.0, "body": asked}
        await server.writer.index(index=f"{prefix}-state", id="run/C1:1.0", document=source)
    async with open_documents(elasticsearch_url, prefix=prefix) as documents:
        assert await Store(documents).at_work("C1", "1.0") == [QUESTION]
        kept = await documents.get("channel", "C1")
        assert kept.body == b"x"
        assert await documents.replace("channel", "C1", kept)
