"""What the operator sets about the web, and the web made of it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

import aiohttp
from pydantic import SecretStr

from bot.sentences import said
from bot.web import sentences
from bot.web.engines import EngineFailed, Found, Query, SearchEngine
from bot.web.limits import Limits
from bot.web.pages import PageReader, Pages, Scraper
from bot.web.web import Web
from indexers.reading import Reader

WebSetting: TypeAlias = Literal["off", "on request", "on"]
"""`off`: never; `on request`: when a message asks for it; `on`: for every question."""

EngineName: TypeAlias = Literal["firecrawl", "tavily", "you", "serply", "brave", "searxng", "duckduckgo"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)
"""In the order in which they are asked unless one is set."""

FIRECRAWL = "https://api.firecrawl.dev"


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Named as the variables are, in lower case.

    `footnote_web_engines` is the order in which engines are asked; empty: all that have a key or an address, and
    DuckDuckGo where none has, so that a query goes to nobody whom the operator did not choose.
    """

    footnote_web: WebSetting = "on request"
    footnote_web_engines: tuple[EngineName, ...] = ()
    firecrawl_api_key: str = field(default="", repr=False)
    firecrawl_api_url: str = FIRECRAWL
    tavily_api_key: str = field(default="", repr=False)
    tavily_api_url: str = "https://api.tavily.com"
    you_api_key: str = field(default="", repr=False)
    you_api_url: str = "https://ydc-index.io"
    serply_api_key: str = field(default="", repr=False)
    serply_api_url: str = "https://api.serply.io"
    brave_api_key: str = field(default="", repr=False)
    brave_api_url: str = "https://api.search.brave.com"
    searxng_url: str = ""
    duckduckgo_url: str = "https://html.duckduckgo.com/html/"
    duckduckgo_news_url: str = "https://duckduckgo.com"
    ollama_host: str = ""
    elasticsearch_url: str = ""

    @property
    def chosen(self) -> tuple[EngineName, ...]:
        """The engines in the order in which they are asked."""
        return self.footnote_web_engines or tuple(filter(self.has, ENGINES[:-1])) or ("duckduckgo",)

    @property
    def own_hosts(self) -> frozenset[str]:
        """The hosts of services of our own, which are never a page to read."""
        firecrawl = "" if self.firecrawl_api_url == FIRECRAWL else self.firecrawl_api_url
        urls = [self.searxng_url, firecrawl, self.ollama_host, self.elasticsearch_url]
        return frozenset(host for url in urls if (host := urlsplit(url).hostname))

    def has(self, engine: EngineName) -> bool:
        """Whether what the engine needs is set."""
        needs: dict[EngineName, str] = {
            "firecrawl": self.firecrawl_api_key or ("" if self.firecrawl_api_url == FIRECRAWL else "self-hosted"),
            "tavily": self.tavily_api_key,
            "you": self.you_api_key,
            "serply": self.serply_api_key,
            "brave": self.brave_api_key,
            "searxng": self.searxng_url,
            "duckduckgo": "needs nothing",
        }
        return bool(needs[engine])


def settings_from(config: object) -> WebSettings:
    """The settings of the web out of those of the program, which are named alike; what it lacks keeps its default.

    The engines may be one text, parted by commas.  Raises `ValueError` for one that there is not.
    """
    given = {name: getattr(config, name) for name in _FIELDS if hasattr(config, name)}
    plain: dict[str, Any] = {
        name: value.get_secret_value() if isinstance(value, SecretStr) else value
        for name, value in given.items()
        if value is not None
    }
    if isinstance(named := plain.get("footnote_web_engines"), str):
        plain["footnote_web_engines"] = engines_in(named)
    return WebSettings(**plain)


def engines_in(text: str) -> tuple[EngineName, ...]:
    """The engines of a list parted by commas.  Raises `ValueError` for one that there is not."""
    wanted = [name.strip().lower() for name in text.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in ENGINES]
    if unknown:
        raise ValueError(f"there is no search engine {unknown[0]!r}; there are {', '.join(ENGINES)}")
    return tuple(engine for name in dict.fromkeys(wanted) for engine in ENGINES if engine == name)


def configured() -> WebSettings:
    """The settings of this process.  Raises `ConfigError`."""
    from bot.config import Config

    return settings_from(Config.read("web"))


@asynccontextmanager
async def open_web(
    settings: WebSettings, *, reader: PageReader | None = None, limits: Limits | None = None
) -> AsyncIterator[Web]:
    """The web with everything that it holds open; without a `reader` it has one of its own."""
    limits = limits or Limits()
    async with AsyncExitStack() as held:
        if reader is None:
            reader = await held.enter_async_context(Reader(own_hosts=settings.own_hosts))
        if settings.footnote_web == "off":
            yield Web([], Pages(reader), limits=limits, off=True)
            return
        session = await held.enter_async_context(_session(limits))
        engines, scraper = await _engines(settings, session, limits, held)
        yield Web(engines, Pages(reader, scraper), limits=limits)


def _session(limits: Limits) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        cookie_jar=aiohttp.DummyCookieJar(), timeout=aiohttp.ClientTimeout(total=limits.engine_seconds)
    )


async def _engines(
    settings: WebSettings, session: aiohttp.ClientSession, limits: Limits, held: AsyncExitStack
) -> tuple[list[SearchEngine], Scraper | None]:
    engines: dict[EngineName, SearchEngine] = {}
    scraper = None
    if settings.has("firecrawl"):
        from bot.web.engines.firecrawl import Firecrawl  # takes a second and 60 MB

        scraper = await held.enter_async_context(
            Firecrawl(settings.firecrawl_api_key, url=settings.firecrawl_api_url, seconds=limits.engine_seconds)
        )
        engines["firecrawl"] = scraper
    for name in settings.chosen:
        if name not in engines:
            engines[name] = _engine(name, settings, session, limits) if settings.has(name) else _WithoutKey(name)
    return [engines[name] for name in settings.chosen], scraper


def _engine(name: EngineName, settings: WebSettings, session: aiohttp.ClientSession, limits: Limits) -> SearchEngine:
    from bot.web.engines.brave import Brave
    from bot.web.engines.duckduckgo import DuckDuckGo
    from bot.web.engines.searxng import SearXng
    from bot.web.engines.serply import Serply
    from bot.web.engines.tavily import Tavily
    from bot.web.engines.you import You

    match name:
        case "tavily":
            return Tavily(session, settings.tavily_api_key, url=settings.tavily_api_url)
        case "you":
            return You(session, settings.you_api_key, url=settings.you_api_url)
        case "serply":
            return Serply(session, settings.serply_api_key, url=settings.serply_api_url)
        case "brave":
            return Brave(session, settings.brave_api_key, url=settings.brave_api_url)
        case "searxng":
            return SearXng(session, settings.searxng_url)
        case _:
            return DuckDuckGo(
                url=settings.duckduckgo_url,
                news_url=settings.duckduckgo_news_url,
                seconds=limits.engine_seconds,
            )


_FIELDS = tuple(field.name for field in fields(WebSettings))
_NAMES: Mapping[EngineName, tuple[str, str]] = {
    "firecrawl": ("Firecrawl", "FIRECRAWL_API_KEY"),
    "tavily": ("Tavily", "TAVILY_API_KEY"),
    "you": ("You.com", "YOU_API_KEY"),
    "serply": ("Serply", "SERPLY_API_KEY"),
    "brave": ("Brave", "BRAVE_API_KEY"),
    "searxng": ("SearXNG", "SEARXNG_URL"),
}


class _WithoutKey:
    """An engine that was chosen and lacks what it needs: it fails in its place, and the next one is asked."""

    def __init__(self, engine: EngineName) -> None:
        self.name, self._setting = _NAMES[engine]

    async def search(self, query: Query) -> Found:
        raise EngineFailed("no_key", said(sentences.NOT_SET, setting=self._setting))
