"""Who has come or gone lately, as every process sees it."""

from bot.store import Run, Store
from bot.store.moves import LATELY


async def test_what_one_process_notes_another_knows_at_once_and_for_a_while(store, documents, clock):
    other = Store(documents, clock=clock)
    assert not await other.moves.lately("C1")
    await store.moves.note("C1")
    assert await other.moves.lately("C1")
    assert not await other.moves.lately("C2")
    clock.now += LATELY
    assert not await other.moves.lately("C1")
    await store.moves.note("C1")
    assert await other.moves.lately("C1")


async def test_a_process_whose_clock_is_late_knows_it_too(store, documents, clock):
    await store.moves.note("C1")
    assert await Store(documents, clock=lambda: clock.now - 60).moves.lately("C1")


async def test_it_is_kept_for_a_day_at_most(store, documents, clock):
    await store.moves.note("C1")
    clock.now += 86_401
    await store.prune(traces=30, threads=180)
    assert await documents.get("move", "C1") is None


async def test_a_question_that_was_just_begun_is_found_by_whoever_notes_a_coming_then(store, documents, clock):
    other = Store(documents, clock=clock)
    for number in range(10):
        run = Run(key=f"C1:{number}", channel="C1", thread_ts=f"{number}", user="U1", asked={})
        await store.begin(run)
        await other.moves.note("C1")
        assert run.key in [one.key for one in await other.open_in("C1")]
