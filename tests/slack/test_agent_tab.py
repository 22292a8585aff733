"""Where the app is declared an agent, Slack shows that it is at work, and nobody is kept from writing else."""

import asyncio

import pytest

from bot.sentences import STOPPED, UNSOURCED, sentence
from bot.slack.messages.sentences import ASK_WHAT_IS_NEW, AT_WORK
from bot.slack.surfaces.agent import REFRESH
from bot.slack.transport.manifest import manifest
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack import serve_slack
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_threads import STATUS_SECONDS

ANSWER = f"Here it is.\n\n_{UNSOURCED['en']}_"
ASKS = (searches("leave"), calls(("clarify", {"question": "Which year?"})), says("Here it is."))
FOUND = [[hit(1, title="Leave policy")]]


@pytest.fixture
async def slack():
    async with serve_slack(manifest=manifest(agent=True)) as slack:
        yield slack


@pytest.fixture(params=[True, False], ids=["streamed", "edited"])
async def bot(slack, tmp_path, request):
    async with running_bot(slack, tmp_path, behaves={"streams": request.param}) as bot:
        yield bot


async def asked(bot, slack):
    gate = bot.knows(says("Here it is."), held=True)
    ts = await slack.dm("U1", "Where is it, please?")
    await slack.until(lambda: bot.questions and bot.questions[-1].engine.asked and slack.answers("DU1", ts))
    return ts, gate


async def until_done(bot, run):
    async with asyncio.timeout(4):
        while (kept := await bot.store.run(run)) is None or kept.status != "done":
            pass


def thread(slack, ts):
    return slack.api.threads.thread("DU1", ts)


async def test_slack_shows_that_it_is_at_work_until_the_answer_is_there(bot, slack):
    ts, gate = await asked(bot, slack)
    await slack.until(lambda: thread(slack, ts).session == "processing")
    await slack.until(lambda: thread(slack, ts).title == "Where is it, please?")
    gate.set()
    await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])
    await slack.until(lambda: thread(slack, ts).session == "active" and not slack.api.threads.locked("DU1", ts))


async def test_a_thread_gets_its_title_where_slack_has_made_the_session_before(bot, slack):
    gate = bot.knows(says("Here it is."), held=True)
    slack.hold("agents.sessions.setStatus")
    ts = await slack.dm("U1", "Where is it, please?")
    slack.api.threads.streaming("DU1", ts, "processing")
    slack.release("agents.sessions.setStatus")
    await slack.until(lambda: thread(slack, ts).title == "Where is it, please?")
    gate.set()
    await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])


async def test_an_answer_again_leaves_the_title_that_its_reader_gave(bot, slack):
    ts, gate = await asked(bot, slack)
    gate.set()
    await until_done(bot, f"DU1:{ts}")
    thread(slack, ts).title = "Mine"
    bot.knows(says("It is here."))
    await slack.react("U1", "DU1", ts, "repeat")
    await slack.until(lambda: slack.answers("DU1", ts)[0].startswith("It is here."))
    assert thread(slack, ts).title == "Mine"


async def test_slacks_own_stop_button_stops_the_answer(bot, slack):
    ts, _ = await asked(bot, slack)
    await slack.until(lambda: slack.api.threads.stoppable("DU1", ts))
    await slack.press_stop("U1", "DU1", ts)
    await slack.until(lambda: slack.answers("DU1", ts) == [sentence(STOPPED, "en", name="Ada Lovelace")])
    await slack.until(lambda: not slack.api.threads.locked("DU1", ts))


async def test_slack_goes_on_showing_it_where_a_stream_ends_before_the_answer(slack, tmp_path):
    async with running_bot(slack, tmp_path, behaves={"stream_seconds": 0.2}) as bot:
        ts, gate = await asked(bot, slack)
        await slack.until(lambda: slack.calls("chat.stopStream"))
        assert thread(slack, ts).session == "processing"
        gate.set()
        await slack.until(lambda: slack.answers("DU1", ts) == [ANSWER])
        await slack.until(lambda: thread(slack, ts).session == "active")


async def test_whoever_is_asked_back_can_write(bot, slack):
    bot.knows(*ASKS, finds=FOUND)
    ts = await slack.dm("U1", "Where is it, please?")
    await slack.until(lambda: any("Which year?" in answer for answer in slack.answers("DU1", ts)))
    assert thread(slack, ts).session == "suspended"
    await slack.dm("U1", "2026", ts)
    await slack.until(lambda: ANSWER in slack.answers("DU1", ts))
    await slack.until(lambda: thread(slack, ts).session == "active")


async def test_report_36_once_that_is_answered_slack_shows_again_that_it_is_at_work(bot, slack):
    gate = bot.knows(*ASKS, finds=FOUND)
    ts = await slack.dm("U1", "Where is it, please?")
    await slack.until(lambda: any("Which year?" in answer for answer in slack.answers("DU1", ts)))
    await slack.until(lambda: thread(slack, ts).session == "suspended")
    gate.clear()
    await slack.dm("U1", "2026", ts)
    await slack.until(lambda: thread(slack, ts).session == "processing")
    gate.set()
    await slack.until(lambda: thread(slack, ts).session == "active" and ANSWER in slack.answers("DU1", ts))


async def test_report_36_of_two_threads_each_has_its_own_status(bot, slack):
    first, gate = await asked(bot, slack)
    await slack.until(lambda: thread(slack, first).session == "processing")
    bot.knows(says("Here it is."))
    second = await slack.dm("U1", "And where is the other one, please?")
    await slack.until(lambda: slack.answers("DU1", second) == [ANSWER] and thread(slack, second).session == "active")
    assert thread(slack, first).session == "processing"
    gate.set()
    await slack.until(lambda: slack.answers("DU1", first) == [ANSWER] and thread(slack, first).session == "active")


async def test_one_that_fails_leaves_nobody_locked_out(bot, slack):
    bot.knows(RuntimeError("broken"))
    ts = await slack.dm("U1", "Where is it, please?")
    await slack.until(lambda: slack.calls("agents.sessions.setStatus"))
    await slack.until(lambda: slack.answers("DU1", ts) and thread(slack, ts).session == "active")


async def test_an_answer_does_not_wait_for_a_status_that_slack_does_not_take(bot, slack):
    ts, gate = await asked(bot, slack)
    await slack.until(lambda: thread(slack, ts).session == "processing")
    slack.hold("agents.sessions.setStatus")
    gate.set()
    await until_done(bot, f"DU1:{ts}")
    slack.release("agents.sessions.setStatus")
    await slack.until(lambda: thread(slack, ts).session == "active" and not slack.api.threads.locked("DU1", ts))


async def test_where_there_are_no_sessions_a_status_is_shown_and_taken_away(slack, tmp_path):
    slack.refuse("agents.sessions.setStatus", "feature_disabled")
    async with running_bot(slack, tmp_path, behaves={"streams": False}) as bot:
        bot.knows(*ASKS, finds=FOUND)
        ts = await slack.dm("U1", "Where is it, please?")
        await slack.until(lambda: any("Which year?" in answer for answer in slack.answers("DU1", ts)))
        assert thread(slack, ts).calls == [AT_WORK["en"], ""]
        await slack.dm("U1", "2026", ts)
        await slack.until(lambda: ANSWER in slack.answers("DU1", ts))
    assert thread(slack, ts).calls == [AT_WORK["en"], ""] * 2
    assert thread(slack, ts).title == "Where is it, please?"
    assert len(slack.calls("agents.sessions.setStatus")) == 1


def test_a_status_is_set_again_before_slack_takes_it_away():
    assert REFRESH <= 90 < STATUS_SECONDS


async def test_an_app_that_is_no_agent_finds_out_once(tmp_path):
    async with serve_slack() as slack, running_bot(slack, tmp_path) as bot:
        for _ in range(2):
            ts, gate = await asked(bot, slack)
            gate.set()
            await slack.until(lambda ts=ts: slack.answers("DU1", ts) == [ANSWER])
        for _ in range(2):
            await slack.event({"type": "app_home_opened", "user": "U1", "channel": "DU1", "tab": "messages"})
            ts = await slack.dm("U3", "help")
            await slack.until(lambda ts=ts: slack.answers("DU3", ts))
        assert len(slack.calls("agents.sessions.setStatus")) == 1
        assert len(slack.calls("assistant.threads.setSuggestedPrompts")) == 1
        assert not slack.calls("assistant.threads.setStatus")


LOCALES = [("en-US", "en"), ("fr-CA", "fr"), ("ja-JP", "en")]


@pytest.mark.parametrize(("locale", "language"), LOCALES)
async def test_who_opens_the_tab_is_told_what_may_be_asked_in_their_language(bot, slack, locale, language):
    slack.workspace.users["U1"].locale = locale
    place = slack.workspace.direct("U1").id
    await slack.event({"type": "app_home_opened", "user": "U1", "channel": place, "tab": "messages"})
    await slack.until(lambda: slack.api.threads.thread(place).prompts)
    assert ASK_WHAT_IS_NEW[language] in [prompt["message"] for prompt in slack.api.threads.thread(place).prompts]


async def test_so_is_who_begins_a_thread_there_and_in_english_where_slack_does_not_tell_theirs(bot, slack):
    slack.workspace.users["U1"].locale = "fr-FR"
    place = slack.workspace.direct("U1").id
    for language, user in (("fr", "U1"), ("en", "U99")):
        ts = slack.workspace.add(place, {"user": "U1", "text": "New chat"})["ts"]
        thread = {"user_id": user, "channel_id": place, "thread_ts": ts, "context": {}}
        await slack.event({"type": "assistant_thread_started", "assistant_thread": thread})
        await slack.until(lambda ts=ts: slack.api.threads.thread(place, ts).prompts)
        assert ASK_WHAT_IS_NEW[language] == slack.api.threads.thread(place, ts).prompts[1]["message"]
