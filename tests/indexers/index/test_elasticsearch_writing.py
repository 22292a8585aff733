"""However a write to Elasticsearch ends, readers see each document as it was before or as it is after, and whole."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from elasticsearch import AsyncElasticsearch

from indexers.chunks import Chunk, chunks
from indexers.document import EVERYTHING
from indexers.index import REMOVAL_KEPT, Entry, Filter, Fingerprint, IndexFault, Question, chunk_id
from indexers.index.elasticsearch import open_elasticsearch
from indexers.index.elasticsearch.rebuilding import rebuild
from indexers.index.elasticsearch.records import head_id
from tests.fakes.corpus import FakeEmbedder, document, put
from tests.fakes.elasticsearch import Gate, drop, drop_answer, refuse, refuse_items, serve_relay
from tests.fakes.elasticsearch import change as edited

pytestmark = pytest.mark.elasticsearch

ALL = Filter(EVERYTHING)
EMBEDDER = FakeEmbedder()
PATIENCE = 0.02
OLD = "\n\n".join(f"Old paragraph {number} " + "before " * 250 for number in range(3))
NEW = "\n\n".join(f"New paragraph {number} " + "after " * 300 for number in range(5))


class Place:
    """One index: reached through a relay by whoever writes, and straight by whoever reads."""

    def __init__(self, relay, url, prefix, raw):
        self.relay = relay
        self.url = url
        self.prefix = prefix
        self.raw = raw

    def open(self, *, straight=True, **options):
        url = self.url if straight else self.relay.url
        options = {"prefix": self.prefix, "create": True, "patience": 1.0 if straight else PATIENCE} | options
        return open_elasticsearch(url, **options)

    async def refresh(self):
        await self.raw.indices.refresh(index=f"{self.prefix}-write")

    async def records(self):
        await self.refresh()
        return (await self.raw.count(index=f"{self.prefix}-read"))["count"]


@pytest.fixture
async def place(elasticsearch_url):
    async with serve_relay(elasticsearch_url) as relay, AsyncElasticsearch(elasticsearch_url) as raw:
        place = Place(relay, elasticsearch_url, f"footnote-test-{uuid4().hex}", raw)
        async with place.open() as index:
            yield place
            await index.remove()


async def text_of(index, name="a"):
    """The text of a document as the passages that can be found give it, from either list, and by their ids."""
    ids = [chunk_id(f"files:{name}", number) for number in range(9)]
    passages = await index.passages(ids, ALL)
    vector = await EMBEDDER.embed_query("old new paragraph before after")
    ranking = await index.rank(Question("old new paragraph before after", vector), ALL, 50)
    completion = await index.complete(Question("paragraph", vector), ids, ALL, refined=vector, k=50)
    assert set(ranking.lexical) == set(ranking.dense) == set(completion.dense) == set(passages)
    return "".join(passage.text for passage in passages.values())


def versions():
    return [("a new document", None, NEW), ("a changed document", OLD, NEW), ("a removed document", OLD, None)]


async def change(index, text):
    if text is None:
        await index.delete(["files:a"])
    else:
        await put(index, document("a", text), embedder=EMBEDDER)


@asynccontextmanager
async def started(place, before):
    """What reads, what writes, after a first text is there."""
    async with place.open() as reader, place.open(straight=False) as writer:
        if before is not None:
            await change(reader, before)
        yield reader, writer


@pytest.mark.parametrize("act", [drop, drop_answer])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(("before", "after"), [one[1:] for one in versions()], ids=[one[0] for one in versions()])
async def test_a_writer_that_dies_leaves_the_old_or_the_new_whole(place, before, after, number, act):
    async with started(place, before) as (reader, writer):
        place.relay.at("/_bulk", number, act, times=9)
        try:
            await change(writer, after)
        except IndexFault:
            pass
        else:
            assert place.relay.count("/_bulk") < number
        await place.refresh()
        async with place.open() as another:
            assert await text_of(another) in (before or "", after or "")
        place.relay.heal()
        known = await writer.fingerprints(["files:a"])
        assert bool(await text_of(reader)) == any(one.access for one in known.values())
        if known.get("files:a") == Fingerprint("", "") or await text_of(reader) != (after or ""):
            await change(writer, after)
        assert await text_of(reader) == (after or "")
        assert await place.records() == len(chunks(after) if after else []) + 1


async def test_readers_see_the_old_text_until_the_new_is_whole(place):
    async with started(place, OLD) as (reader, writer):
        seen = []
        for number in range(1, 6):
            gate = Gate()
            place.relay.at("/_bulk", number, gate)
            async with asyncio.TaskGroup() as tasks:
                write = tasks.create_task(change(writer, f"{NEW}\n\n{number}"))
                async with asyncio.timeout(20):
                    await gate.reached.wait()
                await place.refresh()  # as another writer's would be
                async with place.open() as another:
                    seen.append(await text_of(another))
                gate.opened.set()
                await write
            assert await text_of(reader) == f"{NEW}\n\n{number}"
        assert seen[:3] == [OLD, f"{NEW}\n\n1", f"{NEW}\n\n2"]
        assert seen[3:] == [f"{NEW}\n\n4", f"{NEW}\n\n5"]


async def test_what_the_server_did_not_confirm_is_sent_again_and_nothing_is_doubled(place):
    async with started(place, OLD) as (reader, writer):
        for number in (1, 2, 3, 4, 5):
            place.relay.at("/_bulk", number, drop_answer)
            await change(writer, f"{NEW}\n\n{number}")
            place.relay.heal()
            assert await text_of(reader) == f"{NEW}\n\n{number}"
            assert await place.records() == len(chunks(f"{NEW}\n\n{number}")) + 1


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_server_is_asked_again_after_a_pause(place, status):
    async with started(place, None) as (reader, writer):
        place.relay.at("/_bulk", 1, refuse(status), times=3)
        await change(writer, NEW)
        assert await text_of(reader) == NEW
        place.relay.at("/_bulk", 1, refuse(status), times=99)
        with pytest.raises(IndexFault, match="busy"):
            await change(writer, OLD)
        assert await text_of(reader) == NEW


def of(name):
    """The records of a document in a bulk."""
    return lambda action: action.get("document") == f"files:{name}"


@pytest.mark.parametrize("status", [429, 503])
async def test_one_record_that_is_refused_for_a_moment_is_sent_again_alone(place, status):
    async with started(place, OLD) as (reader, writer):
        for number in range(1, 6):
            place.relay.at("/_bulk", number, refuse_items(of("a"), status, "es_rejected_execution_exception"), times=2)
            text = f"{NEW}\n\n{number}"
            await change(writer, text)
            place.relay.heal()
            assert await text_of(reader) == text
            assert await place.records() == len(chunks(text)) + 1


@pytest.mark.parametrize(
    ("status", "kind", "told"),
    [
        (400, "document_parsing_exception", "refused it (document_parsing_exception)"),
        (429, "es_rejected_execution_exception", "too busy to take it"),
    ],
)
async def test_one_document_that_is_refused_is_told_stays_as_it_was_and_holds_up_no_other(place, status, kind, told):
    async with started(place, OLD) as (reader, writer):
        place.relay.at("/_bulk", 2, refuse_items(of("a"), status, kind), times=99)
        texts = {"b": "words", "a": NEW, "c": "words"}
        entries = [Entry(document(one, text), chunks(text), None, Fingerprint(text, "")) for one, text in texts.items()]
        outcomes = {outcome.document_id: outcome async for outcome in writer.write_all(each(*entries))}
        assert told in outcomes["files:a"].failure
        assert "the text" not in outcomes["files:a"].failure
        assert outcomes["files:b"].written
        assert outcomes["files:c"].written
        place.relay.heal()
        assert await text_of(reader) == OLD
        await change(writer, NEW)
        assert await text_of(reader) == NEW
        assert await place.records() == len(chunks(NEW)) + 1 + 2 * 2


async def test_the_same_documents_have_the_same_ids_wherever_they_are_written(place, elasticsearch_url):
    async def ids(prefix):
        found = await place.raw.search(index=f"{prefix}-read", size=100, source=False)
        return sorted(hit["_id"] for hit in found["hits"]["hits"])

    async with place.open() as one, place.open(prefix=f"{place.prefix}-other") as other:
        for index in (one, other):
            await put(index, document("a", NEW), document("b" * 5_000, "words"), embedder=EMBEDDER)
        assert await ids(place.prefix) == await ids(f"{place.prefix}-other")
        assert all(len(id) < 100 for id in await ids(place.prefix))
        await other.remove()


async def test_two_writers_of_one_document_end_with_one_of_their_texts(place):
    texts = [f"{NEW}\n\nof writer {number}" for number in range(4)]
    async with place.open() as reader, place.open() as one, place.open() as other:
        await change(reader, OLD)

        async def write(index, mine):
            for text in mine * 3:
                cut = chunks(text, title="a")
                vectors = await EMBEDDER.embed_documents([chunk.text for chunk in cut])
                entry = Entry(document("a", text), cut, vectors, Fingerprint(text, "", "fake"))
                outcomes = [outcome async for outcome in index.write_all(each(entry))]
                assert all("another process" in outcome.failure or not outcome.failure for outcome in outcomes)

        async def read():
            while not done.is_set():
                passages = await reader.passages([chunk_id("files:a", number) for number in range(9)], ALL)
                assert "".join(passage.text for passage in passages.values()) in (OLD, *texts)

        done = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(read())
            async with asyncio.TaskGroup() as writers:
                writers.create_task(write(one, texts[:2]))
                writers.create_task(write(other, texts[2:]))
            done.set()
            await reading
        last = await text_of(reader)
        assert last in texts
        assert await place.records() == len(chunks(last)) + 1


async def each(*entries):
    for entry in entries:
        yield entry


BLOCKS = {
    "unwritable, as while it is rebuilt": "index.blocks.write",
    "read-only": "index.blocks.read_only",
    "on a disk that is full": "index.blocks.read_only_allow_delete",
}


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
async def test_a_read_only_index_is_said_to_be_that_and_keeps_what_it_has(place, block):
    async with started(place, OLD) as (reader, writer):
        await place.raw.indices.put_settings(index=f"{place.prefix}-v1", settings={block: True})
        with pytest.raises(IndexFault, match="read-only"):
            await change(writer, NEW)
        with pytest.raises(IndexFault, match="read-only"):
            await change(writer, None)
        assert await text_of(reader) == OLD
        await place.raw.indices.put_settings(index=f"{place.prefix}-v1", settings={block: None})
        await change(writer, NEW)
        assert await text_of(reader) == NEW


async def test_what_is_the_same_is_not_written_again(place):
    async with started(place, None) as (_, writer):
        entry = Entry(document("a", NEW), chunks(NEW), None, Fingerprint("content", "facts"), 7)
        assert [one.written async for one in writer.write_all(each(entry))] == [True]
        bulks = place.relay.count("/_bulk")
        assert [one.written async for one in writer.write_all(each(entry))] == [False]
        assert place.relay.count("/_bulk") == bulks


async def test_a_write_that_is_overtaken_does_not_take_its_place(place):
    async with started(place, OLD) as (reader, writer):
        gate = Gate()
        place.relay.at("/_bulk", 2, gate)
        slow = Entry(document("a", "late words"), [Chunk(0, (), "late words")], None, Fingerprint("late", ""))
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(outcomes_of(writer, slow))
            async with asyncio.timeout(20):
                await gate.reached.wait()
            await change(reader, NEW)
            gate.opened.set()
        assert [outcome.written for outcome in task.result()] == [False]
        assert await text_of(reader) == NEW
        assert await place.records() == len(chunks(NEW)) + 1


def entry_of(text, version):
    return Entry(document("a", text), [Chunk(0, (), text)], None, Fingerprint(text, ""), version)


async def outcomes_of(index, *entries):
    return [outcome async for outcome in index.write_all(each(*entries))]


async def test_a_stream_holds_no_more_than_two_groups_at_a_time(place):
    pulled, most, written = 0, 0, 0

    async def entries():
        nonlocal pulled, most
        for number in range(1_000):
            pulled += 1
            most = max(most, pulled - written)
            yield Entry(document(f"d{number}"), [Chunk(0, (), "words")], None, Fingerprint("", ""))

    async with place.open() as index:
        async for _ in index.write_all(entries()):
            written += 1
    assert written == 1_000
    assert most <= 2 * 256 + 1


async def test_a_document_that_comes_again_and_again_ends_as_it_came_last(place):
    async with place.open() as index:
        written = await outcomes_of(index, *(entry_of(f"the text number {number}", number) for number in range(5)))
        assert [one.written for one in written] == [True] * 5
        [passage] = (await index.passages([chunk_id("files:a", 0)], ALL)).values()
        assert passage.text == "the text number 4"
    assert await place.records() == 2


async def test_what_was_pulled_before_the_source_broke_is_written(place):
    async def breaking():
        for number in range(700):
            yield Entry(document(f"d{number}"), [Chunk(0, (), "words")], None, Fingerprint("", ""))
        raise ConnectionResetError

    async with place.open() as index:
        with pytest.raises(ConnectionResetError):
            [_ async for _ in index.write_all(breaking())]
        await place.refresh()
        assert await place.records() == 2 * 512


async def test_a_request_is_no_larger_than_aiohttp_takes_without_a_warning(place):
    async with place.open(straight=False) as index:
        long = "words " * 5_000
        assert (
            len(
                await outcomes_of(
                    index,
                    *(
                        Entry(document(f"d{number}"), [Chunk(0, (), long)], None, Fingerprint("", ""))
                        for number in range(99)
                    ),
                )
            )
            == 99
        )
    sizes = [len(call.body) for call in place.relay.calls if call.path.endswith("/_bulk")]
    assert sum(sizes) > 2 * 2**20 > 2 * max(sizes)


async def test_a_removal_is_forgotten_after_a_while(place):
    async with place.open() as index:
        await put(index, document("a"), document("b"))
        await index.delete(["files:a"])
        known = {"index": f"{place.prefix}-write", "id": head_id("files:a")}
        removed = (await place.raw.get(**known))["_source"]["version"]
        await place.raw.update(**known, doc={"version": removed - REMOVAL_KEPT - 1}, refresh=True)
        await index.delete(["files:b"])
        assert await place.records() == 1
        assert await place.raw.exists(index=known["index"], id=head_id("files:b"))


@pytest.mark.parametrize(
    ("status", "kind", "told"),
    [
        (
            429,
            "es_rejected_execution_exception",
            "could not be noted: Elasticsearch was too busy to take it; try again",
        ),
        (403, "cluster_block_exception", "is read-only: it is being rebuilt, or the disk is full"),
    ],
)
async def test_a_visit_that_cannot_be_kept_is_a_clear_sentence(place, status, kind, told):
    async with place.open(straight=False) as writer:
        place.relay.at("/_bulk", 1, refuse_items(lambda action: True, status, kind))
        with pytest.raises(IndexFault, match=told):
            await writer.visited({"files:/docs": datetime(2026, 11, 2, tzinfo=UTC)})
        assert await writer.visits() == {}


async def test_a_visit_is_one_small_request(place):
    async with place.open(straight=False) as writer:
        before = place.relay.count("/_bulk")
        await writer.visited({f"files:/{number}": datetime(2026, 11, number, tzinfo=UTC) for number in (1, 2, 3)})
        assert place.relay.count("/_bulk") == before + 1
        assert await place.records() == 3


async def anew(place):
    await rebuild(place.relay.url, embedder=None, prefix=place.prefix, analyzer="english", patience=PATIENCE)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("no_shard_available_action_exception", "too busy or not whole; try again in a moment"),
        ("es_rejected_execution_exception", "too busy or not whole; try again in a moment"),
        ("illegal_state_exception", "refused the request"),
        ("index_not_found_exception", "There is no index"),
    ],
)
async def test_a_record_that_cannot_be_looked_up_is_not_taken_for_gone(place, kind, told):
    def fail(answer):
        for one in answer["docs"]:
            one.pop("found", None)
            one |= {"error": {"type": kind, "reason": "the text of a document"}}

    async def stored(index):
        return [one async for one in index.stored()]

    async with started(place, OLD) as (reader, writer):
        described = document("a", OLD, participants=("ada",)), Fingerprint("", "new")
        for act in (writer.delete(["files:a"]), writer.describe(*described), change(writer, NEW), stored(writer)):
            place.relay.at("/_mget", 1, edited(fail), times=9)
            with pytest.raises(IndexFault, match=told):
                await act
        place.relay.heal()
        assert await text_of(reader) == OLD
        before = place.relay.count("/_mget")
        await anew(place)
        place.relay.at("/_mget", place.relay.count("/_mget") - before, edited(fail))  # what has gone meanwhile
        with pytest.raises(IndexFault, match=told):
            await anew(place)
        assert await text_of(reader) == OLD
