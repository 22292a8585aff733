"""That something has happened is noted once."""

import asyncio

from bot.store import Run


async def test_it_is_noted_by_one_of_many_and_it_is_known_since_when(store, clock):
    assert await store.marks.since("left") is None
    async with asyncio.TaskGroup() as tasks:
        notes = [tasks.create_task(store.marks.note("left")) for _ in range(9)]
    assert [note.result() for note in notes].count(True) == 1
    clock.now += 5
    assert not await store.marks.note("left")
    assert await store.marks.since("left") == 5


async def test_what_is_removed_may_happen_anew(store, clock):
    await store.marks.note("left")
    await store.marks.remove("left")
    assert await store.marks.since("left") is None
    clock.now += 5
    assert await store.marks.note("left")
    assert await store.marks.since("left") == 0


async def test_it_outlives_what_is_kept_of_questions_and_goes_with_all(store, clock):
    await store.begin(Run(key="C1:1.0", channel="C1", thread_ts="1.0", user="U1", asked={}, status="done"))
    await store.marks.note("left")
    clock.now += 365 * 86_400
    await store.prune(traces=30, threads=180)
    assert await store.marks.since("left") is not None
    await store.forget_all()
    assert await store.marks.since("left") is None
