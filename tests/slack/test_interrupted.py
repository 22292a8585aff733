"""What was interrupted between two steps is taken up at the one that is missing, and nothing is said twice."""

import asyncio

import pytest

from bot.slack.transport.manifest import RESEARCH_MESSAGE
from bot.store import StoreError
from bot.store.sqlite import open_store
from tests.fakes.research import calls, says, searches
from tests.fakes.slack_bot import running_bot


async def is_done(bot, key):
    async with asyncio.timeout(12):
        while (await bot.store.run(key)).status != "done":
            pass


async def left_open(home, key, **values):
    """As a process leaves a run that is killed."""
    async with open_store(home / "state.sqlite") as store:
        values |= {"status": "open", "owner": "gone"}
        return await store.change(key, lambda run: run.model_copy(update=values), own=False)


async def forgotten(home, channel, ts):
    """As if nothing had been noted of a thread."""
    async with open_store(home / "state.sqlite") as store:
        await store._documents.delete("thread", f"{channel}:{ts}")


async def test_help_that_was_given_before_a_kill_is_not_given_again(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        ts = await slack.mention("U1", "help", "C1")
        await slack.until(lambda: slack.answers("C1", ts))
        await is_done(bot, f"C1:{ts}")
    await left_open(tmp_path, f"C1:{ts}")
    async with running_bot(slack, tmp_path) as bot:
        await is_done(bot, f"C1:{ts}")
        assert len(slack.answers("C1", ts)) == 1


@pytest.mark.parametrize("next_", [searches("it"), calls(("clarify", {"question": "Which one?"}))])
async def test_what_another_process_goes_on_with_is_researched_no_further(slack, tmp_path, caplog, next_):
    async with running_bot(slack, tmp_path) as bot, open_store(tmp_path / "state.sqlite") as other:
        await other.processes()  # It lives.
        gate = bot.knows(next_, says("Never."), held=True)
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
        taken = {"owner": other.process}
        await bot.store.change(f"C1:{ts}", lambda run: run.model_copy(update=taken), own=False)
        shown = slack.answers("C1", ts)
        gate.set()
        async with asyncio.timeout(4):
            while f"C1:{ts}: another process goes on with it" not in caplog.messages:
                await bot.store.run(f"C1:{ts}")
        assert slack.answers("C1", ts) == shown
        assert len(bot.questions[0].engine.calls) == 1


async def test_help_that_slack_does_not_take_is_over(bot, slack):
    slack.refuse("chat.postMessage", "restricted_action", times=9)
    ts = await slack.mention("U1", "help", "C1")
    await slack.until(lambda: slack.calls("chat.postMessage"))
    await is_done(bot, f"C1:{ts}")
    assert len(slack.calls("chat.postMessage")) == 1


async def test_who_asked_before_a_kill_asks_on_without_a_mention(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Never."), held=True)
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions and slack.answers("C1", ts))
    await forgotten(tmp_path, "C1", ts)
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Here."))
        await slack.until(lambda: slack.answer("C1", ts).startswith("Here."), 8)
        bot.knows(says("Now."))
        await slack.say("U1", "and when?", "C1", ts)
        await slack.until(lambda: slack.answer("C1", ts).startswith("Now."))


async def test_a_shortcut_makes_no_conversation_after_a_kill_either(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        ts = await slack.say("U2", "Where is it, please?", "C1")
        bot.knows(says("Never."), held=True)
        await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", ts)
        await slack.until(lambda: bot.questions and slack.answers("C1", ts))
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Here."))
        await slack.until(lambda: slack.answer("C1", ts).startswith("Here."), 8)
        assert not (await bot.store.thread("C1", ts)).root_asked


@pytest.mark.parametrize("placed", [False, True])
async def test_a_command_whose_question_stood_in_the_channel_is_a_conversation_after_a_kill(slack, tmp_path, placed):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Never."), held=True)
        await slack.command("U1", "where is it?", "C1")
        await slack.until(lambda: bot.questions and len(slack.workspace.messages["C1"]) == 2)
        (run,) = await bot.store.runs_of("U1")
    ts = run.thread_ts
    await forgotten(tmp_path, "C1", ts)
    if not placed:
        asked = {**run.asked, "ts": run.key, "thread_ts": run.key}
        await left_open(tmp_path, run.key, thread_ts="", asked=asked, state="")
        del slack.workspace.messages["C1"][slack.thread("C1", ts)[1].ts]
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Here."))
        await slack.until(lambda: slack.answer("C1", ts).startswith("Here."), 8)
        assert len(slack.workspace.messages["C1"]) == 2
        bot.knows(says("Now."))
        await slack.say("U1", "and when?", "C1", ts)
        await slack.until(lambda: slack.answer("C1", ts).startswith("Now."))


class Failing:
    """A store that cannot note once who asks in a thread."""

    def __init__(self, store):
        self.store = store
        self.failed = False

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def asked(self, *args, **kwargs):
        if not self.failed:
            self.failed = True
            raise StoreError("The state cannot be written.")
        await self.store.asked(*args, **kwargs)


async def test_a_shortcut_that_cannot_be_noted_is_answered_a_little_later_and_ends_nothing(slack, tmp_path):
    async with running_bot(slack, tmp_path, through=Failing) as bot:
        ts = await slack.say("U2", "Where is it, please?", "C1")
        bot.knows(says("Here."))
        await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", ts)
        await slack.until(lambda: slack.answers("C1", ts) and slack.answer("C1", ts).startswith("Here."), 15)
        assert bot.store.failed
