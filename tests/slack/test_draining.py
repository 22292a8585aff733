"""A bot that is being stopped: what it has not taken up it does not acknowledge, so that the next one gets it."""

import asyncio
import signal

import pytest

from bot.slack.messages.blocks import HOW, PRIVATE
from bot.slack.transport.http import Door
from bot.slack.transport.manifest import PATH
from tests.fakes.ports import free_port
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot


@pytest.fixture(params=["sockets", "http"])
def way(slack, request):
    """The arguments of a bot that is reached this way."""
    if request.param == "sockets":
        return {}
    door = Door("s3cret", "127.0.0.1", free_port())
    slack.deliver_to(f"http://127.0.0.1:{door.port}{PATH}", "s3cret")
    return {"door": door}


class Slow:
    """A store whose claims take until `gate` is open."""

    def __init__(self, store):
        self.store = store
        self.gate = asyncio.Event()
        self.claiming = 0

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def begin(self, run):
        self.claiming += 1
        await self.gate.wait()
        return await self.store.begin(run)


async def test_what_comes_while_something_is_taken_up_is_left_for_the_next(slack, tmp_path, way):
    slack.pair = ("app_mention",)
    async with running_bot(slack, tmp_path, through=Slow, **way) as bot, asyncio.TaskGroup() as tasks:
        tasks.create_task(slack.mention("U1", "Where is it, please?", "C1"))
        await slack.until(lambda: bot.store.claiming)
        bot.task.cancel()
        await asyncio.sleep(0)  # The bot hears of it.
        late = await slack.mention("U1", "And this, please?", "C1")
        assert bot.store.claiming == 1
        assert not slack.deliveries[-1].acknowledged
        bot.store.gate.set()
        await asyncio.wait([bot.task], timeout=5)
    assert not slack.deliveries[-1].acknowledged
    async with running_bot(slack, tmp_path, **way) as bot:
        for _ in range(2):  # The first may have been taken up, and is then gone on with.
            bot.knows(says("Hello."))
        if "door" in way:  # Over sockets the fake delivers again what went into a dead one.
            await slack.transport.redeliver(slack.deliveries[-1])
        await slack.until(lambda: slack.answer("C1", late).startswith("Hello."), 8)


async def test_what_comes_while_last_words_are_said_is_left_for_the_next(slack, tmp_path):
    slack.pair = ("app_mention",)
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Never."), held=True)
        slack.hold("chat.postMessage")
        await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions)
        bot.task.cancel()
        await slack.until(lambda: not slack.sockets.connected)
        late = await slack.mention("U1", "And this, please?", "C1")
        slack.release("chat.postMessage")
    assert not slack.deliveries[-1].acknowledged
    assert slack.answers("C1", late) == []


OTHERWISE = {
    "coming": lambda slack, answer: slack.invite("UG", "C1"),
    "going": lambda slack, answer: slack.leave("U3", "C1"),
    "App Home": lambda slack, answer: slack.open_home("U1"),
    "agent's tab": lambda slack, answer: slack.open_home("U1", tab="messages"),
    "how it came to be": lambda slack, answer: slack.click("U1", "C1", answer, HOW),
    "a private one": lambda slack, answer: slack.click("U1", "C1", answer, PRIVATE),
}


@pytest.mark.parametrize("happens", OTHERWISE.values(), ids=OTHERWISE)
async def test_whatever_else_happens_meanwhile_is_left_for_the_next_too(slack, tmp_path, happens):
    slack.pair = ("app_mention",)
    async with running_bot(slack, tmp_path, through=Slow) as bot, asyncio.TaskGroup() as tasks:
        bot.store.gate.set()
        bot.knows(says("Hello."))
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: HOW in str(slack.thread("C1", ts)[-1]))
        bot.store.gate.clear()
        tasks.create_task(slack.mention("U1", "And this, please?", "C1"))
        await slack.until(lambda: bot.store.claiming == 2)
        bot.task.cancel()
        await asyncio.sleep(0)  # The bot hears of it.
        told = len(slack.deliveries)
        await happens(slack, slack.thread("C1", ts)[-1].ts)
        known = await slack.event({"type": "team_rename", "name": "x"})
        await slack.until(lambda: known.acknowledged)
        bot.store.gate.set()
        await asyncio.wait([bot.task], timeout=5)
        assert not slack.deliveries[told].acknowledged


async def test_at_sigterm_the_line_is_closed_and_what_runs_is_still_answered(slack, tmp_path, way):
    slack.pair = ("app_mention",)
    told = []
    async with running_bot(slack, tmp_path, connected=told.append, drain=9, **way) as bot:
        gate = bot.knows(says("Hello."), held=True)
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions and slack.deliveries[0].acknowledged)
        signal.raise_signal(signal.SIGTERM)
        await slack.until(lambda: told == [True, False])
        await slack.until(lambda: not slack.sockets.connected)
        gate.set()
        await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))
        async with asyncio.timeout(5):
            await bot.task


async def test_what_is_taken_up_at_sigterm_is_acknowledged(slack, tmp_path):
    slack.pair = ("app_mention",)
    async with running_bot(slack, tmp_path, through=Slow, drain=9) as bot:
        bot.knows(says("Hello."))
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.store.claiming)
        signal.raise_signal(signal.SIGTERM)
        await asyncio.sleep(0)
        bot.store.gate.set()
        await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))
        assert slack.deliveries[0].acknowledged
        async with asyncio.timeout(5):
            await bot.task
