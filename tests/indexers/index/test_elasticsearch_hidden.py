"""What a writer that died has left in Elasticsearch takes no place of what may be seen."""

from uuid import uuid4

import pytest

from indexers.chunks import Chunk
from indexers.document import EVERYTHING
from indexers.index import Entry, Filter, Fingerprint, IndexFault, Question
from indexers.index.elasticsearch import each, open_elasticsearch, queries
from tests.fakes.corpus import FakeEmbedder, document
from tests.fakes.elasticsearch import drop, serve_relay

pytestmark = pytest.mark.elasticsearch

ALL = Filter(EVERYTHING)
EMBEDDER = FakeEmbedder()
URL = "https://x.test/salary"
LAST_BULK = {"removed": 2, "never shown": 3, "replaced": 4}
"""That a writer does not come to do, counted from its first."""


class Place:
    """One index: reached through a relay by whoever writes, and through another by whoever reads."""

    def __init__(self, index, reader, writer, at_reader, at_writer):
        self.index = index
        self.reader = reader
        self.writer = writer
        self.at_reader = at_reader
        self.at_writer = at_writer

    async def die(self, number, writing):
        """Whoever writes does no more than the bulks before this one; what it did can be found."""
        self.at_writer.at("/_bulk", number, drop, times=99)
        with pytest.raises(IndexFault):
            await writing
        self.at_writer.heal()
        await self.index._state.server.writer.indices.refresh(index=self.index._state.names.write)


@pytest.fixture
async def place(elasticsearch_url):
    prefix = f"footnote-test-{uuid4().hex}"
    async with (
        serve_relay(elasticsearch_url) as at_reader,
        serve_relay(elasticsearch_url) as at_writer,
        open_elasticsearch(elasticsearch_url, prefix=prefix, create=True) as index,
        open_elasticsearch(at_reader.url, prefix=prefix) as reader,
        open_elasticsearch(at_writer.url, prefix=prefix, patience=0.02) as writer,
    ):
        yield Place(index, reader, writer, at_reader, at_writer)
        await index.remove()


async def write(index, name, *texts):
    cut = [Chunk(number, (), text) for number, text in enumerate(texts)]
    vectors = await EMBEDDER.embed_documents(texts)
    entry = Entry(document(name, "".join(texts), url=URL), cut, vectors, Fingerprint("c", "f", EMBEDDER.name))
    async for outcome in index.write_all(each([entry])):
        if outcome.failure:
            raise IndexFault(outcome.failure)


async def leave_a_large_one(place):
    """A hundred chunks that match best, of a document that is removed; and a few that match less."""
    await write(place.index, "big", *(f"salary salary part {number}" for number in range(100)))
    for number in range(5):
        await write(place.index, f"small{number}", f"the salary of the treasurer is set by the board, part {number}")
    await place.die(LAST_BULK["removed"], place.writer.delete(["files:big"]))


SMALL = {f"files:small{number}#0" for number in range(5)}


async def question():
    return Question("salary", await EMBEDDER.embed_query("salary"))


@pytest.mark.parametrize("again", [False, True])
async def test_what_is_hidden_takes_no_place_in_either_list(place, again):
    await leave_a_large_one(place)
    ranking = await place.reader.rank(await question(), ALL, 10, again=again)
    assert ranking.lexical.keys() == ranking.dense.keys() == SMALL
    few = await place.reader.rank(await question(), ALL, 3, again=again)
    assert few.lexical.items() <= ranking.lexical.items()
    assert few.dense.items() <= ranking.dense.items()
    assert len(few.lexical) == len(few.dense) == 3


async def test_what_is_hidden_takes_no_place_in_the_second_pass(place):
    await leave_a_large_one(place)
    asked = await question()
    await place.reader.rank(asked, ALL, 10)
    completion = await place.reader.complete(asked, [], ALL, refined=asked.vector, k=10)
    assert completion.refined.keys() == completion.lexical.keys() == SMALL


async def test_what_is_hidden_takes_no_place_of_what_is_behind_an_address(place):
    await leave_a_large_one(place)
    assert await place.reader.linked([URL], ALL, 10) == sorted(SMALL)
    assert await place.reader.linked([URL], ALL, 2) == sorted(SMALL)[:2]


async def test_a_passage_is_found_among_many_generations(place, monkeypatch):
    monkeypatch.setattr(queries, "GENERATIONS", 1)
    await write(place.index, "a", "salary before", "another before")
    await place.die(LAST_BULK["replaced"], write(place.writer, "a", "salary after", "another after"))
    found = await place.reader.passages(["files:a#0", "files:a#1"], ALL)
    assert [one.text for one in found.values()] == ["salary after", "another after"]
    assert (await place.reader.vectors(["files:a#0"])).keys() == {"files:a#0"}


async def test_what_is_not_full_is_asked_for_once_though_something_is_hidden(place):
    await leave_a_large_one(place)
    place.at_reader.calls.clear()
    assert (await place.reader.rank(Question("salary"), ALL, 1_000)).lexical.keys() == SMALL
    assert place.at_reader.count("/_msearch") == 1


async def test_what_is_full_is_asked_for_once_where_nothing_is_hidden(place):
    for number in range(5):
        await write(place.index, f"small{number}", "salary " + "and more of it " * number)
    await place.reader.rank(await question(), ALL, 3)
    place.at_reader.calls.clear()
    await place.reader.rank(await question(), ALL, 3)
    await place.reader.linked([URL], ALL, 2)
    assert place.at_reader.count("/_msearch") == 2
