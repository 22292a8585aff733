"""The shortcut on a message, "Research this"."""

from bot.sentences import UNSOURCED
from bot.slack.messages.notices import NO_WORDS, NOT_HERE, TOO_MANY_OF_YOURS
from bot.slack.transport.manifest import RESEARCH_MESSAGE
from bot.store import StoreError
from tests.fakes.research import says, searches
from tests.fakes.search import hit
from tests.fakes.slack import BOT
from tests.fakes.slack_bot import running_bot

FOUND = [hit(1, title="Falcon", url="https://wiki.test/falcon")]


def said(slack, ts, channel="C1"):
    return [text.split("\n")[0] for text in slack.answers(channel, ts)]


async def test_the_message_is_researched_in_its_thread_for_whoever_uses_it(bot, slack):
    ts = await slack.say("U2", "When does <@U3> ship Falcon?", "C1")
    bot.knows(searches("falcon"), says("On Friday [1]."), finds=[FOUND])
    hook = await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", ts)
    await slack.until(lambda: "Sources" in slack.answer("C1", ts), 10)
    assert hook.delivery.acknowledged
    (asked,) = bot.questions
    assert asked.run["query"] == "When does Linus ship Falcon?"
    assert "Ada Lovelace" in "".join(asked.run["hints"])
    assert [found.url for found in asked.run["evidence"]] == [slack.permalink("C1", ts)]
    assert said(slack, ts)[0].startswith("On Friday")


async def test_a_message_deep_in_a_thread_is_answered_there_with_what_was_said_before(bot, slack):
    root = await slack.say("U2", "We ship Falcon on Friday", "C1")
    ts = await slack.say("U3", "Is it insured?", "C1", root)
    bot.knows(says("Yes."))
    await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", ts)
    await slack.until(lambda: said(slack, root) == ["Yes."])
    said_before = [found.content_snippet for found in bot.questions[0].run["evidence"]]
    assert said_before == ["Is it insured?", "We ship Falcon on Friday"]


async def test_who_used_it_can_stop_it_and_ask_on_with_a_mention(bot, slack):
    ts = await slack.say("U2", "When do we ship Falcon?", "C1")
    bot.knows(says("On Friday."))
    await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", ts)
    await slack.until(lambda: UNSOURCED["en"] in slack.answer("C1", ts))
    bot.knows(says("At nine."))
    await slack.say("U1", f"<@{BOT}> at what time?", "C1", ts)
    await slack.until(lambda: said(slack, ts) == ["On Friday.", "At nine."])
    history = [message.content for message in bot.questions[1].run["history"]]
    assert history == ["When do we ship Falcon?", "On Friday."]


async def test_what_somebody_else_wrote_does_not_ask_for_the_web_and_the_users_own_message_does(bot, slack):
    theirs = await slack.say("U2", "web: what is new in Python?", "C1")
    bot.knows(says("Theirs."))
    await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", theirs)
    await slack.until(lambda: said(slack, theirs) == ["Theirs."])
    bot.knows(says("Mine."))
    mine = await slack.say("U1", "web: what is new in Python?", "C1")
    await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", mine)
    await slack.until(lambda: len(bot.questions) == 2)
    assert [asked.options["asked"].way for asked in bot.questions] == ["documents", "web"]


async def test_what_the_users_own_message_forwards_does_not_ask_for_the_web_either(bot, slack):
    forwarded = {"is_share": True, "author_id": "U2", "text": "web: what is new in Python?"}
    ts = await slack.say("U1", "", "C1", attachments=[forwarded])
    bot.knows(says("Theirs."))
    await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", ts)
    await slack.until(lambda: said(slack, ts) == ["Theirs."])
    assert bot.questions[0].options["asked"].way == "documents"


async def test_a_message_without_words_is_not_researched(bot, slack):
    slack.workspace.users["U1"].locale = "fr-FR"
    ts = await slack.say(
        "U2", "", "C1", blocks=[{"type": "image", "image_url": "https://a.test/a.png", "alt_text": ""}]
    )
    hook = await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", ts)
    await slack.until(lambda: hook.told == [NO_WORDS["fr"]])
    assert slack.answers("C1", ts) == []


async def test_a_file_is_researched_too(bot, slack):
    bot.knows(says("On Friday [1]."))
    ts = await slack.share("U2", "", "C1", {"plan.md": b"Falcon ships on Friday."})
    await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", ts)
    await slack.until(lambda: "Sources" in slack.answer("C1", ts), 20)
    assert bot.questions[0].run["evidence"][0].title == "plan.md"


async def test_where_the_bot_is_no_member_it_is_told_alone_how_to_invite_it(bot, slack):
    for kind in ("channel", "group"):
        place = slack.workspace.channel(f"C9{kind}", "elsewhere", "U1", "U2", kind=kind)
        place.members.remove(BOT)
        ts = await slack.say("U2", "When do we ship Falcon?", place.id)
        hook = await slack.shortcut("U1", RESEARCH_MESSAGE, place.id, ts)
        await slack.until(lambda hook=hook: hook.told == [NOT_HERE["en"]])
    assert bot.questions == []
    assert slack.calls("chat.postMessage") == []


async def test_it_is_a_question_like_any_other_to_the_limits(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"user_at_once": 1}) as bot:
        ts = await slack.say("U2", "When do we ship Falcon?", "C1")
        bot.knows(says("Never."), held=True)
        await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", ts)
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
        hook = await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", ts)
        await slack.until(lambda: hook.told == [TOO_MANY_OF_YOURS["en"]])


async def test_it_goes_on_after_a_restart(slack, tmp_path):
    ts = await slack.say("U2", "When do we ship Falcon?", "C1")
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Never."), held=True)
        await slack.shortcut("U1", RESEARCH_MESSAGE, "C1", ts)
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("On Friday."))
        await slack.until(lambda: said(slack, ts) == ["On Friday."])


class Full:
    """A store that takes up what is asked, and keeps no change of it."""

    def __init__(self, store):
        self.store = store

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def change(self, key, change, *, own=True):
        raise StoreError("The disk is full.")


async def test_that_the_bot_is_no_member_is_told_before_that_is_kept(slack, tmp_path):
    place = slack.workspace.channel("C9", "elsewhere", "U1", "U2")
    place.members.remove(BOT)
    async with running_bot(slack, tmp_path, through=Full):
        ts = await slack.say("U2", "When do we ship Falcon?", place.id)
        hook = await slack.shortcut("U1", RESEARCH_MESSAGE, place.id, ts)
        await slack.until(lambda: hook.told == [NOT_HERE["en"]])
