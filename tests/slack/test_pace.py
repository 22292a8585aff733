"""Edits of all threads come from one budget."""

import pytest

from bot.slack.pace import BURST, KEPT_FOR_LAST_WORDS, Pace
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot


class Clock:
    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def pace(clock):
    return Pace(per_minute=60, clock=clock)


def exhaust(pace):
    shown = 0
    while not pace.wait:
        pace.take()
        shown += 1
    return shown


def test_after_a_quiet_time_some_states_may_be_shown_at_once_and_then_one_at_a_time(pace, clock):
    assert exhaust(pace) == BURST - KEPT_FOR_LAST_WORDS
    for _ in range(3):
        assert pace.wait == pytest.approx(1, abs=0.01)
        clock.now += 1.001
        assert exhaust(pace) == 1


def test_last_words_come_from_it_too_so_that_states_wait_longer(pace):
    exhaust(pace)
    for _ in range(5):
        pace.take()
    assert pace.wait == pytest.approx(6)


def test_it_fills_to_its_brim_and_no_further(pace, clock):
    exhaust(pace)
    clock.now += 3_600
    assert exhaust(pace) == BURST - KEPT_FOR_LAST_WORDS


def test_it_stands_still_for_as_long_as_slack_says(pace, clock):
    pace.hold(7)
    pace.hold(2)
    assert pace.wait == pytest.approx(7)
    clock.now += 7.001
    assert pace.wait == 0


async def test_many_threads_share_it_and_every_answer_is_there_at_once_all_the_same(slack, tmp_path):
    async with running_bot(slack, tmp_path, edits_per_minute=1) as bot:
        gates = [bot.knows(says(f"Answer {number}."), held=True) for number in range(12)]
        threads = [await slack.mention("U1", f"Question {number}, please?", "C1") for number in range(12)]
        await slack.until(lambda: len(bot.questions) == 12 and all(slack.answers("C1", ts) for ts in threads))
        for place in range(1, 4):
            for question in bot.questions:
                question.options["on_place"](place)
            await slack.until(lambda: len(slack.calls("chat.update")) == BURST - KEPT_FOR_LAST_WORDS)
        for gate in gates:
            gate.set()
        await slack.until(lambda: all(slack.answer("C1", ts).startswith("Answer") for ts in threads))
    assert len(slack.calls("chat.update")) == BURST - KEPT_FOR_LAST_WORDS + 12
