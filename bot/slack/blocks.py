"""Messages as Slack's blocks: text in sections, with the buttons that belong to it.  No I/O."""

from collections.abc import Sequence
from typing import Any

from bot import sentences
from bot.sentences import sentence
from bot.slack.links import words
from bot.slack.split import split
from bot.store import Part

LONGEST_SECTION = 2_900
"""Bytes of UTF-8; Slack takes 3,000 characters."""
STOP = "footnote_stop"
AGAIN = "footnote_again"
FEEDBACK = "footnote_feedback"
HOW = "footnote_how"


def working(text: str, run: str, language: str) -> Part:
    """A message while its run goes on."""
    stop = _button(STOP, sentence(sentences.STOP, language), run)
    return Part(text=text, blocks=(*_sections(text), _actions(stop)))


def offer(run: str, language: str) -> Part:
    """To whoever has edited a question that is answered already."""
    text = words(sentence(sentences.EDITED_LATER, language))
    again = _button(AGAIN, sentence(sentences.ANSWER_EDITED, language), run)
    return Part(text=text, blocks=(*_sections(text), _actions(again)))


def said(texts: Sequence[str], run: str, language: str, *, asked: bool = True) -> tuple[Part, ...]:
    """The last word, in as many messages as there are texts; `asked`: with what people may do about it."""
    parts = [Part(text=text, blocks=tuple(_sections(text))) for text in texts]
    if parts and asked:
        last = parts[-1]
        parts[-1] = Part(text=last.text, blocks=(*last.blocks, *_about(run, language)))
    return tuple(parts)


def _about(run: str, language: str) -> tuple[dict[str, Any], ...]:
    def opinion(text: str, value: str) -> dict[str, Any]:
        return {"text": {"type": "plain_text", "text": text}, "value": f"{value}:{run}"}

    feedback = {
        "type": "feedback_buttons",
        "action_id": FEEDBACK,
        "positive_button": opinion(sentence(sentences.GOOD, language), "good"),
        "negative_button": opinion(sentence(sentences.BAD, language), "bad"),
    }
    how = _button(HOW, sentence(sentences.HOW, language), run)
    return {"type": "context_actions", "elements": [feedback]}, _actions(how)


def _sections(text: str) -> list[dict[str, Any]]:
    return [
        {"type": "section", "text": {"type": "mrkdwn", "text": piece, "verbatim": True}, "expand": True}
        for piece in split(text, LONGEST_SECTION)
    ]


def _actions(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def _button(action: str, text: str, value: str) -> dict[str, Any]:
    return {"type": "button", "action_id": action, "text": {"type": "plain_text", "text": text}, "value": value}
