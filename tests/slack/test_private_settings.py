"""A private answer to a question of a channel: what it has of the channel's settings."""

from bot.sentences import UNSOURCED, WEB_OFF
from bot.slack.messages.blocks import PRIVATE
from bot.store import ChannelSettings
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot


async def privately(bot, slack, text="What is my pay?", **settings):
    """The answer that Ada gets directly, once it is there."""
    await bot.store.set_settings("C1", ChannelSettings(**settings))
    bot.knows(says("Bonjour."))
    await slack.mention("U1", f"Answer me privately: {text}", "C1")
    place = slack.workspace.direct("U1").id
    await slack.until(lambda: len(slack.workspace.messages.get(place, {})) == 2)
    root = next(iter(slack.workspace.messages[place]))
    await slack.until(lambda: "_" in slack.answer(place, root))  # a note, which the last word has
    return slack.answer(place, root)


async def test_it_is_in_the_channels_language_and_tone(bot, slack):
    answer = await privately(bot, slack, language="fr", tone="dry and short")
    assert UNSOURCED["fr"] in answer
    hints = "\n".join(bot.questions[0].run["hints"])
    assert "Answer in French" in hints
    assert "“dry and short”" in hints


async def test_it_is_searched_in_all_sources_that_the_asker_may_read(bot, slack):
    await privately(bot, slack, sources=("wiki",))
    assert bot.questions[0].options["sources"] == ()


async def test_the_web_that_is_off_in_the_channel_is_off_for_it(bot, slack):
    answer = await privately(bot, slack, "web: How much leave is usual?", web="off")
    assert WEB_OFF["en"] in answer


async def test_the_web_that_is_on_in_the_channel_is_on_for_it(bot, slack):
    await privately(bot, slack, web="on")
    assert bot.questions[0].options["asked"].way == "both"


async def test_what_the_process_says_of_the_web_in_the_channel_holds_for_it(slack, tmp_path):
    async with running_bot(slack, tmp_path, web_channels=frozenset({"C1"})) as bot:
        await privately(bot, slack)
        assert bot.questions[0].options["asked"].way == "both"


async def test_asked_for_by_the_button_it_has_them_too(bot, slack):
    await bot.store.set_settings("C1", ChannelSettings(language="fr", sources=("wiki",)))
    bot.knows(says("Bonjour."))
    ts = await slack.mention("U1", "What is my pay?", "C1")
    await slack.until(lambda: UNSOURCED["fr"] in slack.answer("C1", ts))
    bot.knows(says("Bonjour."))
    await slack.click("U1", "C1", slack.thread("C1", ts)[-1].ts, PRIVATE)
    await slack.until(lambda: len(bot.questions) == 2 and bot.questions[1].result)
    assert "Answer in French" in "\n".join(bot.questions[1].run["hints"])
    assert [asked.options["sources"] for asked in bot.questions] == [("wiki",), ()]


async def test_a_question_of_their_own_in_direct_messages_has_nothing_of_a_channel(bot, slack):
    await bot.store.set_settings("C1", ChannelSettings(language="fr"))
    bot.knows(says("Hello."))
    ts = await slack.dm("U1", "What is my pay?")
    place = slack.workspace.direct("U1").id
    await slack.until(lambda: UNSOURCED["en"] in slack.answer(place, ts))
