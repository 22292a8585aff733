"""What the planner and the client are given of a search's hits.  No I/O.

The planner's shape is neutralised and capped; the client's sources lose only control and bidirectional characters.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from bot.research.types import SearchHit, Source, WebHit
from bot.research.untrusted import clean, neutralise

TITLE_CHARS = 200
SNIPPET_CHARS = 800
MORE_CHARS = 2000
"""Of what a second look read around a snippet."""
URL_CHARS = 500
CORPUS_CAP = 20
WEB_CAP = 10
TITLES = 5
LENT_CHARS = 60

_GMAIL_ID = re.compile(r"[A-Za-z0-9_-]+")
_SLACK_TEAM = re.compile(r"[A-Za-z0-9.-]+")
_SLACK_CHANNEL = re.compile(r"[A-Za-z0-9]+")
_SLACK_TS = re.compile(r"\d+(?:\.\d+)?")


def shape_results_for_model(
    hits: Sequence[SearchHit],
    *,
    detailed_top: int = 5,
    thread_ctx_per_hit: int = 3,
    total_cap: int = CORPUS_CAP,
    ref_offset: int = 0,
) -> dict[str, Any]:
    """The hits of one corpus search as the planner sees them: refs from `ref_offset` + 1, the first in detail."""
    shown = hits[:total_cap]
    shaped = []
    for place, hit in enumerate(shown):
        entry = _brief(hit, ref_offset + place + 1)
        if place < detailed_top:
            entry["snippet"] = neutralise(hit.content_snippet or "", SNIPPET_CHARS)
            if hit.more:
                entry["more"] = neutralise(hit.more, MORE_CHARS)
            if hit.thread_context:
                entry["thread"] = _thread(hit, thread_ctx_per_hit)
        shaped.append(entry)
    return {"num_results": len(hits), "shown": len(shown), "truncated": len(hits) > total_cap, "hits": shaped}


def shape_web_results_for_model(hits: Sequence[WebHit], *, ref_offset: int = 0) -> dict[str, Any]:
    """The hits of one web search as the planner sees them; hits without a URL are dropped before counting."""
    usable = usable_web_hits(hits)
    shaped = [
        {
            "ref": ref,
            "title": neutralise(hit.title or "", TITLE_CHARS),
            "site": neutralise(hit.site or "", TITLE_CHARS),
            "date": neutralise(hit.date or "", TITLE_CHARS),
            "url": neutralise(hit.url, URL_CHARS),
            "snippet": neutralise(hit.snippet or "", SNIPPET_CHARS),
        }
        for ref, hit in enumerate(usable[:WEB_CAP], ref_offset + 1)
    ]
    return {"num_results": len(usable), "shown": len(shaped), "hits": shaped}


def build_sources_for_client(
    hits: Sequence[SearchHit], *, total_cap: int = CORPUS_CAP, ref_offset: int = 0
) -> list[Source]:
    """One source a hit, in the same order, never merged by document; every key is there and none is None."""
    return [
        {
            "ref": ref,
            "title": clean(title_of(hit)),
            "sender": clean(_sender(hit)),
            "date": clean(_date(hit.timestamp or "")),
            "source": clean(hit.source or ""),
            "source_id": clean((hit.document_id or "").removeprefix(f"{hit.source}:")),
            "url": clean(hit.url or _rebuilt_url(hit.document_id or "")),
        }
        for ref, hit in enumerate(hits[:total_cap], ref_offset + 1)
    ]


def build_web_sources_for_client(
    hits: Sequence[WebHit], *, ref_offset: int = 0, total_cap: int = WEB_CAP
) -> list[Source]:
    return [
        {
            "ref": ref,
            "title": clean(title_of(hit)),
            "sender": clean(hit.site or ""),
            "date": clean(_web_date(hit.date or "")),
            "source": "web",
            "source_id": "",
            "url": clean(hit.url),
        }
        for ref, hit in enumerate(usable_web_hits(hits)[:total_cap], ref_offset + 1)
    ]


def source_of(hit: SearchHit | WebHit, ref: int) -> Source:
    """The client's source of one hit under its ref."""
    if isinstance(hit, WebHit):
        return build_web_sources_for_client([hit], ref_offset=ref - 1)[0]
    return build_sources_for_client([hit], ref_offset=ref - 1)[0]


def usable_hits(hits: Iterable[SearchHit]) -> list[SearchHit]:
    """Without those whose title and snippet are both blank: there is nothing in them to cite."""
    return [hit for hit in hits if (hit.title or "").strip() or (hit.content_snippet or "").strip()]


def usable_web_hits(hits: Iterable[WebHit]) -> list[WebHit]:
    return [hit for hit in hits if (hit.url or "").strip()]


def title_of(hit: SearchHit | WebHit) -> str:
    """Its title; without one a hit lends the start of its snippet, a web hit its URL."""
    if (hit.title or "").strip():
        return hit.title
    return hit.url if isinstance(hit, WebHit) else (hit.content_snippet or "")[:LENT_CHARS]


def top_titles(hits: Sequence[SearchHit] | Sequence[WebHit]) -> list[str]:
    return [title_of(hit) for hit in hits[:TITLES]]


def _brief(hit: SearchHit, ref: int) -> dict[str, Any]:
    return {
        "ref": ref,
        "title": neutralise(hit.title or "", TITLE_CHARS),
        "sender": neutralise(_sender(hit), TITLE_CHARS),
        "timestamp": neutralise(hit.timestamp or "", TITLE_CHARS),
        "source": neutralise(hit.source or "", TITLE_CHARS),
        "score": round(hit.score or 0.0, 4),
    }


def _thread(hit: SearchHit, most: int) -> list[dict[str, Any]]:
    """The entries nearest the hit, oldest first, then how many were left out."""
    context = hit.thread_context
    kept = sorted(_nearest(hit, most))
    entries = [
        {key: neutralise(value, SNIPPET_CHARS) if isinstance(value, str) else value for key, value in entry.items()}
        for entry in (context[place] for place in kept)
    ]
    left_out = len(context) - len(kept)
    return [*entries, {"note": f"{left_out} more entries of this thread left out"}] if left_out else entries


def _nearest(hit: SearchHit, most: int) -> list[int]:
    """The places around the hit's own, whether or not it is among the entries itself."""
    context = hit.thread_context
    dated = all(map(_moment, [hit.timestamp, *(str(entry.get("timestamp", "")) for entry in context)]))
    own = _place(hit.timestamp if dated else "", hit.chunk_idx)
    places = [
        _place(str(entry.get("timestamp", "")) if dated else "", entry.get("chunk_idx") or 0) for entry in context
    ]
    before = sum(place < own for place in places)
    apart = 0 if own in places else 1
    return sorted(range(len(places)), key=lambda at: (before - at if at < before else at - before + apart, at))[:most]


def _place(timestamp: str, chunk_idx: int) -> tuple[float, int]:
    moment = _moment(timestamp)
    return (moment.timestamp() if moment else 0.0, chunk_idx)


def _moment(timestamp: str) -> datetime | None:
    try:
        return datetime.fromisoformat(timestamp.strip())
    except ValueError:
        return None


def _sender(hit: SearchHit) -> str:
    return str(hit.participants[0] or "") if hit.participants else ""


def _date(timestamp: str) -> str:
    moment = _moment(timestamp)
    return moment.date().isoformat() if moment else timestamp.strip()[:10]


def _web_date(date: str) -> str:
    """An engine's date is often words ("2 days ago"): kept as given unless it is ISO 8601."""
    moment = _moment(date)
    return moment.date().isoformat() if moment else date.strip()


def _rebuilt_url(document_id: str) -> str:
    """The address of a mail or a Slack message from its id; "" where the id does not hold it."""
    source, _, rest = document_id.partition(":")
    if source == "gmail":
        return _gmail_url(rest)
    if source == "slack":
        return _slack_url(rest.split(":"))
    return ""


def _gmail_url(message: str) -> str:
    if _GMAIL_ID.fullmatch(message):
        return f"https://mail.google.com/mail/u/0/#all/{message}"
    bare = message.strip().removeprefix("<").removesuffix(">")
    return f"https://mail.google.com/mail/u/0/#search/rfc822msgid:{quote(bare, safe='')}" if "@" in bare else ""


def _slack_url(parts: list[str]) -> str:
    team, channel, ts = parts if len(parts) == 3 else ["", *parts] if len(parts) == 2 else ("", "", "")
    if not (_SLACK_CHANNEL.fullmatch(channel) and _SLACK_TS.fullmatch(ts)) or (
        team and not _SLACK_TEAM.fullmatch(team)
    ):
        return ""
    host = f"{team}.slack.com" if team else "slack.com"
    return f"https://{host}/archives/{channel}/p{ts.replace('.', '')}"
