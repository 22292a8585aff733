"""Brave on loopback.  A key that is wrong comes as 422; sections without results are absent."""

from aiohttp import web

from tests.fakes.web_service import KEY, Asked, Page, SearchService

WITHIN = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}


class FakeBrave(SearchService):
    NAME = "Brave"

    async def answer(self, asked: Asked, request: web.Request) -> web.StreamResponse:
        if asked.headers.get("X-Subscription-Token") != KEY:
            return _error("SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.")
        if not asked.query.get("q") or int(asked.query.get("count", 20)) > 20:
            return _error("VALIDATION", "Unable to validate request parameter(s)")
        within = WITHIN.get(asked.query.get("freshness", ""))
        count = int(asked.query.get("count", 20))
        if request.path == "/res/v1/news/search":
            rows = [_row(page) for page in self.found(within=within, news=True)][:count]
            return web.json_response({"type": "news", "query": {"original": asked.query["q"]}, "results": rows})
        if request.path == "/res/v1/web/search":
            rows = [_row(page) for page in self.found(within=within)][:count]
            section = {"web": {"type": "search", "results": rows}} if rows else {}
            return web.json_response({"type": "search", "query": {"original": asked.query["q"]}, **section})
        return web.json_response({}, status=404)


def _row(page: Page) -> dict[str, object]:
    return {
        "title": page.title,
        "url": page.url,
        "description": f"<strong>{page.snippet}</strong> &amp; more",
        "age": "2 days ago",
        "meta_url": {"hostname": "ignored.example"},
    }


def _error(code: str, detail: str) -> web.Response:
    error = {"id": "e1", "status": 422, "code": code, "detail": detail, "meta": {}}
    return web.json_response({"type": "ErrorResponse", "error": error, "time": 1}, status=422)
