"""The command `/research`, in channels where the bot is a member and where it is not."""

import pytest

from bot.research import SearchCall
from bot.sentences import IN_DIRECT_MESSAGES, INVITE, RESEARCH_USAGE, THINKING, WEB_OFF
from bot.slack.messages.links import words
from bot.slack.questions.readers_sentences import WITHHELD
from bot.store import StoreError
from bot.store.sqlite import open_store
from tests.fakes.research import says, searches
from tests.fakes.search import hit
from tests.fakes.slack_bot import running_bot
from tests.fakes.web_engines import PAGES, FakeReader, engines_on_loopback

SITE = "https://docs.falcon.example/manual"
QUESTION = "Is Falcon 2 out?"
ANSWER = "Falcon 2 is out [1]."
WENT_TO = "The question went to Tavily."


@pytest.fixture
async def engine():
    reader = FakeReader({SITE: "The manual says: fly it by day."})
    async with engines_on_loopback("tavily", reader=reader) as (web, (service,)):
        service.web = web
        yield service


@pytest.fixture
async def bot(slack, tmp_path, engine):
    async with running_bot(slack, tmp_path, web=engine.web) as bot:
        yield bot


@pytest.fixture
def elsewhere(slack):
    """A private channel without the bot."""
    slack.workspace.channel("C8", "closed", "U1", "U2", kind="group").members.remove("UBOT")
    return "C8"


def begun(slack, channel):
    """The newest message that stands in the channel itself."""
    tops = [one for one in slack.workspace.messages.get(channel, {}).values() if "thread_ts" not in one]
    return tops[-1] if tops else None


async def asked(slack, channel, text=QUESTION, user="U1"):
    """The thread that the command begins."""
    command = await slack.command(user, text, channel)
    await slack.until(lambda: command.delivery.acknowledged and begun(slack, channel))
    return command, begun(slack, channel)["ts"]


async def test_the_question_stands_in_the_channel_and_its_thread_has_the_answer_from_the_web(bot, slack, engine):
    bot.knows(says(ANSWER))
    command, ts = await asked(slack, "C1")
    await slack.until(lambda: WENT_TO in slack.answer("C1", ts))
    assert begun(slack, "C1")["text"] == f"Ada Lovelace asks the web: {QUESTION}"
    assert f"<{PAGES[0].url}|[1]>" in slack.answer("C1", ts)
    assert engine.asked[0].body["query"] == QUESTION
    assert command.told == []


async def test_it_is_acknowledged_before_anything_is_searched(bot, slack, engine):
    slack.hold("chat.postMessage")
    bot.knows(says(ANSWER))
    command = await slack.command("U1", QUESTION, "C1")
    await slack.until(lambda: command.delivery.acknowledged)
    assert engine.asked == []
    slack.release("chat.postMessage")


async def test_what_is_done_is_shown_live_in_the_thread(bot, slack):
    gate = bot.knows(says(ANSWER), held=True)
    _, ts = await asked(slack, "C1")
    await slack.until(lambda: "3 found · Tavily" in slack.answer("C1", ts))
    gate.set()
    await slack.until(lambda: WENT_TO in slack.answer("C1", ts))


async def test_follow_ups_go_on_in_its_thread_without_a_mention_and_with_the_web(bot, slack):
    bot.knows(says(ANSWER))
    _, ts = await asked(slack, "C1")
    await slack.until(lambda: WENT_TO in slack.answer("C1", ts))
    bot.knows(says(f"Here: {PAGES[0].url}"))
    await slack.say("U1", "give me the links of those sites", "C1", ts)
    await slack.until(lambda: slack.answer("C1", ts).startswith("Here: "))
    assert PAGES[0].url in bot.questions[1].run["hints"][-1]
    assert "web_search" in [tool["function"]["name"] for tool in bot.questions[1].engine.calls[0]["tools"]]


async def test_a_link_in_it_is_read(bot, slack, engine):
    bot.knows(says("By day [1]."))
    _, ts = await asked(slack, "C1", f"When do I fly it, says {SITE}?")
    await slack.until(lambda: "by Footnote; nothing was searched" in slack.answer("C1", ts))
    assert engine.asked == []


async def test_in_a_direct_message_it_is_answered_there(bot, slack):
    bot.knows(says(ANSWER))
    place = slack.workspace.direct("U1").id
    _, ts = await asked(slack, place)
    await slack.until(lambda: WENT_TO in slack.answer(place, ts))


@pytest.mark.parametrize(
    ("text", "locale", "language"),
    [("", "en-US", "en"), ("  ", "fr-FR", "fr"), ("help", "en-US", "en"), ("aide", "en-US", "fr")],
)
async def test_without_a_question_it_says_how_it_is_used(bot, slack, text, locale, language):
    slack.workspace.users["U1"].locale = locale
    command = await slack.command("U1", text, "C1")
    await slack.until(lambda: command.delivery.acknowledged)
    assert command.delivery.response == {"text": words(RESEARCH_USAGE[language].format(command="/research"))}
    assert (bot.questions, begun(slack, "C1")) == ([], None)


async def test_where_the_bot_is_no_member_the_asker_alone_is_answered_with_how_to_invite_it(bot, slack, elsewhere):
    gate = bot.knows(says(ANSWER), held=True)
    command = await slack.command("U1", QUESTION, elsewhere)
    await slack.until(lambda: any("3 found · Tavily" in text for text in command.told))
    gate.set()
    await slack.until(lambda: INVITE["en"] in command.told[-1])
    assert sum("3 found" in text for text in command.told) == 1
    assert not any("replace_original" in body for body in command.bodies)
    assert f"<{PAGES[0].url}|[1]>" in command.told[-1]
    assert WENT_TO in command.told[-1]
    assert begun(slack, elsewhere) is None


async def test_there_it_takes_no_more_than_three_updates_and_five_messages(bot, slack, elsewhere):
    gate = bot.knows(says("\n\n".join(f"{number}. " + "word " * 500 for number in range(9))), held=True)
    command = await slack.command("U1", QUESTION, elsewhere)
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
    for number in range(9):
        bot.questions[0].options["on_event"](SearchCall({"query": f"falcon {number}"}, web=True))
        told = len(command.told)
        await slack.until(lambda told=told: len(command.told) in (told + 1, 3))
    gate.set()
    await slack.until(lambda: command.told and INVITE["en"] in command.told[-1])
    assert (len(command.told), command.refused) == (5, 0)
    assert command.told[0] in (f"_{THINKING['en']}_", f"_Searching the web for “{QUESTION}”…_")
    assert "8. word" in command.told[-1]


async def test_a_restart_goes_on_counting_them(slack, tmp_path, engine, elsewhere):
    async with running_bot(slack, tmp_path, web=engine.web) as bot:
        bot.knows(says("Never."), held=True)
        command = await slack.command("U1", QUESTION, elsewhere)
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
        for number in range(9):
            bot.questions[0].options["on_event"](SearchCall({"query": f"falcon {number}"}, web=True))
            told = len(command.told)
            await slack.until(lambda told=told: len(command.told) in (told + 1, 3))
    async with running_bot(slack, tmp_path, web=engine.web) as bot:
        bot.knows(says("\n\n".join(f"{number}. " + "word " * 500 for number in range(9))))
        await slack.until(lambda: INVITE["en"] in command.told[-1])
    assert (len(command.told), command.refused) == (5, 0)


async def test_an_address_that_is_used_up_is_used_no_more(slack, tmp_path, engine, elsewhere):
    """What was said last before a restart may have arrived or not; there it cannot be said again."""
    async with running_bot(slack, tmp_path, web=engine.web) as bot:
        bot.knows(says("Never."), held=True)
        command = await slack.command("U1", QUESTION, elsewhere)
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and command.told)
        [run] = await bot.store.runs_of("U1")
    told = list(command.told)
    async with open_store(tmp_path / "state.sqlite") as store:
        await store.change(run.key, lambda kept: kept.model_copy(update={"responses": 5}), own=False)
    async with running_bot(slack, tmp_path, web=engine.web) as bot:
        bot.knows(says(ANSWER))
        place = slack.workspace.direct("U1").id
        await slack.until(lambda: begun(slack, place) and WENT_TO in begun(slack, place)["text"])
    assert (command.told, command.refused) == (told, 0)


class Uncounted:
    """A store that cannot keep how often an address was used."""

    def __init__(self, store):
        self.store = store

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def change(self, key, change):
        def unless_counted(run):
            changed = change(run)
            if changed.responses != run.responses:
                raise StoreError("The state cannot be kept.")
            return changed

        return await self.store.change(key, unless_counted)


async def test_where_it_cannot_be_kept_how_often_it_was_used_the_answer_comes_all_the_same(
    slack, tmp_path, engine, elsewhere
):
    async with running_bot(slack, tmp_path, web=engine.web, through=Uncounted) as bot:
        bot.knows(says(ANSWER))
        command = await slack.command("U1", QUESTION, elsewhere)
        await slack.until(lambda: command.told and INVITE["en"] in command.told[-1])


async def test_when_the_address_of_the_command_is_no_longer_good_the_answer_comes_directly(bot, slack, elsewhere):
    gate = bot.knows(says(ANSWER), held=True)
    command = await slack.command("U1", QUESTION, elsewhere)
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
    command.expired = True
    gate.set()
    place = slack.workspace.direct("U1").id
    await slack.until(lambda: begun(slack, place) and WENT_TO in begun(slack, place)["text"])


@pytest.mark.parametrize("readable_by", ["workspace", "channel:C8"])
async def test_then_of_what_is_in_documents_the_asker_is_told_what_they_surely_may_read(
    slack, tmp_path, engine, elsewhere, readable_by
):
    found = hit(1, title="Falcon", url="https://wiki.test/falcon")
    access = {found.chunk_id: frozenset({readable_by})}
    async with running_bot(slack, tmp_path, web=engine.web, web_setting="off", access=access) as bot:
        gate = bot.knows(searches("falcon"), says("It flies on Monday [1]."), finds=[[found]], held=True)
        command = await slack.command("U1", QUESTION, elsewhere)
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
        command.expired = True
        gate.set()
        place = slack.workspace.direct("U1").id
        await slack.until(lambda: begun(slack, place))
        [run] = await bot.store.runs_of("U1")
        assert run.made_of == (found.chunk_id,)
        alone = begun(slack, place)["text"]
        assert alone.startswith("It flies") is (readable_by == "workspace")
        assert (alone == WITHHELD["en"].format(channel=f"<#{elsewhere}>")) is (readable_by != "workspace")
    assert not any("It flies" in text for text in command.told)


async def test_a_public_channel_without_the_bot_is_such_a_place(bot, slack):
    slack.workspace.channel("C7", "open", "U1").members.remove("UBOT")
    bot.knows(says(ANSWER))
    command = await slack.command("U1", QUESTION, "C7")
    await slack.until(lambda: command.told and INVITE["en"] in command.told[-1])


async def test_by_setting_it_is_answered_in_the_direct_messages_of_the_asker(slack, tmp_path, engine):
    async with running_bot(slack, tmp_path, web=engine.web, research_in="dm") as bot:
        bot.knows(says(ANSWER))
        command = await slack.command("U1", QUESTION, "C1")
        await slack.until(lambda: command.delivery.acknowledged)
        place = slack.workspace.direct("U1").id
        await slack.until(lambda: begun(slack, place) and WENT_TO in slack.answer(place, begun(slack, place)["ts"]))
        assert command.delivery.response == {"text": IN_DIRECT_MESSAGES["en"]}
        assert begun(slack, "C1") is None


async def test_where_the_web_is_off_the_documents_are_asked_and_it_is_said(slack, tmp_path, engine):
    async with running_bot(slack, tmp_path, web=engine.web, web_setting="off") as bot:
        bot.knows(says("I do not know."))
        _, ts = await asked(slack, "C1")
        await slack.until(lambda: WEB_OFF["en"] in slack.answer("C1", ts))
        assert engine.asked == []


async def test_nobody_is_pinged_by_the_question(bot, slack):
    bot.knows(says(ANSWER))
    _, ts = await asked(slack, "C1", "What did <@U2|grace> and @channel write? &lt;!here&gt;")
    (root, *_) = slack.thread("C1", ts)
    assert root.pings == ()
    assert "Grace Hopper" in root.text


async def test_a_command_that_comes_again_is_answered_once(bot, slack):
    bot.knows(says(ANSWER))
    command, ts = await asked(slack, "C1")
    await slack.until(lambda: WENT_TO in slack.answer("C1", ts))
    again = await slack.sockets.redeliver(command.delivery)
    await slack.until(lambda: again.acknowledged)
    bot.knows(says("Canary."))
    canary = await slack.mention("U1", "Are you there?", "C1")
    await slack.until(lambda: "Canary." in slack.answer("C1", canary))
    assert len(bot.questions) == 2
