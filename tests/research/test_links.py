"""Addresses, in every form in which one can be written, before the gate and after it."""

import re
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.research.links import gate_links
from tests.fakes.markdown import outside_code

OK = "https://ok.example/a?x=1"
WIKI = "https://wiki.example/Foo_(bar)"
ALLOWED = [
    OK,
    WIKI,
    "https://xn--bcher-kva.example/ab",
    "http://port.example:80",
    "https://pipe.example/a|b",
    "https://h\u200bid.example",
]

LABEL_ONLY = [
    "[label](http://evil.example)",
    '[label](http://evil.example "a title")',
    "[label](<http://evil.example/with space>)",
    "[label](\n http://evil.example\n)",
    "[label](http://evil.example/a(b)c)",
    "[label](HTTP://EVIL.EXAMPLE)",
    "[label](//evil.example/x)",
    "[label](/relative/path)",
    "[label](javascript:alert(1))",
    "[label](data:text/html,x)",
    "[label](mailto:a@evil.example)",
    "[label](ht\u200btps://evil.example)",
    "[label](&#104;ttp://evil.example)",
    "[label](http\\://evil.example)",
    "[label](https://user@ok.example/a?x=1)",
    "![label](http://evil.example/x.png?q=secret)",
    f"![label]({OK})",
    "[![label](http://evil.example/i.png)](http://evil.example)",
    "<http://evil.example|label>",
    "<http://evil.example/?a=b&amp;c=d|label>",
    "<a href='http://evil.example'>label</a>",
    '<a title=">" href="http://evil.example">label</a>',
    "<A HREF=http://evil.example>label</A>",
    '<img alt="label" src="http://evil.example/x.png">',
]
GONE = [
    "http://evil.example",
    "https://evil.example/a?b=c#d",
    "HTTPS://EVIL.EXAMPLE/x",
    "ftp://evil.example/x",
    "javascript:alert(1)",
    "data:text/html;base64,eA==",
    "//evil.example/x",
    "www.evil.example",
    "evil.example",
    "evil.com",
    "evil.de/path",
    "secret.evil.md/x?q=1",
    "xn--e1afmkfd.xn--p1ai",
    "http://10.0.0.1/x",
    "https://evil.example:8443/x",
    "https://user:pass@ok.example/a?x=1",
    "bob@evil.example/?q=secret",
    "<http://evil.example>",
    "(http://evil.example)",
    "[http://evil.example]",
    "**http://evil.example**",
    "_http://evil.example_",
    "__evil.example__",
    "“http://evil.example”",
    "ht\u200btps://evil.example",
    "https\u00ad://evil.example",
    "&#104;ttps://evil.example",
    "https\\://evil.example",
    "ｈｔｔｐｓ://evil.example",
    "𝐡𝐭𝐭𝐩𝐬://evil.example",
    "evil\uff0eexample",
    "[](http://evil.example)",
    "[http://evil.example](http://evil.example)",
    "[evil.example](http://evil.example)",
    "<script>fetch('/x')</script>",
    "<style>a{background:url(/x)}</style>",
    "<iframe src=//evil.example></iframe>",
    "<img src=//evil.example/x.png onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<base href=//evil.example>",
    "<form action=//evil.example>",
    "<input type=image src=//evil.example>",
]
LIVE = [
    (f"[label]({OK})", f"[label]({OK})"),
    (f'[label]({OK} "title")', f"[label]({OK})"),
    ("[label](HTTPS://OK.example:443/a?utm_source=m&x=1#part)", f"[label]({OK})"),
    ("[label](https://ok.example/a?x=1&amp;fbclid=2)", f"[label]({OK})"),
    (f"[label]({WIKI})", f"[label]({WIKI})"),
    (f"[label][r]\n\n[r]: {OK}", f"[label]({OK})"),
    (f"[label][]\n\n[Label]: <{OK}> 'title'", f"[label]({OK})"),
    (f"[label]\n\n[label]: {OK}", f"[label]({OK})"),
    (f"<{OK}|label>", f"[label]({OK})"),
    (f"<a href='{OK}'>label</a>", f"[label]({OK})"),
    (f"[`code`]({OK})", f"[`code`]({OK})"),
    (f"[a [b] c]({OK})", f"[a [b] c]({OK})"),
    (f"[http://evil.example]({OK})", OK),
    (f"[`http://evil.example`]({OK})", OK),
    (f"[see http://evil.example there]({OK})", f"[see there]({OK})"),
    (f"[ok.example]({OK})", f"[ok.example]({OK})"),
    (f"[]({OK})", OK),
    (f"[![i](http://evil.example/i.png)]({OK})", f"[i]({OK})"),
    (OK, OK),
    (f"<{OK}>", OK),
    (f"({OK})", f"({OK})"),
    (f"**{OK}**", f"**{OK}**"),
    ("ok.example/a?x=1", OK),
    ("[label](https://BÜCHER.example/a%62)", "[label](https://xn--bcher-kva.example/ab)"),
    ("[label](http://port.example/)", "[label](http://port.example:80)"),
    ("[label](https://hid.example)", "[label](https://hid.example)"),
    ("[label](https://pipe.example/a|b)", "[label](https://pipe.example/a%7Cb)"),
    (f"{WIKI}", WIKI),
]


@pytest.mark.parametrize("link", LABEL_ONLY)
def test_a_link_that_is_not_allowed_keeps_only_its_label(link):
    assert gate_links(f"See {link} now.", ALLOWED) == "See label now."


@pytest.mark.parametrize("address", GONE)
def test_a_bare_address_is_removed_whole(address):
    assert gate_links(f"See {address} now.", ALLOWED) == "See now."


@pytest.mark.parametrize(("written", "live"), LIVE)
def test_an_allowed_address_is_live_and_spelled_as_it_was_allowed(written, live):
    assert gate_links(f"See {written}", ALLOWED).strip() == f"See {live}"


@pytest.mark.parametrize(
    "hidden",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "https://a@ok.example/",
        "//ok.example",
    ],
)
def test_what_must_never_be_a_link_is_not_even_when_it_is_allowed(hidden):
    assert gate_links(f"[label]({hidden})", [hidden]) == "label"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("<bob@example.com>", "bob@example.com"),
        ("<mailto:bob@example.com|Bob>", "Bob"),
        ("mailto:bob@example.com?subject=x", "bob@example.com"),
    ],
)
def test_of_a_mail_address_only_the_text_is_left(written, text):
    assert gate_links(f"Ask {written} now", ALLOWED) == f"Ask {text} now"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (
            "[a][r], [r] and [b][]\n\n[r]: http://evil.example\n[b]: <http://evil.example/b> 'x'\nend",
            "a, r and b\n\nend",
        ),
        ("> [r]: http://evil.example\n[a][r]", "a"),
        ("[a][r]\n\n[r]:\n  http://evil.example", "a\n\n"),
        ("[r]: yes", "[r]: yes"),
    ],
)
def test_definitions_are_removed_with_what_they_name(text, result):
    assert gate_links(text, ALLOWED) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Sources:\n- http://evil.example\n- Plan\n", "Sources:\n- Plan\n"),
        ("a\nhttp://evil.example\nb", "a\nb"),
        ("http://evil.example is down", "is down"),
        ("See http://evil.example.", "See."),
        ("See http://evil.example, http://evil.example/b and c", "See, and c"),
        ("See (http://evil.example) there.", "See there."),
        ("请看「http://evil.example/a」。", "请看。"),
        ("[label]\u200b(http://evil.example)", "[label]\u200b"),
        ("ht<img src=x>tps://evil.example", "ht"),
        ("[evil](x).com", ""),
        ("[9http://evil.example] [5https://e.example/-7] [[9](http://evil.example)9]", "(9) (5) (99)"),
        ("Falcon\n- evil.com.\n- b", "Falcon\n- b"),
        ("网址：https://ok.example/a?x=1，谢谢", "网址：https://ok.example/a?x=1，谢谢"),
    ],
)
def test_what_was_taken_out_leaves_no_trace_and_joins_nothing(text, result):
    assert gate_links(text, ALLOWED) == result


def test_an_address_that_a_passage_holds_word_for_word_is_kept_as_code():
    passages = ["Ask http://x.example/p?q=1, or the wiki."]
    assert gate_links("See http://x.example/p?q=1.", (), passages) == "See `http://x.example/p?q=1`."
    assert gate_links("See http://x.example/p?q=2.", (), passages) == "See."
    assert gate_links("See http://x.example/p.", (), passages) == "See."
    assert gate_links("See [the wiki](http://x.example/p?q=1).", (), passages) == "See the wiki."
    assert gate_links("An ` and http://x.example/p?q=1 too", (), passages) == "An ` and too"


@pytest.mark.parametrize(
    "code", ["`http://evil.example`", "```\nhttp://evil.example\n```", "~~~\n[a](http://evil.example)\n~~~"]
)
def test_code_is_left_alone(code):
    assert gate_links(f"a http://evil.example\n{code}", ()) == f"a\n{code}"


PIECES = [
    *("[x](", "[y]", "(", ")", "](", "[r]: ", "[r]", "![", "<", ">", "<a href=", "</a>", "<img src=", "<b title="),
    *("http://evil.example/a", "//evil.example", "evil.com/x", "evil.example", "www.", "javascript:x", "&#104;ttp"),
    *("://", "h", "ttp", "\u200b", ".", "/", "example", "evil", "<http://evil.example|l>", "mailto:a@b.example", OK),
    *("`", "```", "~~~", "\n", "\n\n", "\n    ", " ", "'", '"', "\\", "> ", "- ", "1. ", "|", "**", "_", "[5]", "word"),
    *("<!--", "<script>", "</script>"),
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
HOSTILE = re.compile(
    r"https?://\S*evil|javascript:[^\s<|]|(?<![\w.@-])www\.\w|(?<![\w@./\\-])evil\.(?:com|example)(?![\w@-]|\.\w)"
)


@settings(max_examples=250, deadline=None)
@given(texts)
def test_to_another_reader_no_address_is_left_outside_code(text):
    shown, addresses = outside_code(gate_links(text, [OK]))
    assert {address for address in addresses if "evil" in address or ":" in address} <= {OK}
    assert not HOSTILE.search(shown.replace(OK, " "))


@settings(max_examples=150, deadline=None)
@given(texts)
def test_gating_twice_is_gating_once(text):
    gated = gate_links(text, [OK], ["see http://evil.example/a there"])
    assert gate_links(gated, [OK], ["see http://evil.example/a there"]) == gated


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_characters="[]<>&\\:/@.。｡．"), max_size=60))
def test_text_without_addresses_is_unchanged(text):
    assert gate_links(text, [OK]) == text


UNITS = [
    *(
        "[",
        "](",
        "[x](",
        "[x](<",
        '[x](a "',
        "[a]:",
        "[a]: b.c\n",
        "<",
        "<a ",
        '<a "',
        "<a href=x>",
        "<script>",
        "</a>",
    ),
    *("&#1;", "a.", "a-", "a@", "//a.", "http://", "http:", "https://evil.example ", "\u200b", "a.com ", "_evil.co_"),
    *("(", "*", "`", "evil.com_", "|"),
]


@pytest.mark.parametrize("unit", UNITS)
def test_gating_takes_time_in_proportion_to_the_length(unit):
    text = unit * (50_000 // len(unit))
    start = process_time()
    gate_links(text, [OK], ["x"])
    assert process_time() - start < 3
