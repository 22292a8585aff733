"""What is taken away from a text before it is shown is taken away before it is gated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.research.untrusted import readable
from bot.slack.messages.mrkdwn import convert
from tests.fakes.markdown import outside_code
from tests.fakes.research import calls, play, says, searches
from tests.fakes.search import FakeSearch, hits

UNSEEN = ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\x00", "\x1b", "\u202e", "\ufeff"]
FORMS = [
    "ok [1]{0}```{0}[Falcon login](https://evil.example/x?d=SECRET) and [1][9]",
    "ok [1] `https://evil.example/x`{0}`",
    "{0}```\n```\nhttps://evil.example/x",
    "```{0}`https://evil.example/x```",
    "{0}~~~{0}[a](https://evil.example/x)",
]


@given(st.text(st.sampled_from([*UNSEEN, "`", "~", "\n", "a", " "])))
def test_what_is_readable_stays_as_it_is(text):
    assert readable(readable(text)) == readable(text)


@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("form", FORMS)
async def test_no_unseen_character_makes_a_foreign_link_live(form, unseen):
    played = await play(searches(), says(form.format(unseen)), search=FakeSearch(hits(1)))
    drafts = "".join(event.text for event in played.events if type(event).__name__ == "AnswerDelta")
    for text in (played.result.answer, drafts):
        assert readable(text) == text
        assert "<https://evil" not in convert(text)
        assert not any("evil" in address for address in outside_code(text)[1])


async def test_nor_in_a_question_back():
    question = "Which?\r```\r[Sign in](https://evil.example/x)"
    played = await play(
        searches(), calls(("clarify", {"question": question})), says("Done."), clarify_handler=lambda _: "yes"
    )
    asked = next(event.question for event in played.events if type(event).__name__ == "ClarifyCall")
    assert readable(asked) == asked
    assert "<https://evil" not in convert(asked)
