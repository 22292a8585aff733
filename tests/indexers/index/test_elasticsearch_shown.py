"""What was acknowledged as written to Elasticsearch is seen by readers, however the writing ends."""

import asyncio
from contextlib import aclosing

import pytest

from indexers.chunks import Chunk
from indexers.document import PUBLIC
from indexers.index import Entry, Filter, Fingerprint, IndexFault, Question
from indexers.index.elasticsearch import each, open_elasticsearch
from tests.fakes.corpus import document
from tests.fakes.elasticsearch import Gate, drop, refuse, refuse_items

pytestmark = pytest.mark.elasticsearch

AUDIENCE = (frozenset({PUBLIC}),)
EVERYONE = frozenset({PUBLIC})
NOBODY = frozenset({"user:nobody"})
QUICK = 0.02
TEXTS = ["salary one", "salary two"]


@pytest.fixture
async def reader(elasticsearch_url, prefix):
    """With one document that everyone may read."""
    async with open_elasticsearch(elasticsearch_url, prefix=prefix) as index:
        await written(index, entry("a", *TEXTS))
        yield index


@pytest.fixture
async def writer(relay, prefix):
    async with open_elasticsearch(relay.url, prefix=prefix, patience=QUICK) as index:
        yield index


def entry(name, *texts, access=EVERYONE):
    cut = [Chunk(number, (), text) for number, text in enumerate(texts)]
    return Entry(document(name, "".join(texts), access=access), cut, None, Fingerprint("content", "facts"))


async def written(index, *entries):
    return [outcome.written async for outcome in index.write_all(each(entries))]


async def found(index):
    ranking = await index.rank(Question("salary"), Filter(AUDIENCE), 1_000)
    return sorted(ranking.lexical)


async def others(number):
    for one in range(number):
        yield entry(f"x{one}", "other")


async def narrowing(then):
    yield entry("a", *TEXTS, access=NOBODY)
    async for one in then:
        yield one


async def widening(then):
    yield entry("b", "salary")
    async for one in then:
        yield one


async def breaking():
    async for one in others(600):
        yield one
    raise ConnectionResetError


async def waiting():
    async for one in others(600):
        yield one
    await asyncio.Event().wait()


async def test_what_was_written_before_the_source_broke_is_seen(reader, writer):
    with pytest.raises(ConnectionResetError):
        [_ async for _ in writer.write_all(widening(breaking()))]
    assert await found(reader) == ["files:a#0", "files:a#1", "files:b#0"]


async def test_what_was_written_before_the_caller_stops_is_seen(reader, writer):
    async with aclosing(writer.write_all(widening(others(600)))) as outcomes:
        async for _ in outcomes:
            break
    assert "files:b#0" in await found(reader)


async def cancelled(writer, before):
    """A run that is cancelled once something is acknowledged; `before` is done just before."""
    acknowledged = asyncio.Event()

    async def run():
        async with aclosing(writer.write_all(widening(waiting()))) as outcomes:
            async for _ in outcomes:
                acknowledged.set()

    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        task = tasks.create_task(run())
        await acknowledged.wait()
        before()
        task.cancel()
    assert task.cancelled()


async def test_what_was_written_before_a_run_is_cancelled_is_seen(reader, writer):
    await cancelled(writer, lambda: None)
    assert "files:b#0" in await found(reader)


async def test_a_run_that_is_cancelled_does_not_wait_for_a_server_that_is_silent(reader, writer, relay):
    gate = Gate()
    await cancelled(writer, lambda: relay.at("/_refresh", 1, gate, times=9))
    assert gate.reached.is_set()
    gate.opened.set()


async def test_what_fewer_may_read_is_hidden_before_it_is_acknowledged(reader, writer):
    async with aclosing(writer.write_all(narrowing(waiting()))) as outcomes:
        async for outcome in outcomes:
            assert outcome.document_id == "files:a"
            assert await found(reader) == []
            break


async def test_what_is_described_to_fewer_is_hidden_before_it_is_acknowledged(reader, writer):
    async def entries():
        yield Entry(document("a", access=NOBODY), None, None, Fingerprint("content", "narrow"))
        async for one in waiting():
            yield one

    async with aclosing(writer.write_all(entries())) as outcomes:
        async for _ in outcomes:
            assert await found(reader) == []
            break


async def test_a_first_load_is_not_shown_group_by_group(writer, relay):
    before = relay.count("/_refresh")
    assert len(await written(writer, *[one async for one in others(900)])) == 900
    assert relay.count("/_refresh") - before == 1


async def test_one_document_that_cannot_be_removed_holds_up_no_other(reader, writer, relay):
    await written(writer, *(entry(f"s{number}", "salary") for number in range(600)))
    relay.at("/_bulk", 1, refuse_items(lambda action: action.get("document") == "files:s5", 500, "odd"), times=99)
    with pytest.raises(IndexFault, match=r"A document could not be removed: .*odd"):
        await writer.delete(f"files:s{number}" for number in range(600))
    assert await found(reader) == ["files:a#0", "files:a#1", "files:s5#0"]


async def test_what_a_writer_that_was_killed_has_published_is_seen_by_whoever_starts(
    reader, writer, relay, elasticsearch_url, prefix
):
    relay.at("/_refresh", 1, drop, times=99)
    with pytest.raises(IndexFault):
        await written(writer, entry("a", *TEXTS, access=NOBODY))
    assert await found(reader) == ["files:a#0", "files:a#1"]
    async with open_elasticsearch(elasticsearch_url, prefix=prefix) as another:
        assert await found(another) == []


async def test_a_key_that_is_good_for_searches_only_opens_an_index(reader, relay, prefix):
    relay.at("/_refresh", 1, refuse(403, "security_exception"), times=9)
    async with open_elasticsearch(relay.url, prefix=prefix, patience=QUICK) as another:
        assert len((await another.rank(Question("salary"), Filter(AUDIENCE), 5)).lexical) == len(TEXTS)
