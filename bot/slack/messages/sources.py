"""The sources of an answer: a line each in the text, and a block each with what people may ask about it.  No I/O."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, tzinfo
from typing import Any, TypeAlias

from bot import sentences
from bot.research import Source
from bot.sentences import sentence
from bot.slack.messages import sentences as ours
from bot.slack.messages.links import address, label, link

WHY = "footnote_why"

Folded: TypeAlias = tuple[Source, ...]
"""All footnotes of one document, the first cited first."""


def folded(sources: Sequence[Source]) -> list[Folded]:
    """A document once, with all its footnote numbers."""
    documents: dict[tuple[str, str], Folded] = {}
    for source in sources:
        identity = (source["source"], source["source_id"] or source["url"] or source["title"])
        documents[identity] = (*documents.get(identity, ()), source)
    return list(documents.values())


def line(same: Folded, *, numbered: bool = True) -> str:
    """Number, title, sender and date, as mrkdwn."""
    first = same[0]
    title = link(first["url"], first["title"] or first["url"])
    # A file without a web address is found by its path.
    path = first["source_id"] if first["source"] == "files" and not address(first["url"]) else ""
    shown = ["" if path and path == first["title"] else title, f"`{label(path)}`" if path else ""]
    mark = " ".join(f"[{source['ref']}]" for source in same) if numbered else "•"
    return f"{mark} " + " · ".join(filter(None, (*shown, label(first["sender"]), label(first["date"]))))


def heading(language: str) -> str:
    return f"*{sentence(sentences.SOURCES, language)}*"


def aged(same: Folded, today: date, language: str, *, numbered: bool = True) -> str:
    """The line with how old that is, in words."""
    old = age(same[0]["date"], today, language)
    return f"{line(same, numbered=numbered)}{f' ({old})' if old else ''}"


def block(
    same: Folded, run: str, today: date, language: str, *, numbered: bool = True, quoted: int = 0
) -> dict[str, Any]:
    """One document; where the passage behind it is kept, which is so for the first `quoted` footnotes, with a button
    that asks for it."""
    text = {"type": "mrkdwn", "text": aged(same, today, language, numbered=numbered), "verbatim": True}
    refs = [source["ref"] for source in same if source["ref"] <= quoted]
    if not (numbered and refs):
        return {"type": "section", "text": text}
    why = {"type": "plain_text", "text": sentence(ours.WHY, language)}
    value = f"{','.join(map(str, refs))}:{run}"
    button = {"type": "button", "action_id": WHY, "text": why, "value": value}
    return {"type": "section", "text": text, "accessory": button}


def asked_about(value: str) -> tuple[list[int], str]:
    """The footnote numbers and the run that a button stands for."""
    refs, _, run = value.partition(":")
    return [int(ref) for ref in refs.split(",") if ref.isdecimal()], run


def today_in(zone: tzinfo | None) -> date:
    """The day that it is where somebody lives; where that is not known, the day of the server."""
    return datetime.now(UTC).astimezone(zone).date()


def age(day: str, today: date, language: str) -> str:
    """How long ago a day was (YYYY-MM-DD), in words; "" where it is no day, and for the day that has begun somewhere in
    the world, perhaps where it was written, but not here."""
    try:
        days = (today - date.fromisoformat(day)).days
    except ValueError:
        return ""
    if days == -1:
        return ""
    if days < 2:
        return sentence((ours.TODAY, ours.YESTERDAY)[days] if days >= 0 else ours.TO_COME, language)
    for words, most, length in ((ours.DAYS_AGO, 14, 1), (ours.WEEKS_AGO, 60, 7), (ours.MONTHS_AGO, 730, 30)):
        if days < most:
            return sentence(words, language, count=days // length)
    return sentence(ours.YEARS_AGO, language, count=days // 365)
