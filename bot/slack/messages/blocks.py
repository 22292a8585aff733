"""Messages as Slack's blocks: text in sections, with the buttons that belong to it.  No I/O."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from bot import sentences
from bot.sentences import sentence
from bot.slack.messages import notices, sources
from bot.slack.messages.links import words
from bot.slack.messages.render import Piece
from bot.slack.messages.split import split
from bot.slack.surfaces import home_sentences
from bot.store import Part

LONGEST_SECTION = 2_900
"""Bytes of UTF-8; Slack takes 3,000 characters."""
STOP = "footnote_stop"
AGAIN = "footnote_again"
FEEDBACK = "footnote_feedback"
HOW = "footnote_how"
PRIVATE = "footnote_private"
SHARE = "footnote_share"
_MORE = {PRIVATE: home_sentences.PRIVATE, SHARE: home_sentences.SHARE_IN_THREAD}


def working(text: str, run: str, language: str, card: Sequence[dict[str, Any]] = ()) -> Part:
    """A message while its run goes on; `card` is what was found first."""
    stop = _button(STOP, sentence(sentences.STOP, language), run)
    return Part(text=text, blocks=(*_sections(text), *card, _actions(stop)))


def answered(
    pieces: Sequence[Piece],
    run: str,
    language: str,
    *,
    today: date,
    quoted: int = 0,
    footer: str = "",
    more: str = "",
) -> tuple[Part, ...]:
    """An answer, in as many messages as it has pieces, with what people may do about it.  The passages behind its first
    `quoted` footnotes are kept; `footer` (mrkdwn) says how it came to be; `more` is one more
    button, `PRIVATE` or `SHARE`."""
    parts = [
        Part(text=piece.text, blocks=(*_sections(piece.body), *_sources(piece, run, language, today, quoted)))
        for piece in pieces
    ]
    if parts:
        last = parts[-1]
        foot = (_context(footer),) if footer else ()
        parts[-1] = Part(text=last.text, blocks=(*last.blocks, *foot, *_about(run, language, more)))
    return tuple(parts)


def offer(run: str, language: str) -> Part:
    """To whoever has edited a question that is answered already."""
    text = words(sentence(notices.EDITED_LATER, language))
    again = _button(AGAIN, sentence(notices.ANSWER_EDITED, language), run)
    return Part(text=text, blocks=(*_sections(text), _actions(again)))


def notice(words_: dict[str, str], language: str, **values: str) -> Part:
    """A fixed sentence as a message."""
    return said([words(sentence(words_, language, **values))])[0]


def said(texts: Sequence[str]) -> tuple[Part, ...]:
    """What the bot says besides answers, in as many messages as there are texts."""
    return tuple(Part(text=text, blocks=tuple(_sections(text))) for text in texts)


def _sources(piece: Piece, run: str, language: str, today: date, quoted: int) -> list[dict[str, Any]]:
    blocks = _sections(piece.title)
    for same in piece.sources:
        blocks.append(sources.block(same, run, today, language, numbered=piece.numbered, quoted=quoted))
    return blocks


def _about(run: str, language: str, more: str) -> tuple[dict[str, Any], ...]:
    def opinion(text: str, value: str) -> dict[str, Any]:
        return {"text": {"type": "plain_text", "text": text}, "value": f"{value}:{run}"}

    feedback = {
        "type": "feedback_buttons",
        "action_id": FEEDBACK,
        "positive_button": opinion(sentence(sentences.GOOD, language), "good"),
        "negative_button": opinion(sentence(sentences.BAD, language), "bad"),
    }
    buttons = [_button(HOW, sentence(sentences.HOW, language), run)]
    if more:
        buttons.append(_button(more, sentence(_MORE[more], language), run))
    return {"type": "context_actions", "elements": [feedback]}, _actions(*buttons)


def _sections(text: str) -> list[dict[str, Any]]:
    return [
        {"type": "section", "text": {"type": "mrkdwn", "text": piece, "verbatim": True}, "expand": True}
        for piece in split(text, LONGEST_SECTION)
    ]


def _context(text: str) -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True}]}


def _actions(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def _button(action: str, text: str, value: str) -> dict[str, Any]:
    return {"type": "button", "action_id": action, "text": {"type": "plain_text", "text": text}, "value": value}
