"""App Home: what somebody sees there, and who may change the settings of a channel."""

from datetime import UTC, datetime

import pytest

from bot.research import SearchFailed
from bot.slack.surfaces import home, home_sentences
from bot.store import ChannelSettings
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_workspace import texts

READ = datetime(2026, 11, 28, 12, 30, tzinfo=UTC)


class Index:
    """What is indexed: `files` for members, `mail` for Ada alone."""

    failure = None
    read = READ

    async def indexed(self, audience):
        if self.failure:
            raise self.failure
        (principals,) = audience
        there = {"workspace": {"files": self.read}, "user:U1": {"mail": self.read}}
        return {source: time for name in there if name in principals for source, time in there[name].items()}


@pytest.fixture
def index():
    return Index()


@pytest.fixture
async def bot(slack, tmp_path, index):
    slack.workspace.channels["C1"].creator = "U1"
    behaves = {"admins": frozenset({"U3"})}
    async with running_bot(slack, tmp_path, indexed=index.indexed, behaves=behaves) as bot:
        yield bot


def shown(view):
    return "\n".join(texts(view["blocks"]))


async def opened(slack, user):
    before = slack.api.views.home.get(user)
    await slack.open_home(user)
    await slack.until(lambda: slack.api.views.home.get(user) not in (None, before))
    return shown(slack.api.views.home[user])


async def modal(slack, user, channel):
    if user not in slack.api.views.home:
        await opened(slack, user)
    await slack.click_in_view(user, home.PICK, channel, home=True)
    await slack.until(lambda: slack.api.views.modals.get(user) and home_sentences.WAIT["en"] not in top(slack, user))
    return top(slack, user)


async def saved(slack, user, **entered):
    await slack.submit(user, **entered)
    await slack.until(lambda: slack.api.views.modals[user] == [])


def top(slack, user):
    return shown(slack.api.views.modal(user))


@pytest.mark.parametrize(("user", "sources"), [("U1", {"files", "mail"}), ("U2", {"files"}), ("UG", set())])
async def test_it_shows_the_sources_that_its_reader_may_read_and_how_fresh_they_are(bot, slack, user, sources):
    text = await opened(slack, user)
    assert {source for source in ("files", "mail") if f"*{source}*" in text} == sources
    assert (home_sentences.NO_SOURCES["en"] in text) is not sources or sources
    assert not sources or "2026-11-28" in text


async def test_the_time_is_that_of_its_readers_zone(bot, slack):
    assert "2026-11-28 07:30" in await opened(slack, "U1")


@pytest.mark.parametrize(
    ("locale", "told", "old"),
    [("en-US", "*files*: indexed ", "(today)"), ("fr-FR", "*files* : indexé le ", "(aujourd'hui)")],
)
async def test_how_long_ago_that_is_is_said_in_words(bot, slack, index, locale, told, old):
    index.read = datetime.now(UTC)
    slack.workspace.users["U2"].locale = locale
    text = await opened(slack, "U2")
    assert told in text
    assert old in text


async def test_it_is_in_the_language_of_its_reader(bot, slack):
    slack.workspace.users["U2"].locale = "fr-FR"
    assert home_sentences.QUESTIONS["fr"] in await opened(slack, "U2")
    assert home_sentences.QUESTIONS["en"] in await opened(slack, "U1")


async def test_so_is_what_is_shown_while_a_channel_is_looked_up(bot, slack):
    slack.workspace.users["U2"].locale = "fr-FR"
    await opened(slack, "U2")
    await slack.click_in_view("U2", home.PICK, "C1", home=True)
    await slack.until(lambda: slack.calls("views.update"))
    assert home_sentences.WAIT["fr"] in str(slack.calls("views.open")[-1])


async def test_an_index_that_cannot_be_read_leaves_the_rest(bot, slack, index):
    index.failure = SearchFailed("the index could not be read")
    text = await opened(slack, "U1")
    assert home_sentences.INDEX_UNREADABLE["en"] in text
    assert home_sentences.HOW_TO_ASK["en"] in text


async def test_it_lists_the_readers_own_questions_with_links_to_their_threads(bot, slack):
    assert home_sentences.NO_QUESTIONS["en"] in await opened(slack, "U1")
    bot.knows(says("Hello."))
    mine = await slack.mention("U1", "How much leave &amp; pay? <!here>", "C1")
    await slack.until(lambda: "Hello." in slack.answer("C1", mine))
    bot.knows(says("Hello."), held=True)
    theirs = await slack.mention("U2", "Who is the boss?", "C4")
    await slack.until(lambda: len(bot.questions) == 2)
    text = await opened(slack, "U1")
    assert f"<{slack.permalink('C1', mine)}|How much leave &amp; pay?" in text
    assert "<!here>" not in text
    assert "boss" not in text
    text = await opened(slack, "U2")
    assert f"<{slack.permalink('C4', theirs)}|Who is the boss?> ({home_sentences.AT_WORK['en']})" in text
    assert "leave" not in text


async def test_who_asked_for_help_or_for_quiet_has_asked_no_question(bot, slack):
    for word in ("help", "Quiet"):
        ts = await slack.mention("U1", word, "C1")
        await slack.until(lambda ts=ts: slack.answers("C1", ts))
    assert home_sentences.NO_QUESTIONS["en"] in await opened(slack, "U1")


async def test_the_messages_tab_is_no_home(bot, slack):
    await slack.open_home("U1", tab="messages")
    await opened(slack, "U2")
    assert "U1" not in slack.api.views.home


async def test_a_home_that_slack_does_not_take_disturbs_nothing(bot, slack):
    slack.refuse("views.publish", "internal_error", times=1)
    await slack.open_home("U1")
    await slack.until(lambda: slack.calls("views.publish"))
    await opened(slack, "U1")


@pytest.mark.parametrize("who", ["creator", "admin", "owner", "of the deployment"])
async def test_these_may_change_the_settings_of_a_channel(bot, slack, who):
    user = {"creator": "U1", "admin": "U2", "owner": "U2", "of the deployment": "U3"}[who]
    slack.workspace.users["U2"].admin = who == "admin"
    slack.workspace.users["U2"].owner = who == "owner"
    await modal(slack, user, "C1")
    entered = {
        home.SOURCES: ["files"],
        home.UNMENTIONED: "unmentioned",
        home.WEB: "off",
        home.LANGUAGE: "fr",
        home.TONE: " short  and\tfriendly ",
    }
    await saved(slack, user, **entered)
    assert await bot.store.settings("C1") == ChannelSettings(
        sources=("files",), unmentioned=True, web="off", language="fr", tone="short and friendly"
    )


async def test_the_form_shows_what_is_set_and_keeps_what_is_not_touched(bot, slack):
    settings = ChannelSettings(sources=("gone", "files"), unmentioned=True, web="on", language="de", tone="dry")
    await bot.store.set_settings("C1", settings)
    await modal(slack, "U1", "C1")
    await saved(slack, "U1")
    assert await bot.store.settings("C1") == settings


async def test_without_settings_the_form_is_that_of_a_channel_like_any_other(bot, slack):
    await modal(slack, "U1", "C1")
    await saved(slack, "U1")
    assert await bot.store.settings("C1") == ChannelSettings()


async def test_others_see_them_and_have_no_form(bot, slack):
    await bot.store.set_settings("C1", ChannelSettings(sources=("files",), tone="dry & short"))
    text = await modal(slack, "U2", "C1")
    assert home_sentences.READ_ONLY["en"] in text
    assert "dry &amp; short" in text
    assert slack.api.views.modal("U2")["submit"] is None


@pytest.mark.parametrize(("user", "channel"), [("U3", "C4"), ("UG", "C1"), ("U2", "C7")])
async def test_of_a_channel_that_somebody_may_not_see_they_see_nothing(bot, slack, user, channel):
    await bot.store.set_settings(channel, ChannelSettings(tone="secretly"))
    text = await modal(slack, user, channel)
    assert text == home_sentences.NOT_YOURS["en"]


async def test_who_may_no_more_when_the_form_is_sent_changes_nothing(bot, slack):
    await modal(slack, "U1", "C1")
    slack.workspace.channels["C1"].creator = "U2"
    await slack.submit("U1", **{home.TONE: "mine"})
    await slack.until(lambda: top(slack, "U1") == home_sentences.NOT_YOURS["en"])
    assert await bot.store.settings("C1") == ChannelSettings()


async def test_a_channel_that_was_picked_is_opened_again_by_the_button(bot, slack):
    await opened(slack, "U1")
    picked = {home.PICK: {home.PICK: {"type": "conversations_select", "selected_conversation": "C1"}}}
    slack.api.views.home["U1"]["state"] = {"values": picked}
    await slack.click_in_view("U1", home.OPEN, home=True)
    await slack.until(lambda: slack.api.views.modals.get("U1") and "<#C1>" in top(slack, "U1"))


async def test_where_the_bot_has_no_web_the_form_says_so(slack, tmp_path):
    async with running_bot(slack, tmp_path, web_setting="off"):
        assert home_sentences.NO_WEB["en"] in await modal(slack, "U1", "C1")
