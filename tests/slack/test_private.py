"""Answers for one person alone, and what they may show of them."""

import asyncio
import json

import pytest

from bot.sentences import UNSOURCED
from bot.slack.messages.blocks import PRIVATE, SHARE
from bot.slack.messages.notices import TOO_MANY_OF_YOURS
from bot.slack.messages.sentences import NOT_KEPT
from bot.slack.questions.privacy import without_wish
from bot.slack.surfaces import home_sentences
from bot.store.sqlite import open_store
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_private import PAY, SECRET, answer, asked_in_a_channel, dm, privately, root


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<@UBOT> answer me privately: what is my pay?", "what is my pay?"),
        ("Answer me privately, what is my pay?", "what is my pay?"),
        ("please answer this in private", ""),
        ("Could you reply to me privately?", ""),
        ("<@UBOT> réponds-moi en privé : combien je gagne ?", "combien je gagne ?"),
        ("Répondez-moi en privé s’il vous plaît", ""),
        ("réponds moi en mp", ""),
        ("What is my pay? Answer me privately.", "What is my pay?"),
        ("Combien je gagne ? Réponds-moi en privé, stp", "Combien je gagne ?"),
        ("How do I answer privately?", None),
        ("Did anybody answer me privately about it?", None),
        ("answer me privately held companies in France", None),
        ("The rule says to reply in private", None),
        ("What is my pay?", None),
    ],
)
def test_what_asks_for_a_private_answer(text, rest):
    assert without_wish(text) == rest


@pytest.fixture
async def asked(bot, slack):
    return await asked_in_a_channel(bot, slack)


async def test_the_button_gives_the_clickers_own_view_in_their_direct_messages(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    (own,) = bot.questions[1].audience
    assert {"user:U1", "user:ada@acme.test", "channel:C4"} <= own
    assert bot.questions[1].run["query"] == "What is the pay?"
    question = dm(slack, "U1")[0]["text"]
    assert slack.permalink("C1", asked) in question
    assert "What is the pay?" in question
    assert "Pay of Ada" not in slack.answer("C1", asked)
    pointer = slack.whispers("U1")[-1]
    assert pointer["channel"] == "C1"
    assert slack.permalink(slack.workspace.direct("U1").id, root(slack, "U1")) in pointer["text"]


async def test_whoever_clicks_asks_for_themselves(bot, slack, asked):
    await privately(bot, slack, "U2", asked)
    (own,) = bot.questions[1].audience
    assert "user:U2" in own
    assert "user:U1" not in own
    assert dm(slack, "U1") == []


async def test_a_button_tells_nothing_of_a_question_of_another_conversation(bot, slack):
    bot.knows(says("I know nothing of it."))
    hidden = await slack.mention("U1", "What is the pay of Grace?", "C4")
    await slack.until(lambda: UNSOURCED["en"] in slack.answer("C4", hidden))
    shown = await asked_in_a_channel(bot, slack)
    message = slack.workspace.message("C1", slack.thread("C1", shown)[-1].ts)
    message["blocks"] = json.loads(json.dumps(message["blocks"]).replace(f"C1:{shown}", f"C4:{hidden}"))
    await slack.click("U3", "C1", message["ts"], PRIVATE)
    await slack.until(lambda: slack.whispers("U3"))
    assert slack.whispers("U3")[-1]["text"] == NOT_KEPT["en"]
    assert dm(slack, "U3") == []


async def test_a_second_click_points_to_the_answer_that_is_there(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    before = len(slack.whispers("U1"))
    await slack.click("U1", "C1", slack.thread("C1", asked)[-1].ts, PRIVATE)
    await slack.until(lambda: len(slack.whispers("U1")) > before)
    assert len(bot.questions) == 2


@pytest.mark.parametrize("text", ["answer me privately: what is my pay?", "What is my pay? Réponds-moi en privé."])
async def test_it_is_asked_for_in_words(bot, slack, text):
    bot.knows(*SECRET, finds=[[PAY]])
    ts = await slack.mention("U1", text, "C1")
    await slack.until(lambda: "Pay of Ada" in answer(slack, "U1"))
    assert bot.questions[0].run["query"].lower() == "what is my pay?"
    assert slack.answers("C1", ts) == []
    assert not slack.whispers("U1")[-1].get("thread_ts")  # which nobody would see in a thread without replies
    (own,) = bot.questions[0].audience
    assert "user:U1" in own


async def test_the_words_alone_mean_the_question_before_them(bot, slack, asked):
    bot.knows(*SECRET, finds=[[PAY]])
    await slack.mention("U1", "answer me privately", "C1", asked)
    await slack.until(lambda: "Pay of Ada" in answer(slack, "U1"))
    assert bot.questions[1].run["query"] == "What is the pay?"


async def test_it_knows_what_was_said_in_the_thread(bot, slack, asked):
    bot.knows(*SECRET, finds=[[PAY]])
    await slack.mention("U1", "answer me privately: and of Ada?", "C1", asked)
    await slack.until(lambda: "Pay of Ada" in answer(slack, "U1"))
    assert bot.questions[1].run["history"][0].content == "What is the pay?"


async def test_who_cannot_be_written_to_is_told_and_may_ask_again(bot, slack, asked):
    slack.refuse("chat.postMessage", "cannot_dm_bot", times=1)
    await slack.click("U1", "C1", slack.thread("C1", asked)[-1].ts, PRIVATE)
    await slack.until(lambda: slack.whispers("U1"))
    assert slack.whispers("U1")[-1]["text"] == home_sentences.NOT_DIRECTLY["en"]
    await privately(bot, slack, "U1", asked)


async def test_whom_the_limits_refuse_it_may_ask_for_it_later(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"user_at_once": 1}) as bot:
        ts = await asked_in_a_channel(bot, slack)
        gate = bot.knows(says("Else."), held=True)
        other = await slack.mention("U1", "And something else, please?", "C2")
        await slack.until(lambda: len(bot.questions) == 2)
        await slack.click("U1", "C1", slack.thread("C1", ts)[-1].ts, PRIVATE)
        await slack.until(lambda: [one["text"] for one in slack.whispers("U1")] == [TOO_MANY_OF_YOURS["en"]])
        gate.set()
        async with asyncio.timeout(4):
            while (await bot.store.run(f"C2:{other}")).status != "done":
                pass
        await privately(bot, slack, "U1", ts)


async def test_what_was_told_in_private_is_no_history_of_the_channel(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    bot.knows(says("Right."))
    await slack.mention("U1", "and now?", "C1", asked)
    await slack.until(lambda: len(bot.questions) == 3)
    assert not [turn for turn in bot.questions[2].run["history"] if "100" in turn.content]


async def test_in_direct_messages_there_is_no_such_button(bot, slack):
    bot.knows(says("Hello."))
    ts = await slack.dm("U1", "What is the pay?")
    place = slack.workspace.direct("U1").id
    await slack.until(lambda: UNSOURCED["en"] in slack.answer(place, ts))
    assert PRIVATE not in str(slack.thread(place, ts)[-1].blocks)
    assert SHARE not in str(slack.thread(place, ts)[-1].blocks)


async def test_what_a_killed_process_has_posted_of_it_is_not_posted_again(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Never."), held=True)
        ts = await slack.mention("U1", "Answer me privately: what is my pay?", "C1")
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and len(dm(slack, "U1")) == 2)
    place = slack.workspace.direct("U1").id
    async with open_store(tmp_path / "state.sqlite") as store:  # as before it was noted where the question is
        run = await store.run(f"C1:{ts}")
        asked = {**run.asked, "channel": "C1", "ts": ts, "thread_ts": ts, "direct": False}
        update = {"channel": "C1", "thread_ts": "", "messages": (), "state": "", "asked": asked}
        await store.change(run.key, lambda kept: kept.model_copy(update=update), own=False)
        await store._documents.delete("thread", f"{place}:{run.thread_ts}")
    del slack.workspace.messages[place][dm(slack, "U1")[-1]["ts"]]
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(*SECRET, finds=[[PAY]])
        await slack.until(lambda: "Pay of Ada" in answer(slack, "U1"), 8)
        assert len(dm(slack, "U1")) == 2


async def test_it_goes_with_its_question(bot, slack):
    bot.knows(*SECRET, finds=[[PAY]])
    ts = await slack.mention("U1", "Answer me privately: what is my pay?", "C1")
    await slack.until(lambda: "Pay of Ada" in answer(slack, "U1"))
    place, thread = slack.workspace.direct("U1").id, root(slack, "U1")
    async with asyncio.timeout(4):
        while not await bot.store.turns(place, thread):
            pass
    await slack.delete("C1", ts)
    await slack.until(lambda: not dm(slack, "U1"))
    async with asyncio.timeout(4):
        while (await bot.store.run(f"C1:{ts}")).status != "claim":
            pass
    assert await bot.store.turns(place, thread) == []


class HeldChange:
    """A store whose next change, once that is wished, takes until `gate` is open."""

    def __init__(self, store):
        self.store = store
        self.gate = asyncio.Event()
        self.holds = self.held = False

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def change(self, *given, **options):
        if self.holds:
            self.holds, self.held = False, True
            await self.gate.wait()
        return await self.store.change(*given, **options)


async def answered_and_kept(bot, slack):
    """The ts of a question, and of its answer, of which nothing is left to note."""
    ts = await asked_in_a_channel(bot, slack)
    async with asyncio.timeout(4):
        while (await bot.store.run(f"C1:{ts}")).status != "done":
            pass
    return ts, slack.thread("C1", ts)[-1].ts


async def test_who_asks_for_it_while_the_question_is_deleted_gets_none(slack, tmp_path):
    async with running_bot(slack, tmp_path, through=HeldChange) as bot:
        ts, shown = await answered_and_kept(bot, slack)
        bot.store.holds = True
        async with asyncio.TaskGroup() as people:
            people.create_task(slack.click("U1", "C1", shown, PRIVATE))
            await slack.until(lambda: bot.store.held)
            await slack.delete("C1", ts)
            async with asyncio.timeout(4):
                while (await bot.store.run(f"C1:{ts}")).status != "claim":
                    pass
            bot.store.gate.set()
        # Which shows it to nobody where the thread is gone, too.
        await slack.until(lambda: [told.call["text"] for told in slack.calls("chat.postEphemeral")] == [NOT_KEPT["en"]])
        assert (len(bot.questions), dm(slack, "U1")) == (1, [])


async def test_what_is_begun_in_private_just_before_its_question_is_deleted_goes_with_it(slack, tmp_path):
    async with running_bot(slack, tmp_path, through=HeldChange) as bot:
        ts, shown = await answered_and_kept(bot, slack)
        bot.store.holds = True
        async with asyncio.TaskGroup() as people:
            people.create_task(slack.delete("C1", ts))
            await slack.until(lambda: bot.store.held)
            bot.knows(*SECRET, finds=[[PAY]])
            await slack.click("U1", "C1", shown, PRIVATE)
            await slack.until(lambda: "Pay of Ada" in answer(slack, "U1"))
            bot.store.gate.set()
        await slack.until(lambda: not dm(slack, "U1"))
