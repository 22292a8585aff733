"""You.com."""

import aiohttp

from bot.research.types import WebHit
from bot.web.engines import EngineFailed, Found, Query, not_applied
from bot.web.engines.answers import (
    Item,
    complaint,
    first,
    hit,
    hits,
    items,
    mapping,
    own_words,
    redacted,
    section,
)
from bot.web.engines.service import Service

URL = "https://ydc-index.io"


class You:
    name = "You.com"

    def __init__(self, session: aiohttp.ClientSession, key: str, *, url: str = URL) -> None:
        self._key = key
        self._service = Service(session, url, headers={"X-API-Key": key}, secret=key)

    async def search(self, query: Query) -> Found:
        """News come first where it gives any; it decides by itself whether it does."""
        asked = {
            "query": query.text,
            "count": query.limit,
            **({"freshness": query.recency} if query.recency else {}),
        }
        answer = mapping(await self._service.ask("POST", "/v1/search", json=asked))
        results = answer.get("results")
        if not isinstance(results, dict):
            raise EngineFailed("bad_response", redacted(own_words(answer), [self._key]))
        news, web = section(results.get("news")), section(results.get("web"))
        rows = [*news, *web] if query.news else [*web, *news]
        found = hits(rows, _hit, query.limit, complaint=complaint(answer, [self._key]))
        return Found(found, not_applied(self.name, query, news=bool(news) or not rows))


def _hit(row: Item) -> WebHit | None:
    snippet = first(*items(row.get("snippets")), row.get("description"))
    return hit(row.get("title"), row.get("url"), snippet, when=row.get("page_age"))
