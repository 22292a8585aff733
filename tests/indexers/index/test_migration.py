"""From one index into another, and into a new one in the place of the old."""

import asyncio
import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from elasticsearch import AsyncElasticsearch

from bot.search import HybridSearch
from indexers.chunks import chunks
from indexers.document import EVERYTHING
from indexers.embedding import EmbeddingError
from indexers.index import Entry, Filter, Fingerprint, IndexFault, IndexMismatch, IndexMissing, Question
from indexers.index.elasticsearch import each, open_elasticsearch
from indexers.index.elasticsearch.rebuilding import rebuild
from indexers.index.embedded import open_index
from indexers.index.migration import migrate
from tests.fakes.corpus import FakeEmbedder, document, put

ALL = Filter(EVERYTHING)
OLD = FakeEmbedder(name="old")
TEXT = "\n\n".join(f"## Part {number}\n\n" + "parental leave words " * 120 for number in range(4))


@pytest.fixture
async def raw(elasticsearch_url):
    async with AsyncElasticsearch(elasticsearch_url) as client:
        yield client


class Place:
    def __init__(self, url):
        self.url = url
        self.prefix = f"footnote-test-{uuid4().hex}"

    def open(self, **options):
        return open_elasticsearch(self.url, **{"prefix": self.prefix, "create": True, **options})

    async def rebuild(self, embedder=None, **options):
        return await rebuild(self.url, embedder=embedder, **{"prefix": self.prefix, "analyzer": "english", **options})


@pytest.fixture
async def place(elasticsearch_url):
    place = Place(elasticsearch_url)
    async with place.open() as index:
        yield place
        await index.remove()


@pytest.fixture
async def embedded(tmp_path):
    async with open_index(tmp_path / "index.sqlite", create=True) as index:
        yield index


async def titles(index, query, embedder):
    return [hit.title for hit in (await HybridSearch(index, embedder).for_audience(EVERYTHING).search(query)).hits]


def several(count=5):
    return [document("long", TEXT), *(document(f"d{number}", f"leave {number}") for number in range(count))]


async def stored(index):
    return {entry.document.id: entry async for entry in index.stored()}


@pytest.mark.elasticsearch
async def test_what_was_embedded_is_searched_in_elasticsearch_without_embedding_anew(place, embedded):
    await put(embedded, *several(), embedder=OLD)
    await put(embedded, document("wordless", "plain words"))
    async with place.open() as target:
        counts = []
        moved = await migrate(embedded, target, on_progress=lambda done, total: counts.append((done, total)))
        assert (moved.documents, moved.kept, moved.failed, counts[-1]) == (7, 0, [], (7, 7))
        assert await target.embedding() == "old"
        assert await titles(target, "parental leave", OLD) == await titles(embedded, "parental leave", OLD)
        assert await target.fingerprints(["files:long"]) == await embedded.fingerprints(["files:long"])
        before, after = await stored(embedded), await stored(target)
        assert {id: one.document for id, one in before.items()} == {id: one.document for id, one in after.items()}
        again = await migrate(embedded, target)
        assert (again.documents, again.kept) == (0, 7)


def at(second):
    return datetime.fromtimestamp(second, UTC)


@pytest.mark.elasticsearch
async def test_when_sources_were_last_indexed_is_moved_too(place, embedded):
    await embedded.visited({"files:/a": at(100), "files:/b": at(100)})
    async with place.open() as target:
        await target.visited({"files:/b": at(200)})
        await migrate(embedded, target)
        assert await target.visits() == {"files:/b": at(200), "files:/a": at(100)}


@pytest.mark.elasticsearch
async def test_a_rebuilt_index_knows_when_sources_were_last_indexed(place):
    class Busy(FakeEmbedder):
        """While it embeds, another process ends a run."""

        async def embed_documents(self, texts, *, titles=()):
            await index.visited({"files:/b": at(200)})
            return await super().embed_documents(texts, titles=titles)

    async with place.open() as index:
        await put(index, document("a", "words"), embedder=OLD)
        await index.visited({"files:/a": at(100), "files:/b": at(100)})
        assert (await place.rebuild(Busy(name="new"))).documents == 1
        assert await index.visits() == {"files:/b": at(200), "files:/a": at(100)}
        assert await index.count() == 1


@pytest.mark.elasticsearch
async def test_what_elasticsearch_has_in_a_newer_state_stays(place, embedded):
    await put(embedded, document("a", "the older words"), embedder=OLD)
    async with place.open() as target:
        await put(target, document("a", "the newer words"), embedder=OLD)
        assert (await migrate(embedded, target)).kept == 1
        assert list((await target.rank(Question("newer"), ALL, 5)).lexical) == ["files:a#0"]


@pytest.mark.elasticsearch
async def test_vectors_of_another_model_are_not_mixed_in(place, embedded):
    await put(embedded, document("a"), embedder=OLD)
    async with place.open() as target:
        await put(target, document("b"), embedder=FakeEmbedder(name="new"))
        with pytest.raises(IndexMismatch, match="footnote index rebuild"):
            await migrate(embedded, target)
        assert list(await stored(target)) == ["files:b"]


@pytest.mark.elasticsearch
async def test_rebuilding_embeds_the_stored_text_into_a_new_index_in_the_place_of_the_old(place, raw):
    embedder = FakeEmbedder(name="new", same={"holiday": "leave"})
    counts = []
    async with place.open() as index:
        await put(index, *several(), document("bare", "no vectors"), embedder=OLD)
        moved = await place.rebuild(embedder, on_progress=lambda done, total: counts.append((done, total)))
        assert (moved.documents, moved.failed, counts[-1]) == (7, [], (7, 7))
        await index.expect("new")
        assert (await titles(index, "holiday", embedder))[:3] == ["d0", "d1", "d2"]
        assert {one.fingerprint.embedding for one in (await stored(index)).values()} == {"new"}
    assert embedder.titles.count("long") == len(chunks(TEXT, title="long")) > 1
    [name] = await raw.indices.get_alias(name=f"{place.prefix}-write")
    assert name == f"{place.prefix}-v2"
    assert await raw.indices.exists(index=f"{place.prefix}-v1")
    await place.rebuild(embedder)
    assert not await raw.indices.exists(index=f"{place.prefix}-v1")
    assert await raw.indices.exists(index=f"{place.prefix}-v2")


async def test_the_index_of_a_team_whose_prefix_goes_on_alike_is_left_alone(place, raw):
    other = f"{place.prefix}-vienna-v7"
    await raw.indices.create(index=other)
    try:
        await place.rebuild()
        assert await raw.indices.exists(index=f"{place.prefix}-v2")
        async with place.open() as index:
            await index.remove()
        assert list(await raw.indices.get(index=f"{place.prefix}-v*")) == [other]
    finally:
        await raw.indices.delete(index=other)


@asynccontextmanager
async def meanwhile(work):
    """Does something over and over until the block is left."""
    done = asyncio.Event()

    async def again():
        while not done.is_set():
            await work()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(again())
        yield
        done.set()


@pytest.mark.elasticsearch
async def test_the_index_is_searched_all_along(place):
    times = 0
    async with place.open() as index:
        await put(index, *several(60), embedder=OLD)

        async def search():
            nonlocal times
            ranking = await index.rank(Question("leave"), ALL, 100)
            assert len({chunk.partition("#")[0] for chunk in ranking.lexical}) == 61
            assert len(await index.passages(list(ranking.lexical), ALL)) == len(ranking.lexical)
            times += 1

        async with meanwhile(search):
            await place.rebuild(FakeEmbedder(name="new"))
        await search()
    assert times > 2


@pytest.mark.elasticsearch
async def test_what_is_written_while_it_is_rebuilt_is_in_the_new_one(place):
    class Busy(FakeEmbedder):
        """While it embeds, another process writes."""

        async def embed_documents(self, texts, *, titles=()):
            if not self.texts:
                await put(other, document("d1", "changed words"), document("new", "new words"), embedder=OLD)
                await other.delete(["files:d2", "files:long"])
            return await super().embed_documents(texts, titles=titles)

    async with place.open() as index, place.open() as other:
        await put(index, *several(), embedder=OLD)
        await place.rebuild(Busy(name="anew"))
        everything = await stored(index)
        assert sorted(everything) == ["files:d0", "files:d1", "files:d3", "files:d4", "files:new"]
        assert everything["files:d1"].document.text == "changed words"
        assert {one.fingerprint.embedding for one in everything.values()} == {"anew"}


@pytest.mark.elasticsearch
async def test_an_embedder_that_fails_leaves_the_old_index_as_it_was(place, raw):
    broken = FakeEmbedder(name="new")
    broken.fails = EmbeddingError("Ollama does not answer.")
    async with place.open() as index:
        await put(index, *several(), embedder=OLD)
        with pytest.raises(EmbeddingError):
            await place.rebuild(broken)
        assert not await raw.indices.exists(index=f"{place.prefix}-v2")
        await put(index, document("more", "more leave"), embedder=OLD)
        assert len(await stored(index)) == 7
        assert await index.embedding() == "old"


@pytest.mark.elasticsearch
async def test_one_that_another_removes_while_it_is_made_leaves_the_old_index_as_it_was(place, raw):
    class Other(FakeEmbedder):
        """While it embeds, another process begins, and takes what it finds for left over."""

        async def embed_documents(self, texts, *, titles=()):
            await raw.indices.delete(index=f"{place.prefix}-v2")
            return await super().embed_documents(texts, titles=titles)

    async with place.open() as index:
        await put(index, *several(), embedder=OLD)
        with pytest.raises(IndexFault, match="Run one at a time"):
            await place.rebuild(Other(name="new"))
        assert (await index.count(), await index.embedding()) == (6, "old")


@pytest.mark.elasticsearch
async def test_without_an_embedder_vectors_are_taken_over_under_another_analyzer(place):
    async with place.open() as index:
        await put(index, document("a", "Les congés sont accordés"), document("b", "autre"), embedder=OLD)
    await place.rebuild(analyzer="french")
    with pytest.raises(IndexMismatch, match="french"):
        async with place.open():
            pass
    async with place.open(analyzer="french") as index:
        assert list((await index.rank(Question("congé"), ALL, 5)).lexical) == ["files:a#0"]
        assert await index.embedding() == "old"
        assert set(await index.vectors(["files:a#0", "files:b#0"])) == {"files:a#0", "files:b#0"}


@pytest.mark.elasticsearch
async def test_a_rebuilt_index_knows_what_was_removed_from_the_old_one(place):
    late = Entry(document("a", "late"), chunks("late"), None, Fingerprint("", ""), time.time_ns() // 1000)
    async with place.open() as index:
        await put(index, document("a", "words"), document("b", "others"))
        await index.delete(["files:a"])
    await place.rebuild()
    async with place.open() as index:
        await index.write(late.document, late.chunks, None, late.fingerprint)
        assert list(await stored(index)) == ["files:a", "files:b"]
        await index.delete(["files:a"])
    await place.rebuild()
    async with place.open() as index:
        [outcome] = [one async for one in index.write_all(each([late]))]
        assert (outcome.written, outcome.failure, await index.count()) == (False, "", 1)


@pytest.mark.elasticsearch
async def test_an_index_of_another_schema_is_mended(place, raw):
    async with place.open() as index:
        await put(index, document("a", "words"), embedder=OLD)
    meta = {"schema": 0, "analyzer": "english", "embedding": "old", "dimensions": 128, "prompt": ""}
    await raw.indices.put_mapping(index=f"{place.prefix}-write", meta=meta)
    with pytest.raises(IndexMismatch, match="schema 0"):
        async with place.open():
            pass
    await place.rebuild(OLD)
    async with place.open() as index:
        assert list(await stored(index)) == ["files:a"]


@pytest.mark.elasticsearch
async def test_what_is_not_there_cannot_be_rebuilt(elasticsearch_url):
    with pytest.raises(IndexMissing, match="footnote index files"):
        await rebuild(elasticsearch_url, embedder=None, prefix=f"footnote-test-{uuid4().hex}", analyzer="english")


@pytest.mark.elasticsearch
async def test_a_document_without_chunks_is_moved_too(place, embedded):
    async def empty():
        yield Entry(document("empty", ""), [], None, Fingerprint("content", "facts"))

    async for _ in embedded.write_all(empty()):
        pass
    async with place.open() as target:
        assert (await migrate(embedded, target)).documents == 1
        assert await target.fingerprints(["files:empty"]) == {"files:empty": Fingerprint("content", "facts")}
        assert await target.sources(EVERYTHING) == ["files"]
        assert await target.recent(ALL, 5) == []


@pytest.mark.elasticsearch
@pytest.mark.parametrize("describing", [False, True], ids=["with new text", "with new facts"])
async def test_a_stream_that_began_before_a_rebuild_adds_no_vectors_of_the_old_model(place, describing):
    """Two groups: the second comes when the index holds vectors of another model."""
    first, later, gone_on = asyncio.Event(), asyncio.Event(), document("later", "parental leave")

    async def entries():
        for number in range(300):
            yield await of(document(f"d{number}", "words"))
        first.set()
        await later.wait()
        entry = await of(gone_on)
        yield Entry(gone_on, None, None, Fingerprint("", "new", OLD.name)) if describing else entry
        for number in range(300):
            yield await of(document(f"e{number}", "words"))

    async def write(index):
        with pytest.raises(IndexMismatch, match=r"vectors of new .*would add vectors of old"):
            [_ async for _ in index.write_all(entries())]

    async with place.open() as index:
        await put(index, gone_on, embedder=OLD)
        async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
            tasks.create_task(write(index))
            await first.wait()
            await place.rebuild(FakeEmbedder(name="new"))
            later.set()
        known = await index.fingerprints([f"files:e{number}" for number in range(300)])
        assert known == {}
        assert (await index.fingerprints(["files:later"]))["files:later"].embedding == "new"


async def of(one):
    """An entry with vectors of the old model."""
    cut = chunks(one.text, title=one.title)
    vectors = await OLD.embed_documents([chunk.text for chunk in cut])
    return Entry(one, cut, vectors, Fingerprint(one.text, "", OLD.name))


@pytest.mark.elasticsearch
async def test_where_a_rebuild_was_killed_in_its_last_round_writing_says_to_run_it_again_and_that_mends_it(place, raw):
    await raw.indices.create(index=f"{place.prefix}-v2")
    await raw.indices.add_block(index=f"{place.prefix}-v1", block="write")
    async with place.open() as index:
        with pytest.raises(IndexFault, match="run `footnote index rebuild` again where one was interrupted"):
            await put(index, document("a", "words"))
        await place.rebuild()
        await put(index, document("a", "words"))
        assert list(await stored(index)) == ["files:a"]
