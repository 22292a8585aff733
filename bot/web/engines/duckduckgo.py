"""DuckDuckGo, without a key, through ddgs.

ddgs' own `text()` tells an outage and an empty result alike, and rewrites addresses; so its two engine classes are used
for what they know of the service, and the pages are judged here.
"""

import math
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import primp
from ddgs.engines.duckduckgo import Duckduckgo
from ddgs.engines.duckduckgo_news import DuckduckgoNews
from lxml.etree import LxmlError

from bot.research.calling import call
from bot.research.types import WebHit
from bot.sentences import said
from bot.web import sentences
from bot.web.engines import EngineFailed, Found, Query, Recency, not_applied
from bot.web.engines.answers import Item, hit, hits, mapping, parsed, refusal
from bot.web.engines.service import ANSWER_BYTES
from bot.web.limits import ENGINE_TIMEOUT_S
from bot.web.outcome import FailureKind

URL = "https://html.duckduckgo.com/html/"
NEWS_URL = "https://duckduckgo.com"
ANYWHERE = "wt-wt"

_LIMITS: dict[Recency, str] = {"day": "d", "week": "w", "month": "m", "year": "y"}
_KINDS: dict[int, FailureKind] = {202: "rate_limited", 401: "blocked", 403: "blocked"}
_CHALLENGE = ("anomaly-modal", "anomaly.js", "challenge-form", "bots use duckduckgo")
_NO_RESULTS = re.compile(r"\bno-results?\b")
_TOKEN = re.compile(r"\bvqd=[\"']?([\w-]+)")
_AD = re.compile(r"(?:https?:)?//(?:\w+\.)?duckduckgo\.com/y\.js\b")
_WRAPPED = re.compile(r"(?:https?:)?//(?:\w+\.)?duckduckgo\.com/l/\?")


class DuckDuckGo:
    name = "DuckDuckGo"

    def __init__(self, *, url: str = URL, news_url: str = NEWS_URL, seconds: float = ENGINE_TIMEOUT_S) -> None:
        self._url = url
        self._news_url = news_url.rstrip("/")
        self._seconds = math.ceil(seconds)

    async def search(self, query: Query) -> Found:
        """A thread is left to itself when the search is cancelled; it ends within its time limit."""
        try:
            found: Found = await call(self._news if query.news else self._text, query)
        except primp.TimeoutError:
            raise EngineFailed("timeout") from None
        except primp.PrimpError as error:
            raise EngineFailed("unreachable") from error
        return found

    def _text(self, query: Query) -> Found:
        return Found(_Text(self._url, self._seconds).found(query))

    def _news(self, query: Query) -> Found:
        found = _News(self._news_url, self._seconds).found(query)
        return Found(found, not_applied(self.name, query, recency=query.recency != "year"))


class _Text(Duckduckgo):
    def __init__(self, url: str, seconds: int) -> None:
        super().__init__(timeout=seconds)
        self.search_url = url

    def request(self, *args: object, **kwargs: object) -> str:
        return _page(self.http_client.client, *args, **kwargs)

    def found(self, query: Query) -> list[WebHit]:
        payload = self.build_payload(query.text, ANYWHERE, "moderate", _limit(query))
        page = self.request(self.search_method, self.search_url, data=payload)
        try:
            items = self.extract_tree(page).xpath(self.items_xpath)
        except (ValueError, LxmlError) as error:
            raise EngineFailed("bad_response", said(sentences.NOT_HTML)) from error
        rows = [row for row in map(self._row, items) if row]
        if not rows and not _NO_RESULTS.search(page):
            raise EngineFailed("bad_response", said(sentences.NO_RESULT_PAGE))
        return hits([row for row in rows if not _AD.match(row["url"])], _hit, query.limit)

    def _row(self, item: Any) -> dict[str, str]:
        """One result, its address as it stands; nothing for the line that says that there is none."""
        hrefs = [*item.xpath("./a/@href"), *item.xpath(".//h2//a/@href")]
        title, body = (" ".join("".join(item.xpath(self.elements_xpath[part])).split()) for part in ("title", "body"))
        return {"title": title, "url": _unwrapped(str(hrefs[0])), "body": body} if hrefs else {}


class _News(DuckduckgoNews):
    def __init__(self, url: str, seconds: int) -> None:
        super().__init__(timeout=seconds)
        self._home = url
        self.search_url = f"{url}/news.js"

    def request(self, *args: object, **kwargs: object) -> str:
        return _page(self.http_client.client, *args, **kwargs)

    def _get_vqd(self, query: str) -> str:
        token = _TOKEN.search(self.request("GET", f"{self._home}/", params={"q": query}))
        if token is None:
            raise EngineFailed("blocked", "it gives no token for news")
        return token[1]

    def found(self, query: Query) -> list[WebHit]:
        payload = self.build_payload(query.text, ANYWHERE, "moderate", _limit(query))
        answer = mapping(parsed(self.request(self.search_method, self.search_url, params=payload)))
        rows = answer.get("results")
        if not isinstance(rows, list):
            raise EngineFailed("bad_response")
        return hits(rows, _news_hit, query.limit)


def _page(client: Any, *asked: object, **sent: object) -> str:
    """The page, if it is an answer.  Raises `EngineFailed` or an error of primp; follows no redirect."""
    with client.request(*asked, **sent, stream=True, follow_redirects=False) as response:
        if response.status_code != 200:
            raise refusal(response.status_code, None, kinds=_KINDS)
        body = bytearray()
        for piece in response.iter_bytes():  # which ddgs would read whole, however much it is
            body += piece
            if len(body) > ANSWER_BYTES:
                raise EngineFailed("bad_response", said(sentences.TOO_LONG))
    page = body.decode("utf-8", "replace")
    if not page.strip():
        raise EngineFailed("bad_response", said(sentences.EMPTY))
    if any(sign in page.lower() for sign in _CHALLENGE):
        raise EngineFailed("blocked", said(sentences.ROBOT_TEST))
    return page


def _limit(query: Query) -> str | None:
    if query.recency is None or (query.news and query.recency == "year"):
        return None
    return _LIMITS[query.recency]


def _unwrapped(href: str) -> str:
    """The address that DuckDuckGo leads to, byte for byte."""
    if not _WRAPPED.match(href):
        return href
    return next(iter(parse_qs(urlsplit(href).query).get("uddg", [])), "")


def _hit(row: Item) -> WebHit | None:
    return hit(row["title"], row["url"], row["body"])


def _news_hit(row: Item) -> WebHit | None:
    when = row.get("date")
    try:
        day = datetime.fromtimestamp(when, UTC).date().isoformat() if isinstance(when, int) else when
    except (ValueError, OverflowError, OSError):
        day = ""
    return hit(row.get("title"), row.get("url"), row.get("excerpt"), when=day, where=row.get("source"))
