"""An answer is stopped by those who may stop it, wherever it is worked on, within a second."""

import asyncio
import json

import pytest

from bot.research import SearchCall
from bot.sentences import ASKED_BACK, BUSY_THREAD, STOPPED
from bot.slack.messages.blocks import STOP
from bot.slack.messages.notices import MAY_NOT_STOP
from bot.slack.transport.manifest import manifest
from bot.store import StoreError
from bot.store.sqlite import open_store
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack import serve_slack
from tests.fakes.slack_bot import running_bot

FOUND = [hit(1, title="Falcon", url="https://wiki.test/falcon")]
ASKS = calls(("clarify", {"question": "Which Falcon?"}))


def stopped_by(name):
    return STOPPED["en"].format(name=name)


@pytest.fixture
async def asked(bot, slack):
    """The ts of a question of Ada's at which the model is at work."""
    bot.knows(says("Never."), held=True)
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
    return ts


def live(slack, ts, channel="C1"):
    """The ts of the bot's message."""
    return slack.thread(channel, ts)[1].ts


async def is_at(bot, ts, status):
    async with asyncio.timeout(3):
        while (await bot.store.run(f"C1:{ts}")).status != status:
            pass


async def is_answered(bot, slack):
    bot.knows(says("Else."))
    other = await slack.mention("U3", "And something else, please?", "C1")
    await slack.until(lambda: slack.answer("C1", other).startswith("Else."))


async def test_the_button_stops_the_model_and_says_who_stopped_it(bot, slack, asked):
    began = asyncio.get_running_loop().time()
    hook = await slack.click("U1", "C1", live(slack, asked), STOP)
    await slack.until(lambda: slack.answers("C1", asked) == [stopped_by("Ada Lovelace")])
    assert asyncio.get_running_loop().time() - began < 1
    await slack.until(lambda: hook.delivery.acknowledged)
    assert bot.questions[0].result is None
    await is_at(bot, asked, "stopped")
    assert await bot.store.turns("C1", asked) == []


async def test_the_button_goes_with_it(bot, slack, asked):
    await slack.click("U1", "C1", live(slack, asked), STOP)
    await slack.until(lambda: slack.answers("C1", asked) == [stopped_by("Ada Lovelace")])
    assert STOP not in json.dumps(slack.thread("C1", asked)[1].blocks)


async def test_a_search_is_stopped_too(bot, slack, asked):
    bot.questions[0].engine.gate.set()
    await slack.until(lambda: slack.answer("C1", asked).startswith("Never."))
    bot.knows(searches("falcon"), says("Never."), finds=[asyncio.Event()])
    ts = await slack.mention("U1", "Where is Falcon, please?", "C1")
    await slack.until(lambda: len(bot.questions) == 2 and bot.questions[1].search.calls and slack.answers("C1", ts))
    await slack.react("U1", "C1", ts, "octagonal_sign")
    await slack.until(lambda: slack.answers("C1", ts) == [stopped_by("Ada Lovelace")])


@pytest.mark.parametrize("name", ["octagonal_sign", "stop_sign", "no_entry"])
@pytest.mark.parametrize("on", ["question", "answer"])
async def test_a_reaction_on_the_question_or_on_the_answer_stops_it(bot, slack, asked, name, on):
    await slack.react("U1", "C1", asked if on == "question" else live(slack, asked), name)
    await slack.until(lambda: slack.answers("C1", asked) == [stopped_by("Ada Lovelace")])


async def test_a_reaction_that_a_killed_bot_could_not_look_up_stops_it_all_the_same(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Never."), held=True)
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
        slack.hold("conversations.replies")
        await slack.react("U1", "C1", live(slack, ts), "octagonal_sign")
        reacted = slack.sockets.deliveries[-1]
        await slack.until(lambda: len(slack.calls("conversations.replies")) > 0)
        assert not reacted.acknowledged
    slack.release("conversations.replies")
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Never."), held=True)
        again = await slack.sockets.redeliver(reacted)
        await slack.until(lambda: slack.answers("C1", ts) == [stopped_by("Ada Lovelace")])
        await slack.until(lambda: again.acknowledged)


async def test_who_has_asked_in_the_thread_may_stop_what_others_ask_there(bot, slack, asked):
    await slack.mention("U2", "And when, please?", "C1", asked)
    await slack.until(lambda: slack.answer("C1", asked) == f"_{BUSY_THREAD['en']}_")
    await slack.react("U2", "C1", asked, "octagonal_sign")
    await slack.until(lambda: slack.answers("C1", asked)[0] == stopped_by("Grace Hopper"))


@pytest.mark.parametrize("role", ["admin", "owner"])
async def test_an_admin_or_owner_of_the_workspace_may_stop_it(bot, slack, role):
    setattr(slack.workspace.users["U2"], role, True)
    bot.knows(says("Never."), held=True)
    ts = await slack.mention("U1", "Where is it, please?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
    await slack.click("U2", "C1", live(slack, ts), STOP)
    await slack.until(lambda: slack.answers("C1", ts) == [stopped_by("Grace Hopper")])


async def test_who_is_named_in_the_settings_may_stop_it(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"admins": frozenset({"U2"})}) as bot:
        bot.knows(says("Never."), held=True)
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
        await slack.react("U2", "C1", ts, "octagonal_sign")
        await slack.until(lambda: slack.answers("C1", ts) == [stopped_by("Grace Hopper")])


@pytest.mark.parametrize("way", ["click", "reaction"])
async def test_others_are_told_alone_that_they_may_not(bot, slack, asked, way):
    if way == "click":
        await slack.click("U2", "C1", live(slack, asked), STOP)
    else:
        await slack.react("U2", "C1", asked, "octagonal_sign")
    await slack.until(lambda: [told["text"] for told in slack.whispers("U2")] == [MAY_NOT_STOP["en"]])
    assert slack.whispers("U2")[0]["thread_ts"] == asked
    bot.questions[0].engine.gate.set()
    await slack.until(lambda: slack.answer("C1", asked).startswith("Never."))


async def test_a_guest_who_is_an_admin_elsewhere_may_not(bot, slack):
    slack.workspace.users["UO"].admin = True
    bot.knows(says("Never."), held=True)
    ts = await slack.mention("U1", "Where is it, please?", "C3")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C3", ts))
    await slack.click("UO", "C3", live(slack, ts, "C3"), STOP)
    await slack.until(lambda: [told["text"] for told in slack.whispers("UO")] == [MAY_NOT_STOP["en"]])


async def test_one_that_waits_for_its_turn_is_stopped(bot, slack, asked):
    second = await slack.mention("U1", "And when, please?", "C1", asked)
    await slack.until(lambda: slack.answer("C1", asked) == f"_{BUSY_THREAD['en']}_")
    await slack.react("U1", "C1", second, "octagonal_sign")
    await slack.until(lambda: slack.answer("C1", asked) == stopped_by("Ada Lovelace"))
    bot.questions[0].engine.gate.set()
    await slack.until(lambda: slack.answers("C1", asked)[0].startswith("Never."))
    assert len(bot.questions) == 1


async def test_one_that_waits_for_somebodys_answer_is_stopped(bot, slack):
    bot.knows(searches("falcon"), ASKS, says("It flies [1]."), finds=[FOUND])
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
    await slack.until(lambda: slack.answers("C1", ts)[1:] == ["Which Falcon?"])
    await slack.until(lambda: ASKED_BACK["en"] in slack.answers("C1", ts)[0])
    await slack.click("U1", "C1", live(slack, ts), STOP)
    await slack.until(lambda: slack.answers("C1", ts)[0] == stopped_by("Ada Lovelace"))
    bot.knows(says("A new one."))
    await slack.say("U1", "the bird", "C1", ts)
    await slack.until(lambda: slack.answer("C1", ts).startswith("A new one."))


async def test_who_answered_what_was_asked_back_may_stop_it(bot, slack):
    bot.knows(searches("falcon"), ASKS, ASKS, says("Never."), finds=[FOUND])
    ts = await slack.mention("U1", "When does Falcon fly, please?", "C1")
    await slack.until(lambda: slack.answers("C1", ts)[1:] == ["Which Falcon?"])
    await slack.say("U2", "the bird", "C1", ts)
    await slack.until(lambda: slack.answers("C1", ts)[1:] == ["Which Falcon?"] * 2)
    await slack.click("U2", "C1", live(slack, ts), STOP)
    await slack.until(lambda: slack.answers("C1", ts)[0] == stopped_by("Grace Hopper"))


async def test_after_the_end_nothing_is_stopped(bot, slack, asked):
    bot.questions[0].engine.gate.set()
    await is_at(bot, asked, "done")
    await slack.react("U1", "C1", asked, "octagonal_sign")
    await slack.react("U2", "C1", asked, "octagonal_sign")
    await is_answered(bot, slack)
    assert slack.answer("C1", asked).startswith("Never.")
    assert slack.whispers("U2") == []


async def test_an_answer_that_is_on_its_way_arrives_whole(bot, slack, asked):
    slack.hold("chat.update")
    bot.questions[0].engine.gate.set()
    await slack.until(lambda: "Never." in {made.call["text"][:6] for made in slack.calls("chat.update")})
    await slack.react("U1", "C1", asked, "octagonal_sign")
    await is_at(bot, asked, "stopping")
    slack.release("chat.update")
    await slack.until(lambda: slack.answer("C1", asked).startswith("Never."))
    run = await bot.store.run(f"C1:{asked}")
    assert slack.answer("C1", asked).startswith("Never.")
    assert run.turn.answer == "Never."


async def test_other_reactions_and_those_on_other_messages_do_nothing(bot, slack, asked):
    other = await slack.say("U2", "Lunch?", "C1")
    await slack.react("U1", "C1", other, "octagonal_sign")
    await slack.react("U1", "C1", asked, "eyes")
    await slack.unreact("U1", "C1", asked, "eyes")
    await is_answered(bot, slack)
    assert not slack.answer("C1", asked).startswith(stopped_by("")[:3])
    assert slack.whispers("U1") == []


async def test_a_reaction_that_is_delivered_twice_is_told_of_once(bot, slack, asked):
    await slack.react("U2", "C1", asked, "octagonal_sign")
    await slack.sockets.redeliver(slack.deliveries[-1])
    await is_answered(bot, slack)
    assert len(slack.whispers("U2")) == 1


async def test_what_is_stopped_can_be_asked_again(bot, slack, asked):
    await slack.react("U1", "C1", asked, "octagonal_sign")
    await slack.until(lambda: slack.answers("C1", asked) == [stopped_by("Ada Lovelace")])
    bot.knows(says("Here."))
    await slack.react("U1", "C1", asked, "arrows_counterclockwise")
    await slack.until(lambda: [text[:5] for text in slack.answers("C1", asked)] == ["Here."])


class Slow:
    """A store that keeps the wish to stop a question once `gate` is open."""

    def __init__(self, store):
        self.store = store
        self.gate = asyncio.Event()
        self.asked = False

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def change(self, key, change, *, own=True):
        kept = await self.store.run(key)
        if not own and kept is not None and change(kept).status == "stopping":
            self.asked = True
            await self.gate.wait()
        return await self.store.change(key, change, own=own)


async def test_a_click_that_stops_is_acknowledged_once_it_is_kept(slack, tmp_path):
    async with running_bot(slack, tmp_path, through=Slow) as bot:
        bot.knows(says("Never."), held=True)
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
        click = (await slack.click("U1", "C1", live(slack, ts), STOP)).delivery
        await slack.until(lambda: bot.store.asked)
        known = await slack.event({"type": "team_rename", "name": "x"})
        await slack.until(lambda: known.acknowledged)
        assert not click.acknowledged
        bot.store.gate.set()
        await slack.until(lambda: click.acknowledged and slack.answers("C1", ts) == [stopped_by("Ada Lovelace")])


class Failing:
    """A store that cannot be read at once when somebody has stopped a question."""

    def __init__(self, store):
        self.store = store
        self.failed = False

    def __getattr__(self, name):
        return getattr(self.store, name)

    async def run(self, key):
        run = await self.store.run(key)
        if run is not None and run.status == "stopping" and not self.failed:
            self.failed = True
            raise StoreError("The state cannot be read.")
        return run


async def test_where_the_store_fails_it_is_stopped_a_little_later_and_nobody_goes_on_writing(slack, tmp_path):
    async with running_bot(slack, tmp_path, through=Failing) as bot:
        bot.knows(says("Never."), held=True)
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
        await slack.click("U1", "C1", live(slack, ts), STOP)
        await slack.until(lambda: slack.answers("C1", ts) == [stopped_by("Ada Lovelace")], 15)
        assert bot.store.failed
        await slack.until(lambda: not writing())


def writing():
    """The tasks that say something, or will."""
    return [task for task in asyncio.all_tasks() if getattr(task.get_coro(), "__name__", "") == "survived"]


async def test_who_stops_what_is_about_to_begin_anew_stops_that_too(bot, slack, asked):
    slack.hold("chat.update")
    bot.questions[0].options["on_event"](SearchCall({"query": "falcon"}, web=True))
    await slack.until(lambda: slack.calls("chat.update"))  # What is begun anew waits for this.
    await slack.edit("C1", asked, "<@UBOT> Where is the other one, please?")
    await is_at(bot, asked, "stopping")
    await slack.react("U1", "C1", asked, "octagonal_sign")
    await slack.until(lambda: slack.deliveries[-1].acknowledged)
    await is_stopping(bot, asked, "U1")
    slack.release("chat.update")
    await slack.until(lambda: slack.answers("C1", asked) == [stopped_by("Ada Lovelace")])
    bot.knows(says("Here."))
    await slack.react("U1", "C1", asked, "arrows_counterclockwise")
    await slack.until(lambda: slack.answer("C1", asked).startswith("Here."))
    assert bot.questions[-1].run["query"] == "Where is the other one, please?"


async def is_stopping(bot, ts, user):
    async with asyncio.timeout(3):
        while (await bot.store.run(f"C1:{ts}")).stopping != user:
            pass


# Several processes


async def test_a_run_of_another_process_is_stopped_within_a_second_or_so(slack, tmp_path):
    async with running_bot(slack, tmp_path) as first:
        first.knows(says("Never."), held=True)
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: first.questions and first.questions[0].engine.asked and slack.answers("C1", ts))
        async with running_bot(slack, tmp_path) as second:
            await slack.until(lambda: slack.sockets.connected == 2)
            way = slack.deliveries[-1].way
            # One socket after the other is told: the second one is next, or the one after that.
            while (await slack.event({"type": "hello"})).way is not way:
                pass
            began = asyncio.get_running_loop().time()
            hook = await slack.click("U1", "C1", live(slack, ts), STOP)
            assert hook.delivery.way is not way
            await slack.until(lambda: slack.answers("C1", ts) == [stopped_by("Ada Lovelace")])
            assert asyncio.get_running_loop().time() - began < 1.5
            assert second.questions == []


async def test_what_was_to_be_stopped_by_a_process_that_died_is_stopped_by_the_next(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Never."), held=True)
        ts = await slack.mention("U1", "Where is it, please?", "C1")
        await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts))
    async with open_store(tmp_path / "state.sqlite") as store:
        stopping = {"status": "stopping", "stopping": "U1"}
        await store.change(f"C1:{ts}", lambda run: run.model_copy(update=stopping), own=False)
    async with running_bot(slack, tmp_path):
        await slack.until(lambda: slack.answers("C1", ts) == [stopped_by("Ada Lovelace")])


# An agent of Slack's


@pytest.fixture
async def agent(tmp_path):
    async with serve_slack(manifest=manifest(agent=True)) as slack, running_bot(slack, tmp_path) as bot:
        yield bot


async def test_report_45_slacks_own_stop_button_stops_the_run(agent):
    bot, slack = agent, agent.slack
    bot.knows(says("Never."), held=True)
    ts = await slack.dm("U1", "Where is it, please?")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("DU1", ts))
    await slack.event({"type": "agent_session_stopped", "channel": "DU1", "thread_ts": ts, "user": "U1"})
    await slack.until(lambda: slack.answers("DU1", ts) == [stopped_by("Ada Lovelace")])
    assert bot.questions[0].result is None
