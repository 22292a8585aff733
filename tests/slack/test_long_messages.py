"""A message as long as Slack takes it, whatever stands in it, holds up nobody else."""

import time

import pytest

from bot.language import detect
from bot.slack.messages.choices import choices
from bot.slack.questions.channels import is_question
from bot.slack.questions.privacy import without_wish
from bot.web import asked, asks_for_the_web
from tests.fakes.research import says

LONGEST = 40_000
"""Characters of a message."""
REPEATED = [
    *("\n", " ", "\t", "_", "1", "a", "“", "«", '"', "`", "<", ">", "@", ":", "[", "*"),
    *("a\n", ">a\n", "```\n", ", ", ".\n", "? ", "https://", "what is ", "do you ", ". answer me", "or ", "search "),
]
READERS = [without_wish, is_question, asked, asks_for_the_web, choices, detect]


@pytest.mark.parametrize("repeated", REPEATED)
def test_each_reader_of_a_message_takes_a_time_that_nobody_notices(repeated):
    detect("The model of languages is read before.")
    text = f"a{repeated * (LONGEST // len(repeated))}b?"
    for read in READERS:
        began = time.process_time()
        read(text)
        assert time.process_time() - began < 1, read.__name__


async def test_whoever_writes_thousands_of_empty_lines_is_answered_at_once(bot, slack):
    bot.knows(says("It flies."))
    ts = await slack.mention("U1", "Does it" + LONGEST * "\n" + "fly?", "C1")
    await slack.until(lambda: "It flies." in slack.answer("C1", ts))


def test_a_wish_for_privacy_is_seen_at_the_end_of_a_long_message():
    assert without_wish("Who" + LONGEST * "\n" + "flies?\n\nanswer me in private") is not None


def test_after_a_quote_that_nobody_closes_its_line_asks_for_nothing():
    assert not asks_for_the_web("He said “search the web")
    assert asks_for_the_web("He said “hello\nsearch the web")
