"""What people said in a thread is evidence for what is asked there, whoever began it."""

from collections import Counter

import pytest

from bot.slack.messages.sentences import MESSAGES_CUT
from tests.fakes.research import says
from tests.fakes.slack import BOT
from tests.fakes.slack_workspace import DOMAIN

ASKED = ["summarise this thread", "what did we decide here?", "résume ce fil", "qu'est-ce qu'on a décidé ici ?"]


def link(ts, root, channel="C1"):
    here = f"https://{DOMAIN}.slack.com/archives/{channel}/p{ts.replace('.', '')}"
    return here if ts == root else f"{here}?thread_ts={root}&cid={channel}"


async def asked(slack, bot, text, thread_ts, channel="C1", user="U1"):
    """What a question in a thread is given, which is answered from the evidence alone."""
    bot.knows(says("Friday [1]."))
    number, before = len(bot.questions), len(slack.answers(channel, thread_ts))
    await slack.say(user, text, channel, thread_ts)
    await slack.until(lambda: any("Friday" in text for text in slack.answers(channel, thread_ts)[before:]))
    return bot.questions[number].run


def told(run):
    return [(hit.participants[0], hit.content_snippet) for hit in run["evidence"]]


@pytest.mark.parametrize("text", ASKED)
async def test_a_thread_is_summarised_from_what_people_said_without_a_search(bot, slack, text):
    root = await slack.say("U2", "Ship Falcon on Friday or Monday?", "C1")
    reply = await slack.say("U3", "Friday.", "C1", root)
    run = await asked(slack, bot, f"<@{BOT}> {text}", root)
    assert [(hit.participants, hit.url) for hit in run["evidence"]] == [
        (["Grace Hopper"], link(root, root)),
        (["Linus"], link(reply, root)),
    ]
    await slack.until(lambda: f"<{link(root, root)}|[1]>" in slack.answer("C1", root))
    assert bot.questions[0].result.tool_calls == []
    assert "without a search" in run["hints"][-1]


async def test_so_is_a_thread_that_began_with_a_question_to_the_bot(bot, slack):
    bot.knows(says("On Friday."))
    root = await slack.mention("U1", "when do we ship Falcon?", "C1")
    await slack.until(lambda: slack.answer("C1", root).startswith("On Friday."))
    await slack.say("U2", "Monday is better, the tests need a day.", "C1", root)
    run = await asked(slack, bot, "what did we decide here?", root)
    assert told(run) == [("Grace Hopper", "Monday is better, the tests need a day.")]
    assert [message.content for message in run["history"]] == ["when do we ship Falcon?", "On Friday."]


async def test_so_is_a_thread_in_a_direct_message(bot, slack):
    bot.knows(says("On Friday."))
    root = await slack.dm("U1", "when do we ship Falcon?")
    await slack.until(lambda: slack.answer("DU1", root).startswith("On Friday."))
    run = await asked(slack, bot, "summarise this thread", root, "DU1")
    assert told(run) == []
    assert [message.content for message in run["history"]] == ["when do we ship Falcon?", "On Friday."]


async def test_what_another_bot_says_is_marked_as_such(bot, slack):
    root = await slack.say("U2", "When do we ship?", "C1")
    for said in (
        {"bot_id": "B8", "username": "alerts", "text": "Build is green", "subtype": "bot_message"},
        {"bot_id": "B9", "user": "U8", "bot_profile": {"name": "ci"}, "text": "Deployed"},
    ):
        slack.workspace.add("C1", {**said, "thread_ts": root})
    run = await asked(slack, bot, f"<@{BOT}> and?", root)
    assert told(run)[1:] == [("alerts (bot)", "Build is green"), ("ci (bot)", "Deployed")]


async def test_what_is_left_of_a_deleted_message_says_nothing(bot, slack):
    root = await slack.say("U2", "When do we ship?", "C1")
    await slack.say("U3", "Friday.", "C1", root)
    await slack.delete("C1", root)
    run = await asked(slack, bot, f"<@{BOT}> when?", root)
    assert told(run) == [("Linus", "Friday.")]


async def test_a_long_message_is_read_whole(bot, slack):
    lines = [f"Point {number} of the plan is to do what point {number} says." for number in range(60)]
    root = await slack.say("U2", "\n".join(lines), "C1")
    run = await asked(slack, bot, f"<@{BOT}> summarise this thread", root)
    assert "\n".join(text for _, text in told(run)) == "\n".join(lines)
    assert len({hit.chunk_id for hit in run["evidence"]}) == len(run["evidence"]) > 1
    assert {(hit.participants[0], hit.url) for hit in run["evidence"]} == {("Grace Hopper", link(root, root))}
    await slack.until(lambda: MESSAGES_CUT["en"] not in slack.answer("C1", root))


async def test_of_messages_that_are_too_long_together_the_first_and_the_latest_are_read_furthest(bot, slack):
    long = "\n".join(f"Point {number} of the plan is to do what point {number} says." for number in range(250))
    root = await slack.say("U2", "Short.", "C1")
    for _ in range(3):
        await slack.say("U3", long, "C1", root)
    run = await asked(slack, bot, f"<@{BOT}> summarise this thread", root)
    read = Counter(hit.document_id for hit in run["evidence"])
    first, older, old, newest = read.values()
    assert (first, older) == (1, 1)
    assert newest > old > older
    assert run["evidence"][1].content_snippet.startswith("Point 0 ")
    await slack.until(lambda: MESSAGES_CUT["en"] in slack.answer("C1", root))
