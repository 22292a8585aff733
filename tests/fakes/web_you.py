"""You.com on loopback.  Whether an answer has a section of news is its own decision."""

from aiohttp import web

from tests.fakes.web_service import KEY, Asked, Page, SearchService


class FakeYou(SearchService):
    NAME = "You.com"

    async def answer(self, asked: Asked, request: web.Request) -> web.StreamResponse:
        if (asked.method, request.path) != ("POST", "/v1/search"):
            return web.json_response({"detail": "Not Found"}, status=404)
        if asked.headers.get("X-API-Key") != KEY:
            return web.json_response({"detail": "Invalid or expired API key"}, status=403)
        within, count = asked.body.get("freshness"), asked.body.get("count", 10)
        if not asked.body.get("query") or within not in (None, *self.DAYS) or not 1 <= count <= 100:
            return web.json_response({"detail": [{"loc": ["body"], "msg": "Field invalid"}]}, status=422)
        found = self.found(within=within)
        sections = {
            "web": [_row(page) for page in found if not page.news][:count],
            "news": [_news(page) for page in found if page.news][:count],
        }
        results = {name: rows for name, rows in sections.items() if rows}
        metadata = {"search_uuid": "u1", "query": asked.body["query"], "latency": 0.2}
        return web.json_response({"results": results, "metadata": metadata})


def _row(page: Page) -> dict[str, object]:
    return {
        "url": page.url,
        "title": page.title,
        "description": "A description.",
        "snippets": [page.snippet, "Another snippet."],
        "page_age": "2026-11-29T10:00:00",
    }


def _news(page: Page) -> dict[str, object]:
    return {"url": page.url, "title": page.title, "description": page.snippet, "page_age": "2026-11-30T08:00:00"}
