"""What the bot says when it is invited."""

import pytest

from bot.sentences import UNSOURCED
from bot.slack.messages.notices import GREETING
from bot.store import ChannelSettings
from tests.fakes.research import says
from tests.fakes.slack import BOT
from tests.fakes.slack_bot import running_bot

ENGLISH, FRENCH = (GREETING[language].format(mention=f"<@{BOT}>") for language in ("en", "fr"))


def posted(slack, channel):
    return [one["text"] for one in slack.workspace.messages.get(channel, {}).values() if one["user"] == BOT]


def greetings(slack, channel):
    return [text for text in posted(slack, channel) if text in (ENGLISH, FRENCH)]


async def is_settled(bot, slack):
    """Whatever came before has been dealt with, and no question begun for it."""
    bot.knows(says("Else."))
    other = await slack.mention("U1", "And something else, please?", "C1")
    await slack.until(lambda: UNSOURCED["en"] in slack.answer("C1", other))  # the last word, not a draft
    return len(bot.questions) == 1


def elsewhere(slack, **more):
    place = slack.workspace.channel("C9", "elsewhere", "U1", "U2", **more)
    place.members.remove(BOT)
    return place.id


async def test_it_says_how_to_ask_and_answers_nothing(bot, slack):
    channel = elsewhere(slack)
    await slack.invite(BOT, channel)
    await slack.until(lambda: greetings(slack, channel) == [ENGLISH])
    assert await is_settled(bot, slack)
    assert posted(slack, channel)[1:] == [ENGLISH]  # after Slack's own word of who came in


async def test_in_a_private_channel_too(bot, slack):
    channel = elsewhere(slack, kind="group")
    await slack.invite(BOT, channel)
    await slack.until(lambda: greetings(slack, channel) == [ENGLISH])


@pytest.mark.parametrize(
    ("locale", "settings", "greeting"), [("en-US", "fr", FRENCH), ("fr-FR", "", FRENCH), ("fr-FR", "en", ENGLISH)]
)
async def test_it_greets_in_the_language_of_the_channel_else_of_whoever_invites(bot, slack, locale, settings, greeting):
    channel = elsewhere(slack)
    slack.workspace.users["U2"].locale = locale
    await bot.store.set_settings(channel, ChannelSettings(language=settings))
    await slack.invite(BOT, channel, by="U2")
    await slack.until(lambda: greetings(slack, channel) == [greeting])


async def test_it_greets_once_a_channel_whatever_comes_again(slack, tmp_path):
    channel = elsewhere(slack)
    async with running_bot(slack, tmp_path) as bot:
        await slack.invite(BOT, channel)
        joined = next(one for one in slack.deliveries if one.event["type"] == "member_joined_channel")
        await slack.until(lambda: greetings(slack, channel))
        await slack.sockets.redeliver(joined)
        assert await is_settled(bot, slack)
    async with running_bot(slack, tmp_path) as bot:
        await slack.leave(BOT, channel)
        await slack.invite(BOT, channel)
        assert await is_settled(bot, slack)
    assert greetings(slack, channel) == [ENGLISH]


async def test_others_who_come_are_not_greeted(bot, slack):
    await slack.invite("UG", "C1")
    assert await is_settled(bot, slack)
    assert greetings(slack, "C1") == []


async def test_a_greeting_that_slack_does_not_take_disturbs_nothing(bot, slack):
    channel = elsewhere(slack)
    slack.refuse("chat.postMessage", "restricted_action")
    await slack.invite(BOT, channel)
    await slack.until(lambda: slack.calls("chat.postMessage"))
    assert await is_settled(bot, slack)
    assert greetings(slack, channel) == []


async def test_one_that_slack_did_not_take_comes_with_the_next_invitation(bot, slack):
    channel = elsewhere(slack)
    slack.refuse("chat.postMessage", "restricted_action")
    await slack.invite(BOT, channel)
    await slack.until(lambda: slack.calls("chat.postMessage"))
    await slack.leave(BOT, channel)
    await slack.invite(BOT, channel)
    await slack.until(lambda: greetings(slack, channel) == [ENGLISH])


@pytest.mark.parametrize("done", [False, True])
async def test_a_bot_that_is_killed_before_it_has_greeted_leaves_that_to_the_next(slack, tmp_path, done):
    channel = elsewhere(slack)
    async with running_bot(slack, tmp_path):
        slack.hold("chat.postMessage" if done else "conversations.history")
        await slack.invite(BOT, channel)
        await slack.until(lambda: slack.calls("chat.postMessage" if done else "conversations.history"))
        joined = next(one for one in slack.deliveries if one.event["type"] == "member_joined_channel")
        assert not joined.acknowledged
    slack.release("chat.postMessage" if done else "conversations.history")
    async with running_bot(slack, tmp_path) as bot:
        await slack.sockets.redeliver(joined)
        await slack.until(lambda: greetings(slack, channel) == [ENGLISH])
        assert await is_settled(bot, slack)
    assert greetings(slack, channel) == [ENGLISH]
