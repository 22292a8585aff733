"""What the search services on loopback share: pages to find, a record of what was asked, and ways to fail."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from aiohttp import web
from aiohttp.test_utils import TestServer

KEY = "key-0123456789-secret"


@dataclass(frozen=True)
class Page:
    """A page that an engine knows; `days` is its age, `news` whether it is news."""

    title: str
    url: str
    snippet: str = "What the page says."
    days: int = 400
    news: bool = False


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    query: dict[str, str]
    body: dict[str, Any]
    headers: dict[str, str]


Fault = Callable[["SearchService", web.Request], Awaitable[web.StreamResponse]]


@dataclass
class SearchService:
    """One service.  It answers from `pages`, whatever the query, under the filters that it knows; with a `fault` it
    answers every request with that."""

    pages: list[Page] = field(default_factory=list)
    fault: Fault | None = None
    asked: list[Asked] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    """When each request came, in the loop's seconds."""
    most_at_once: int = 0
    flooded: int = 0
    """Megabytes of a flood that were taken."""
    answered: list[str] = field(default_factory=list)
    """The bodies of its own answers."""
    url: str = ""
    came: asyncio.Event = field(default_factory=asyncio.Event)
    """A request has."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    _under_way: int = 0

    NAME: ClassVar[str]
    DAYS: ClassVar[dict[str, int]] = {"day": 1, "week": 7, "month": 31, "year": 366}

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.times.append(asyncio.get_running_loop().time())
        self._under_way += 1
        self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            return await self._handle(request)
        finally:
            self._under_way -= 1

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = await _body(request)
        self.asked.append(Asked(request.method, request.raw_path, dict(request.query), body, dict(request.headers)))
        self.came.set()
        if self.fault is not None:
            return await self.fault(self, request)
        response = await self.answer(self.asked[-1], request)
        if isinstance(response, web.Response):
            self.answered.append(response.text or "")
        return response

    async def answer(self, asked: Asked, request: web.Request) -> web.StreamResponse:
        raise NotImplementedError

    def found(self, *, within: str | None = None, news: bool = False) -> list[Page]:
        """The pages under a limit such as `week`, all or only the news."""
        limit = self.DAYS[within] if within else None
        return [page for page in self.pages if (limit is None or page.days <= limit) and (page.news or not news)]


@asynccontextmanager
async def serve(service: SearchService) -> AsyncIterator[Any]:
    app = web.Application(client_max_size=2**20)
    app.router.add_route("*", "/{path:.*}", service.handle)
    server = TestServer(app)
    await server.start_server(shutdown_timeout=0.2)  # a client may let an answer lie that it does not want
    service.url = str(server.make_url("")).rstrip("/")
    try:
        yield service
    finally:
        service.over.set()
        await server.close()


def status(code: int, body: Any = None, **headers: str) -> Fault:
    async def fault(service: SearchService, request: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.json_response(body, status=code, headers=named)

    return fault


def says(body: Any) -> Fault:
    """Status 200 with this JSON."""
    return status(200, body)


def page(text: str, content_type: str = "text/html", code: int = 200) -> Fault:
    async def fault(service: SearchService, request: web.Request) -> web.StreamResponse:
        return web.Response(text=text, content_type=content_type, status=code)

    return fault


async def truncated(service: SearchService, request: web.Request) -> web.StreamResponse:
    """The connection breaks in the middle of the body."""
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"results": [')
    assert request.transport is not None
    request.transport.close()
    return response


async def redirect(service: SearchService, request: web.Request) -> web.StreamResponse:
    """To a page of the service's own that holds no results."""
    if request.path == "/elsewhere":
        return web.Response(text="<html><p>Sign in</p></html>", content_type="text/html")
    return web.Response(status=302, headers={"Location": "/elsewhere"})


async def no_content(service: SearchService, request: web.Request) -> web.StreamResponse:
    return web.Response(status=204)


async def hangs(service: SearchService, request: web.Request) -> web.StreamResponse:
    """Never begins to answer."""
    await service.over.wait()
    return web.Response()


async def dribbles(service: SearchService, request: web.Request) -> web.StreamResponse:
    """A byte at a time, so that it never falls silent and never ends."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    while not service.over.is_set():
        try:
            await response.write(b" ")
            async with asyncio.timeout(0.02):
                await service.over.wait()
        except TimeoutError:
            pass
        except ConnectionError:
            break
    return response


async def floods(service: SearchService, request: web.Request) -> web.StreamResponse:
    """50 MB of JSON."""
    transport = request.transport
    assert transport is not None
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    try:
        await response.write(b'{"results": [')
        for _ in range(50):
            await response.write(b'"' + b"x" * 999_997 + b'",')
            service.flooded += 1
        await response.write(b'""]}')
    except ConnectionError:
        pass
    except asyncio.CancelledError:
        transport.abort()  # it would wait for whoever does not read on
        raise
    return response


async def _body(request: web.Request) -> dict[str, Any]:
    if request.content_type == "application/json" and request.can_read_body:
        given = await request.json()
        assert isinstance(given, dict)
        return given
    return {name: str(value) for name, value in (await request.post()).items()}
