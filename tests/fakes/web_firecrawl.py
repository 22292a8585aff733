"""Firecrawl on loopback: searches and scrapes.

`swallows` is how a self-hosted one tells that what it searches with failed.  `scraped` has its documents by address, a
page's own status in their metadata.
"""

from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.fakes.web_service import KEY, Asked, Page, SearchService

WITHIN = {"qdr:d": "day", "qdr:w": "week", "qdr:m": "month", "qdr:y": "year"}
KNOWN = {"query", "limit", "sources", "tbs", "timeout", "origin"}


@dataclass
class FakeFirecrawl(SearchService):
    swallows: bool = False
    scraped: dict[str, dict[str, Any]] = field(default_factory=dict)

    NAME = "Firecrawl"

    async def answer(self, asked: Asked, request: web.Request) -> web.StreamResponse:
        if asked.headers.get("Authorization") not in (None, f"Bearer {KEY}"):
            return _error(401, "Unauthorized: Invalid token")
        match asked.method, request.path:
            case "POST", "/v2/search":
                return self._search(asked)
            case "POST", "/v2/scrape":
                return self._scrape(asked)
        return _error(404, "Not Found")

    def _search(self, asked: Asked) -> web.Response:
        if unknown := asked.body.keys() - KNOWN:
            return _error(400, f"Unrecognized key in body: {unknown}")
        if self.swallows:
            return web.json_response({"success": True, "data": {}, "warning": "No search results found"})
        kinds = [source["type"] for source in asked.body["sources"]]
        found = self.found(within=WITHIN.get(asked.body.get("tbs", "")))[: asked.body["limit"]]
        web_rows = [_row(page, "description") for page in found]
        news_rows = [{**_row(page, "snippet"), "date": "2 hours ago"} for page in found if page.news]
        data = {"web": web_rows} | ({"news": news_rows} if "news" in kinds else {})
        return web.json_response({"success": True, "data": data, "creditsUsed": 2})

    def _scrape(self, asked: Asked) -> web.Response:
        document = self.scraped.get(asked.body["url"])
        if document is None:
            return _error(500, "All scraping engines failed", code="SCRAPE_ALL_ENGINES_FAILED")
        return web.json_response({"success": True, "data": document})


def document(url: str, markdown: str, status: int = 200) -> dict[str, Any]:
    return {"markdown": markdown, "metadata": {"title": "A page", "sourceURL": url, "url": url, "statusCode": status}}


def _row(page: Page, words: str) -> dict[str, Any]:
    return {"url": page.url, "title": page.title, words: page.snippet, "position": 1}


def _error(status: int, words: str, **more: str) -> web.Response:
    return web.json_response({"success": False, "error": words, **more}, status=status)
