"""One message, one answer or none, however often and in whatever form Slack tells of it."""

import pytest

from bot.sentences import UNSOURCED
from bot.store import StoreError
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_workspace import BOT, BOT_ID


async def settled(slack):
    """What Slack has told so far is dealt with: what was asked after it, one by one, is answered.  Gives how many
    messages the bot has posted beside those answers."""
    for _ in range(3):
        ts = await slack.dm("U3", "help")
        await slack.until(lambda ts=ts: slack.answers("DU3", ts))
    return sum(made.call["channel"] != "DU3" for made in slack.calls("chat.postMessage"))


@pytest.mark.parametrize(
    "pair", [("app_mention", "message"), ("message", "app_mention"), ("app_mention",), ("message",)]
)
async def test_a_mention_is_told_by_two_events_in_any_order_and_answered_once(bot, slack, pair):
    slack.pair = pair
    bot.knows(says("Once."))
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.until(lambda: slack.answer("C1", ts).startswith("Once."))
    assert await settled(slack) == len(bot.questions) == 1


async def test_a_second_delivery_is_ignored_while_the_first_is_worked_on_and_after(bot, slack):
    gate = bot.knows(says("Once."), held=True)
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    first = slack.sockets.deliveries[0]
    await slack.until(lambda: bot.questions)
    again = await slack.sockets.redeliver(first)
    await slack.until(lambda: again.acknowledged)
    gate.set()
    await slack.until(lambda: slack.answer("C1", ts).startswith("Once."))
    for _ in range(2):
        again = await slack.sockets.redeliver(again, "http_timeout")
    await slack.until(lambda: again.acknowledged)
    assert await settled(slack) == len(bot.questions) == 1


async def test_every_event_is_acknowledged_while_its_answer_is_worked_on(bot, slack):
    bot.knows(says("Once."), held=True)
    await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.until(lambda: bot.questions and all(delivery.acknowledged for delivery in slack.sockets.deliveries))


async def test_what_comes_only_as_a_retry_is_answered(slack, tmp_path):
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Late."))
        await slack.until(lambda: slack.answers("C1", ts))
        assert slack.sockets.deliveries[0].envelope["retry_attempt"] == 1


async def test_what_was_answered_before_a_restart_is_not_answered_after_it(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Once."))
        ts = await slack.mention("U1", "Hello, how are you?", "C1")
        await slack.until(lambda: UNSOURCED["en"] in slack.answer("C1", ts))
    async with running_bot(slack, tmp_path):
        again = await slack.sockets.redeliver(slack.sockets.deliveries[0])
        await slack.until(lambda: again.acknowledged)
        assert await settled(slack) == 1


async def test_of_two_bots_on_one_store_one_answers(slack, tmp_path):
    async with running_bot(slack, tmp_path) as one, running_bot(slack, tmp_path) as other:
        for bot in (one, other):
            for _ in range(10):
                bot.knows(says("Once."))
        asked = [await slack.mention("U1", f"Hello, how are you, number {n}?", "C1") for n in range(10)]
        await slack.until(lambda: all(slack.answer("C1", ts).startswith("Once.") for ts in asked))
        assert await settled(slack) == len(one.questions) + len(other.questions) == 10


async def test_an_edited_mention_is_not_answered_again(bot, slack):
    bot.knows(says("Once."))
    ts = await slack.mention("U1", "Helo, how are you?", "C1")
    await slack.until(lambda: slack.answer("C1", ts).startswith("Once."))
    while (await bot.store.run(f"C1:{ts}")).status != "done":  # Until then it would be answered anew.
        pass
    await slack.edit("C1", ts, f"<@{BOT}> Hello, how are you?")
    assert await settled(slack) == len(bot.questions) == 1


async def test_a_mention_that_an_edit_adds_is_answered(bot, slack):
    bot.knows(says("Once."))
    ts = await slack.say("U1", "Hello, how are you?", "C1")
    await slack.edit("C1", ts, f"<@{BOT}> Hello, how are you?")
    await slack.until(lambda: slack.answer("C1", ts).startswith("Once."))


async def test_an_edit_of_what_was_written_days_ago_is_left_alone(bot, slack):
    old = {"type": "app_mention", "user": "U1", "text": f"<@{BOT}> hello", "channel": "C1", "ts": "1700000000.000001"}
    await slack.event({**old, "edited": {"user": "U1", "ts": "1.0"}, "event_ts": "1.0"})
    assert await settled(slack) == 0


async def test_the_bots_own_posts_and_edits_start_nothing(bot, slack):
    slack.echoes = True
    bot.knows(says(f"Once, <@{BOT}>."))
    ts = await slack.dm("U1", "Hello, how are you?")
    await slack.until(lambda: slack.answer("DU1", ts).startswith("Once"))
    assert await settled(slack) == 0  # It was streamed.
    assert len(bot.questions) == 1
    kinds = [delivery.event.get("subtype") for delivery in slack.sockets.deliveries]
    assert "message_changed" in kinds
    await slack.until(lambda: all(delivery.acknowledged for delivery in slack.sockets.deliveries))


@pytest.mark.parametrize(
    "author",
    [
        pytest.param({"user": BOT, "bot_id": BOT_ID}, id="the bot itself"),
        pytest.param({"user": BOT}, id="the bot itself, without its id as a bot"),
        pytest.param({"user": "U8", "bot_id": "B8"}, id="another bot"),
        pytest.param({"bot_id": "B8", "subtype": "bot_message"}, id="an integration"),
        pytest.param({"user": "USLACKBOT"}, id="Slackbot"),
        pytest.param({}, id="nobody"),
    ],
)
async def test_only_people_are_answered(bot, slack, author):
    message = {"text": f"<@{BOT}> hello", "channel": "C1", "ts": "2000000000.000001", "event_ts": "1.0", **author}
    await slack.event({**message, "type": "app_mention"})
    await slack.event({**message, "type": "message", "channel_type": "channel"})
    await slack.event({**message, "type": "message", "channel_type": "im", "channel": "D1"})
    assert await settled(slack) == 0
    await slack.until(lambda: all(delivery.acknowledged for delivery in slack.sockets.deliveries))


@pytest.mark.parametrize(
    "event",
    [
        {"type": "message", "subtype": "channel_join", "user": "U1", "text": f"<@U1> has joined <@{BOT}>", "ts": "1.1"},
        {"type": "message", "subtype": "message_deleted", "deleted_ts": "1.0", "hidden": True, "ts": "1.1"},
        {"type": "message", "subtype": "some_new_subtype", "user": "U1", "text": f"<@{BOT}> x", "ts": "1.1"},
        {"type": "message", "subtype": "message_replied", "message": {"ts": "1.0"}, "ts": "1.1"},
        {"type": "agent_session_stopped", "thread_ts": "1.0", "user": "U1"},
        {"type": "app_home_opened", "user": "U1", "tab": "messages"},
        {"type": "some_new_event", "whatever": [{}]},
    ],
    ids=lambda event: event.get("subtype") or event["type"],
)
async def test_what_the_bot_does_not_know_is_acknowledged_and_starts_nothing(bot, slack, event):
    delivery = await slack.event({"channel": "C1", "channel_type": "channel", **event})
    await slack.until(lambda: delivery.acknowledged)
    assert await settled(slack) == 0


async def test_a_message_that_nobody_asked_the_bot_is_left_alone(bot, slack):
    ts = await slack.say("U1", "Hello everybody", "C1")
    await slack.say("U2", "Hello you", "C1", ts)
    assert await settled(slack) == 0


async def test_a_question_that_is_deleted_while_it_is_worked_on_breaks_nothing(bot, slack):
    gate = bot.knows(says("Gone."), held=True)
    bot.knows(says("Here."))
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.until(lambda: bot.questions)
    await slack.delete("C1", ts)
    gate.set()
    other = await slack.mention("U1", "Are you still there?", "C1")
    await slack.until(lambda: slack.answer("C1", other).startswith("Here."))


async def test_a_socket_that_is_refreshed_loses_nothing(bot, slack):
    bot.knows(says("Hello."))
    await slack.sockets.disconnect("refresh_requested")
    await slack.until(lambda: (slack.sockets.connections, slack.sockets.connected) == (2, 1))
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))


class Flaky:
    """A store that cannot claim, until it is mended."""

    def __init__(self, store):
        self.store = store
        self.failures = 0
        self.mended = False

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def begin(self, run):
        if self.mended:
            return await self.store.begin(run)
        self.failures += 1
        raise StoreError("database or disk is full")


async def test_what_cannot_be_claimed_is_not_acknowledged_so_that_it_comes_again(slack, tmp_path):
    async with running_bot(slack, tmp_path, through=Flaky) as bot:
        bot.knows(says("Hello."))
        ts = await slack.mention("U1", "Hello, how are you?", "C1")
        known = await slack.event({"type": "team_rename", "name": "x"})
        await slack.until(lambda: known.acknowledged and bot.store.failures == 2)
        assert not any(lost.acknowledged for lost in slack.sockets.deliveries[:2])
        bot.store.mended = True
        await slack.sockets.redeliver(slack.sockets.deliveries[0])
        await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))
