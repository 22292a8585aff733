"""Sentences in two languages, some of them told when the language is known."""

import copy
import json
from string import Formatter

import pytest

import bot.search.sentences
import bot.sentences
import bot.slack.messages.notices
import bot.slack.messages.sentences
import bot.slack.questions.readers_sentences
import bot.slack.surfaces.home_sentences
import bot.slack.surfaces.sharing_sentences
import bot.web.sentences
from bot.sentences import in_language, joined, said, sentence
from indexers.reading.failures import FAILED, REFUSED, UNREADABLE
from indexers.reading.types import NOTES

GREETING = {"en": "Hello {name}.", "fr": "Bonjour {name}."}
NIGHT = {"en": "the night", "fr": "la nuit"}


def fixed():
    """Every sentence by its name, those of a group by theirs too."""
    for module in (
        bot.sentences,
        bot.search.sentences,
        bot.slack.messages.notices,
        bot.slack.surfaces.home_sentences,
        bot.slack.surfaces.sharing_sentences,
        bot.slack.messages.sentences,
        bot.slack.questions.readers_sentences,
        bot.web.sentences,
    ):
        for name, value in vars(module).items():
            groups = {"": value} if isinstance(value, dict) and "en" in value else value
            if name.isupper() and isinstance(groups, dict) and name != "UNREAD_REASONS_IN_FRENCH":
                yield from (pytest.param(one, id=f"{name} {key}".strip()) for key, one in groups.items())


@pytest.mark.parametrize("one", [*fixed()])
def test_every_sentence_is_there_in_both_languages_with_the_same_gaps(one):
    gaps = [{field for _, field, _, _ in Formatter().parse(text) if field} for text in (one["en"], one["fr"])]
    assert set(one) == {"en", "fr"}
    assert gaps[0] == gaps[1]


def test_every_reason_for_which_a_page_is_not_read_can_be_told_in_french():
    assert set(bot.web.sentences.UNREAD_REASONS_IN_FRENCH) == {*REFUSED, *FAILED, *UNREADABLE}
    assert set(bot.web.sentences.PARTLY_READ) == set(NOTES)


def test_a_sentence_is_its_english_until_the_language_is_known():
    greeting = said(GREETING, name="Ada")
    assert greeting == "Hello Ada."
    assert json.dumps({"note": greeting}) == '{"note": "Hello Ada."}'
    assert in_language(greeting, "fr") == "Bonjour Ada."
    assert in_language(greeting, "de") == "Hello Ada."


def test_what_a_sentence_holds_is_told_in_its_language():
    assert in_language(said(GREETING, name=said(NIGHT)), "fr") == "Bonjour la nuit."
    assert sentence(GREETING, "fr", name=said(NIGHT)) == "Bonjour la nuit."
    both = joined([said(GREETING, name="Ada"), "HTTP 401"])
    assert (both, in_language(both, "fr")) == ("Hello Ada. HTTP 401", "Bonjour Ada. HTTP 401")


def test_what_others_wrote_stays_as_it_is():
    assert in_language("Unauthorized", "fr") == "Unauthorized"
    assert in_language(7, "fr") == "7"


def test_a_copy_is_plain_english():
    assert copy.deepcopy({"note": said(GREETING, name="Ada")}) == {"note": "Hello Ada."}
