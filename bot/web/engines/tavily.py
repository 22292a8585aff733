"""Tavily."""

import aiohttp

from bot.research.types import WebHit
from bot.web.engines import EngineFailed, Found, Query
from bot.web.engines.answers import Item, complaint, hit, hits, mapping, own_words, redacted
from bot.web.engines.service import Service

URL = "https://api.tavily.com"


class Tavily:
    name = "Tavily"

    def __init__(self, session: aiohttp.ClientSession, key: str, *, url: str = URL) -> None:
        self._key = key
        self._service = Service(session, url, headers={"Authorization": f"Bearer {key}"}, secret=key)

    async def search(self, query: Query) -> Found:
        asked = {
            "query": query.text,
            "topic": "news" if query.news else "general",
            "search_depth": "basic",
            "max_results": query.limit,
            **({"time_range": query.recency} if query.recency else {}),
        }
        answer = mapping(await self._service.ask("POST", "/search", json=asked))
        rows = answer.get("results")
        if not isinstance(rows, list):  # an error may come as a success
            raise EngineFailed("bad_response", redacted(own_words(answer), [self._key]))
        return Found(hits(rows, _hit, query.limit, complaint=complaint(answer, [self._key])))


def _hit(row: Item) -> WebHit | None:
    return hit(row.get("title"), row.get("url"), row.get("content"), when=row.get("published_date"))
