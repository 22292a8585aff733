"""What is counted of the bot's work."""

import pytest
from prometheus_client import REGISTRY

from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot


class Counted:
    """How a figure has changed since."""

    def __init__(self):
        self._before = {}
        for metric in REGISTRY.collect():
            for sample in metric.samples:
                self._before[sample.name, tuple(sorted(sample.labels.items()))] = sample.value

    def __call__(self, name, **labels):
        before = self._before.get((name, tuple(sorted(labels.items()))), 0)
        return (REGISTRY.get_sample_value(name, labels) or 0) - before


@pytest.fixture
def counted():
    return Counted()


async def test_a_question_is_counted_while_it_runs_and_when_it_ends(bot, slack, counted):
    gate = bot.knows(says("Hello."), held=True)
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
    assert counted("footnote_questions_running") == 1
    gate.set()
    await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))
    assert counted("footnote_questions_running") == 0
    assert counted("footnote_questions_total", outcome="answered") == 1
    assert counted("footnote_run_seconds_count") == counted("footnote_placeholder_seconds_count") == 1


async def test_who_waits_in_line_is_counted(bot, slack, counted):
    bot.knows(says("Hello."), held=True)
    await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked)
    for place, waiting in ((3, 1), (1, 1), (0, 0), (2, 1)):
        bot.questions[0].options["on_place"](place)
        assert counted("footnote_questions_waiting") == waiting
    bot.task.cancel()
    await slack.until(lambda: counted("footnote_questions_total", outcome="cancelled") == 1)
    assert counted("footnote_questions_waiting") == counted("footnote_questions_running") == 0


async def test_calls_are_counted_by_method_and_outcome(slack, tmp_path, counted):
    slack.fail("auth.test", 503)
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Hello."))
        slack.limit("chat.postMessage", times=2, retry_after=0)
        slack.drop("chat.postMessage")
        slack.refuse("chat.update", "edit_window_closed", times=9)
        ts = await slack.mention("U1", "Hello, how are you?", "C1")
        await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."), 8)
    method = {"method": "chat.postMessage"}
    assert counted("footnote_slack_calls_total", outcome="ratelimited", **method) == 2
    assert counted("footnote_slack_limited_total", **method) == 2
    assert counted("footnote_slack_calls_total", outcome="broken", **method) == 1
    assert counted("footnote_slack_calls_total", outcome="ok", **method) >= 1
    assert counted("footnote_slack_calls_total", outcome="edit_window_closed", method="chat.update") >= 1
    assert counted("footnote_slack_calls_total", outcome="ok", method="auth.test") == 1


async def test_sockets_are_counted(bot, slack, counted):
    await slack.sockets.disconnect("refresh_requested")
    await slack.until(lambda: (slack.sockets.connections, slack.sockets.connected) == (2, 1))
    await slack.until(lambda: counted("footnote_slack_connections_total") == 1)
    assert REGISTRY.get_sample_value("footnote_slack_connected") == 1


async def test_no_label_holds_anything_of_people_or_places(bot, slack):
    bot.knows(says("Hello."))
    ts = await slack.mention("U1", "Hello, how are you?", "C1")
    await slack.command("U1", "what is it?", "C1")
    await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))
    known = {"method", "outcome", "le"}
    of_ours = [
        sample for metric in REGISTRY.collect() for sample in metric.samples if sample.name.startswith("footnote_")
    ]
    assert {label for sample in of_ours for label in sample.labels} <= known
    values = {value for sample in of_ours for label, value in sample.labels.items() if label != "le"}
    assert not {value for value in values if not value.replace(".", "").replace("_", "").isalnum()}
    assert not {"U1", "C1", ts} & values
