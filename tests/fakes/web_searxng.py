"""SearXNG on loopback, with the query syntax that can lead a client away.

`json` is whether its operator allows JSON, `silent` the engines behind it that did not answer.
"""

from dataclasses import dataclass, field

from aiohttp import web

from tests.fakes.web_service import Asked, SearchService


@dataclass
class FakeSearXng(SearchService):
    json: bool = True
    limiter: bool = False
    silent: list[list[str]] = field(default_factory=list)

    NAME = "SearXNG"

    async def answer(self, asked: Asked, request: web.Request) -> web.StreamResponse:
        given = {**asked.query, **asked.body}
        turned_away = ("curl", "Python", "python-requests", "Go-http-client")
        nameless = asked.headers.get("User-Agent", "").startswith(turned_away)
        if self.limiter or nameless or "text/html" not in asked.headers.get("Accept", ""):
            return web.Response(text="Too Many Requests", status=429)
        if request.path != "/search" or not given.get("q"):
            return web.Response(text="not found", status=404)
        if given.get("format") == "json" and not self.json:
            return web.Response(text="<h1>Forbidden</h1>", content_type="text/html", status=403)
        if any(word.startswith("!!") for word in given["q"].split()):
            return web.Response(status=302, headers={"Location": "https://www.google.com/search?q=away"})
        if given.get("time_range", "") not in ("", *self.DAYS) or given.get("categories") not in ("general", "news"):
            return web.json_response({"error": "Invalid value"}, status=400)
        pages = self.found(within=given.get("time_range"), news=given["categories"] == "news")
        rows = [
            {"url": page.url, "title": page.title, "content": page.snippet, "engine": "brave", "score": 1.0}
            | {"engines": ["brave"], "category": given["categories"], "publishedDate": None}
            for page in pages
        ]
        rest = {"answers": [], "corrections": [], "infoboxes": [], "suggestions": []}
        return web.json_response({"query": given["q"], "results": rows, **rest, "unresponsive_engines": self.silent})
