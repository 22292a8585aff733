"""A question that is edited is answered in private from the moment that it asks for that."""

import asyncio
import json
from dataclasses import asdict

import pytest

from bot.slack.messages.blocks import AGAIN
from bot.slack.messages.notices import EDITED_LATER
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.privacy import in_private
from bot.store.sqlite import open_store
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_private import ACCESS, PAY, SECRET, answer, dm

ALONE = "<@UBOT> answer me privately: what is the pay?"


def is_alone(slack, ts):
    """The answer is in the direct messages of its asker, and nothing of it in the channel."""
    return "Pay of Ada" in answer(slack, "U1") and slack.answers("C1", ts) == []


def about_to_be_told(bot):
    bot.access |= ACCESS
    bot.knows(*SECRET, finds=[[PAY]])


async def is_done(bot, ts):
    async with asyncio.timeout(4):
        while (run := await bot.store.run(f"C1:{ts}")) is None or run.status != "done":
            pass


async def asked(bot, slack):
    """The ts of a question of Ada's in a channel, at which the model is at work."""
    bot.knows(says("Never."), held=True)
    ts = await slack.mention("U1", "What is the pay?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
    return ts


@pytest.mark.parametrize("text", [ALONE, "<@UBOT> What is the pay? Answer me privately."])
async def test_while_it_is_answered_the_rest_is_said_in_private_and_what_was_said_goes(bot, slack, text):
    ts = await asked(bot, slack)
    about_to_be_told(bot)
    await slack.edit("C1", ts, text)
    await slack.until(lambda: is_alone(slack, ts) and slack.whispers("U1"))
    assert bot.questions[1].run["query"].lower() == "what is the pay?"
    assert "user:U1" in bot.questions[1].audience[0]
    assert slack.whispers("U1")[-1]["channel"] == "C1"


async def test_so_is_one_that_has_asked_back(bot, slack):
    bot.knows(searches("pay"), calls(("clarify", {"question": "Whose?"})), finds=[[hit(1)]])
    ts = await slack.mention("U1", "What is the pay?", "C1")
    await slack.until(lambda: slack.answers("C1", ts)[1:] == ["Whose?"])
    about_to_be_told(bot)
    await slack.edit("C1", ts, ALONE)
    await slack.until(lambda: is_alone(slack, ts))


async def test_once_it_is_answered_that_is_offered(bot, slack):
    bot.knows(says("I know nothing of it."))
    ts = await slack.mention("U1", "What is the pay?", "C1")
    await is_done(bot, ts)
    await slack.edit("C1", ts, ALONE)
    await slack.until(lambda: [one["text"] for one in slack.whispers("U1")] == [EDITED_LATER["en"]])
    about_to_be_told(bot)
    await slack.react("U1", "C1", ts, "repeat")
    await slack.until(lambda: is_alone(slack, ts))
    await is_done(bot, ts)
    await slack.delete("C1", ts)
    await slack.until(lambda: dm(slack, "U1") == [])


async def test_one_that_dies_before_it_has_begun_leaves_that_to_the_next(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        ts = await asked(bot, slack)
    async with open_store(tmp_path / "state.sqlite") as store:

        def edited(run):
            asked = asdict(in_private(Inbound.of({**run.asked, "own_text": ALONE, "text": ALONE})))
            return run.model_copy(update={"status": "open", "asked": asked, "thread_ts": "", "messages": ()})

        await store.change(f"C1:{ts}", edited, own=False)
    async with running_bot(slack, tmp_path, access=ACCESS) as bot:
        about_to_be_told(bot)
        await slack.until(lambda: is_alone(slack, ts), 8)


async def test_what_was_asked_in_private_stays_so_without_the_wish(bot, slack):
    about_to_be_told(bot)
    ts = await slack.mention("U1", "answer me privately: what is the pay?", "C1")
    await is_done(bot, ts)
    await slack.edit("C1", ts, f"{ALONE} ")  # no other words
    await slack.edit("C1", ts, f"{ALONE} Of Ada, I mean.")
    await slack.until(lambda: EDITED_LATER["en"] in [one["text"] for one in slack.whispers("U1")])
    about_to_be_told(bot)
    await slack.react("U1", "C1", ts, "repeat")
    await slack.until(lambda: len(bot.questions) == 2 and bot.questions[1].result and is_alone(slack, ts))
    assert bot.questions[1].run["query"] == "what is the pay? Of Ada, I mean."
    assert json.dumps([one.get("blocks") for one in slack.whispers("U1")]).count(AGAIN) == 1
