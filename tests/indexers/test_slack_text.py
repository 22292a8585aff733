import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexers.slack_text import addresses_others, markup, plain, unnamed_channels, users

NAMES = {"U2": "Grace Hopper", "C7": "leave", "S1": "designers"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("<@UBOT> what is new?", "what is new?", id="the bot's own mention goes"),
        pytest.param("hey <@UBOT|research>, what is new?", "hey what is new?", id="with a label and a comma too"),
        pytest.param("ask <@U2>'s team", "ask Grace Hopper's team", id="others become their names"),
        pytest.param("ask <@U9|linus>", "ask linus", id="an unknown user has the label"),
        pytest.param("ask <@U9>", "ask U9", id="or the id"),
        pytest.param("in <#C1|general> and <#C7>", "in #general and #leave", id="channels have names"),
        pytest.param("for <!subteam^S1> and <!subteam^S2|@ops>", "for @designers and @ops", id="groups have names"),
        pytest.param("<!here> and <!channel|channel>", "@here and channel", id="broadcasts are words"),
        pytest.param("<!date^1392734382^{date_num}|18 Feb 2014>", "18 Feb 2014", id="a date is its fallback"),
        pytest.param("<https://a.test/x?a=1&amp;b=2>", "https://a.test/x?a=1&b=2", id="a bare link is its address"),
        pytest.param("<https://a.test/x|a.test/x>", "https://a.test/x", id="a label that is the address is left out"),
        pytest.param("<https://a.test/x|the page>", "the page (https://a.test/x)", id="a label keeps its address"),
        pytest.param("<mailto:ada@a.test|ada@a.test>", "ada@a.test", id="a mail address is itself"),
        pytest.param("a &lt; b &amp;&amp; c", "a < b && c", id="entities are unescaped"),
        pytest.param("write &amp;lt;", "write &lt;", id="once"),
        pytest.param("&lt;@U2&gt;", "<@U2>", id="what was typed as text is no token"),
        pytest.param("<@UBOT> run\n```\nif x:\n    y\n```", "run\n```\nif x:\n    y\n```", id="code keeps its shape"),
    ],
)
def test_tokens_become_words(text, words):
    assert plain(text, NAMES, own="UBOT") == words


def test_who_is_mentioned_is_known_before_names_are_looked_up():
    text = "<@U2> and <@W3|x> and <@U2> in <#C1|general> or <#C7> or <#C8|>"
    assert users(text) == ["U2", "W3"]
    assert unnamed_channels(text) == ["C7", "C8"]


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("what is new?", False),
        ("<@UBOT> what is new?", False),
        ("<@UBOT> ask <@U2>", True),
        ("<!here> anyone?", True),
        ("<!subteam^S1|@ops> anyone?", True),
        ("see <https://a.test> in <#C1>", False),
    ],
)
def test_a_message_to_others_is_told_from_one_to_the_bot(text, others):
    assert addresses_others(text, "UBOT") is others


RICH = {
    "type": "rich_text",
    "elements": [
        {
            "type": "rich_text_section",
            "elements": [
                {"type": "user", "user_id": "UBOT"},
                {"type": "text", "text": " is a < b in "},
                {"type": "channel", "channel_id": "C7"},
                {"type": "text", "text": " for "},
                {"type": "user", "user_id": "U2"},
                {"type": "emoji", "name": "tada"},
                {"type": "link", "url": "https://a.test/?a=1&b=2", "text": "here"},
            ],
        },
        {
            "type": "rich_text_list",
            "style": "ordered",
            "elements": [
                {"type": "rich_text_section", "elements": [{"type": "text", "text": "one"}]},
                {"type": "rich_text_section", "elements": [{"type": "text", "text": "two"}]},
            ],
        },
        {"type": "rich_text_quote", "elements": [{"type": "text", "text": "said"}]},
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x = 1"}]},
    ],
}


@pytest.mark.parametrize("text", ["", None, "  "])
def test_a_message_of_blocks_alone_is_read(text):
    assert plain(markup({"text": text, "blocks": [RICH]}), NAMES, own="UBOT") == (
        "is a < b in #leave for Grace Hopper:tada:here (https://a.test/?a=1&b=2)\n"
        "1. one\n2. two\n> said\n```\nx = 1\n```"
    )


def test_the_text_field_is_not_said_twice():
    assert markup({"text": "hello", "blocks": [RICH]}) == "hello"


def test_a_pasted_table_is_read_beside_the_text():
    table = {
        "type": "table",
        "rows": [
            [{"type": "raw_text", "text": "who"}, {"type": "raw_text", "text": "days"}],
            [{"type": "rich_text", "elements": [RICH["elements"][2]]}, {"type": "raw_number", "value": 30}],
        ],
    }
    assert plain(markup({"text": "sum this", "blocks": [table]}), {}) == "sum this\nwho | days\n> said | 30"


def test_a_forwarded_message_is_read_and_a_preview_is_not():
    forwarded = {"is_share": True, "author_name": "Grace", "text": "It ships on <!date^1^x|Monday> &amp; no later."}
    preview = {"title": "A page", "text": "words of the page"}
    message = {"text": "when?", "attachments": [forwarded, preview]}
    assert plain(markup(message), {}) == "when?\nGrace: It ships on Monday & no later."


def test_a_message_with_nothing_to_read_is_empty():
    assert markup({"text": None, "blocks": None, "attachments": None}) == ""
    assert markup({"blocks": [{"type": "image"}, {"type": "rich_text"}, None]}) == ""


typed = st.text(st.sampled_from("ab<>&; |@#!\n`"), max_size=40)


@given(typed)
def test_what_a_person_typed_comes_back_as_it_was(words):
    sent = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert plain(sent, {}) == words.strip()


@given(st.text(st.sampled_from("ab<>&; |@#!^U1\n"), max_size=40))
def test_no_text_breaks_the_reader(text):
    assert not re.search(r"<@U1>", plain(text, {"U1": "Ada"}))
