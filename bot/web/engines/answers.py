"""Reading whatever an engine answers: nothing in it can raise anything but `EngineFailed`.  No I/O."""

import html
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from bot.research.addresses import canonical
from bot.research.types import WebHit
from bot.research.untrusted import clean
from bot.sentences import said
from bot.web import sentences
from bot.web.engines import EngineFailed
from bot.web.outcome import FailureKind

Item: TypeAlias = Mapping[str, Any]

WORDS_CHARS = 200
LONGEST_URL = 2_048
LONGEST_TITLE = 300
LONGEST_SNIPPET = 2_000
"""Characters: an engine may give a whole page as what it says of it."""
MOST_ITEMS = 100
LONGEST_REST = 3_600.0

_STATUSES: dict[int, FailureKind] = {
    **dict.fromkeys((401, 403), "bad_key"),
    **dict.fromkeys((402, 432, 433), "no_credits"),
    **dict.fromkeys((408, 504), "timeout"),
    429: "rate_limited",
}  # fmt: skip
_SPEAKING = ("message", "detail", "msg", "error", "errors", "title", "code")
_COMPLAINING = ("error", "errors", "detail", "message", "warning")
_NO_COMPLAINT = re.compile(r"\s*(?:ok|success)\b|.*\bno (?:\w+ ){0,3}results?\b|.*\bnothing\b", re.IGNORECASE)
_INLINE = re.compile(r"</?(?:b|strong|em|i|u|mark|span|br|p|wbr|sup|sub|a|small|code)\b[^<>]*>", re.IGNORECASE)
_SECRETS = re.compile(
    r"\b(?:tvly|fc|sk|pk|xox[a-z]|xapp|ydc|BSA|ghp|Bearer)[-_ ][\w.-]{6,}"
    r"|(?<=://)[^\s/@]+@|(?i:(?:api[-_]?key|token|secret)[\"']?\s*[=:]\s*[\"']?)[\w.-]{6,}"
)


def parsed(body: bytes | str) -> Any:
    """The JSON of an answer.  Raises `EngineFailed` for what is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise EngineFailed("bad_response", said(sentences.NOT_JSON)) from None


def mapping(value: object) -> Item:
    return value if isinstance(value, Mapping) else {}


def items(value: object) -> list[Any]:
    return value[:MOST_ITEMS] if isinstance(value, list) else []


def text(value: object) -> str:
    """One line of plain text: markup of emphasis goes, entities become characters; "" for what is no text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(clean(html.unescape(_INLINE.sub("", str(value)))).split())


def section(value: object) -> list[Any]:
    """The results of one section, none where the answer lacks it.  Raises `EngineFailed` for what is no list."""
    if value is not None and not isinstance(value, list):
        raise EngineFailed("bad_response", said(sentences.NO_LIST))
    return items(value)


def first(*values: object) -> str:
    """The first of them that says something."""
    return next(filter(None, map(text, values)), "")


def date(value: object) -> str:
    """ISO 8601 where it can be read as a date, else the engine's own words ("2 hours ago")."""
    said = text(value)
    try:
        return datetime.fromisoformat(said).date().isoformat()
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(said).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return said


def site(url: str) -> str:
    """The host of an address without `www.`; "" where it has none that can be opened."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.") if parts.scheme in ("http", "https") else ""


def hit(title: object, url: object, snippet: object, *, when: object = "", where: object = "") -> WebHit | None:
    """A result, its address exactly as it came; None where it has none that can be opened."""
    address = url if isinstance(url, str) else ""
    if len(address) > LONGEST_URL or clean(address) != address or address.split() != [address]:
        return None
    if not site(address) or canonical(address) is None:
        return None
    about = clean(first(where, site(address)), LONGEST_TITLE), clean(date(when), LONGEST_TITLE)
    return WebHit(clean(text(title), LONGEST_TITLE), address, *about, clean(text(snippet), LONGEST_SNIPPET))


def hits(
    given: Iterable[object], read: Callable[[Item], WebHit | None], limit: int, *, complaint: str = ""
) -> list[WebHit]:
    """The results that can be opened, at most `limit`.

    Raises `EngineFailed` where there are results and none can, and where there are none and the answer has a
    `complaint`: an outage may come with an empty list.
    """
    rows = list(given)
    if not rows and complaint:
        raise EngineFailed("bad_response", complaint)
    found = [one for row in rows if (one := read(mapping(row)))]
    if rows and not found:
        raise EngineFailed("bad_response", said(sentences.NO_ADDRESSES))
    return found[:limit]


def refusal(
    status: int,
    body: object,
    *,
    retry_after: str | None = None,
    secrets: Iterable[str] = (),
    kinds: Mapping[int, FailureKind] | None = None,
    advice: Mapping[int, str] | None = None,
) -> EngineFailed:
    """What an answer with this HTTP status says; `kinds` are an engine's own readings of a status, `advice` what to
    say of one in place of its own words."""
    told = (advice or {}).get(status) or redacted(own_words(body), secrets)
    words = said(sentences.WITH_STATUS, status=status, words=told) if told else f"HTTP {status}"
    return EngineFailed((kinds or {}).get(status) or kind_of(status), words, retry_after=seconds(retry_after))


def kind_of(status: int) -> FailureKind:
    if status in _STATUSES:
        return _STATUSES[status]
    if status >= 500:
        return "unreachable"
    return "bad_request" if status >= 400 else "bad_response"


def own_words(body: object, depth: int = 4) -> str:
    """The first thing that an error says, wherever it says it."""
    if isinstance(body, str):
        return text(body)
    if depth and isinstance(body, list):
        return next(filter(None, (own_words(one, depth - 1) for one in body[:3])), "")
    said = (own_words(mapping(body)[key], depth - 1) for key in _SPEAKING if key in mapping(body))
    return next(filter(None, said), "") if depth else ""


def complaint(answer: Item, secrets: Iterable[str] = ()) -> str:
    """What an answer says of an error, without secrets; "" where it says none, or only that there are no results."""
    words = next(filter(None, (own_words(answer.get(key)) for key in _COMPLAINING)), "")
    return "" if _NO_COMPLAINT.match(words) else redacted(words, secrets)


def redacted(words: str, secrets: Iterable[str] = ()) -> str:
    """Without secrets, and short."""
    for secret in filter(None, secrets):
        words = words.replace(secret, "…")
    return clean(_SECRETS.sub("…", words), WORDS_CHARS)


def seconds(retry_after: str | None) -> float | None:
    """A `Retry-After`, which is seconds or a date, as seconds from now."""
    if not retry_after:
        return None
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            when = parsedate_to_datetime(retry_after)
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        wait = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(wait, 0.0), LONGEST_REST) if wait == wait else None
