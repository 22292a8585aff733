"""Serply."""

from urllib.parse import urlencode

import aiohttp

from bot.research.types import WebHit
from bot.web.engines import EngineFailed, Found, Query, not_applied
from bot.web.engines.answers import Item, complaint, first, hit, hits, mapping, own_words, redacted
from bot.web.engines.service import Service

URL = "https://api.serply.io"


class Serply:
    name = "Serply"

    def __init__(self, session: aiohttp.ClientSession, key: str, *, url: str = URL) -> None:
        self._key = key
        self._service = Service(session, url, headers={"X-Api-Key": key}, secret=key)

    async def search(self, query: Query) -> Found:
        asked, section = (
            (f"/v1/news/{urlencode({'q': query.text})}", "entries")
            if query.news
            else (f"/v1/search/?{urlencode({'q': query.text, 'num': query.limit})}", "results")
        )
        answer = mapping(await self._service.ask("GET", asked))
        rows = answer.get(section)
        if not isinstance(rows, list):  # a refusal may come with status 200
            words = redacted(own_words(answer), [self._key])
            raise EngineFailed("bad_key" if "unauthorized" in words.lower() else "bad_response", words)
        found = hits(rows, _hit, query.limit, complaint=complaint(answer, [self._key]))
        return Found(found, not_applied(self.name, query, recency=False))


def _hit(row: Item) -> WebHit | None:
    return hit(
        row.get("title"),
        row.get("link"),
        first(row.get("description"), row.get("snippet"), row.get("summary")),
        when=first(row.get("date"), row.get("published")),
        where=mapping(row.get("source")).get("title"),
    )
