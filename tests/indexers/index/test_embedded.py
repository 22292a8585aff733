"""What is of the embedded index alone: its file, its threads, its matrix."""

import asyncio
import sqlite3
import stat
from contextlib import closing

import numpy as np
import pytest

from bot.research.types import SearchFailed
from bot.search import HybridSearch
from bot.sentences import in_language
from indexers.document import EVERYTHING
from indexers.index import (
    DEGRADED,
    REMOVAL_KEPT,
    Filter,
    IndexFault,
    IndexMismatch,
    IndexMissing,
    Question,
    lookup,
)
from indexers.index.embedded import open_index
from indexers.index.matching import Expression
from indexers.index.matrix import DEAD_SHARE, Matrix
from indexers.index.schema import connect
from tests.fakes.corpus import FakeEmbedder, document, put

ALL = Filter(EVERYTHING)
EMBEDDER = FakeEmbedder()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / "index.sqlite"


@pytest.fixture
async def index(path):
    async with open_index(path, create=True) as index:
        yield index


async def found(index, text):
    ranking = await index.rank(Question(text, await EMBEDDER.embed_query(text)), ALL, 50)
    return [sorted(ranking.lexical), sorted(ranking.dense)]


async def test_what_was_never_indexed_is_missing_and_says_how_to_begin(path):
    with pytest.raises(IndexMissing, match="footnote index files"):
        async with open_index(path):
            pass
    assert not path.exists()


async def test_an_empty_file_is_missing_too(path):
    path.parent.mkdir()
    path.touch()
    with pytest.raises(IndexMissing, match="empty"):
        async with open_index(path):
            pass


async def test_only_the_owner_can_read_the_file(path):
    async with open_index(path, create=True):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_what_was_written_is_there_after_closing(path):
    async with open_index(path, create=True) as index:
        await put(index, document("a", "words"), embedder=EMBEDDER)
    async with open_index(path) as index:
        assert await found(index, "words") == [["files:a#0"], ["files:a#0"]]


async def test_another_version_of_the_schema_is_refused_with_the_mend(path):
    async with open_index(path, create=True):
        pass
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(IndexMismatch, match=r"another version.*delete it and index"):
        async with open_index(path, create=True):
            pass


async def test_a_file_of_something_else_is_refused_with_the_mend(path):
    path.parent.mkdir()
    path.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(IndexFault, match="damaged; delete it"):
        async with open_index(path, create=True):
            pass


async def test_the_writes_of_another_process_are_noticed(path):
    async with open_index(path, create=True) as one, open_index(path) as other:
        await put(one, document("a", "words"), embedder=EMBEDDER)
        assert await found(other, "words") == [["files:a#0"], ["files:a#0"]]
        await put(one, document("a", "more"), document("b", "words"), embedder=EMBEDDER)
        assert await found(other, "words") == [["files:b#0"], ["files:a#0", "files:b#0"]]
        await one.delete(["files:a"])
        assert await found(other, "words") == [["files:b#0"], ["files:b#0"]]


async def test_an_index_made_anew_is_noticed_by_who_searches_the_old_one(path):
    async with open_index(path, create=True) as old:
        await put(old, document("a", "words"), embedder=EMBEDDER)
        assert await found(old, "words") == [["files:a#0"]] * 2
        for file in path.parent.iterdir():
            file.unlink()
        with pytest.raises(IndexMissing, match="gone"):
            await found(old, "words")
        async with open_index(path, create=True) as new:
            await put(new, document("b", "words"), embedder=EMBEDDER)
            assert await found(old, "words") == [["files:b#0"]] * 2


async def test_many_searches_and_writes_at_once_agree_with_each_other(index):
    await put(index, *(document(f"d{number}", "words") for number in range(20)), embedder=EMBEDDER)

    async def rewrite(number):
        await put(index, document(f"d{number}", f"words again {number}"), embedder=EMBEDDER)

    async with asyncio.TaskGroup() as tasks:
        for number in range(20):
            tasks.create_task(rewrite(number))
            tasks.create_task(found(index, "words"))
    ids = sorted(f"files:d{number}#0" for number in range(20))
    assert await found(index, "words again") == [ids, ids]


async def test_a_cancelled_write_is_whole_or_not_there(index):
    for number in range(20):
        write = asyncio.get_running_loop().create_task(
            put(index, document(f"d{number}", "words " * 200), embedder=EMBEDDER)
        )
        await asyncio.wait({write}, timeout=0)
        write.cancel()
        await asyncio.wait({write})
    await put(index, document("last", "words"), embedder=EMBEDDER)
    lexical, dense = await found(index, "words")
    assert lexical == dense
    assert "files:last#0" in lexical


async def test_the_full_text_stays_in_step_with_the_documents(path):
    async with open_index(path, create=True) as index:
        await put(index, *(document(f"d{number}", f"some words {number}") for number in range(9)), embedder=EMBEDDER)
        await put(index, *(document(f"d{number}", "other text", title="New") for number in range(3)))
        await index.delete(["files:d5"])
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")
        for table in ("texts", "words_docsize"):
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (8,)
        assert database.execute("SELECT count(*) FROM vectors").fetchone() == (5,)


async def test_a_removal_is_forgotten_after_a_while(path):
    async with open_index(path, create=True) as index:
        await put(index, document("a"), document("b"))
        await index.delete(["files:a"])
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE removals SET read = read - ?", (REMOVAL_KEPT + 1,))
        await index.delete(["files:b"])
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT key FROM removals").fetchall() == [("files:b",)]


async def test_dead_rows_are_cleared_out_of_the_matrix(path):
    async with open_index(path, create=True) as index:
        matrix = Matrix()
        with closing(connect(path, create=False)) as connection:
            for _ in range(5):
                await put(index, *(document(f"d{number}", "words") for number in range(10)), embedder=EMBEDDER)
                rows = matrix.rows(connection)
                assert np.count_nonzero(rows.alive) == 10
                assert len(rows.alive) * (1 - DEAD_SHARE) <= 10


async def test_a_reader_keeps_the_rows_that_it_was_given(path):
    async with open_index(path, create=True) as index:
        matrix = Matrix()
        with closing(connect(path, create=False)) as connection:
            await put(index, document("a", "words"), embedder=EMBEDDER)
            before = matrix.rows(connection)
            held = before.vectors.copy()
            await put(index, *(document(f"d{number}", "others") for number in range(30)), embedder=EMBEDDER)
            await index.delete(["files:a"])
            assert len(matrix.rows(connection).vectors) > 1
            assert (before.vectors == held).all()
            assert before.alive.all()


async def test_a_filter_reads_each_matching_row_once_and_not_the_whole_index(path):
    """`rowid IN (…)` in place of the unary plus made this two hundred times as slow."""
    async with open_index(path, create=True) as index:
        await put(index, *(document(f"d{number}", f"common word{number % 7}") for number in range(300)))
    with closing(connect(path, create=False)) as connection:
        steps = 0

        def step():
            nonlocal steps
            steps += 1

        def counted(where):
            nonlocal steps
            steps = 0
            connection.set_progress_handler(step, 1)
            assert len(lookup.lexical(connection, Expression('"common" OR "word1"'), where, 500)) == 300
            connection.set_progress_handler(None, 1)
            return steps

        bare = counted(ALL)
        audience = (frozenset({"workspace", "user:U1"}), frozenset({"workspace"}))
        assert counted(Filter(audience)) < 3 * bare


@pytest.mark.parametrize(("table", "name"), [("words", "lexical"), ("vectors", "dense")])
async def test_a_list_that_fails_leaves_the_other_and_is_told(index, path, table, name):
    await put(index, document("a", "some words"), embedder=EMBEDDER)
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"DROP TABLE {table}")
    results = await HybridSearch(index, EMBEDDER).for_audience(EVERYTHING).search("some words")
    assert [hit.title for hit in results.hits] == ["a"]
    assert results.warnings == [DEGRADED[name]]
    assert in_language(results.warnings[0], "fr").startswith("L'index n'a pas pu être interrogé")


async def test_with_neither_list_the_search_has_failed(index, path):
    await put(index, document("a", "some words"), embedder=EMBEDDER)
    with closing(sqlite3.connect(path)) as other:
        other.execute("DROP TABLE words")
        other.execute("DROP TABLE vectors")
    with pytest.raises(SearchFailed):
        await HybridSearch(index, EMBEDDER).for_audience(EVERYTHING).search("some words")
    with pytest.raises(IndexFault):
        await index.rank(Question("some words"), ALL, 5)


async def test_searches_go_on_while_another_process_holds_up_a_write(path):
    async with open_index(path, create=True) as index:
        await put(index, document("a", "words"), embedder=EMBEDDER)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            async with asyncio.TaskGroup() as tasks:
                write = tasks.create_task(put(index, document("b", "words"), embedder=EMBEDDER))
                assert await found(index, "words") == [["files:a#0"]] * 2
                assert not write.done()
                other.execute("ROLLBACK")
        assert await found(index, "words") == [["files:a#0", "files:b#0"]] * 2


async def test_the_best_are_the_same_among_the_rarest_as_among_all(index, path):
    common, rare = "the common words of every document", "with a rare one"
    names = range(60)
    await put(index, *(document(f"d{one}", f"{common} {rare if one % 10 == 0 else ''} {one}") for one in names))
    with closing(connect(path, create=False)) as connection:
        whole = Expression('"common" OR "words" OR "rare" OR "7"')
        narrowed = Expression(whole.whole, '"rare" OR "7"')
        best = lookup.lexical(connection, whole, ALL, 7)
        assert lookup.lexical(connection, narrowed, ALL, 7) == best
        assert len(lookup.lexical(connection, narrowed, ALL, 50)) == 50
