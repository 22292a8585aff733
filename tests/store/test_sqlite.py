import asyncio
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from bot.store import CLAIMS_KEPT, StoreError, Thread, Turn
from bot.store.sqlite import VERSION, open_store

SOURCE = {
    "ref": 1,
    "title": "Leave",
    "sender": "Ada",
    "date": "2026-01-02",
    "source": "files",
    "source_id": "leave.md",
    "url": "https://wiki.test/leave",
}
TURN = Turn("1.0", "U1", "How much leave?", "30 days [1].", (SOURCE,), (frozenset({"public", "channel:C1"}),))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / "state.sqlite"


@pytest.fixture
async def store(path):
    async with open_store(path) as store:
        yield store


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


def claim_all(path, keys):
    async def run():
        async with open_store(path) as store:
            return [key for key in keys if await store.claim(key)]

    return asyncio.run(run())


async def test_a_message_is_claimed_once(store):
    assert await store.claim("C1:1.0")
    assert not await store.claim("C1:1.0")
    assert await store.claim("C2:1.0")


async def test_of_many_callers_at_once_one_has_the_claim(store):
    async with asyncio.TaskGroup() as tasks:
        claims = [tasks.create_task(store.claim("C1:1.0")) for _ in range(50)]
    assert [claim.result() for claim in claims].count(True) == 1


def test_of_several_processes_each_message_has_one(path):
    keys = [f"C1:{number}" for number in range(50)]
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as processes:
        claimed = list(processes.map(claim_all, [path] * 3, [keys] * 3))
    assert sorted(key for keys in claimed for key in keys) == sorted(keys)


async def test_a_claim_outlives_a_restart_and_ends_after_a_day(path):
    clock = Clock()
    async with open_store(path, clock=clock) as store:
        assert await store.claim("C1:1.0")
    clock.now += CLAIMS_KEPT - 60
    async with open_store(path, clock=clock) as store:
        assert not await store.claim("C1:1.0")
    clock.now += 120
    async with open_store(path, clock=clock) as store:
        assert await store.claim("C1:1.0")


async def test_old_claims_go_while_the_process_runs(path):
    clock = Clock()
    async with open_store(path, clock=clock) as store:
        await store.claim("C1:1.0")
        clock.now += CLAIMS_KEPT + 1
        await store.claim("C1:2.0")
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT key FROM claims").fetchall() == [("C1:2.0",)]
    database.close()


async def test_a_thread_knows_who_has_asked_and_whether_its_root_did(store):
    assert await store.thread("C1", "1.0") is None
    await store.asked("C1", "1.0", "U1", root=True)
    await store.asked("C1", "1.0", "U2", root=False)
    await store.asked("C1", "1.0", "U2", root=False)
    await store.asked("C2", "1.0", "U3", root=False)
    assert await store.thread("C1", "1.0") == Thread(True, frozenset({"U1", "U2"}))
    assert await store.thread("C2", "1.0") == Thread(False, frozenset({"U3"}))


async def test_turns_come_back_as_they_were_after_a_restart_oldest_first(path):
    later = Turn("2.0", "U2", "Et en été ?", "Pareil.", (), (frozenset({"public"}), frozenset({"user:U2"})))
    async with open_store(path) as store:
        await store.add_turn("C1", "1.0", TURN)
        await store.add_turn("C1", "1.0", later)
        await store.add_turn("C1", "9.0", Turn("9.0", "U1", "Else?", "No.", (), ()))
    async with open_store(path) as store:
        assert await store.turns("C1", "1.0") == [TURN, later]
        assert await store.turns("C1", "1.0", limit=1) == [later]
        assert await store.turns("C1", "3.0") == []


async def test_a_question_answered_again_has_one_turn(store):
    await store.add_turn("C1", "1.0", TURN)
    again = Turn("1.0", "U1", TURN.question, "31 days.", (), TURN.audience)
    await store.add_turn("C1", "1.0", again)
    assert await store.turns("C1", "1.0") == [again]


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
    async def give_up(store):
        async with asyncio.timeout(0):
            await store.add_turn("C1", "1.0", TURN)

    async with open_store(path) as store:
        async with asyncio.TaskGroup() as tasks:
            for number in range(100):  # The store is busy.
                tasks.create_task(store.claim(f"C1:{number}"))
            await asyncio.sleep(0)
            with pytest.raises(TimeoutError):
                await give_up(store)
        assert await store.turns("C1", "1.0") == [TURN]


async def test_a_thread_that_began_with_the_web_is_known_as_one(store):
    await store.asked("C1", "1.0", "U1", root=True, web=True)
    await store.asked("C1", "1.0", "U2", root=False)
    assert await store.thread("C1", "1.0") == Thread(True, frozenset({"U1", "U2"}), web=True)


async def test_a_file_from_before_the_web_is_taken_over(path):
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TABLE threads (channel TEXT NOT NULL, thread_ts TEXT NOT NULL, root_asked INTEGER NOT NULL, "
            "at REAL NOT NULL, PRIMARY KEY (channel, thread_ts)) WITHOUT ROWID"
        )
        database.execute("INSERT INTO threads VALUES ('C1', '1.0', 1, 0)")
        database.execute("PRAGMA user_version = 1")
    database.close()
    async with open_store(path) as store:
        assert await store.thread("C1", "1.0") == Thread(True, frozenset())
        await store.asked("C1", "1.0", "U1", root=True, web=True)
        assert (await store.thread("C1", "1.0")).web
