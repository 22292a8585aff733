"""What was read is not read again while the index stays as it is, and is never shown to whoever may not read it."""

from uuid import uuid4

import pytest

from bot.search import Fusion, HybridSearch
from indexers.document import EVERYTHING
from indexers.index import Filter, Question
from indexers.index.elasticsearch import memory, open_elasticsearch
from indexers.index.elasticsearch.ahead import NOTHING
from indexers.index.elasticsearch.memory import Memory
from tests.fakes.corpus import FakeEmbedder, document, put
from tests.fakes.elasticsearch import serve_relay

EMBEDDER = FakeEmbedder()
QUESTION = "what is our leave policy"
ALL = Filter(EVERYTHING)
ANN = (frozenset({"user:ANN"}),)
BEN = (frozenset({"user:BEN"}),)


class Place:
    """One index, which a bot reads through a relay, and which somebody else writes straight."""

    def __init__(self, url, prefix, relay, reader, writer):
        self.url = url
        self.prefix = prefix
        self.relay = relay
        self.reader = reader
        self.writer = writer

    async def search(self, audience=EVERYTHING, question=QUESTION, fusion=None, **filters):
        """Titles, what is told of the thread around each hit, and how many requests it took."""
        self.relay.calls.clear()
        search = HybridSearch(self.reader, EMBEDDER, fusion=fusion).for_audience(audience)
        found = await search.search(question, **filters)
        assert not found.warnings
        told = {hit.title: [line["snippet"] for line in hit.thread_context] for hit in found.hits}
        return told, self.relay.count("/_msearch")

    async def write(self, *documents):
        await put(self.writer, *documents, embedder=EMBEDDER)


@pytest.fixture
async def place(elasticsearch_url):
    prefix = f"footnote-test-{uuid4().hex}"
    async with (
        serve_relay(elasticsearch_url) as relay,
        open_elasticsearch(elasticsearch_url, prefix=prefix, create=True) as writer,
        open_elasticsearch(relay.url, prefix=prefix) as reader,
    ):
        place = Place(elasticsearch_url, prefix, relay, reader, writer)
        await place.write(*(message(number) for number in range(3)), document("files:alone", "A leave policy alone"))
        yield place
        await writer.remove()


def message(number, **changes):
    text = changes.pop("text", f"The leave policy, message {number}")
    return document(
        f"slack:{number}", text, **{"thread_id": "t", "access": frozenset({"user:ANN", "user:BEN"})} | changes
    )


@pytest.mark.elasticsearch
@pytest.mark.parametrize("fusion", [Fusion(), Fusion(completion=False, feedback=0.0)], ids=["both passes", "plain"])
async def test_what_is_asked_again_takes_one_request_and_finds_the_same(place, fusion):
    first, _ = await place.search(fusion=fusion)
    assert first["0"] == ["The leave policy, message 1", "The leave policy, message 2"]
    assert await place.search(fusion=fusion) == (first, 1)
    assert await place.search(question="the policy of leave", fusion=fusion) == (first, 1)


@pytest.mark.elasticsearch
@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (
            message(2, text="Another text on leave policy"),
            ["The leave policy, message 1", "Another text on leave policy"],
        ),
        (message(3), [f"The leave policy, message {number}" for number in (1, 2, 3)]),
        (message(2, access=frozenset({"user:BEN"})), ["The leave policy, message 1"]),
        (message(2, thread_id="u"), ["The leave policy, message 1"]),
        (None, ["The leave policy, message 1"]),
    ],
    ids=["another text", "one more", "not for Ann any more", "in another thread", "removed"],
)
async def test_what_somebody_else_changes_shows_at_once(place, changed, expected):
    await place.search(ANN)
    assert (await place.search(ANN))[1] == 1
    if changed is None:
        await place.writer.delete(["slack:2"])
    else:
        await place.write(changed)
    told, requests = await place.search(ANN)
    assert told["0"] == expected
    assert requests > 1
    assert await place.search(ANN) == (told, 1)


@pytest.mark.elasticsearch
async def test_what_was_read_for_one_reader_is_shown_to_no_other(place):
    await place.write(message(1, access=frozenset({"user:ANN"})))
    for_ann = (await place.search(ANN))[0]
    for_ben = (await place.search(BEN))[0]
    assert for_ann["0"] == ["The leave policy, message 1", "The leave policy, message 2"]
    assert for_ben["0"] == ["The leave policy, message 2"]
    assert "1" in for_ann
    assert "1" not in for_ben
    assert await place.search(BEN) == (for_ben, 1)
    assert await place.search(ANN) == (for_ann, 1)
    assert (await place.search(ANN, sources=["files"]))[0].keys() <= {"alone"}


@pytest.mark.elasticsearch
async def test_who_asks_without_lists_sees_the_index_as_it_is(place):
    where = Filter(ANN)
    ranking = await place.reader.rank(Question(QUESTION), where, 10)
    ids = list(ranking.lexical)
    assert "slack:2#0" in await place.reader.passages(ids, where, threads=9, moment=ranking.moment)
    await place.write(message(2, access=frozenset({"user:BEN"})))
    assert "slack:2#0" not in await place.reader.passages(ids, where)
    assert "slack:2#0" not in await place.reader.passages(ids, where, threads=9, moment=ranking.moment)


@pytest.mark.elasticsearch
async def test_a_thread_that_was_read_before_a_change_is_shown_to_no_search_after_it(place):
    where = Filter(ANN)
    ranking = await place.reader.rank(Question(QUESTION), where, 10)
    await place.reader.passages(list(ranking.lexical), where, threads=9, moment=ranking.moment)  # and there it ends
    await place.write(message(2, access=frozenset({"user:BEN"})))
    ranking = await place.reader.rank(Question(QUESTION), where, 10)
    passages = await place.reader.passages(["slack:0#0"], where, moment=ranking.moment)
    [around] = (await place.reader.around(list(passages.values()), ANN, 5)).values()
    assert [line.text for line in around.after] == ["The leave policy, message 1"]


@pytest.mark.elasticsearch
async def test_what_is_not_there_is_remembered_too(place):
    ranking = await place.reader.rank(Question(QUESTION), ALL, 10)
    ids = ["slack:0#0", "slack:0#1", "slack:gone#0"]
    for requests in (1, 0):
        place.relay.calls.clear()
        assert list(await place.reader.passages(ids, ALL, moment=ranking.moment)) == ["slack:0#0"]
        assert place.relay.count("/_msearch") == requests


def test_another_state_forgets_what_was_read():
    kept = Memory()
    kept.learn(("index-v1", 10, 9.0))
    kept.keep(kept.moment, ALL, {"a#0": None}, {"t": NOTHING})
    assert kept.passages(kept.moment, ALL, ["a#0", "b#0"]) == {"a#0": None}
    assert kept.threads(kept.moment, EVERYTHING, ["t", "u"]) == {"t": NOTHING}
    kept.learn(("index-v1", 10, 9.0))
    assert kept.passages(kept.moment, ALL, ["a#0"])
    before = kept.moment
    for another in [("index-v1", 10, 10.0), ("index-v1", 9, 9.0), ("index-v2", 10, 9.0)]:
        kept.learn(before)
        kept.keep(before, ALL, {"a#0": None}, {"t": NOTHING})
        kept.learn(another)
        kept.keep(before, ALL, {"late#0": None}, {"late": NOTHING})
        for moment in (before, another, None):
            assert not kept.passages(moment, ALL, ["a#0", "late#0"])
            assert not kept.threads(moment, EVERYTHING, ["t", "late"])


def test_no_more_is_remembered_than_fits(monkeypatch):
    monkeypatch.setattr(memory, "MOST", 3 * memory.OBJECTS)
    kept = Memory()
    kept.learn(("index-v1", 10, 9.0))
    for number in range(9):
        kept.keep(kept.moment, ALL, {f"{number}#0": None}, {})
        assert kept.passages(kept.moment, ALL, [f"{number}#0"])
    assert len(kept.passages(kept.moment, ALL, [f"{number}#0" for number in range(9)])) <= 4


@pytest.mark.elasticsearch
async def test_an_index_that_was_made_anew_meanwhile_is_another_one(place):
    await place.search(BEN)
    assert "message 1" in str((await place.search(BEN))[0])
    await place.writer.remove()
    async with open_elasticsearch(place.url, prefix=place.prefix, create=True) as anew:
        await put(anew, message(0), message(1, access=frozenset({"user:ANN"})), message(2), embedder=EMBEDDER)
        await put(anew, document("files:alone", "A leave policy alone"), embedder=EMBEDDER)
        assert "message 1" not in str((await place.search(BEN))[0])


@pytest.mark.elasticsearch
async def test_an_index_without_records_has_a_moment(elasticsearch_url):
    prefix = f"footnote-test-{uuid4().hex}"
    async with open_elasticsearch(elasticsearch_url, prefix=prefix, create=True) as index:
        assert (await index.rank(Question(QUESTION), ALL, 5)).moment is not None
        await index.remove()
