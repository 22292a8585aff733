"""All calls of a method come from one budget, which is shared in turn."""

import asyncio
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.api.pace import BURST, BURST_OF_POSTS, KEPT_FOR_LAST_WORDS, OF_STATES, PER_MINUTE, Pace
from bot.slack.questions.desk import Desk
from bot.slack.questions.endings import Endings
from bot.slack.questions.keeper import Keeper
from bot.slack.questions.running import Running
from bot.store.sqlite import open_store
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot
from tests.fakes.virtual import run_virtually

UPDATE = "chat.update"
EDITS = PER_MINUTE[UPDATE]
STATES_AT_ONCE = int(BURST - KEPT_FOR_LAST_WORDS)


def virtual(test):
    """The test runs in virtual time, with a pace of it."""

    def run():
        async def main():
            await test(Pace(clock=asyncio.get_running_loop().time))

        run_virtually(main())

    run.__name__ = test.__name__
    return run


def now():
    return asyncio.get_running_loop().time()


async def last_words(pace, count, times):
    for _ in range(count):
        await pace.turn(UPDATE)
        times.append(now())


async def states(pace, name, until, times):
    """A thread that always has something new to show."""
    while now() < until:
        if await pace.state(UPDATE):
            times.append((now(), name))
            await asyncio.sleep(0.1)  # until Slack has taken it


@virtual
async def test_after_a_quiet_time_some_states_may_be_shown_at_once_and_then_one_at_a_time(pace):
    times = []
    await states(pace, "a thread", 10, times)
    assert times[STATES_AT_ONCE - 1][0] == pytest.approx((STATES_AT_ONCE - 1) * 0.1)
    gaps = [later - sooner for (sooner, _), (later, _) in pairwise(times[STATES_AT_ONCE:])]
    assert gaps == pytest.approx([60 / (OF_STATES * EDITS)] * len(gaps))


@virtual
async def test_last_words_do_not_wait_for_states_and_states_then_wait_longer(pace):
    shown = []
    await states(pace, "a thread", 5, shown)
    words = []
    await last_words(pace, 12, words)
    assert words[-1] - words[0] == 0
    began = now()
    await pace.state(UPDATE)
    assert now() - began > 60 / EDITS * 10


@virtual
async def test_as_many_last_words_as_there_are_calls_go_at_once_and_the_others_as_they_come_back(pace):
    words = []
    await last_words(pace, int(EDITS) + 10, words)
    assert words[int(EDITS) - 1] == 0
    assert words[-1] == pytest.approx(10 * 60 / EDITS)


@virtual
async def test_what_slack_says_holds_that_method_for_everybody_and_no_other(pace):
    words, shown, posts = [], [], []
    pace.hold(UPDATE, 7)
    pace.hold(UPDATE, 2)
    async with asyncio.TaskGroup() as threads:
        threads.create_task(last_words(pace, 3, words))
        threads.create_task(states(pace, "another", 12, shown))
        await pace.turn("chat.postMessage", "C1")
        posts.append(now())
    assert posts == [0]
    assert words == pytest.approx([7, 7 + 60 / EDITS, 7 + 120 / EDITS])
    assert min(time for time, _ in shown) > max(words)


@virtual
async def test_a_state_that_is_given_up_takes_no_turn(pace):
    shown = [pace.state(UPDATE) for _ in range(STATES_AT_ONCE)]
    late = [pace.state(UPDATE) for _ in range(3)]
    assert all(turn.done() for turn in shown)
    for turn in late[:2]:
        turn.set_result(False)
    assert await late[2]
    assert now() == pytest.approx(60 / (OF_STATES * EDITS))


@virtual
async def test_one_who_is_cancelled_while_they_wait_holds_up_nobody(pace):
    pace.hold(UPDATE, 1)
    async with asyncio.TaskGroup() as threads:
        first = threads.create_task(pace.turn(UPDATE))
        second = threads.create_task(pace.turn(UPDATE))
        await asyncio.sleep(0.5)
        first.cancel()
    assert second.done()
    assert now() == pytest.approx(1)


@virtual
async def test_a_channel_with_many_posts_does_not_hold_up_another(pace):
    times = {"C1": [], "C2": []}

    async def posts(channel, count):
        for _ in range(count):
            await pace.turn("chat.postMessage", channel)
            times[channel].append(now())

    async with asyncio.TaskGroup() as threads:
        threads.create_task(posts("C1", 10))
        threads.create_task(posts("C2", 2))
    assert times["C2"] == [0, 0]
    assert times["C1"] == pytest.approx([0] * int(BURST_OF_POSTS) + [1, 2, 3, 4, 5])


@virtual
async def test_replicas_share_the_budget_for_as_long_as_they_live(pace):
    pace.share(2)
    words = []
    await last_words(pace, int(EDITS) // 2 + 5, words)
    assert words[int(EDITS) // 2 - 1] == 0
    assert words[-1] == pytest.approx(5 * 120 / EDITS)
    pace.share(1)
    began = now()
    await last_words(pace, 5, words)
    assert now() - began <= 5 * 60 / EDITS + 0.01


@given(threads=st.integers(1, 12), finals=st.integers(0, 60), held=st.integers(0, 30), replicas=st.integers(1, 4))
def test_no_thread_is_passed_over_and_the_budget_is_kept_whatever_comes(threads, finals, held, replicas):
    words, shown = [], []

    async def main():
        pace = Pace(clock=asyncio.get_running_loop().time)
        pace.share(replicas)
        if held:
            pace.hold(UPDATE, held)
        async with asyncio.TaskGroup() as tasks:
            for number in range(threads):
                tasks.create_task(states(pace, number, 240, shown))
            await asyncio.sleep(5)
            tasks.create_task(last_words(pace, finals, words))

    run_virtually(main())
    calls = sorted([*words, *(time for time, _ in shown)])
    size = EDITS / replicas
    for first, begin in enumerate(calls):
        for last in range(first, len(calls), 17):
            assert last - first + 1 <= size + (calls[last] - begin) * size / 60 + 1.01
    assert not calls or not held or calls[0] >= held
    counts = Counter(name for _, name in shown)
    assert max(counts[name] for name in range(threads)) - min(counts[name] for name in range(threads)) <= 1


async def test_many_threads_share_it_and_every_answer_is_there_at_once_all_the_same(slack, tmp_path):
    async with running_bot(slack, tmp_path, edits_per_minute=EDITS) as bot:
        gates = [bot.knows(says(f"Answer {number}."), held=True) for number in range(12)]
        places = [f"C{number % 3 + 1}" for number in range(12)]
        threads = [(place, await slack.mention("U1", f"Question {n}?", place)) for n, place in enumerate(places)]
        await slack.until(lambda: len(bot.questions) == 12 and all(slack.answers(*thread) for thread in threads))
        for place in range(1, 4):
            for question in bot.questions:
                question.options["on_place"](place)
            await slack.until(lambda: len(slack.calls("chat.update")) >= STATES_AT_ONCE)
        for gate in gates:
            gate.set()
        await slack.until(lambda: all(slack.answer(*thread).startswith("Answer") for thread in threads))
    assert len(slack.calls("chat.update")) - 12 in range(STATES_AT_ONCE, STATES_AT_ONCE + 4)


async def test_the_keeper_tells_how_many_processes_share_it(tmp_path):
    told: asyncio.Queue[int] = asyncio.Queue()
    async with open_store(tmp_path / "state.sqlite") as other, open_store(tmp_path / "state.sqlite") as store:
        await other.live()
        desk = Desk(store=store, answerer=None, private=None, outbox=None, limits=None, start=None)
        more = {"endings": Endings(store), "resume": None, "installed": None}
        more |= {"clarify_timeout": 1.0, "traces": 1.0, "threads": 1.0}
        keeper = Keeper(store, desk, Running(), share=told.put_nowait, **more)
        async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
            keeping = tasks.create_task(keeper.keep())
            assert await told.get() == 2
            keeping.cancel()
