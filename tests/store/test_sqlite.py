"""What is special about a store in a file."""

import asyncio
import json
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from bot.store import Run, StoreError, Thread, Turn
from bot.store.sqlite import VERSION, copy, open_documents, open_store

TURN = Turn(ts="1.0", asker="U1", question="How much leave?", answer="30 days.", audience=(frozenset({"public"}),))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / "state.sqlite"


def claim_all(path, keys):
    async def run():
        async with open_store(path) as store:
            return [key for key in keys if await store.claim(key)]

    return asyncio.run(run())


def test_of_several_processes_each_message_has_one(path):
    keys = [f"C1:{number}" for number in range(50)]
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as processes:
        claimed = list(processes.map(claim_all, [path] * 3, [keys] * 3))
    assert sorted(key for keys in claimed for key in keys) == sorted(keys)


async def test_what_is_kept_outlives_a_restart_and_is_for_its_owner_alone(path):
    async with open_store(path) as store:
        await store.claim("C1:1.0")
        await store.add_turn("C1", "1.0", TURN)
    assert path.stat().st_mode & 0o077 == 0
    async with open_store(path) as store:
        assert not await store.claim("C1:1.0")
        assert await store.turns("C1", "1.0") == [TURN]


async def test_a_file_of_a_newer_version_is_refused_and_left_alone(path):
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    database.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="written by a newer Footnote"):
        async with open_store(path):
            pass
    assert path.read_bytes() == before


async def test_a_file_that_is_no_database_is_named(path):
    path.parent.mkdir()
    path.write_text("These are notes, not a database, and longer than a header of one hundred bytes. " * 20)
    with pytest.raises(StoreError, match=r"state\.sqlite cannot be used"):
        async with open_store(path):
            pass


async def test_what_a_caller_began_takes_effect_though_it_is_cancelled(path):
    async def give_up(documents, document):
        async with asyncio.timeout(0):
            await documents.put("channel", "C1", document)

    async with open_store(path) as store, open_documents(path) as documents:
        await store.claim("C1:0")
        document = await documents.get("run", "C1:0")
        async with asyncio.TaskGroup() as tasks:
            for number in range(100):  # The store is busy.
                tasks.create_task(documents.put("run", f"C1:{number}", document))
            await asyncio.sleep(0)
            with pytest.raises(TimeoutError):
                await give_up(documents, document)
        assert await documents.get("channel", "C1") is not None


async def test_a_disk_that_fails_is_told_in_one_sentence(path):
    async with open_store(path) as store:
        with sqlite3.connect(path) as database:
            database.execute("DROP TABLE documents")
        database.close()
        with pytest.raises(StoreError, match="mend the disk or its file"):
            await store.claim("C1:1.0")


async def test_a_copy_holds_what_there_is_while_the_bot_runs(path, tmp_path):
    async with open_store(path) as store:
        await store.add_turn("C1", "1.0", TURN)
        copy(path, tmp_path / "copy.sqlite")
    async with open_store(tmp_path / "copy.sqlite") as store:
        assert await store.turns("C1", "1.0") == [TURN]


async def test_what_cannot_be_copied_is_named_and_leaves_nothing(path, tmp_path):
    path.parent.mkdir()
    path.write_text("These are notes, not a database, and longer than a header of one hundred bytes. " * 20)
    with pytest.raises(StoreError, match=r"state\.sqlite cannot be copied to .*copy\.sqlite"):
        copy(path, tmp_path / "copy.sqlite")
    assert not (tmp_path / "copy.sqlite").exists()


@pytest.mark.parametrize("version", [1, 2])
async def test_a_file_of_an_older_version_is_taken_over(path, version):
    web = ", web INTEGER NOT NULL DEFAULT 0" if version == 2 else ""
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.executescript(f"""
            CREATE TABLE claims (key TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
            CREATE TABLE threads (channel TEXT, thread_ts TEXT, root_asked INTEGER, at REAL{web});
            CREATE TABLE askers (channel TEXT, thread_ts TEXT, asker TEXT);
            CREATE TABLE turns (id INTEGER PRIMARY KEY, channel TEXT, thread_ts TEXT, ts TEXT, asker TEXT,
                question TEXT, answer TEXT, sources TEXT, audience TEXT, at REAL);
            INSERT INTO claims VALUES ('C1:1.0', 4000000000);
            INSERT INTO threads (channel, thread_ts, root_asked, at) VALUES ('C1', '1.0', 1, 5);
            INSERT INTO askers VALUES ('C1', '1.0', 'U1'), ('C1', '1.0', 'U2');
            PRAGMA user_version = {version};
        """)
        values = ("C1", "1.0", "1.0", "U1", TURN.question, TURN.answer, "[]", json.dumps([["public"]]), 5)
        database.execute("INSERT INTO turns VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        if version == 2:
            database.execute("UPDATE threads SET web = 1")
    database.close()
    async with open_store(path) as store:
        assert not await store.claim("C1:1.0")
        thread = Thread(root_asked=True, askers=frozenset({"U1", "U2"}), web=version == 2, turns=(TURN,))
        assert await store.thread("C1", "1.0") == thread


async def test_a_file_of_the_version_before_places_knows_what_is_asked_in_a_thread(path):
    async with open_store(path) as store:
        begun = await store.begin(Run(key="C1:1.0", channel="C1", thread_ts="1.0", user="U1", asked={}))
        await store.claim("C1:2.0")
        await store.add_turn("C1", "1.0", TURN)
    with sqlite3.connect(path) as database:
        database.executescript("""
            DROP INDEX documents_place;
            ALTER TABLE documents DROP COLUMN place;
            PRAGMA user_version = 3;
        """)
    database.close()
    async with open_store(path) as store:
        assert await store.at_work("C1", "1.0") == [begun]
        assert await store.turns("C1", "1.0") == [TURN]
        assert not await store.claim("C1:2.0")
    async with open_store(path) as store:
        assert await store.at_work("C1", "1.0") == [begun]
