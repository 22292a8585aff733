"""What is counted over all processes, on everything that a store may be kept in."""

import asyncio

import pytest

from bot.store import CLAIMS_KEPT, Run, Store
from bot.store.bodies import as_record
from bot.store.tallies import MINUTE, Tally


@pytest.fixture
def replicas(documents, clock):
    """Two processes of the bot on one store."""
    return [Store(documents, clock=clock) for _ in range(2)]


def question(number):
    return Run(key=f"C1:{number}", channel="C1", thread_ts="1.0", user="U1", asked={})


async def begin(store, number, **limits):
    await store.begin(question(number))
    return await store.tallies.add("user:U1", f"C1:{number}", **limits)


async def become(store, number, status):
    await store.change(f"C1:{number}", lambda run: run.model_copy(update={"status": status}), own=False)


async def test_of_many_that_come_at_once_to_two_processes_as_many_as_may_be_are_begun(replicas):
    async with asyncio.TaskGroup() as tasks:
        begun = [tasks.create_task(begin(replicas[number % 2], number, at_once=3)) for number in range(12)]
    assert sorted(one.result() for one in begun) == [""] * 3 + ["at once"] * 9


async def test_in_a_minute_two_processes_begin_no_more_than_one_may(replicas):
    async with asyncio.TaskGroup() as tasks:
        begun = [tasks.create_task(begin(replicas[number % 2], number, in_a_minute=4)) for number in range(10)]
    assert sorted(one.result() for one in begun) == [""] * 4 + ["in a minute"] * 6


@pytest.mark.parametrize("status", ["done", "stopped", "waiting", "claim"])
async def test_what_is_not_worked_on_any_more_makes_room(replicas, clock, status):
    first, second = replicas
    assert await begin(first, 1, at_once=1) == ""
    assert await begin(second, 2, at_once=1) == "at once"
    await become(first, 1, "stopping")
    assert await begin(second, 3, at_once=1) == "at once"
    await become(first, 1, status)
    assert await begin(second, 4, at_once=1) == ""


async def test_what_a_process_that_died_was_at_counts_for_another_that_goes_on_with_it(replicas, documents, clock):
    assert await begin(replicas[0], 1, at_once=1) == ""
    clock.now += 100
    later = Store(documents, clock=clock)
    assert [run.key for run in await later.orphans()] == ["C1:1"]
    assert await begin(later, 2, at_once=1) == "at once"


async def test_what_goes_on_after_it_waited_counts_again_but_was_not_begun_again(replicas):
    first, second = replicas
    assert await begin(first, 1, at_once=1, in_a_minute=3) == ""
    await become(first, 1, "waiting")
    assert await begin(second, 2, at_once=1, in_a_minute=3) == ""
    await become(second, 2, "done")
    await become(first, 1, "open")
    for _ in range(2):
        await second.tallies.keep("user:U1", "C1:1")
    assert await begin(second, 3, at_once=1, in_a_minute=3) == "at once"
    await become(first, 1, "done")
    assert await begin(second, 4, at_once=1, in_a_minute=3) == ""
    assert await begin(second, 5, in_a_minute=3) == "in a minute"


async def test_one_that_is_begun_again_counts_twice_in_a_minute_and_once_at_a_time(replicas):
    first, second = replicas
    assert await begin(first, 1, at_once=2, in_a_minute=3) == ""
    assert await second.tallies.add("user:U1", "C1:1", at_once=2, in_a_minute=3) == ""
    assert await begin(second, 2, at_once=2, in_a_minute=3) == ""
    assert await begin(second, 3, in_a_minute=3) == "in a minute"


async def test_what_is_taken_back_was_not_begun(replicas):
    first, second = replicas
    await begin(first, 1, in_a_minute=1)
    await second.tallies.take_back("user:U1", "C1:1")
    await second.tallies.take_back("user:U1", "C1:1")
    assert await begin(second, 2, in_a_minute=1) == ""


async def test_what_is_over_for_a_minute_is_kept_no_longer_and_nothing_for_more_than_a_day(replicas, documents, clock):
    first, _ = replicas
    for number in range(30):
        await begin(first, number, at_once=2, in_a_minute=5)
        await become(first, number, "done")
        clock.now += MINUTE / 2
    ((_, kept),) = await documents.find("tally")
    assert len(as_record(Tally, kept).begun) <= 3
    clock.now += CLAIMS_KEPT
    await first.prune(traces=30, threads=180)
    assert await documents.find("tally") == []
