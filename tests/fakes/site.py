"""A web site on loopback that behaves as badly as the web does, and the names that lead to it.

    async with serve_site() as site:
        site.page("/", "<p>Hello</p>")
        site.redirects("/old", to="/")
        await fetch(site.at("/old"), allow=site.allow)
        assert site.paths == ["/old", "/"]

A path that nobody set is a 404.  Every answer can be held back by `site.seconds`, as a slow server would.
"""

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.test_utils import TestServer

HTML = "text/html; charset=utf-8"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class FakeSite:
    def __init__(self) -> None:
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.seconds = 0.0
        """How long each answer takes to begin."""
        self.at_once = 0
        self.most_at_once = 0
        self.left = 0
        """Requests whose client went away before the end."""
        self.sent = 0
        """Bytes of bodies that were poured out."""
        self._handlers: dict[str, Handler] = {}
        self._changed = asyncio.Condition()
        self._closing = asyncio.Event()
        app = web.Application(handler_args={"auto_decompress": False})
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._server = TestServer(app, host="127.0.0.1")

    @property
    def port(self) -> int:
        assert self._server.port
        return self._server.port

    @property
    def allow(self) -> frozenset[tuple[str, int]]:
        """The one pair that a test has to open."""
        return frozenset({("127.0.0.1", self.port)})

    def at(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    # What stands at a path.

    def page(self, path: str, html: str | bytes, content_type: str = HTML, status: int = 200, **headers: str) -> None:
        body = html.encode() if isinstance(html, str) else html
        named = {name.replace("_", "-"): value for name, value in headers.items()}

        async def handler(request: web.Request) -> web.StreamResponse:
            return web.Response(body=body, status=status, headers={"Content-Type": content_type, **named})

        self._handlers[path] = handler

    def redirects(self, path: str, to: str, status: int = 302) -> None:
        self.page(path, "", status=status, Location=to)

    def hangs(self, path: str) -> None:
        """The connection is taken, and nothing is ever said."""

        async def handler(request: web.Request) -> web.StreamResponse:
            await self._closing.wait()
            return web.Response()

        self._handlers[path] = handler

    def dribbles(self, path: str, every: float = 0.05) -> None:
        """A page that comes one byte at a time, without an end."""

        async def handler(request: web.Request) -> web.StreamResponse:
            response = await self._begun(request)
            while not self._closing.is_set():
                await response.write(b"<")
                await self._pause(every)
            return response

        self._handlers[path] = handler

    def pours(self, path: str, megabytes: int, *, length: bool = True, content_type: str = HTML) -> None:
        """A huge page, with or without saying so beforehand."""
        piece = b"<p>All the world is text.</p>\n" * 2185

        async def handler(request: web.Request) -> web.StreamResponse:
            pieces = megabytes * 1_000_000 // len(piece) + 1
            named = {"Content-Length": str(pieces * len(piece))} if length else {}
            response = await self._begun(request, content_type=content_type, headers=named)
            for _ in range(pieces):
                await response.write(piece)
                self.sent += len(piece)
            return response

        self._handlers[path] = handler

    def stalls(self, path: str, megabytes: int) -> None:
        """A page that is said to be huge, of which the beginning comes and no more."""

        async def handler(request: web.Request) -> web.StreamResponse:
            response = await self._begun(request, headers={"Content-Length": str(megabytes * 1_000_000)})
            await response.write(b"<p>The beginning" * 200)
            await self._closing.wait()
            assert request.transport
            request.transport.close()
            return response

        self._handlers[path] = handler

    def bombs(self, path: str, megabytes: int = 100) -> None:
        """A few kilobytes that unpack into megabytes."""
        self.page(path, gzip.compress(b" " * megabytes * 1_000_000), Content_Encoding="gzip")

    def breaks_off(self, path: str) -> None:
        """A page of which half comes."""

        async def handler(request: web.Request) -> web.StreamResponse:
            response = await self._begun(request, headers={"Content-Length": "5000"})
            await response.write(b"<p>The first half" * 100)
            assert request.transport
            request.transport.close()
            return response

        self._handlers[path] = handler

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until what the site has seen meets the condition; fail after five seconds."""
        async with asyncio.timeout(5), self._changed:
            await self._changed.wait_for(condition)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.paths.append(request.path_qs)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await self._tell()
        try:
            await self._pause(self.seconds)
            handler = self._handlers.get(request.path)
            return await handler(request) if handler else web.Response(status=404, text="Nothing is here.")
        except (ConnectionError, asyncio.CancelledError):
            self.left += 1
            raise
        finally:
            self.at_once -= 1
            await self._tell()

    async def _begun(
        self, request: web.Request, content_type: str = HTML, headers: dict[str, str] | None = None
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": content_type, **(headers or {})})
        await response.prepare(request)
        return response

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            pass

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _close(self) -> None:
        self._closing.set()
        await self._server.close()


@asynccontextmanager
async def serve_site() -> AsyncIterator[FakeSite]:
    site = FakeSite()
    await site._server.start_server()
    try:
        yield site
    finally:
        await site._close()


class Names:
    """A resolver: each name has its answers, one after the other, the last of them for ever."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self.answers = {name.replace("_", "."): list(rounds) for name, rounds in answers.items()}
        self.asked: list[str] = []

    def set(self, name: str, *rounds: Sequence[str]) -> None:
        self.answers[name] = list(rounds)

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        rounds = self.answers.get(host)
        if rounds is None:
            raise OSError(f"{host} has no address")
        return rounds.pop(0) if len(rounds) > 1 else rounds[0]
