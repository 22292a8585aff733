"""What the bot does again and again, as seen from outside: it goes on with what was left, and forgets what is old."""

import asyncio
import time

from bot.store import Run, Step, Store, StoreError, Turn
from bot.store.sqlite import open_store
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot

DAY = 86_400


class Unsure:
    """A store whose first question is taken up, and says that it was not."""

    def __init__(self, store):
        self.store = Store(store._documents, lease=0.3)
        self.failed = False

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def begin(self, run):
        begun = await self.store.begin(run)
        if not self.failed:
            self.failed = True
            raise StoreError("The disk did not say whether it was written.")
        return begun


async def test_a_question_that_was_taken_up_and_left_is_gone_on_with_by_the_same_process_once(slack, tmp_path):
    slack.pair = ("app_mention",)
    async with running_bot(slack, tmp_path, through=Unsure) as bot:
        bot.knows(says("Hello."))
        ts = await slack.mention("U1", "Hello, how are you?", "C1")
        await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))
        await slack.transport.redeliver(slack.deliveries[0])
        await slack.until(lambda: slack.deliveries[-1].acknowledged)
        async with asyncio.timeout(5):
            while (await bot.store.run(f"C1:{ts}")).status != "done":
                pass
        assert len(bot.questions) == len(slack.answers("C1", ts)) == 1


async def kept(home, ts, days):
    """A question that was answered so many days ago."""
    async with open_store(home / "state.sqlite", clock=lambda: time.time() - days * DAY) as store:
        run = Run(key=f"C1:{ts}", channel="C1", thread_ts=ts, user="U1", asked={"text": "Why?"})
        await store.begin(run)
        done = {"status": "done", "state": "{}", "steps": (Step(what="model"),)}
        await store.change(run.key, lambda run: run.model_copy(update=done))
        await store.add_turn("C1", ts, Turn(ts=ts, asker="U1", question="Why?", answer="So."))


async def test_traces_and_threads_are_forgotten_when_their_time_is_over(slack, tmp_path):
    for ts, days in (("1.0", 10), ("2.0", 40), ("3.0", 200)):
        await kept(tmp_path, ts, days)
    async with running_bot(slack, tmp_path) as bot, asyncio.timeout(5):
        while await bot.store.thread("C1", "3.0") is not None:
            pass
        while await bot.store.run("C1:3.0") is not None:
            pass
        assert (await bot.store.run("C1:1.0")).state == "{}"
        assert ((await bot.store.run("C1:2.0")).state, (await bot.store.run("C1:2.0")).status) == ("", "done")
        assert len(await bot.store.turns("C1", "2.0")) == 1
