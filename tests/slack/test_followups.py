"""What is asked further on in a thread, and what a run is then told of the thread."""

import pytest

from bot.engine import Role
from bot.sentences import BUSY_THREAD, THREAD_UNREAD, UNSOURCED
from bot.slack.messages.sentences import THREAD_CUT
from tests.fakes.research import says, searches
from tests.fakes.search import hit
from tests.fakes.slack import BOT
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_workspace import DOMAIN

SITE = hit(1, title="Play\n[x] code", url="https://play.test/a", source="web")
OTHER = hit(2, title="Robots", url="https://robots.test/b", source="web")


@pytest.fixture
async def thread(bot, slack):
    """A thread whose root Ada asked the bot; it was answered."""
    bot.knows(searches("games"), says("Try this [1] and that [2]."), finds=[[SITE, OTHER]])
    ts = await slack.mention("U1", "Which sites have programming games?", "C1")
    await slack.until(lambda: "Sources" in slack.answer("C1", ts))
    return ts


def is_final(text, says_):
    """With its sources, or the word that it has none: a draft has neither."""
    return text.startswith(says_) and text != says_


async def answers_to(slack, bot, user, text, thread_ts, channel="C1", says_="Right."):
    bot.knows(says(says_))
    asked, answers = len(bot.questions), len(slack.answers(channel, thread_ts))
    await slack.say(user, text, channel, thread_ts)
    await slack.until(lambda: [is_final(text, says_) for text in slack.answers(channel, thread_ts)[answers:]] == [True])
    return bot.questions[asked]


async def is_left_alone(slack, bot, user, text, thread_ts, channel="C1"):
    """A canary in the same thread is the next thing that is answered."""
    questions = len(bot.questions)
    await slack.say(user, text, channel, thread_ts)
    asked = await answers_to(slack, bot, "U1", f"<@{BOT}> and you?", thread_ts, channel)
    return asked.run["query"] == "and you?" and len(bot.questions) == questions + 1


async def test_who_asked_at_the_root_asks_on_without_a_mention(bot, slack, thread):
    asked = await answers_to(slack, bot, "U1", "and free ones?", thread)
    assert asked.run["query"] == "and free ones?"


async def test_somebody_else_needs_a_mention_once(bot, slack, thread):
    assert await is_left_alone(slack, bot, "U2", "I like games", thread)
    await answers_to(slack, bot, "U2", f"<@{BOT}> and free ones?", thread)
    asked = await answers_to(slack, bot, "U2", "and for children?", thread, says_="Indeed.")
    assert asked.run["query"] == "and for children?"


@pytest.mark.parametrize("text", ["<@U2> what do you think?", "<!here> anyone?", "<!subteam^S1> anyone?"])
async def test_what_is_said_to_somebody_else_is_left_alone(bot, slack, thread, text):
    assert await is_left_alone(slack, bot, "U1", text, thread)


async def test_what_is_said_to_the_bot_and_somebody_else_is_answered(bot, slack, thread):
    asked = await answers_to(slack, bot, "U1", f"<@{BOT}> what did <@U2> say?", thread)
    assert asked.run["query"] == "what did Grace Hopper say?"


async def test_a_reply_to_a_message_deep_in_the_thread_is_answered_in_the_same_thread(bot, slack, thread):
    await answers_to(slack, bot, "U1", "and free ones?", thread)
    assert {message.thread_ts for message in slack.thread("C1", thread)[1:]} == {thread}


async def test_follow_ups_go_on_after_a_restart(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("First."))
        ts = await slack.mention("U1", "Which sites have games?", "C1")
        await slack.until(lambda: UNSOURCED["en"] in slack.answer("C1", ts))
    async with running_bot(slack, tmp_path) as bot:
        asked = await answers_to(slack, bot, "U1", "and free ones?", ts)
    assert [message.content for message in asked.run["history"]] == ["Which sites have games?", "First."]


async def test_a_follow_up_has_the_earlier_turns_and_their_links(bot, slack, thread):
    asked = await answers_to(slack, bot, "U1", "give me the links", thread)
    assert [(message.role, message.content) for message in asked.run["history"]] == [
        (Role.USER, "Which sites have programming games?"),
        (Role.ASSISTANT, "Try this [1] and that [2]."),
    ]
    links = asked.run["hints"][-1].split("\n")[1:]
    assert links == ["- Play [x] code: https://play.test/a", "- Robots: https://robots.test/b"]
    assert asked.run["evidence"] == ()


async def test_an_answer_that_gives_those_links_lists_their_sources_and_is_not_labelled(bot, slack, thread):
    bot.knows(says("Here they are: [Robots](https://robots.test/b)."))
    await slack.say("U1", "give me the links", "C1", thread)
    await slack.until(lambda: is_final(slack.answer("C1", thread), "Here they are: <https://robots.test/b|Robots>."))
    assert slack.answer("C1", thread) == (
        "Here they are: <https://robots.test/b|Robots>.\n\n"
        "*Sources*\n• <https://robots.test/b|Robots> · Ada Lovelace · 2026-11-24"
    )
    asked = await answers_to(slack, bot, "U1", "and once more?", thread)
    assert "https://robots.test/b" in asked.run["hints"][-1]


async def test_an_answer_without_them_is_labelled(bot, slack, thread):
    await answers_to(slack, bot, "U1", "and what else?", thread)
    assert slack.answer("C1", thread) == f"Right.\n\n_{UNSOURCED['en']}_"


async def test_in_somebody_elses_thread_only_a_mention_is_answered_with_what_was_said_as_evidence(bot, slack):
    root = await slack.say("U2", "We ship Falcon on <!date^1^x|Friday> &amp; no later", "C1")
    reply = await slack.say("U3", "<@U2> I will tell <#C2>", "C1", root)
    bot.knows(says("On Friday [1]."))
    await slack.mention("U1", "when do we ship?", "C1", root)
    await slack.until(lambda: "Sources" in slack.answer("C1", root))
    first, second = bot.questions[0].run["evidence"]
    assert first.content_snippet == "We ship Falcon on Friday & no later"
    assert (first.source, first.participants) == ("slack", ["Grace Hopper"])
    assert first.document_id == f"slack:{DOMAIN}:C1:{root}"
    assert first.url == f"https://{DOMAIN}.slack.com/archives/C1/p{root.replace('.', '')}"
    assert second.content_snippet == "Grace Hopper I will tell #with-guest"
    assert second.url.endswith(f"p{reply.replace('.', '')}?thread_ts={root}&cid=C1")
    date = first.timestamp[:10]
    assert slack.answer("C1", root) == (
        f"On Friday <{first.url}|[1]>.\n\n"
        f"*Sources*\n[1] <{first.url}|We ship Falcon on Friday &amp; no later> · Grace Hopper · {date}"
    )
    assert await is_left_alone(slack, bot, "U1", "and by whom?", root)


async def test_what_the_bot_said_itself_is_no_evidence_and_what_comes_later_is_none_either(bot, slack):
    root = await slack.say("U2", "We ship Falcon on Friday", "C1")
    gate = bot.knows(says("First."), held=True)
    await slack.mention("U1", "when do we ship?", "C1", root)
    await slack.until(lambda: bot.questions)
    gate.set()
    await slack.until(lambda: slack.answer("C1", root).startswith("First."))
    asked = await answers_to(slack, bot, "U1", f"<@{BOT}> really?", root, says_="Second.")
    assert [found.content_snippet for found in asked.run["evidence"]] == ["We ship Falcon on Friday"]
    assert [message.content for message in asked.run["history"]] == ["when do we ship?", "First."]


async def test_of_a_long_thread_the_root_and_the_newest_are_evidence(bot, slack):
    root = await slack.say("U2", "The root", "C1")
    for number in range(450):
        slack.workspace.add("C1", {"user": "U3", "text": f"Reply {number}", "thread_ts": root})
    bot.knows(says("Yes."))
    await slack.mention("U1", "so?", "C1", root)
    await slack.until(lambda: THREAD_CUT["en"].format(count=59) in slack.answer("C1", root))
    said = [found.content_snippet for found in bot.questions[0].run["evidence"]]
    assert said == ["The root", *(f"Reply {number}" for number in range(391, 450))]
    assert "391 messages between the thread's first and its latest are left out." in bot.questions[0].run["hints"][1]


async def test_a_message_that_a_bot_began_the_thread_with_is_evidence(bot, slack):
    root = slack.workspace.add(
        "C1", {"bot_id": "B8", "username": "alerts", "text": "Disk is full", "subtype": "bot_message"}
    )
    bot.knows(says("Yes."))
    await slack.mention("U1", "since when?", "C1", root["ts"])
    await slack.until(lambda: bot.questions and bot.questions[0].run)
    (found,) = bot.questions[0].run["evidence"]
    assert (found.content_snippet, found.participants) == ("Disk is full", ["alerts (bot)"])


async def test_a_thread_that_cannot_be_read_is_said_to_be_unread(bot, slack):
    root = await slack.say("U2", "We ship Falcon on Friday", "C1")
    slack.refuse("conversations.replies", "missing_scope", times=9)
    bot.knows(says("I do not know."))
    await slack.mention("U1", "when do we ship?", "C1", root)
    await slack.until(lambda: THREAD_UNREAD["en"] in slack.answer("C1", root))


async def test_two_questions_in_one_thread_are_answered_one_after_the_other(bot, slack, thread):
    gate = bot.knows(says("First."), held=True)
    bot.knows(says("Second."))
    await slack.say("U1", "and free ones?", "C1", thread)
    await slack.until(lambda: len(bot.questions) == 2)
    await slack.say("U1", "and for children?", "C1", thread)
    await slack.until(lambda: slack.answer("C1", thread) == f"_{BUSY_THREAD['en']}_")
    assert len(bot.questions) == 2
    gate.set()
    await slack.until(lambda: slack.answer("C1", thread).startswith("Second."))
    assert [message.content for message in bot.questions[2].run["history"]][-2:] == ["and free ones?", "First."]


async def test_other_threads_do_not_wait_for_it(bot, slack, thread):
    bot.knows(says("First."), held=True)
    await slack.say("U1", "and free ones?", "C1", thread)
    await slack.until(lambda: len(bot.questions) == 2)
    bot.knows(says("Elsewhere."))
    other = await slack.mention("U1", "And here, what is up?", "C1")
    await slack.until(lambda: slack.answer("C1", other).startswith("Elsewhere."))


async def test_what_was_found_for_others_is_not_told_to_a_wider_audience(bot, slack, thread):
    await slack.invite("UG", "C1")
    asked = await answers_to(slack, bot, "U1", "and free ones?", thread)
    assert asked.run["history"] == ()
    assert "https://play.test/a" not in "".join(asked.run["hints"])
