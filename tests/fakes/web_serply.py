"""Serply on loopback.  It knows no limit in time; a nameless client is turned away by what stands before it."""

from urllib.parse import parse_qs, unquote

from aiohttp import web

from tests.fakes.web_service import KEY, Asked, SearchService


class FakeSerply(SearchService):
    NAME = "Serply"

    async def answer(self, asked: Asked, request: web.Request) -> web.StreamResponse:
        if asked.headers.get("User-Agent", "").startswith(("Python", "python")):
            return web.Response(text="error code: 1010", status=403)
        if asked.headers.get("X-Api-Key") != KEY:
            return web.json_response({"message": "Unauthorized"})
        if request.path == "/v1/search/" and asked.query.get("q"):
            rows = [
                {"title": page.title, "link": page.url, "description": page.snippet, "position": place}
                for place, page in enumerate(self.found(), 1)
            ]
            return web.json_response({"results": rows[: int(asked.query.get("num", 10))], "ads": []})
        kind, _, given = asked.path.removeprefix("/v1/").partition("/")
        if kind == "news" and parse_qs(unquote(given)).get("q"):
            entries = [
                {"title": page.title, "link": page.url, "summary": page.snippet, "source": {"title": "The Paper"}}
                | {"published": "Mon, 30 Nov 2026 08:00:00 GMT"}
                for page in self.found(news=True)
            ]
            return web.json_response({"entries": entries})
        return web.json_response({"detail": "Not found."}, status=404)
