"""Every search engine on loopback, and the web made of them as the program makes it."""

from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bot.web import Limits, Web, WebSettings, open_web
from bot.web.settings import EngineName
from indexers.reading import FetchFailed, PageText, ReadingError
from tests.fakes.web_brave import FakeBrave
from tests.fakes.web_duckduckgo import FakeDuckDuckGo
from tests.fakes.web_firecrawl import FakeFirecrawl
from tests.fakes.web_searxng import FakeSearXng
from tests.fakes.web_serply import FakeSerply
from tests.fakes.web_service import KEY, Page, SearchService, serve
from tests.fakes.web_tavily import FakeTavily
from tests.fakes.web_you import FakeYou

FAKES: dict[EngineName, type[SearchService]] = {
    "firecrawl": FakeFirecrawl,
    "tavily": FakeTavily,
    "you": FakeYou,
    "serply": FakeSerply,
    "brave": FakeBrave,
    "searxng": FakeSearXng,
    "duckduckgo": FakeDuckDuckGo,
}
PAGES = (
    Page("Falcon 2 is out", "https://www.falcon.example/news/2?utm_source=x", "Falcon 2 was released.", 2, news=True),
    Page("Falcon's manual", "https://docs.falcon.example/manual#start", "How to fly it.", 30),
    Page("A history of falcons", "https://birds.example/falcon%20peregrinus?q=C%2B%2B%26x", "They are fast.", 900),
)


@dataclass
class FakeReader:
    """Pages that are read, or the errors that reading them raises; of any other the site does not answer."""

    pages: dict[str, str | PageText | ReadingError] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def read(self, url: str, *, limit_chars: int, seconds: float) -> PageText:
        self.asked.append(url)
        page = self.pages.get(url, FetchFailed("unreachable"))
        if isinstance(page, ReadingError):
            raise page
        return page if isinstance(page, PageText) else PageText(url, "", page[:limit_chars])


def settings_of(name: EngineName, url: str, key: str = KEY) -> dict[str, Any]:
    """The settings that lead one engine to an address."""
    match name:
        case "searxng":
            return {"searxng_url": url}
        case "duckduckgo":
            return {"duckduckgo_url": f"{url}/html/", "duckduckgo_news_url": url}
        case _:
            return {f"{name}_api_key": key, f"{name}_api_url": url}


@asynccontextmanager
async def engines_on_loopback(
    *names: EngineName,
    pages: Iterable[Page] = PAGES,
    reader: FakeReader | None = None,
    read: int = 3,
    **limits: float,
) -> AsyncIterator[tuple[Web, list[Any]]]:
    """The web with these engines in this order, and their services; `read` is how many results are read."""
    async with AsyncExitStack() as held:
        services = [await held.enter_async_context(serve(FAKES[name](pages=list(pages)))) for name in names]
        given: dict[str, Any] = {}
        for name, service in zip(names, services, strict=True):
            given |= settings_of(name, service.url)
        settings = WebSettings(footnote_web_engines=names, **given)
        limits = {"engine_seconds": 5.0, **limits}
        opened = open_web(settings, reader=reader or FakeReader(), limits=Limits(pages=read, **limits))
        web = await held.enter_async_context(opened)
        yield web, services
