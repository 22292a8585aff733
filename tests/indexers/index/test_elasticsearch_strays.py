"""What a dead or a late writer leaves in Elasticsearch without a head that names it is found, and swept or replaced."""

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from elasticsearch import AsyncElasticsearch

from indexers.chunks import Chunk
from indexers.document import PUBLIC
from indexers.index import Entry, Filter, Fingerprint, IndexFault, Question, chunk_id
from indexers.index.elasticsearch import each, open_elasticsearch
from indexers.index.elasticsearch.rebuilding import rebuild
from indexers.index.elasticsearch.records import chunk_ids, head_id, head_of
from indexers.sources.files import Files
from indexers.sync import sync
from tests.fakes.corpus import document
from tests.fakes.elasticsearch import Gate, drop, refuse, serve_relay

pytestmark = pytest.mark.elasticsearch

AUDIENCE = (frozenset({PUBLIC}),)
NOBODY = frozenset({"user:nobody"})
EVERYONE = frozenset({PUBLIC})
NEVER = Fingerprint("", "")
QUICK = 0.02
DEATHS = {"whose connection is lost": drop, "to whom the index is blocked": refuse(403, "cluster_block_exception")}


class There:
    """One index: reached through a relay by whoever dies, and straight by everyone else."""

    def __init__(self, relay, url, raw):
        self.relay = relay
        self.url = url
        self.raw = raw
        self.prefix = f"footnote-test-{uuid4().hex}"

    def open(self, *, dying=False):
        options = {"prefix": self.prefix, "create": True, "patience": QUICK if dying else 1.0}
        return open_elasticsearch(self.relay.url if dying else self.url, **options)

    async def records(self):
        await self.raw.indices.refresh(index=f"{self.prefix}-write")
        return (await self.raw.count(index=f"{self.prefix}-read"))["count"]


@pytest.fixture
async def there(elasticsearch_url):
    async with serve_relay(elasticsearch_url) as relay, AsyncElasticsearch(elasticsearch_url) as raw:
        there = There(relay, elasticsearch_url, raw)
        async with there.open() as index:
            yield there
            await index.remove()


def entry(*texts, access=EVERYONE, name="a", **options):
    cut = [Chunk(number, (), text) for number, text in enumerate(texts)]
    return Entry(document(name, "".join(texts), access=access), cut, None, Fingerprint(" ".join(texts), "f"), **options)


async def write(index, *entries):
    outcomes = [outcome async for outcome in index.write_all(each(entries))]
    assert not any(outcome.failure for outcome in outcomes)
    return [outcome.written for outcome in outcomes]


async def found(index, name="a"):
    """What everyone finds, and reads by its name."""
    ranking = await index.rank(Question("salary"), Filter(AUDIENCE), 50)
    ids = {*ranking.lexical, *(chunk_id(f"files:{name}", number) for number in range(3))}
    return [passage.text for passage in (await index.passages(sorted(ids), Filter(AUDIENCE))).values()]


async def die(there, *entries, at=2, death=drop):
    """A writer that is cut off at its request number `at` and never comes back."""
    there.relay.at("/_bulk", at, death, times=99)
    async with there.open(dying=True) as writer:
        with pytest.raises(IndexFault):
            await write(writer, *entries)
    there.relay.heal()


@pytest.mark.parametrize("death", DEATHS.values(), ids=DEATHS)
async def test_what_a_writer_leaves_of_a_new_document_is_reported_and_swept(there, death):
    await die(there, entry("salary of alice"), death=death)
    async with there.open() as index:
        assert await index.fingerprints(["files:a"]) == {"files:a": NEVER}
        assert await index.delete(["files:a"]) == 1
        assert await found(index) == []
        assert await index.fingerprints(["files:a"]) == {}
        assert await index.delete(["files:a"]) == 0
    assert await there.records() == 1


@pytest.mark.parametrize("texts", [["see HR"], ["see HR", "and more of it"], ["salary of alice"]])
async def test_what_a_writer_leaves_of_a_new_document_goes_when_that_is_written(there, texts):
    await die(there, entry("salary of alice"))
    async with there.open() as index:
        assert (await index.fingerprints(["files"]), await index.fingerprints(["files:a"])) == ({}, {"files:a": NEVER})
        assert await write(index, entry(*texts, access=NOBODY)) == [True]
        assert await found(index) == []
        [known] = (await index.fingerprints(["files:a"])).values()
        assert (known.content, known.access) == (" ".join(texts), NOBODY)
    assert await there.records() == len(texts) + 1


async def test_a_sync_after_one_that_was_killed_sweeps_what_has_vanished_and_writes_what_is_there(there, tmp_path):
    for name in ("gone.md", "here.md"):
        (tmp_path / name).write_text(f"The salary in {name}", "utf-8")
    there.relay.at("/_bulk", 2, drop, times=99)
    async with there.open(dying=True) as writer:
        with pytest.raises(IndexFault):
            await sync(Files([tmp_path], None, access=EVERYONE), writer)
    (tmp_path / "gone.md").unlink()
    async with there.open() as index:
        first = await sync(Files([tmp_path], None, access=EVERYONE), index)
        assert (first.written, first.swept, first.widened, first.failed) == (1, 1, 0, [])
        assert await found(index) == ["The salary in here.md"]
        second = await sync(Files([tmp_path], None, access=EVERYONE), index)
        assert (second.unchanged, second.written, second.swept) == (1, 0, 0)


async def test_who_can_read_what_a_writer_left_is_told_with_it(there):
    await die(there, entry("salary of alice", access=frozenset({"user:alice", "user:hr"})))
    async with there.open() as index:
        [known] = (await index.fingerprints(["files:a"])).values()
        assert known.access == {"user:alice", "user:hr"}


async def test_what_comes_behind_a_removal_is_reported_and_swept(there):
    gate = Gate()
    async with there.open(dying=True) as slow, there.open() as index:
        there.relay.at("/_bulk", 1, gate)
        there.relay.at("/_bulk", 2, drop, times=99)
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(failing(slow, entry("salary of alice")))
            await reached(gate)
            await write(index, entry("salary"))
            await index.delete(["files:a"])
            gate.opened.set()
        assert task.result()
        assert await index.fingerprints(["files:a"]) == {"files:a": NEVER}
        assert await index.delete(["files:a"]) == 1
        assert await found(index) == []
        assert await index.fingerprints(["files:a"]) == {}


async def test_what_comes_behind_a_narrower_write_is_reported_and_replaced(there):
    gate = Gate()
    async with there.open(dying=True) as slow, there.open() as index:
        await write(index, entry("salary old one", "salary old two"))
        there.relay.at("/_bulk", 2, gate)
        there.relay.at("/_bulk", 3, drop, times=99)
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(failing(slow, entry("salary draft one", "salary draft two")))
            await reached(gate)
            narrow = entry("salary see HR", "two", access=NOBODY)
            assert await write(index, narrow) == [True]
            gate.opened.set()
        assert task.result()
        [known] = (await index.fingerprints(["files:a"])).values()
        assert (known, known.access) == (NEVER, NOBODY | EVERYONE)
        assert await write(index, narrow) == [True]
        assert await found(index) == []
        assert await write(index, narrow) == [False]
        assert (await index.fingerprints(["files:a"]))["files:a"] == narrow.fingerprint
    assert await there.records() == 3


async def failing(index, *entries):
    with pytest.raises(IndexFault):
        await write(index, *entries)
    return True


async def reached(gate):
    async with asyncio.timeout(20):
        await gate.reached.wait()


async def test_a_document_whose_text_stayed_in_the_index_before_a_rebuild_is_reported_and_written(there):
    gate, fresh = Gate(), entry("salary of alice")
    async with there.open(dying=True) as slow, there.open() as index:
        there.relay.at("/_bulk", 2, gate)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(write(slow, fresh))
            await reached(gate)
            await rebuild(there.url, embedder=None, prefix=there.prefix, analyzer="english")
            gate.opened.set()
        [known] = (await index.fingerprints(["files:a"])).values()
        assert (known, known.access) == (NEVER, frozenset())
        assert await write(index, fresh) == [True]
        assert await found(index) == ["salary of alice"]
        assert await write(index, fresh) == [False]
        assert await index.fingerprints(["files:a"]) == {"files:a": fresh.fingerprint}


async def test_what_another_writer_has_published_meanwhile_is_no_stray(there):
    """Of two that write a new document, the one that comes second deletes nothing of the first."""
    gate = Gate()
    async with there.open(dying=True) as slow, there.open() as index:
        there.relay.at("/_bulk", 2, gate)
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(write(slow, entry("salary of alice", version=1)))
            await reached(gate)
            await there.records()
            assert await write(index, entry("salary of bob", version=2)) == [True]
            gate.opened.set()
        assert task.result() == [False]
        assert await found(index) == ["salary of bob"]
    assert await there.records() == 2


async def test_a_stray_that_is_written_again_before_it_is_deleted_stays(there):
    """What was found as one generation's may be published by another writer before it is cleared."""
    await die(there, entry("salary of alice"))
    gate = Gate()
    async with there.open(dying=True) as slow, there.open() as index:
        await index.fingerprints(["files:a"])
        there.relay.at("/_bulk", 3, gate)  # clears what was left
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(write(slow, entry("salary of bob")))
            await reached(gate)
            assert await write(index, entry("salary of alice")) == [True]
            gate.opened.set()
        assert await found(index) == ["salary of alice"]
        assert (await index.fingerprints(["files:a"]))["files:a"].content == "salary of alice"


async def test_a_stray_that_cannot_be_deleted_is_a_failure(there):
    await die(there, entry("salary of alice"))
    one = entry("see HR")
    async with there.open(dying=True) as writer:
        await writer.fingerprints(["files:a"])
        there.relay.at("/_bulk", 3, refuse(429), times=99)
        with pytest.raises(IndexFault, match="too busy"):
            await writer.write(one.document, one.chunks, one.vectors, one.fingerprint)
        there.relay.heal()
        assert await writer.fingerprints(["files:a"]) == {"files:a": NEVER}


async def test_a_clean_index_has_nothing_that_never_fits(there):
    names = ["/docs/a", "/docs/none", "/docs/gone", "/docs/long", "/docs"]
    many = [f"word {number}" for number in range(40)]
    texts = {"/docs/a": ["words"], "/docs/none": [], "/docs/gone": ["words"], "/docs/long": many, "/docs": ["words"]}
    async with there.open() as index:
        await write(index, *(entry(*texts[name], name=name) for name in names))
        await index.delete(["files:/docs/gone"])
        await index.visited({"files:/docs": datetime(2026, 11, 2, tzinfo=UTC), "files:/docs/a": datetime.now(UTC)})
        known = await index.fingerprints(["files:/docs"])
        assert known == {
            f"files:{name}": Fingerprint(" ".join(texts[name]), "f") for name in names if name != "/docs/gone"
        }
        assert all(one.access == EVERYONE for one in known.values())


async def test_more_strays_than_one_answer_holds_are_all_found(there, monkeypatch):
    monkeypatch.setattr("indexers.index.elasticsearch.strays.AT_ONCE", 2)
    monkeypatch.setattr("indexers.index.elasticsearch.snapshots.BUCKETS", 2)
    names = [f"/docs/{number}" for number in range(5)]
    await die(there, *(entry("salary", name=name) for name in names))
    async with there.open() as index:
        known = await index.fingerprints(["files:/docs"])
        assert known == dict.fromkeys((f"files:{name}" for name in names), NEVER)
        assert {one.access for one in known.values()} == {EVERYONE}
        assert await index.delete(known) == 5
        assert await index.fingerprints(["files:/docs"]) == {}
    assert await there.records() == 5


async def test_a_chunk_that_is_gone_is_written_again_though_its_head_is_the_same(there):
    whole = entry("salary one", "salary two", "salary three")
    async with there.open() as index:
        await write(index, whole)
        head = head_of((await there.raw.get(index=f"{there.prefix}-read", id=head_id("files:a")))["_source"])
        id = chunk_ids("files:a", head.holds)[1]
        await there.raw.delete(index=f"{there.prefix}-write", id=id, refresh=True)
        assert await index.fingerprints(["files:a"]) == {"files:a": NEVER}
        assert await write(index, whole) == [True]
        assert await found(index) == ["salary one", "salary two", "salary three"]


async def test_what_was_written_a_moment_ago_is_not_taken_for_gone(there):
    """A search does not see it yet."""
    async with there.open() as index:
        same = entry("salary", version=7)
        assert await write(index, same, same) == [True, False]
