import re
import time
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.research.untrusted import readable
from bot.slack.messages.links import link, words
from bot.slack.messages.mrkdwn import convert

GAP = "\u200b"
FOOTNOTES = {1: "https://wiki.test/leave", 2: ""}


@pytest.mark.parametrize(
    ("markdown", "mrkdwn"),
    [
        pytest.param("**bold**, *it*, _it_, ~~gone~~, `code`", "*bold*, _it_, _it_, ~gone~, `code`", id="spans"),
        pytest.param("## Leave **policy**", "*Leave policy*", id="a heading is bold, once"),
        pytest.param("one\ntwo  \nthree", "one\ntwo\nthree", id="line breaks stay"),
        pytest.param("- a\n  - b\n    - c\n- d", "• a\n    ◦ b\n        ▪ c\n• d", id="nested lists have margins"),
        pytest.param("3. a\n4. b", "3. a\n4. b", id="numbers go on from where they began"),
        pytest.param("- a\n\n  more\n- b", "• a\n    more\n• b", id="a second paragraph belongs to its item"),
        pytest.param(
            "1. do\n   ```sh\n   ls  -l\n   ```\n2. go", "1. do\n```\nls  -l\n```\n2. go", id="code in a list"
        ),
        pytest.param("- ```\n  ls\n  ```", "•\n```\nls\n```", id="an item that is code"),
        pytest.param("> said\n> **so**", "> said\n> *so*", id="a quote"),
        pytest.param("```py\nif a < b:\n    c()\n```", "```\nif a &lt; b:\n    c()\n```", id="code keeps its shape"),
        pytest.param("```\nno end", "```\nno end\n```", id="an open fence is closed"),
        pytest.param("a\n\n---\n\nb", "a\n\n———\n\nb", id="a divider"),
        pytest.param("R&D: a < b > c", "R&amp;D: a &lt; b &gt; c", id="three characters are escaped"),
        pytest.param("&lt;b&gt; &amp;amp;", "&lt;b&gt; &amp;amp;", id="and an entity is the character it stands for"),
        pytest.param("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;", id="markup of pages is text"),
        pytest.param("![a **chart**](https://e.test/x.png)", "a chart", id="an image is its words"),
        pytest.param("[a](https://b.test/c)", "<https://b.test/c|a>", id="a link"),
        pytest.param("[a **b** `c`](https://b.test)", "<https://b.test|a b c>", id="with plain words"),
        pytest.param("[a](<https://b.test/x y|z>)", "<https://b.test/x%20y%7Cz|a>", id="its address is encoded"),
        pytest.param("[a](https://b.test/?c=1&d=2)", "<https://b.test/?c=1&amp;d=2|a>", id="and escaped"),
        pytest.param("[x | y > z](https://b.test)", "<https://b.test|x ¦ y &gt; z>", id="its label ends nothing"),
        pytest.param("[a](javascript:alert(1))", "[a](javascript:alert(1))", id="a script is no link"),
        pytest.param("[a](mailto:x@y.test) [b](/c)", "a b", id="only web addresses are links"),
        pytest.param("[a](https://u:p@b.test)", "a", id="none with a user name"),
        pytest.param("see https://b.test/c_(d)).", "see <https://b.test/c_(d)>).", id="a bare address"),
        pytest.param("**https://b.test/a_b**", "*<https://b.test/a_b>*", id="a bold address"),
        pytest.param("Leave: 30 days [1][2].", "Leave: 30 days <https://wiki.test/leave|[1]>[2].", id="footnotes open"),
        pytest.param("`a[1]` and [3]", "`a[1]` and [3]", id="code and unknown numbers do not"),
        pytest.param("x [1]\n\n[1]: https://evil.test", "x <https://wiki.test/leave|[1]>", id="nor definitions below"),
        pytest.param("ask <@U1> in <#C1>", "ask &lt;@U1&gt; in &lt;#C1&gt;", id="nobody is mentioned"),
        pytest.param("<!channel> @here @Everyone", f"&lt;!channel&gt; @{GAP}here @{GAP}Everyone", id="nor all"),
        pytest.param("`@here` ada@here.test", "`@here` ada@here.test", id="code and mail addresses are left alone"),
        pytest.param("<https://b.test/c>", "<https://b.test/c>", id="an address in brackets"),
        pytest.param("<https://b.test/c|a>", "<https://b.test/c|a>", id="a link as Slack has it"),
        pytest.param("<https://b.test/c|a b>", "<https://b.test/c|a b>", id="with words"),
        pytest.param("a<br>b", "a\nb", id="a break"),
        pytest.param("a \\`\\`\\` b", "a ˋˋˋ b", id="words open no code block"),
        pytest.param("a\u202eb\ud83d\x00c", "abc", id="what is not seen goes"),
    ],
)
def test_markdown_becomes_mrkdwn(markdown, mrkdwn):
    converted = convert(markdown, FOOTNOTES)
    if "evil.test" in markdown:
        assert converted.startswith(mrkdwn)
    else:
        assert converted == mrkdwn


def test_a_small_table_is_drawn():
    table = "| who | days |\n|---|---:|\n| Ada | 30 |\n| Grace & Co | 7 |"
    assert convert(table) == "```\nwho         days\n----------  ----\nAda         30\nGrace &amp; Co  7\n```"


def test_a_table_with_footnotes_is_a_line_a_row_so_that_they_open():
    table = "| who | days | |\n|---|---|---|\n| **Ada** | 30 [1] | x |\n| Grace | | |"
    assert convert(table, FOOTNOTES) == "• *Ada* · days: 30 <https://wiki.test/leave|[1]> · x\n• *Grace*"


def test_breaks_in_a_table_keep_its_rows():
    assert convert("| who | why |\n|---|---|\n| Ada<br>L | a<br>b [1] |", FOOTNOTES) == (
        "• *Ada L* · why: a b <https://wiki.test/leave|[1]>"
    )
    assert "Ada L  a b" in convert("| who | why |\n|---|---|\n| Ada<br>L | a<br>b |")


def test_a_wide_table_is_a_line_a_row():
    table = f"| who | why |\n|---|---|\n| Ada | {'because ' * 12} |"
    assert convert(table).startswith("• *Ada* · why: because")


def of_brackets(count):
    return "[" * count + "](" * count


def of_a_link(count):
    return f"[{'a.' * count}](https://b.test)"


def of_marks(count):
    return "*a _b " * count + "_ *" * count


def of_stars(count):
    return "*" * count + "a" + "*" * count


@pytest.mark.parametrize("written", [of_brackets, of_a_link, of_marks, of_stars])
def test_whatever_it_is_made_of_a_long_text_takes_no_more_than_its_share(written):
    convert(written(10))
    seconds = []
    for count in (2_000, 16_000):
        began = time.process_time()
        convert(written(count))
        seconds.append(time.process_time() - began)
    assert seconds[1] < 40 * max(seconds[0], 0.02)  # Eight times as much; what grows by its square takes 64 times.


@pytest.mark.parametrize(
    ("label", "url", "shown"),
    [
        ("the bank", "https://evil.test", "<https://evil.test|the bank>"),
        ("https://bank.com", "https://evil.test", f"https:{GAP}//bank.com (<https://evil.test>)"),
        ("www.bank.com", "https://evil.test/www.bank.com", "www.bank.com (<https://evil.test/www.bank.com>)"),
        ("Log in at bank.com now", "https://evil.test", "Log in at bank.com now (<https://evil.test>)"),
        ("ｂａｎｋ．ｃｏｍ", "https://evil.test", "ｂａｎｋ．ｃｏｍ (<https://evil.test>)"),
        ("bank。com", "https://evil.test", "bank。com (<https://evil.test>)"),
        ("_bank.com_", "https://evil.test", "_bank.com_ (<https://evil.test>)"),
        ("bank.\u200bcom", "https://evil.test", "bank.\u200bcom (<https://evil.test>)"),
        ("_bank.com_", "https://bank.com", "<https://bank.com|_bank.com_>"),
        ("bank.com", "https://www.bank.com/login", "<https://www.bank.com/login|bank.com>"),
        ("bank.com", "https://help.bank.com/", "<https://help.bank.com/|bank.com>"),
        ("handbook.md", "https://wiki.test/docs/handbook.md", "<https://wiki.test/docs/handbook.md|handbook.md>"),
        ("bank.sh", "https://evil.test/", "bank.sh (<https://evil.test/>)"),
        ("report 2.1.pdf", "https://drive.test/d/1", "<https://drive.test/d/1|report 2.1.pdf>"),
        ("Node.js 20.1, e.g. this", "https://wiki.test/", "<https://wiki.test/|Node.js 20.1, e.g. this>"),
        (" ", "https://wiki.test/", "<https://wiki.test/>"),
        ("far", "https://wiki.test/" + "x" * 2_000, "far"),
        ("broken", "https://[::1", "broken"),
        ("a" * 200, "https://wiki.test/", f"<https://wiki.test/|{'a' * 149}…>"),
    ],
)
def test_a_link_shows_no_other_address_than_it_opens(label, url, shown):
    assert link(url, label) == shown


def tokens(mrkdwn):
    return re.findall(r"<([^>]*)>?", mrkdwn)


def without_code(mrkdwn):
    return re.sub(r"```.*?```|`[^`\n]*`", "", mrkdwn, flags=re.DOTALL)


PARTS = [
    "<!channel>", "<!here|x>", "<@U1>", "<!subteam^S1>", "<https://evil.test|bank.com>", "@channel", "@here", "&", "<",
    ">", "|", "[", "](", ")", "https://evil.test", "bank.com", "`", "```", "*", "\n", " ", "\u202e", "\u200b", "!",
    "[1]", "| a |", "|---|", "> ", "- ", "%3E", "&lt;", "&#60;", "~~",
]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join))
def test_no_output_pings_or_disguises_a_link(markdown):
    mrkdwn = convert(markdown, FOOTNOTES)
    for token in tokens(mrkdwn):
        target, _, label = token.partition("|")
        assert re.fullmatch(r"https?://[^\s<>|]+", target), token
        assert "|" not in label
        assert "bank.com" not in label or "bank.com" in urlsplit(target).netloc
    assert not re.search(r"(?<!\w)@(channel|here)\b", without_code(re.sub("<[^|>]*", "", mrkdwn)))


@given(st.text(max_size=60))
def test_words_are_never_markup(text):
    assert not re.search(r"[<>]|&(?!(amp|lt|gt);)|```|(?<!\w)@(here|channel|everyone)\b", words(text), re.IGNORECASE)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_nothing_that_is_not_seen_comes_out(markdown):
    assert readable(convert(markdown)) == convert(markdown)
