import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexers.slack_text import addresses_others, markup, plain, unnamed_channels, unnamed_groups, users

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


def rich(*elements):
    return {"type": "rich_text", "elements": list(elements)}


def items(*words, **more):
    sections = [{"type": "rich_text_section", "elements": [{"type": "text", "text": one}]} for one in words]
    return {"type": "rich_text_list", "elements": sections, **more}


@pytest.mark.parametrize(
    ("elements", "words"),
    [
        pytest.param([{"type": "text", "text": "x < 1", "style": {"code": True}}], "`x < 1`", id="code"),
        pytest.param([{"type": "text", "text": "x", "style": {"bold": True}}], "x", id="bold"),
        pytest.param([{"type": "usergroup", "usergroup_id": "S1"}], "@designers", id="a user group"),
        pytest.param([{"type": "broadcast", "range": "here"}], "@here", id="everybody"),
        pytest.param([{"type": "date", "timestamp": 1392734382, "fallback": "Feb 18"}], "Feb 18", id="a date"),
        pytest.param([{"type": "date", "timestamp": 1392734382}], "2014-02-18", id="a date without a fallback"),
        pytest.param([{"type": "color", "value": "#F405B3"}], "#F405B3", id="a colour"),
        pytest.param([{"type": "emoji", "name": "wave", "skin_tone": 2}], ":wave:", id="an emoji"),
        pytest.param([{"type": "link", "url": "https://a.test"}], "https://a.test", id="a link without words"),
    ],
)
def test_every_piece_of_rich_text_is_read(elements, words):
    assert plain(markup({"blocks": [rich({"type": "rich_text_section", "elements": elements})]}), NAMES) == words


def test_lists_in_lists_keep_their_margins_and_go_on_counting():
    lists = [items("a", "b", style="ordered"), items("x", style="bullet", indent=1)]
    lists.append(items("c", style="ordered", offset=2))
    assert markup({"blocks": [rich(*lists)]}) == "1. a\n2. b\n  • x\n3. c"


def test_what_is_forwarded_in_blocks_alone_is_read():
    message = {
        "message": {"blocks": [rich({"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]})]}
    }
    assert markup({"attachments": [{"is_share": True, "author_name": "Grace", "message_blocks": [message]}]}) == (
        "Grace: x"
    )
    assert markup({"attachments": [{"is_share": True, "author_name": "Grace", "text": ""}]}) == ""


def test_a_table_that_is_pasted_into_an_attachment_is_read():
    table = {"type": "table", "rows": [[{"type": "raw_text", "text": "who"}, {"type": "raw_text", "text": "days"}]]}
    assert markup({"text": "sum this", "attachments": [{"blocks": [table]}]}) == "sum this\nwho | days"


def test_what_a_program_says_in_blocks_and_attachments_is_read_beside_its_summary():
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Disk"}},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "*host*"}, {"type": "mrkdwn", "text": "db1"}]},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "since 9"}, {"type": "image", "alt_text": "x"}]},
        {"type": "markdown", "text": "**a < b**"},
        {"type": "section", "text": {"type": "mrkdwn", "text": "is full"}},
    ]
    attachments = [
        {"title": "Alert", "text": "at 9", "fields": [{"title": "level", "value": "high"}], "fallback": "Alert at 9"},
        {"fallback": "only this"},
        {"from_url": "https://a.test", "title": "A page", "text": "words of the page"},
    ]
    message = {"bot_id": "B8", "text": "Disk is full", "blocks": blocks, "attachments": attachments}
    assert plain(markup(message), {}) == (
        "Disk is full\n*host*\ndb1\nsince 9\n**a < b**\nAlert\nat 9\nlevel: high\nonly this"
    )


def test_groups_without_a_name_are_known_before_names_are_looked_up():
    assert unnamed_groups("<!subteam^S1> and <!subteam^S2|@ops> and <!subteam^S1|>") == ["S1"]


@pytest.mark.parametrize(
    "text", [" " * 40_000, " \t" * 20_000 + "x", "<@UBOT" * 6_000, "<" * 40_000, "<@UBOT>" + "\t" * 40_000]
)
def test_a_message_of_blanks_and_brackets_takes_no_longer_than_another(text):
    began = time.process_time()
    plain(text, {}, own="UBOT")
    assert time.process_time() - began < 1


def test_a_message_with_nothing_to_read_is_empty():
    assert markup({"text": None, "blocks": None, "attachments": None}) == ""
    assert markup({"blocks": [{"type": "image"}, {"type": "rich_text"}, None]}) == ""


SECTION = {"type": "rich_text_section", "elements": [{"type": "text", "text": "It ships on "}]}
SECTION["elements"] += [{"type": "text", "text": "Monday", "style": {"bold": True}}]


def forwarded(**more):
    """As Slack attaches a message that somebody forwards."""
    told = {"id": 1, "ts": "1700000000.000100", "channel_id": "C7", "is_msg_unfurl": True, "is_share": True}
    told |= {"from_url": "https://acme.slack.com/archives/C7/p1700000000000100", "footer": "Slack Conversation"}
    return {"text": "", "attachments": [{**told, "author_id": "U2", "mrkdwn_in": ["text"], **more}]}


@pytest.mark.parametrize(
    ("attachment", "words"),
    [
        pytest.param({"text": "on <#C7>", "author_name": "Ann & Co"}, "Ann & Co: on #leave", id="words"),
        pytest.param({"text": "on Monday"}, "Grace Hopper: on Monday", id="of somebody known by their id"),
        pytest.param(
            {"text": "on *Monday*", "message_blocks": [{"team": "T1", "message": {"blocks": [rich(SECTION)]}}]},
            "Grace Hopper: on *Monday*",
            id="words that are in rich text, too, once",
        ),
        pytest.param(
            {"message_blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "*on* Monday"}}]},
            "Grace Hopper: *on* Monday",
            id="blocks without the message around them",
        ),
        pytest.param(
            {
                "text": "Deployed",
                "message_blocks": [
                    {
                        "message": {
                            "blocks": [
                                {"type": "header", "text": {"type": "plain_text", "text": "Deployed"}},
                                {"type": "section", "fields": [{"type": "mrkdwn", "text": "*host* db1"}]},
                            ]
                        }
                    }
                ],
            },
            "Grace Hopper: Deployed\n*host* db1",
            id="what a program says beside its summary",
        ),
        pytest.param({"fallback": "[no preview available]"}, "", id="a file alone, which has no words"),
        pytest.param(
            {"fallback": "[May 1st, 2026 9:00 AM] grace: hi"}, "Grace Hopper: [May 1st, 2026 9:00 AM] grace: hi",
            id="what Slack says of it where there is nothing else",
        ),
    ],
)  # fmt: skip
def test_a_forwarded_message_is_read_as_slack_attaches_it(attachment, words):
    assert plain(markup(forwarded(**attachment)), NAMES) == words


def test_a_table_in_what_is_forwarded_is_read_and_one_in_a_preview_is_not():
    table = {"type": "table", "rows": [[{"type": "raw_text", "text": "who"}, {"type": "raw_number", "value": 0}]]}
    table["rows"] += [[None, {"type": "raw_number", "value": 30, "text": "30 days"}], None]
    blocks = [{"message": {"blocks": [rich(SECTION), table]}}]
    read = markup(forwarded(text="It ships on *Monday*", message_blocks=blocks))
    assert plain(read, NAMES) == "who | 0\n | 30 days\nGrace Hopper: It ships on *Monday*"
    assert markup({"text": "see", "attachments": [{"from_url": "https://a.test", "blocks": [table]}]}) == "see"


@pytest.mark.parametrize(
    ("block", "words"),
    [
        pytest.param(
            {"type": "data_table", "caption": "Leave", "rows": [[{"type": "raw_text", "text": "who"}]]},
            "Leave\nwho", id="a table of data",
        ),
        pytest.param(
            {
                "type": "container",
                "title": {"type": "plain_text", "text": "Sources"},
                "child_blocks": [
                    {"type": "section", "text": {"type": "mrkdwn", "text": "one"}},
                    {"type": "table", "rows": [[{"type": "raw_text", "text": "a"}, {"type": "raw_text", "text": "b"}]]},
                ],
            },
            "a | b\nSources\none", id="a container, its tables first",
        ),
        pytest.param(
            {"type": "carousel", "elements": [{"type": "card", "title": {"type": "mrkdwn", "text": "T"},
                                               "body": {"type": "plain_text", "text": "a < b"}}]},
            "T\na < b", id="cards",
        ),
        pytest.param({"type": "alert", "text": {"type": "mrkdwn", "text": "Down"}}, "Down", id="an alert"),
        pytest.param(
            {"type": "plan", "title": "Plan", "tasks": [{"type": "task_card", "title": "Dig",
                                                         "output": rich(SECTION)}]},
            "Plan\nDig\nIt ships on Monday", id="a plan with its tasks",
        ),
        pytest.param(
            {"type": "video", "title": {"type": "plain_text", "text": "Demo"},
             "description": {"type": "plain_text", "text": "of Falcon"}},
            "Demo\nof Falcon", id="a film",
        ),
        pytest.param(
            {"type": "image", "title": {"type": "plain_text", "text": "Chart"}, "alt_text": "sales by month"},
            "Chart\nsales by month", id="an image",
        ),
    ],
)  # fmt: skip
def test_every_block_that_holds_words_is_read(block, words):
    assert plain(markup({"bot_id": "B8", "text": "This content can't be displayed.", "blocks": [block]}), {}) == words


@pytest.mark.parametrize(
    ("element", "words"),
    [
        pytest.param({"type": "text", "text": "Friday", "style": {"strike": True}}, "~Friday~", id="struck out"),
        pytest.param({"type": "text", "text": "x", "style": {"strike": True, "code": True}}, "~`x`~", id="and code"),
        pytest.param({"type": "text", "text": " ", "style": {"strike": True}}, "", id="a blank"),
        pytest.param({"type": "canvas", "file_id": "F1", "label": "The <plan>"}, "The <plan>", id="a canvas"),
        pytest.param({"type": "to_come", "fallback": "something"}, "something", id="what is not known yet"),
    ],
)
def test_what_rich_text_says_beside_words_is_kept(element, words):
    assert plain(markup({"blocks": [rich({"type": "rich_text_section", "elements": [element]})]}), NAMES) == words


def test_a_list_within_a_quote_is_quoted():
    quoted = {"type": "rich_text_quote", "elements": [{"type": "text", "text": "said"}]}
    assert markup({"blocks": [rich(quoted, items("a", "b", style="bullet", border=1))]}) == (
        "&gt; said\n&gt; • a\n&gt; • b"
    )


def test_what_a_program_says_twice_is_read_once():
    told = {"bot_id": "B8", "text": "It ships on *Monday*", "blocks": [rich(SECTION)]}
    assert markup(told) == "It ships on *Monday*"


typed = st.text(st.sampled_from("ab<>&; |@#!\n`"), max_size=40)


@given(typed)
def test_what_a_person_typed_comes_back_as_it_was(words):
    sent = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert plain(sent, {}) == words.strip()


@given(st.text(st.sampled_from("ab<>&; |@#!^U1\n"), max_size=40))
def test_no_text_breaks_the_reader(text):
    assert not re.search(r"<@U1>", plain(text, {"U1": "Ada"}))
