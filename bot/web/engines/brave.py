"""Brave."""

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp

from bot.research.types import WebHit
from bot.web.engines import EngineFailed, Found, Query
from bot.web.engines.answers import Item, complaint, first, hit, hits, mapping, own_words, redacted, section
from bot.web.engines.service import Kinds, Service

URL = "https://api.search.brave.com"
SPACING = 1.0
"""Seconds from one search to the next: the free plan takes one a second."""

_FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}


class Brave:
    name = "Brave"

    def __init__(self, session: aiohttp.ClientSession, key: str, *, url: str = URL, spacing: float = SPACING) -> None:
        self._key = key
        headers = {"X-Subscription-Token": key}
        self._service = Service(session, url, headers=headers, secret=key, kinds=_kinds)
        self.spacing = spacing
        self._one_at_a_time = asyncio.Lock()
        self._last = float("-inf")

    async def search(self, query: Query) -> Found:
        asked = {"q": query.text, "count": str(min(query.limit, 20)), "text_decorations": "false"}
        if query.recency:
            asked["freshness"] = _FRESHNESS[query.recency]
        async with self._one_at_a_time:
            await self._turn()
            answer = mapping(
                await self._service.ask("GET", f"/res/v1/{'news' if query.news else 'web'}/search", params=asked)
            )
        if answer.get("type") not in ("search", "news"):
            raise EngineFailed("bad_response", redacted(own_words(answer), [self._key]))
        web, news = _rows(answer.get("web")), _rows(answer.get("news"))
        rows = [*section(answer.get("results")), *news, *web] if query.news else [*web, *news]
        return Found(hits(rows, _hit, query.limit, complaint=complaint(answer, [self._key])))

    async def _turn(self) -> None:
        now = asyncio.get_running_loop().time
        await asyncio.sleep(max(0.0, self._last + self.spacing - now()))
        self._last = now()


def _rows(part: object) -> list[Any]:
    """What stands in a part of the answer, which is left out where it is empty."""
    return section(part.get("results") if isinstance(part, Mapping) else part)


def _hit(row: Item) -> WebHit | None:
    return hit(
        row.get("title"), row.get("url"), row.get("description"), when=first(row.get("page_age"), row.get("age"))
    )


def _kinds(body: object) -> Kinds:
    """A key that is refused comes as 422, as a parameter that is wrong does."""
    code = str(mapping(mapping(body).get("error")).get("code"))
    if "TOKEN" in code:
        return {422: "bad_key"}
    return {422: "rate_limited"} if "RATE" in code else {}
