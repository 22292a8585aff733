"""SearXNG, which asks other engines."""

import re

import aiohttp

from bot.research.types import WebHit
from bot.sentences import said
from bot.web import sentences
from bot.web.engines import EngineFailed, Found, Query
from bot.web.engines.answers import Item, complaint, hit, hits, items, mapping, own_words, redacted, text
from bot.web.engines.service import Service

_COMMAND = re.compile(r"(?<!\S)(?=[!:<])(\S+)")


class SearXng:
    name = "SearXNG"

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._service = Service(
            session,
            url,
            headers={"Accept": "application/json, text/html;q=0.5"},  # its limiter turns away who does not take HTML
            kinds={403: "bad_request"},
            advice={403: said(sentences.SEARXNG_WITHOUT_JSON), 429: said(sentences.SEARXNG_LIMITER)},
        )

    async def search(self, query: Query) -> Found:
        asked = {"q": harmless(query.text), "format": "json", "categories": "news" if query.news else "general"}
        if query.recency:
            asked["time_range"] = query.recency
        answer = mapping(await self._service.ask("GET", "/search", params=asked))
        rows = answer.get("results")
        if not isinstance(rows, list):
            raise EngineFailed("bad_response", redacted(own_words(answer)))
        unanswered = answer.get("unresponsive_engines")
        silent = [reason for one in items(unanswered) if (reason := _silent(one))]
        if not rows and unanswered:  # an outage of all that it asks comes as an empty list
            raise EngineFailed("blocked", redacted(", ".join(silent)))
        notes: list[str] = [said(sentences.SOME_SILENT, engines=redacted(", ".join(silent)))] if silent else []
        return Found(hits(rows, _hit, query.limit, complaint=complaint(answer)), notes)


def harmless(words: str) -> str:
    """A query in which no word is a command: `!!g` would lead away, `!x` pick engines, `:fr` set a language."""
    return _COMMAND.sub(lambda found: '"' + found[1].replace('"', "") + '"', words)


def _hit(row: Item) -> WebHit | None:
    return hit(row.get("title"), row.get("url"), row.get("content"), when=row.get("publishedDate"))


def _silent(engine: object) -> str:
    """`["brave", "Suspended: too many requests"]` as words."""
    return ": ".join(filter(None, map(text, engine))) if isinstance(engine, list) else text(engine)
