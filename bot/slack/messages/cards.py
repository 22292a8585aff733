"""Passages as they are quoted in Slack.  No I/O."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from bot.research import SearchHit, WebHit
from bot.research.jsonable import valid
from bot.research.shaping import source_of
from bot.sentences import sentence
from bot.slack.messages import sentences as ours
from bot.slack.messages.links import words
from bot.slack.messages.sources import aged

MOST_SHOWN = 3
LONGEST_QUOTE = 280
"""Characters."""
LONGEST_KEPT = 1_500


def best(hits: Sequence[SearchHit] | Sequence[WebHit]) -> tuple[SearchHit | WebHit, ...]:
    """The first passages of a search, one a document."""
    documents: dict[str, SearchHit | WebHit] = {}
    for hit in hits:
        documents.setdefault(hit.url if isinstance(hit, WebHit) else hit.document_id, hit)
    return tuple([hit for hit in documents.values() if text_of(hit).strip()][:MOST_SHOWN])


def card(found: Sequence[SearchHit | WebHit], today: date, language: str) -> tuple[dict[str, Any], ...]:
    """What was found first, while there is no answer yet; no block where nothing was."""
    if not found:
        return ()
    note = {"type": "mrkdwn", "text": sentence(ours.FIRST_FOUND, language)}
    return ({"type": "context", "elements": [note]}, *(_passage(hit, today, language) for hit in found))


def quote(text: str, longest: int = LONGEST_QUOTE) -> str:
    """A passage on one quoted line of mrkdwn."""
    flat = " ".join(text.split())
    return f"> {words(flat if len(flat) <= longest else flat[: longest - 1].rstrip() + '…')}"


def text_of(hit: SearchHit | WebHit) -> str:
    return hit.snippet if isinstance(hit, WebHit) else hit.content_snippet


def kept(hit: SearchHit | WebHit) -> SearchHit | WebHit:
    """What is kept of a passage that was cited: enough to quote it, in text that any store can write."""
    title, text = valid(hit.title), valid(text_of(hit))
    if isinstance(hit, WebHit):
        return replace(hit, title=title, snippet=text[:LONGEST_KEPT])
    return replace(hit, title=title, content_snippet=text[:LONGEST_KEPT], more="", thread_context=[])


def _passage(hit: SearchHit | WebHit, today: date, language: str) -> dict[str, Any]:
    cited = aged((source_of(hit, 1),), today, language, numbered=False)
    text = {"type": "mrkdwn", "text": f"{quote(text_of(hit))}\n{cited}", "verbatim": True}
    return {"type": "section", "text": text}
