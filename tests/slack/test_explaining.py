"""What people ask about an answer that is there, and what they are shown alone."""

import asyncio

import pytest

from bot.sentences import HOW as HOW_IT_CAME
from bot.slack.messages.blocks import HOW
from bot.slack.messages.sentences import ASKERS_ONLY, NOT_KEPT, NOT_SHOWN, NOTHING_WENT_OUT, SAYS, STEP_SEARCH
from bot.slack.messages.sources import WHY
from tests.fakes.research import says, searches
from tests.fakes.search import hit, hits

LEAVE = hit(1, title="Leave policy", url="https://wiki.test/leave", content_snippet="Everyone has <30> days. @here")
ASKED = "How much leave do I have?"


async def answered(bot, slack, *replies, finds=([LEAVE],), channel="C1", thread=None, user="U1"):
    """The ts of a question that is answered with a source, and of the answer."""
    bot.knows(*(replies or (searches("leave"), says("You have 30 days [1]."))), finds=[*finds])
    ts = await slack.mention(user, ASKED, channel, thread)
    root = thread or ts
    await slack.until(lambda: "*Sources*" in "".join(slack.answers(channel, root)[-1:]))
    await slack.until(lambda: bot.questions[-1].result)
    return ts, slack.thread(channel, root)[-1].ts


async def whispered(slack, user, count=1):
    await slack.until(lambda: len(slack.whispers(user)) >= count)
    return [one["text"] for one in slack.whispers(user)]


async def test_how_an_answer_came_to_be_is_shown_to_the_asker_alone(bot, slack):
    ts, answer = await answered(bot, slack, finds=[hits(23)])
    hook = await slack.click("U1", "C1", answer, HOW)
    (text,) = await whispered(slack, "U1")
    await slack.until(lambda: hook.delivery.acknowledged)
    assert HOW_IT_CAME["en"] in text
    assert STEP_SEARCH["en"].format(query="leave", found=23, kept=20, dropped=3) in text
    assert "220 tokens" in text
    assert NOTHING_WENT_OUT["en"] in text
    assert slack.whispers("U1")[0]["thread_ts"] == ts
    assert slack.whispers("U2") == []
    assert len(slack.answers("C1", ts)) == 1


async def test_nobody_else_is_shown_how(bot, slack):
    _, answer = await answered(bot, slack)
    await slack.click("U2", "C1", answer, HOW)
    assert await whispered(slack, "U2") == [ASKERS_ONLY["en"]]


async def test_a_source_is_quoted_to_whoever_may_read_it_now(bot, slack):
    ts, answer = await answered(bot, slack)
    bot.access[LEAVE.chunk_id] = frozenset({"user:grace@acme.test"})
    await slack.click("U2", "C1", answer, WHY, f"1:C1:{ts}")
    (text,) = await whispered(slack, "U2")
    assert text.startswith(SAYS["en"])
    assert "[1] <https://wiki.test/leave|Leave policy>" in text
    assert "> Everyone has &lt;30&gt; days. @\u200bhere" in text
    assert slack.whispers("U1") == []
    await slack.click("U3", "C1", answer, WHY, f"1:C1:{ts}")
    assert await whispered(slack, "U3") == [NOT_SHOWN["en"]]


async def test_of_one_that_is_gone_from_the_index_nothing_is_said(bot, slack):
    ts, answer = await answered(bot, slack)
    await slack.click("U1", "C1", answer, WHY, f"1:C1:{ts}")
    assert await whispered(slack, "U1") == [NOT_SHOWN["en"]]


@pytest.mark.parametrize("known", [True, False])
async def test_where_it_cannot_be_known_who_may_read_what_nothing_is_shown(bot, slack, known):
    ts, answer = await answered(bot, slack)
    bot.access[LEAVE.chunk_id] = frozenset({"channel:C4"})
    if not known:
        slack.refuse("users.conversations", "internal_error", times=99)
    await slack.click("U2", "C1", answer, WHY, f"1:C1:{ts}")
    (text,) = await whispered(slack, "U2")
    assert (text == NOT_SHOWN["en"]) != known


async def test_what_was_said_in_the_thread_is_quoted_as_long_as_it_stands_there(bot, slack):
    root = await slack.say("U2", "We decided for thirty days.", "C1")
    ts, answer = await answered(bot, slack, says("Thirty [1]."), finds=[], thread=root)
    await slack.click("U3", "C1", answer, WHY, f"1:C1:{ts}")
    (text,) = await whispered(slack, "U3")
    assert "> We decided for thirty days." in text
    slack.refuse("conversations.replies", "thread_not_found", times=99)
    await slack.click("U3", "C1", answer, WHY, f"1:C1:{ts}")
    assert (await whispered(slack, "U3", 2))[1] == NOT_SHOWN["en"]


async def test_footnotes_of_one_document_are_quoted_together_and_those_of_others_not(bot, slack):
    second = hit(1, chunk_id="files:doc1#1", title="Leave policy", content_snippet="Unused days lapse.")
    other = hit(2, content_snippet="Something else.")
    finds = [[LEAVE, other, second]]
    ts, answer = await answered(bot, slack, searches("leave"), says("A [1]. B [2]. C [3]."), finds=finds)
    bot.access = dict.fromkeys([LEAVE.chunk_id, second.chunk_id, other.chunk_id], frozenset({"public"}))
    await slack.click("U1", "C1", answer, WHY, f"1,3:C1:{ts}")
    (text,) = await whispered(slack, "U1")
    assert ("Everyone has" in text, "Unused days lapse." in text, "Something else" in text) == (True, True, False)


@pytest.mark.parametrize("action", [HOW, WHY])
async def test_an_answer_whose_trace_is_gone_says_so(bot, slack, action):
    ts, answer = await answered(bot, slack)
    await kept_no_longer(bot, ts)
    await slack.click("U1", "C1", answer, action)
    assert await whispered(slack, "U1") == [NOT_KEPT["en"]]


@pytest.mark.parametrize("action", [HOW, WHY])
async def test_an_answer_that_is_too_old_to_be_known_says_so(bot, slack, action):
    ts, answer = await answered(bot, slack)
    await is_done(bot, ts)
    await bot.store.forget_all()
    await slack.click("U1", "C1", answer, action)
    assert await whispered(slack, "U1") == [NOT_KEPT["en"]]


async def is_done(bot, ts):
    """Its end is kept, which comes a moment after it is shown."""
    async with asyncio.timeout(3):
        while (await bot.store.run(f"C1:{ts}")).status != "done":
            pass


async def kept_no_longer(bot, ts):
    await is_done(bot, ts)
    await bot.store.prune(traces=-1, threads=180)
