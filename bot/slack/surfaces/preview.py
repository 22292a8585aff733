"""What sharing a private answer would reveal, as modals: all of it, in as many pages as Slack makes it.  No I/O."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.sentences import sentence
from bot.slack.messages.blocks import SHARE
from bot.slack.messages.links import label, link
from bot.slack.surfaces import home_sentences
from bot.slack.surfaces import sharing_sentences as ours
from bot.store import Part, Run

MOST_BLOCKS = 90
"""Of one page; Slack takes 100."""
LARGEST = 150_000
"""Bytes of JSON of one page; Slack takes 250,000."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """What somebody has in front of them: a page of an answer, which an answer anew is not."""

    page: int
    last: bool
    attempt: int
    run: str

    @classmethod
    def of(cls, kept: str) -> "Seen":
        page, last, attempt, run = kept.split(" ", 3)
        return cls(int(page), last == "last", int(attempt), run)

    def __str__(self) -> str:
        return f"{self.page} {'last' if self.last else 'more'} {self.attempt} {self.run}"


def waiting(language: str) -> Json:
    """A modal that is there before its contents are known."""
    return _modal(language, [_section(sentence(home_sentences.WAIT, language))])


def told(words_: dict[str, str], language: str, *, channel: str = "", address: str = "") -> Json:
    """A sentence, with the link of the shared answer where there is one."""
    return _modal(language, [_section(in_mrkdwn(words_, language, channel=channel, address=address))])


def in_mrkdwn(words_: dict[str, str], language: str, *, channel: str, address: str = "", code: str = "") -> str:
    """A sentence about a channel, with the link of the shared answer where there is one."""
    text = sentence(words_, language, channel=f"<#{channel}>", code=label(code))
    return f"{text} {link(address, sentence(ours.THERE, language))}" if address else text


def page(run: Run, parts: Sequence[Part], number: int, language: str) -> Json:
    """One of the pages, from 0; only the last can be submitted as a wish to share, all others lead to the next."""
    pages = _pages(parts)
    number = min(number, len(pages) - 1)
    last = number == len(pages) - 1
    channel, *_ = run.asked["origin"]
    heading = [_section(in_mrkdwn(ours.REVEALS, language, channel=channel))]
    if len(pages) > 1:
        heading.append(_section(sentence(ours.PAGE, language, page=number + 1, pages=len(pages))))
    view = _modal(language, [*heading, *pages[number]])
    submit = _plain(ours.SHARE if last else ours.NEXT, language)
    return view | {
        "callback_id": SHARE,
        "private_metadata": str(Seen(number, last, run.attempt, run.key)),
        "submit": submit,
    }


def _pages(parts: Sequence[Part]) -> list[list[Json]]:
    """Every block of the answer that says something, in the order in which others will see them."""
    pages: list[list[Json]] = [[]]
    size = 0
    for block in (_bare(block) for part in parts for block in part.blocks if "actions" not in block["type"]):
        more = len(json.dumps(block))
        if len(pages[-1]) >= MOST_BLOCKS or (pages[-1] and size + more > LARGEST):
            pages.append([])
            size = 0
        pages[-1].append(block)
        size += more
    return pages


def _bare(block: Json) -> Json:
    """Without buttons, which are of no use in a modal."""
    return {name: value for name, value in block.items() if name != "accessory"}


def _section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _modal(language: str, blocks: Sequence[Json]) -> Json:
    title, close = _plain(ours.TITLE, language), _plain(home_sentences.CLOSE, language)
    return {"type": "modal", "title": title, "close": close, "blocks": list(blocks)}


def _plain(words_: dict[str, str], language: str) -> Json:
    return {"type": "plain_text", "text": sentence(words_, language)}
