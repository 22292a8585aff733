"""Whatever an answer holds, Slack takes its blocks."""

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.research import WebHit
from bot.slack.messages.blocks import answered, working
from bot.slack.messages.cards import best, card, kept
from bot.slack.messages.render import final
from bot.slack.messages.split import LIMIT
from tests.fakes.search import hit
from tests.fakes.slack_blocks import taken

TODAY = date(2026, 11, 30)
WORDS = st.text(max_size=400) | st.sampled_from(["<!channel>", "a `b` & <c>", "é" * 399, "x\n\n" * 90, "```\n" * 40])


@st.composite
def sources(draw):
    names = ("title", "sender", "date", "source_id")
    return [
        {"ref": ref, "source": draw(st.sampled_from(["files", "web"])), "url": draw(st.sampled_from(URLS))}
        | {name: draw(WORDS) for name in names}
        for ref in range(1, draw(st.integers(1, 70)))
    ]


URLS = ["", "https://wiki.test/a?b=<c>|d", f"https://wiki.test/{'x' * 1_100}", "javascript:alert(1)"]


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=40).map("\n\n".join), sources(), st.booleans(), st.text(max_size=600))
def test_an_answer_keeps_to_the_limits_of_messages_and_blocks(text, listed, numbered, footer):
    pieces = final(text, listed, "en", notes=["A <note>."], numbered=numbered)
    parts = answered(pieces, "C1:1.0", "fr", today=TODAY, quoted=len(listed), footer=footer.replace("\x00", ""))
    for part in parts:
        assert len(part.text.encode()) <= LIMIT
        assert taken(list(part.blocks))
    read = "\n".join(block["text"]["text"] for part in parts for block in part.blocks if block["type"] == "section")
    assert "<!channel>" not in read
    assert "<javascript" not in read


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS, st.sampled_from(URLS)), max_size=5), st.text(max_size=3_000))
def test_a_card_does_too(found, text):
    documents = [
        hit(number, title=title, content_snippet=snippet, url=url)
        for number, (title, snippet, url) in enumerate(found, 1)
    ]
    pages = [WebHit(title, url, snippet=snippet) for title, snippet, url in found if url]
    for hits in (best(documents), best(pages)):
        assert len(hits) <= 3
        part = working(text or "…", "C1:1.0", "en", card([kept(one) for one in hits], TODAY, "en"))
        assert taken(list(part.blocks))
