"""Tavily on loopback."""

from aiohttp import web

from tests.fakes.web_service import KEY, Asked, SearchService


class FakeTavily(SearchService):
    NAME = "Tavily"

    async def answer(self, asked: Asked, request: web.Request) -> web.StreamResponse:
        if (asked.method, request.path) != ("POST", "/search"):
            return web.json_response({"detail": {"error": "Not Found"}}, status=404)
        if asked.headers.get("Authorization") != f"Bearer {KEY}":
            return _error(401, "Unauthorized: missing or invalid API key.")
        topic, within = asked.body.get("topic", "general"), asked.body.get("time_range")
        if topic not in ("general", "news", "finance") or within not in (None, *self.DAYS):
            return _error(400, "Invalid topic or time range.")
        if not asked.body.get("query") or not 0 <= asked.body.get("max_results", 5) <= 20:
            return _error(400, "Query is missing or max results out of range.")
        pages = self.found(within=within, news=topic == "news")[: asked.body.get("max_results", 5)]
        rows = [
            {"title": page.title, "url": page.url, "content": page.snippet, "score": 0.9, "raw_content": None}
            | ({"published_date": "Mon, 30 Nov 2026 08:00:00 GMT"} if topic == "news" else {})
            for page in pages
        ]
        answer = {"query": asked.body["query"], "follow_up_questions": None, "answer": None, "images": []}
        return web.json_response({**answer, "results": rows, "response_time": 1.2, "request_id": "r1"})


def _error(status: int, words: str) -> web.Response:
    return web.json_response({"detail": {"error": words}}, status=status)
