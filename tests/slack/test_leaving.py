"""The app is uninstalled: a day later what came from Slack is deleted."""

import asyncio

import pytest

from bot.slack.questions.desk import Desk
from bot.slack.questions.endings import Endings
from bot.slack.questions.keeper import Keeper
from bot.slack.questions.running import Running
from bot.slack.surfaces.leaving import LEFT
from bot.store import DAY, Run
from bot.store.sqlite import open_store
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot


class Time:
    now = 1_800_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Time()


async def answered(bot, slack):
    bot.knows(says("First."))
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    while (run := await bot.store.run(f"C1:{ts}")) is None or run.status != "done":
        pass
    return ts


async def left(slack, home, clock):
    """A bot that answers, is uninstalled and ends; gives the ts of what it was asked."""
    async with running_bot(slack, home, clock=clock) as bot:
        ts = await answered(bot, slack)
        await slack.uninstall()
        await slack.until(lambda: slack.deliveries[-1].acknowledged)
        assert await bot.store.run(f"C1:{ts}") is not None
    return ts


async def kept(home, clock, ts):
    async with open_store(home / "state.sqlite", clock=clock) as store:
        return await store.run(f"C1:{ts}") is not None or await store.thread("C1", ts) is not None


async def starts(slack, home, clock):
    """What comes of a start while the app is not installed."""
    with pytest.raises(ExceptionGroup) as raised:
        async with running_bot(slack, home, clock=clock):
            pass
    (error,) = raised.value.exceptions
    return error


async def test_what_came_from_slack_is_kept_for_a_day_and_then_deleted(slack, tmp_path, clock):
    ts = await left(slack, tmp_path, clock)
    clock.now += DAY - 1
    await starts(slack, tmp_path, clock)
    assert await kept(tmp_path, clock, ts)
    clock.now += 1
    await starts(slack, tmp_path, clock)
    assert not await kept(tmp_path, clock, ts)


async def test_an_app_that_comes_back_within_the_day_keeps_it(slack, tmp_path, clock):
    ts = await left(slack, tmp_path, clock)
    slack.uninstalled = False
    clock.now += DAY - 1
    async with running_bot(slack, tmp_path, clock=clock):
        pass
    clock.now += 2 * DAY
    async with running_bot(slack, tmp_path, clock=clock):
        pass
    assert await kept(tmp_path, clock, ts)


async def test_an_app_that_came_back_keeps_it_though_its_process_starts_later_than_a_day(slack, tmp_path, clock):
    ts = await left(slack, tmp_path, clock)
    slack.uninstalled = False
    clock.now += 2 * DAY
    async with running_bot(slack, tmp_path, clock=clock) as bot:
        assert await bot.store.marks.since(LEFT) is None
    assert await kept(tmp_path, clock, ts)


async def test_a_start_at_which_slack_does_not_tell_deletes_nothing(slack, tmp_path, clock):
    ts = await left(slack, tmp_path, clock)
    clock.now += 2 * DAY
    slack.refuse("auth.test", "internal_error", times=9)
    await starts(slack, tmp_path, clock)
    assert await kept(tmp_path, clock, ts)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "tokens_revoked", "tokens": {"oauth": ["U1"], "bot": []}},
        {"type": "member_left_channel", "user": "U1", "channel": "C1"},
    ],
)
async def test_what_is_no_uninstallation_deletes_nothing(slack, tmp_path, clock, event):
    async with running_bot(slack, tmp_path, clock=clock) as bot:
        await slack.event(event)
        await slack.until(lambda: slack.deliveries[-1].acknowledged)
        assert await bot.store.marks.since(LEFT) is None


async def test_the_installation_of_another_workspace_is_none_of_its_business(slack, tmp_path, clock):
    async with running_bot(slack, tmp_path, clock=clock) as bot:
        payload = {"type": "event_callback", "team_id": "T9", "event_id": "Ev1", "event": {"type": "app_uninstalled"}}
        delivery = await slack.transport.deliver(payload)
        await slack.until(lambda: delivery.acknowledged)
        assert await bot.store.marks.since(LEFT) is None


@pytest.mark.parametrize(("installed", "stays"), [(True, True), (None, True), (False, False)])
async def test_a_bot_that_still_runs_deletes_it_unless_slack_knows_the_app_or_cannot_be_asked(
    tmp_path, clock, installed, stays
):
    asked = asyncio.Event()

    async def ask():
        asked.set()
        return installed

    async with open_store(tmp_path / "state.sqlite", clock=clock) as store:
        await store.begin(Run(key="C1:1.0", channel="C1", thread_ts="1.0", user="U1", asked={}, status="done"))
        await store.marks.note(LEFT)
        clock.now += DAY
        desk = Desk(store=store, answerer=None, private=None, outbox=None, limits=None, start=None)
        more = {
            "endings": Endings(store),
            "resume": None,
            "share": lambda count: None,
            "clarify_timeout": 1.0,
            "traces": 9.0,
            "threads": 9.0,
        }
        keeper = Keeper(store, desk, Running(), installed=ask, **more)
        async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
            keeping = tasks.create_task(keeper.keep())
            await asked.wait()
            while (await store.run("C1:1.0") is not None) != stays or (
                installed and await store.marks.since(LEFT) is not None
            ):
                pass
            keeping.cancel()
        assert (await store.run("C1:1.0") is not None) == stays
