import asyncio
import hashlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from indexers.chunks import chunks
from indexers.document import EVERYTHING, Document
from indexers.embedding import EmbeddingError
from indexers.index import Filter, IndexMismatch, Question, chunk_id
from indexers.index.embedded import open_index
from indexers.sources import DocumentFailed, Failed, Item, Skipped, SourceError
from indexers.sources.files import Files
from indexers.sync import CHUNKS_AT_ONCE, EMPTY, Report, sync
from tests.fakes.corpus import FakeEmbedder, document
from tests.fakes.indexes import BACKENDS

ALL = Filter(EVERYTHING)


@dataclass
class Shelf:
    """A source of the documents that stand on it, and of what else a test puts there."""

    documents: list[Document] = field(default_factory=list)
    others: list[Skipped | Failed] = field(default_factory=list)
    scope: str = "files"
    fails: dict[str, str] = field(default_factory=dict)
    breaks: bool = False
    total: int | None = None
    reads: list[str] = field(default_factory=list)

    async def scopes(self):
        return [self.scope]

    async def found(self):
        self.total = len(self.documents) + len(self.others)
        for one in self.others:
            yield one
        for one in self.documents:
            yield self._item(one)
        if self.breaks:
            raise SourceError("The shelf broke.")

    def _item(self, one):
        async def read():
            self.reads.append(one.id)
            if one.id in self.fails:
                raise DocumentFailed(self.fails[one.id])
            return one

        facts = repr((one.url, sorted(one.access), one.timestamp, one.participants, one.thread_id))
        return Item(one.id, one.title, _digest(one.title + one.text), _digest(facts), read)


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def shelf(*names, **options):
    return Shelf([document(f"files/{name}", f"The text of {name}.") for name in names], **options)


def told(report):
    return {key: value for key in Report.__slots__ if (value := getattr(report, key)) and key != "chunks"}


@pytest.fixture(params=BACKENDS)
async def index(request):
    async with request.param(request) as index:
        yield index


@pytest.fixture
def embedder():
    return FakeEmbedder()


async def stored(index):
    return sorted(one.removeprefix("files:files/") for one in await index.fingerprints(["files:files", "files"]))


def on(names):
    """Document ids are `files:files/a`: the scope is a folder."""
    return shelf(*names, scope="files:files")


async def test_new_documents_are_written_with_their_vectors(index, embedder):
    report = await sync(on("ab"), index, embedder)
    assert told(report) == {"written": 2}
    assert report.chunks == 2
    question = Question("text", await embedder.embed_query("text of a"))
    ranking = await index.rank(question, ALL, 5)
    assert list(ranking.dense) == ["files:files/a#0", "files:files/b#0"]
    assert set(ranking.lexical) == set(ranking.dense)


async def test_a_check_that_raises_keeps_everything_from_being_read_written_or_removed(index, embedder):
    await sync(on("ab"), index, embedder)
    seen = []

    def check(known):
        seen.extend(known)
        raise LookupError

    again = on("bc")
    with pytest.raises(LookupError):
        await sync(again, index, embedder, check=check)
    assert sorted(seen) == ["files:files/a", "files:files/b"]
    assert (again.reads, await stored(index)) == ([], ["a", "b"])


async def test_documents_that_more_people_can_read_now_are_counted_if_they_were_written(index, embedder):
    source = on("abcd")
    source.documents = [replace(one, access=frozenset({"channel:C1"})) for one in source.documents]
    assert (await sync(source, index, embedder)).widened == 0
    a, b, c = source.documents[:3]
    opened = frozenset({"workspace"})
    changed = replace(b, text="Another text.", access=opened)
    new = replace(document("files/e", "New."), access=opened)
    source.documents = [replace(a, access=opened), changed, replace(c, access=opened), new]  # d has vanished
    source.fails = {c.id: "it is damaged"}
    report = await sync(source, index, embedder)
    assert (report.described, report.written, report.swept, report.widened) == (1, 2, 1, 2)


async def test_what_is_unchanged_is_not_read_embedded_or_written_again(index, embedder):
    async def versions():
        return {entry.document.id: entry.version async for entry in index.stored()}

    await sync(on("ab"), index, embedder)
    again, before = on("ab"), await versions()
    embedder.texts.clear()
    assert told(await sync(again, index, embedder)) == {"unchanged": 2}
    assert (again.reads, embedder.texts, await versions()) == ([], [], before)


async def test_what_changed_is_written_again_and_nothing_else(index, embedder):
    source = on("abc")
    await sync(source, index, embedder)
    source.documents[1] = replace(source.documents[1], text="Another text.")
    embedder.texts.clear()
    assert told(await sync(source, index, embedder)) == {"written": 1, "unchanged": 2}
    assert embedder.texts == ["Another text."]


async def test_changed_access_or_link_needs_no_new_vectors(index, embedder):
    source = on("ab")
    await sync(source, index, embedder)
    source.documents[0] = replace(source.documents[0], access=frozenset({"user:U1"}), url="https://x.test/a")
    embedder.texts.clear()
    assert told(await sync(source, index, embedder)) == {"described": 1, "unchanged": 1}
    assert embedder.texts == []
    passages = await index.passages(["files:files/a#0"], Filter((frozenset({"user:U1"}),)))
    assert passages["files:files/a#0"].url == "https://x.test/a"
    assert told(await sync(source, index, embedder)) == {"unchanged": 2}


async def test_a_changed_title_is_a_changed_text(index, embedder):
    source = on("a")
    await sync(source, index, embedder)
    source.documents[0] = replace(source.documents[0], title="Renamed")
    assert told(await sync(source, index, embedder)) == {"written": 1}
    assert embedder.titles[-1] == "Renamed"


async def test_what_vanished_is_swept_and_only_below_the_scopes(index):
    await sync(on("abc"), index)
    await sync(Shelf([document("elsewhere/d")], scope="files:elsewhere"), index)
    assert told(await sync(on("ac"), index)) == {"unchanged": 2, "swept": 1}
    assert sorted(await index.fingerprints(["files:files", "files:elsewhere"])) == [
        "files:elsewhere/d",
        "files:files/a",
        "files:files/c",
    ]


async def test_a_source_that_broke_sweeps_nothing(index):
    await sync(on("abc"), index)
    broken = on("a")
    broken.breaks = True
    with pytest.raises(SourceError, match="broke"):
        await sync(broken, index)
    assert await stored(index) == ["a", "b", "c"]


async def test_a_document_that_fails_is_named_and_what_is_stored_of_it_stays(index):
    await sync(on("ab"), index)
    source = on("ab")
    source.documents[0] = replace(source.documents[0], text="newer")
    source.fails = {"files:files/a": "the document is damaged"}
    report = await sync(source, index)
    assert told(report) == {"unchanged": 1, "failed": [("files/a", "the document is damaged")]}
    assert await stored(index) == ["a", "b"]
    source.fails = {}
    assert told(await sync(source, index)) == {"unchanged": 1, "written": 1}


async def test_what_could_not_be_looked_at_keeps_all_that_lies_below_it(index):
    await sync(on(["a", "closed/b", "closed/c", "closed-too/d"]), index)
    source = on("a")
    source.others = [Failed("closed", "Permission denied", "files:files/closed")]
    report = await sync(source, index)
    assert told(report) == {"unchanged": 1, "failed": [("closed", "Permission denied")], "swept": 1}
    assert await stored(index) == ["a", "closed/b", "closed/c"]


async def test_what_was_skipped_is_counted_by_reason(index):
    source = on("a")
    source.others = [Skipped("hidden"), Skipped("hidden"), Skipped("of another type")]
    assert (await sync(source, index)).skipped == {"hidden": 2, "of another type": 1}


async def fresh(index):
    return await index.read_at(EVERYTHING)


async def test_a_run_that_finds_no_change_makes_its_source_fresh(index):
    await sync(on("a"), index)
    before, start = await fresh(index), datetime.now(UTC)
    assert told(await sync(on("a"), index)) == {"unchanged": 1}
    assert before["files"] < start <= (await fresh(index))["files"] <= datetime.now(UTC)
    assert list(await index.visits()) == ["files:files"]


async def test_a_run_that_broke_off_makes_nothing_fresh(index, embedder):
    await sync(on("a"), index)
    before = await fresh(index)
    broken = on("a")
    broken.breaks = True
    with pytest.raises(SourceError):
        await sync(broken, index)
    embedder.fails = EmbeddingError("Ollama does not answer.")
    with pytest.raises(EmbeddingError):
        await sync(on("a"), index, embedder)
    assert await fresh(index) == before


async def test_nor_does_one_that_could_not_list_a_folder_of_which_something_is_stored(index):
    await sync(on(["a", "closed/b"]), index)
    before = await index.visits()
    closed = [Failed("closed", "Permission denied", "files:files/closed")]
    assert told(await sync(shelf("a", scope="files:files", others=closed), index))["unchanged"] == 1
    await sync(shelf(scope="files:files/closed", others=closed), index)
    await sync(shelf(scope="files:files/closed/b", others=closed), index)
    assert await index.visits() == before


async def test_a_document_that_fails_and_a_folder_that_never_held_one_do_not_hinder_it(index):
    await sync(on("ab"), index)
    before = await fresh(index)
    failed = [Failed(name, "Permission denied", f"files:files/{name}") for name in ("b", "lost+found")]
    await sync(shelf("a", scope="files:files", others=failed), index)
    assert before["files"] < (await fresh(index))["files"]
    assert await stored(index) == ["a", "b"]


async def test_an_empty_document_is_counted_and_one_that_became_empty_is_swept(index):
    source = on("ab")
    await sync(source, index)
    source.documents[0] = replace(source.documents[0], text=" \n")
    assert told(await sync(source, index)) == {"unchanged": 1, "swept": 1, "skipped": {EMPTY: 1}}
    assert await stored(index) == ["b"]


async def test_without_an_embedder_vectors_that_are_there_stay(index, embedder):
    source = on("ab")
    await sync(source, index, embedder)
    assert told(await sync(source, index)) == {"unchanged": 2}
    source.documents[0] = replace(source.documents[0], access=frozenset({"public"}))
    assert told(await sync(source, index)) == {"described": 1, "widened": 1, "unchanged": 1}
    assert told(await sync(source, index, embedder)) == {"unchanged": 2}
    assert sorted(await index.vectors(["files:files/a#0", "files:files/b#0"])) == ["files:files/a#0", "files:files/b#0"]


async def test_documents_without_vectors_get_them_from_the_first_embedder_on(index, embedder):
    await sync(on("ab"), index)
    assert told(await sync(on("ab"), index, embedder)) == {"written": 2}
    assert len(await index.vectors(["files:files/a#0", "files:files/b#0"])) == 2


async def test_another_embedder_is_refused_before_anything_is_written(index, embedder):
    await sync(on("a"), index, embedder)
    with pytest.raises(IndexMismatch, match="vectors of fake"):
        await sync(on("b"), index, FakeEmbedder(name="another"))
    assert await stored(index) == ["a"]


async def test_an_embedder_that_fails_ends_the_run_and_the_next_one_goes_on(index, embedder):
    await sync(on("ab"), index, embedder)
    embedder.fails = EmbeddingError("The server is gone.")
    with pytest.raises(EmbeddingError, match="gone"):
        await sync(on("bc"), index, embedder)
    assert await stored(index) == ["a", "b"]
    embedder.fails = None
    assert told(await sync(on("bc"), index, embedder)) == {"written": 1, "unchanged": 1, "swept": 1}


async def test_texts_are_embedded_many_at_a_time_and_never_too_many(index):
    sizes = []

    class Counting(FakeEmbedder):
        async def embed_documents(self, texts, *, titles=()):
            sizes.append(len(texts))
            assert len(titles) == len(texts)
            return await super().embed_documents(texts, titles=titles)

    long = document("files/long", "\n\n".join(f"## Part {number}\n\n{'words ' * 300}" for number in range(100)))
    await sync(Shelf([long], scope="files:files"), index, Counting())
    assert max(sizes) == CHUNKS_AT_ONCE
    sizes.clear()
    await sync(on(map(str, range(40))), index, Counting())
    assert (sum(sizes), len(sizes) < 10) == (40, True)


async def test_progress_counts_up_to_the_total(index):
    source = on(map(str, range(50)))
    source.others = [Skipped("hidden")]
    told = []
    await sync(source, index, on_progress=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {total for _, total in told} == {51}
    assert told[-1] == (51, 51)


async def test_a_second_sync_of_the_same_documents_changes_nothing(index, embedder):
    names = [f"d{number}" for number in range(37)]
    await sync(on(names), index, embedder)
    assert told(await sync(on(reversed(names)), index, embedder)) == {"unchanged": 37}


async def test_a_run_that_is_cancelled_leaves_whole_documents(tmp_path, embedder):
    text = "\n\n".join(f"Paragraph {number} " + "word " * 200 for number in range(20))
    documents = [document(f"files/{number}", text) for number in range(40)]
    count = len(chunks(text, title="files/0"))
    async with open_index(tmp_path / "index.sqlite", create=True) as index:
        reached = asyncio.Event()
        task = asyncio.get_running_loop().create_task(
            sync(Shelf(documents, scope="files:files"), index, on_progress=lambda done, _: done > 17 and reached.set())
        )
        async with asyncio.timeout(10):
            await reached.wait()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        written = await index.fingerprints(["files:files"])
        assert 0 < len(written) < 40
        for id in written:
            assert len(await index.passages([chunk_id(id, number) for number in range(count)], ALL)) == count


async def test_a_folder_is_indexed_changed_and_swept(index, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()

    def write(name, text):
        (folder / name).write_text(text, "utf-8")

    async def run(*paths):
        return told(await sync(Files([Path(path) for path in paths or [folder]], None), index))

    write("a.md", "# Leave\n\n25 days.\n")
    write("b.txt", "Plain.\n")
    assert await run() == {"written": 2}
    assert await run() == {"unchanged": 2}
    write("b.txt", "Changed.\n")
    (folder / "a.md").unlink()
    with pytest.raises(SourceError):
        await run(folder, tmp_path / "missing")
    assert len(await index.fingerprints([f"files:{folder}"])) == 2
    assert await run(folder / "b.txt") == {"written": 1}
    assert await run() == {"unchanged": 1, "swept": 1}
