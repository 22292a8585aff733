"""DuckDuckGo on loopback: its page of results without JavaScript, and its news."""

import html
from dataclasses import dataclass, field
from urllib.parse import quote

from aiohttp import web

from tests.fakes.web_service import Asked, Fault, Page, SearchService, page

TOKEN = "4-123456789"
WITHIN = {"d": "day", "w": "week", "m": "month", "y": "year"}
CHALLENGE = '<html><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></html>'


@dataclass
class FakeDuckDuckGo(SearchService):
    ads: list[str] = field(default_factory=list)
    wrapped: bool = False
    """Whether its links lead through it."""

    date: int = 1795996800
    """Of all its news, in seconds since the epoch."""

    NAME = "DuckDuckGo"

    async def answer(self, asked: Asked, request: web.Request) -> web.StreamResponse:
        if (asked.method, request.path) == ("POST", "/html/"):
            if not asked.body.get("q"):
                return web.Response(status=302, headers={"Location": "/"})
            within = WITHIN.get(asked.body.get("df", ""))
            return web.Response(text=self._results(self.found(within=within)), content_type="text/html")
        if (asked.method, request.path) == ("GET", "/"):
            return web.Response(text=f'<html><script>vqd="{TOKEN}";</script></html>', content_type="text/html")
        if (asked.method, request.path) == ("GET", "/news.js"):
            return self._news(asked)
        return web.Response(text="not found", status=404)

    def _results(self, pages: list[Page]) -> str:
        blocks = [_block(f"https://duckduckgo.com/y.js?ad_domain={ad}", "An advertisement", "Buy.") for ad in self.ads]
        for found in pages:
            link = f"//duckduckgo.com/l/?uddg={quote(found.url, safe='')}&rut=abc" if self.wrapped else found.url
            blocks.append(_block(link, found.title, found.snippet))
        nothing = '<div class="no-results">No  results.</div>'
        if not blocks:
            blocks = [
                f'<div class="result result--no-result"><div class="links_main result__body">{nothing}</div></div>'
            ]
        return f'<html><body><div id="links" class="results">{"".join(blocks)}</div></body></html>'

    def _news(self, asked: Asked) -> web.Response:
        if asked.query.get("vqd") != TOKEN:
            return web.Response(text="", status=403)
        rows = [
            {
                "date": self.date,
                "title": found.title,
                "excerpt": found.snippet,
                "url": found.url,
                "source": "The Paper",
            }
            for found in self.found(within=WITHIN.get(asked.query.get("df", "")), news=True)
        ]
        return web.json_response({"results": rows, "query": asked.query["q"]})


def challenges(code: int) -> Fault:
    """Its test against robots."""
    return page(CHALLENGE, code=code)


def _block(url: str, title: str, snippet: str) -> str:
    link, title, snippet = (html.escape(text) for text in (url, title, snippet))
    return (
        f'<div class="result results_links web-result"><div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a rel="nofollow" class="result__a" href="{link}">{title}</a></h2>'
        f'<div class="result__extras"><a class="result__url" href="{link}">shown</a></div>'
        f'<a class="result__snippet" href="{link}"><b>{snippet}</b></a></div></div>'
    )
