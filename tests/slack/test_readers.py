"""Who is told an answer where its readers change, or can no longer be known, while it is written."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.sentences import MORE_READERS, sentence
from bot.slack.messages.sentences import MOVED
from bot.slack.questions.readers_sentences import (
    READER_UNKNOWN,
    READERS_UNKNOWN,
    READS_LESS,
    TOLD_ALONE,
    TOLD_DIRECTLY,
    WITHHELD,
)
from bot.store.sqlite import open_store
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack import BOT
from tests.fakes.slack_bot import running_bot

FOUND = hit(1, title="Falcon", url="https://wiki.test/falcon", timestamp=datetime.now(UTC).isoformat())
FLIES = "It flies on Monday"
SCRIPT = (searches("falcon"), says(f"{FLIES} [1]."))


def directly(slack, user):
    """What the bot has written to somebody in direct messages."""
    place = slack.workspace.direct(user).id
    return [message["text"] for message in slack.workspace.messages.get(place, {}).values() if message["user"] == BOT]


def told(words, channel):
    return sentence(words, "en", channel=f"<#{channel}>")


def everywhere(slack):
    return str(slack.workspace.messages)


async def found(bot, slack, channel, user="U1", *, readable_by=(), knows=SCRIPT):
    """A question whose search has found something that is not answered from yet, and what lets the model go on."""
    if readable_by:
        bot.access[FOUND.chunk_id] = frozenset(readable_by)
    asked = len(bot.questions)
    gate = bot.knows(*knows, finds=[[FOUND]], held=True)
    ask = slack.mention if channel != slack.workspace.direct(user).id else slack.say
    ts = await ask(user, "When does Falcon fly, please?", channel)
    await slack.until(lambda: len(bot.questions) > asked and bot.questions[asked].engine.asked)
    await slack.until(lambda: slack.answers(channel, ts))
    gate.set()
    for _ in range(20):  # Once the reply is given, no other is asked for before what it finds is kept.
        if bot.questions[asked].engine.calls:
            break
        await asyncio.sleep(0)
    gate.clear()
    await kept(bot, f"{channel}:{ts}")
    return ts, gate


async def kept(bot, key):
    """The search is over and its checkpoint is kept."""
    async with asyncio.timeout(4):
        while "falcon" not in (await bot.store.run(key)).state:
            pass


# The channel


async def test_where_the_bot_is_taken_out_the_asker_gets_the_answer_directly(bot, slack):
    ts, gate = await found(bot, slack, "C4", readable_by=["workspace"])
    await slack.leave(BOT, "C4")
    gate.set()
    await slack.until(lambda: FLIES in str(directly(slack, "U1")))
    assert directly(slack, "U1")[0].startswith(f"_{told(TOLD_ALONE, 'C4')}_")
    assert FLIES not in str(slack.answers("C4", ts))


async def test_where_the_bot_is_taken_out_and_the_asker_may_not_be_able_to_read_it_nobody_is_told(bot, slack):
    _, gate = await found(bot, slack, "C4", readable_by=["channel:C4"])
    await slack.leave(BOT, "C4")
    gate.set()
    await slack.until(lambda: told(WITHHELD, "C4") in str(directly(slack, "U1")))
    assert FLIES not in everywhere(slack)


async def test_what_rests_on_the_thread_of_a_channel_that_the_bot_left_is_told_to_nobody(bot, slack):
    ts = await slack.say("U2", "Falcon is late.", "C4")
    bot.access[FOUND.chunk_id] = frozenset(["workspace"])
    gate = bot.knows(*SCRIPT, finds=[[FOUND]], held=True)
    await slack.mention("U1", "When does Falcon fly, please?", "C4", ts)
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C4", ts))
    await slack.leave(BOT, "C4")
    gate.set()
    await slack.until(lambda: told(WITHHELD, "C4") in str(directly(slack, "U1")))
    assert FLIES not in everywhere(slack)


async def asked_with(bot, slack, asker, *, files, thread_ts=None, text="When does Falcon fly, please?"):
    """A question that is answered from what is there, after the bot was taken out of its channel."""
    gate = bot.knows(says(f"{FLIES} [1]."), held=True)
    text = f"<@{BOT}> {text}"
    ts = await (slack.share(asker, text, "C4", files, thread_ts) if files else slack.say(asker, text, "C4", thread_ts))
    await slack.until(lambda: bot.questions and bot.questions[-1].engine.asked, 20)
    assert bot.questions[-1].run["evidence"]
    await slack.until(lambda: slack.answers("C4", thread_ts or ts))
    await slack.leave(BOT, "C4")
    gate.set()


async def test_what_is_in_a_file_of_the_asker_they_are_told_though_it_is_not_indexed(bot, slack):
    await asked_with(bot, slack, "U1", files={"plan.md": b"Falcon flies on Monday."})
    await slack.until(lambda: FLIES in str(directly(slack, "U1")))


async def test_what_is_in_a_file_that_they_answered_with_they_are_told_too(bot, slack):
    bot.access[FOUND.chunk_id] = frozenset(["workspace"])
    asks = calls(("clarify", {"question": "Which Falcon?"}))
    gate = bot.knows(searches("falcon"), asks, says(f"{FLIES} [2]."), finds=[[FOUND]])
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C4")
    async with asyncio.timeout(4):
        while (run := await bot.store.run(f"C4:{ts}")) is None or run.status != "waiting":
            pass
    gate.clear()
    await slack.share("U1", "this one", "C4", {"plan.md": b"Falcon flies on Monday."}, ts)
    async with asyncio.timeout(20):
        while not (await bot.store.run(f"C4:{ts}")).put:
            pass
    await slack.leave(BOT, "C4")
    gate.set()
    await slack.until(lambda: FLIES in str(directly(slack, "U1")))


async def test_what_the_asker_wrote_in_the_thread_they_are_told_too(bot, slack):
    ts = await slack.say("U1", "Falcon flies on Monday.", "C4")
    await slack.share("U1", "The plan", "C4", {"plan.md": b"Falcon flies on Monday."}, ts)
    await asked_with(bot, slack, "U1", files={}, thread_ts=ts)
    await slack.until(lambda: FLIES in str(directly(slack, "U1")))


@pytest.mark.parametrize("more", [{}, {"attachments": [{"is_share": True, "author_id": "U2", "text": "On Monday."}]}])
async def test_what_somebody_else_wrote_there_nobody_is_told(bot, slack, more):
    ts = await slack.say("U1" if more else "U2", "Falcon flies on Monday.", "C4", **more)
    await asked_with(bot, slack, "U1", files={}, thread_ts=ts)
    await slack.until(lambda: told(WITHHELD, "C4") in str(directly(slack, "U1")))
    assert FLIES not in everywhere(slack)


async def test_nor_what_is_in_a_file_of_somebody_else(bot, slack):
    ts = await slack.share("U2", "", "C4", {"plan.md": b"Falcon flies on Monday."})
    await asked_with(bot, slack, "U1", files={}, thread_ts=ts)
    await slack.until(lambda: told(WITHHELD, "C4") in str(directly(slack, "U1")))
    assert FLIES not in everywhere(slack)


@pytest.mark.parametrize("method", ["conversations.members", "conversations.info"])
async def test_where_the_members_can_no_longer_be_known_the_asker_alone_is_told(bot, slack, method):
    ts, gate = await found(bot, slack, "C4", readable_by=["workspace"])
    slack.refuse(method, "internal_error", times=50)
    gate.set()
    await slack.until(lambda: slack.answers("C4", ts) == [TOLD_DIRECTLY["en"]])
    await slack.until(lambda: FLIES in str(directly(slack, "U1")))
    assert FLIES not in str(slack.workspace.messages["C4"])
    assert len(directly(slack, "U1")) == 1


async def test_where_somebodys_channels_can_no_longer_be_known_that_is_not_more_readers(bot, slack):
    _, gate = await found(bot, slack, "C4", readable_by=["workspace"])
    bot.slack.workspace.channels["C4"].members.append("U3")
    slack.refuse("users.conversations", "internal_error", times=50)
    gate.set()
    await slack.until(lambda: FLIES in str(directly(slack, "U1")))


async def test_where_the_asker_cannot_be_known_either_nobody_is_told(bot, slack):
    ts, gate = await found(bot, slack, "C4", readable_by=["workspace"])
    for method in ("conversations.members", "users.info", "users.list"):
        slack.refuse(method, "internal_error", times=50)
    gate.set()
    await slack.until(lambda: slack.answers("C4", ts) == [READERS_UNKNOWN["en"]])
    assert FLIES not in everywhere(slack)


async def test_a_long_answer_goes_to_the_asker_whole(bot, slack):
    long = "\n\n".join(f"Paragraph {number} says: " + "word " * 400 for number in range(14))
    ts, gate = await found(
        bot, slack, "C4", readable_by=["workspace"], knows=(searches("falcon"), says(f"{long} [1]."))
    )
    slack.refuse("conversations.members", "internal_error", times=50)
    gate.set()
    await slack.until(lambda: slack.answers("C4", ts) == [TOLD_DIRECTLY["en"]])
    await slack.until(lambda: "Paragraph 13" in str(directly(slack, "U1")))
    assert " ".join(long.split()) in " ".join("\n\n".join(directly(slack, "U1")).split())
    assert not any(message.files for message in slack.thread("C4", ts))


# What a channel takes no more


@pytest.mark.parametrize("readable_by", [("workspace",), ("channel:C1",)])
async def test_a_channel_that_takes_no_more_has_the_answer_moved_to_whoever_may_read_it(bot, slack, readable_by):
    _, gate = await found(bot, slack, "C1", readable_by=readable_by)
    slack.workspace.channels["C1"].members[:] = ["U2", "U3"]  # neither the bot nor the asker
    slack.refuse("chat.update", "cant_update_message", times=9)
    gate.set()
    note = told(MOVED, "C1") if readable_by == ("workspace",) else told(WITHHELD, "C1")
    await slack.until(lambda: note in str(directly(slack, "U1")))
    assert (FLIES in everywhere(slack)) is (readable_by == ("workspace",))


async def test_a_member_who_was_made_a_guest_is_not_told_directly(bot, slack):
    _, gate = await found(bot, slack, "C4", readable_by=["workspace"])
    slack.workspace.users["U1"].guest = True
    await slack.leave(BOT, "C4")
    gate.set()
    await slack.until(lambda: told(WITHHELD, "C4") in str(directly(slack, "U1")))
    assert FLIES not in everywhere(slack)


# Direct messages


async def test_whoever_leaves_a_channel_is_not_told_what_was_found_there(bot, slack):
    place = slack.workspace.direct("U1").id
    ts, _ = await found(bot, slack, place, readable_by=["channel:C4"])
    await slack.leave("U1", "C4")
    await slack.until(lambda: slack.answers(place, ts)[-1] == READS_LESS["en"])
    assert FLIES not in everywhere(slack)


async def test_whoever_leaves_a_channel_unheard_is_told_what_was_found_elsewhere(bot, slack):
    place = slack.workspace.direct("U1").id
    ts, gate = await found(bot, slack, place, readable_by=["workspace"])
    slack.workspace.channels["C4"].members.remove("U1")
    gate.set()
    await slack.until(lambda: FLIES in slack.answers(place, ts)[-1])


async def test_of_whom_nothing_can_be_known_is_told_so(bot, slack):
    place = slack.workspace.direct("U1").id
    ts, gate = await found(bot, slack, place, readable_by=["channel:C4"])
    slack.refuse("users.conversations", "internal_error", times=50)
    gate.set()
    await slack.until(lambda: slack.answers(place, ts)[-1] == READER_UNKNOWN["en"])
    assert FLIES not in everywhere(slack)


# Who comes in


async def test_what_was_found_is_taken_away_as_soon_as_a_guest_comes_in(bot, slack):
    ts, _ = await found(bot, slack, "C1", readable_by=["workspace"])
    await slack.invite("UG", "C1")
    await slack.until(lambda: slack.answers("C1", ts) == [MORE_READERS["en"]])


async def test_before_anything_is_found_it_is_searched_anew_for_whoever_came_in(bot, slack):
    bot.knows(says("Never."), held=True)
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
    bot.knows(*SCRIPT, finds=[[FOUND]])
    await slack.invite("UG", "C1")
    await slack.until(lambda: FLIES in slack.answer("C1", ts))
    assert len(slack.answers("C1", ts)) == 1
    assert "workspace" in bot.questions[0].audience[0]
    assert any("workspace" not in principals for principals in bot.questions[1].audience)


async def test_while_it_cannot_be_known_who_came_in_nothing_is_shown_of_what_was_found(bot, slack):
    ts, gate = await found(bot, slack, "C1", readable_by=["workspace"])
    await slack.until(lambda: FOUND.content_snippet in str(slack.thread("C1", ts)[1].blocks))
    slack.refuse("conversations.members", "internal_error", times=2)
    await slack.invite("U8", "C1")
    await slack.until(lambda: FOUND.content_snippet not in str(slack.thread("C1", ts)[1].blocks))
    slack.workspace.person("U8", "new")
    gate.set()
    await slack.until(lambda: FLIES in slack.answer("C1", ts))
    assert len(bot.questions) == 1


async def test_whoever_may_read_it_interrupts_nothing(bot, slack):
    ts, gate = await found(bot, slack, "C1", readable_by=["workspace"])
    slack.workspace.person("U8", "new")
    before = len(slack.calls("conversations.members"))
    await slack.invite("U8", "C1")
    await slack.until(lambda: len(slack.calls("conversations.members")) > before)
    gate.set()
    await slack.until(lambda: FLIES in slack.answer("C1", ts))
    assert len(bot.questions[0].engine.calls) == 2


async def test_another_process_than_the_one_that_writes_hears_of_a_guest(slack, tmp_path):
    async with running_bot(slack, tmp_path) as first:
        ts, _ = await found(first, slack, "C1", readable_by=["workspace"])
        async with running_bot(slack, tmp_path):
            await slack.until(lambda: slack.sockets.connected == 2)
            way = slack.deliveries[-1].way
            # One socket after the other is told: the second one is next, or the one after that.
            while (await slack.event({"type": "hello"})).way is not way:
                pass
            began = asyncio.get_running_loop().time()
            await slack.invite("UG", "C1")
            heard = next(one for one in slack.deliveries if "member_joined_channel" in str(one.envelope))
            assert heard.way is not way
            await slack.until(lambda: slack.answers("C1", ts) == [MORE_READERS["en"]])
            assert asyncio.get_running_loop().time() - began < 2


async def test_what_was_doubted_when_a_process_died_is_looked_at_by_the_next(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        ts, _ = await found(bot, slack, "C1", readable_by=["workspace"])
    slack.workspace.channels["C1"].members.append("UG")
    async with open_store(tmp_path / "state.sqlite") as store:
        await store.change(f"C1:{ts}", lambda run: run.model_copy(update={"status": "stopping"}), own=False)
    async with running_bot(slack, tmp_path):
        await slack.until(lambda: slack.answers("C1", ts) == [MORE_READERS["en"]], 8)


async def test_a_guest_who_comes_in_while_a_question_is_read_is_one_of_those_it_is_searched_for(bot, slack):
    bot.knows(*SCRIPT, finds=[[FOUND]])
    slack.hold("conversations.replies")
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1", await slack.say("U2", "Hello.", "C1"))
    await slack.until(lambda: slack.calls("conversations.members") and slack.calls("conversations.replies"))
    await slack.invite("UG", "C1")
    async with asyncio.timeout(4):
        while not (await bot.store.run(f"C1:{ts}")).doubted:
            pass
    slack.release("conversations.replies")
    await slack.until(lambda: bot.questions)
    assert any("workspace" not in principals for principals in bot.questions[0].audience)
