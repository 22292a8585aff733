"""What stands in for an Elasticsearch in tests: a relay to a real one that fails as networks do, and one that is none.

`serve_relay(url)` passes every request on and keeps it; `relay.at("/_bulk", 2, act)` says what happens to the second
bulk instead.  `serve_answer` is a server that gives everyone the same answer.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

PRODUCT = {"X-Elastic-Product": "Elasticsearch"}


@dataclass(frozen=True)
class Call:
    """One request; `forward` gives it to the real server, or another body in its place."""

    method: str
    path: str
    body: bytes
    forward: Callable[..., Awaitable[web.Response]]
    drop: Callable[[], None]

    def lines(self) -> list[dict[str, Any]]:
        """The body of a bulk or of several searches."""
        return [json.loads(line) for line in self.body.splitlines()]


Act = Callable[[Call], Awaitable[web.StreamResponse]]


@dataclass
class Relay:
    url: str = ""
    calls: list[Call] = field(default_factory=list)
    _acts: dict[tuple[str, int], Act] = field(default_factory=dict)
    _seen: Counter[str] = field(default_factory=Counter)

    def at(self, path: str, number: int, act: Act, *, times: int = 1) -> None:
        """What is done with the `number`-th request (from 1, counted from now) whose path ends with `path`, and with
        the following ones."""
        self._seen[path] = 0
        self._acts |= {(path, number + more): act for more in range(times)}

    def heal(self) -> None:
        self._acts.clear()

    def count(self, path: str) -> int:
        return sum(call.path.endswith(path) for call in self.calls)

    async def take(self, call: Call) -> web.StreamResponse:
        self.calls.append(call)
        end = f"/{call.path.rpartition('/')[2]}"
        self._seen[end] += 1
        act = self._acts.get((end, self._seen[end]))
        return await (act(call) if act else call.forward())


async def drop(call: Call) -> web.StreamResponse:
    """The connection breaks before the server has heard anything."""
    call.drop()
    return web.Response()


async def drop_answer(call: Call) -> web.StreamResponse:
    """The server does it, and nobody hears of it."""
    await call.forward()
    call.drop()
    return web.Response()


def refuse(status: int, kind: str = "es_rejected_execution_exception") -> Act:
    async def act(call: Call) -> web.StreamResponse:
        return web.json_response({"error": {"type": kind}, "status": status}, status=status, headers=PRODUCT)

    return act


def change(edit: Callable[[Any], None]) -> Act:
    """The server's answer, edited."""

    async def act(call: Call) -> web.StreamResponse:
        response = await call.forward()
        answer = json.loads(response.body)  # type: ignore[arg-type]
        edit(answer)
        return web.json_response(answer, headers=PRODUCT)

    return act


def refuse_items(which: Callable[[dict[str, Any]], bool], status: int, kind: str) -> Act:
    """Those of a bulk's actions, each with what it writes, are refused one by one; the server does the others."""

    async def act(call: Call) -> web.StreamResponse:
        groups = _actions(call.lines())
        refused = [which({name: value for line in group for name, value in line.items()}) for group in groups]
        kept = [line for group, out in zip(groups, refused, strict=True) if not out for line in group]
        told: list[Any] = []
        if kept:
            response = await call.forward(b"".join(json.dumps(line).encode() + b"\n" for line in kept))
            told = json.loads(response.body)["items"]  # type: ignore[arg-type]
        done = iter(told)
        items = [
            _refused(group[0], status, kind) if out else next(done) for group, out in zip(groups, refused, strict=True)
        ]
        return web.json_response({"took": 1, "errors": True, "items": items}, headers=PRODUCT)

    return act


def _actions(lines: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    groups: list[list[dict[str, Any]]] = []
    rest = iter(lines)
    for line in rest:
        groups.append([line] if "delete" in line else [line, next(rest)])
    return groups


def _refused(action: dict[str, Any], status: int, kind: str) -> dict[str, Any]:
    [(operation, about)] = action.items()
    error = {"type": kind, "reason": "the text of a document"}
    return {operation: {"_index": "x", "_id": about["_id"], "status": status, "error": error}}


class Gate:
    """Holds a request until it is opened."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    async def __call__(self, call: Call) -> web.StreamResponse:
        self.reached.set()
        async with asyncio.timeout(20):
            await self.opened.wait()
        return await call.forward()


@asynccontextmanager
async def serve_relay(url: str) -> AsyncIterator[Relay]:
    relay = Relay()
    async with aiohttp.ClientSession() as session:

        async def handle(request: web.Request) -> web.StreamResponse:
            body = await request.read()
            headers = {name: request.headers[name] for name in ("Accept", "Content-Type") if name in request.headers}
            headers["Accept-Encoding"] = "identity"

            async def forward(sent: bytes = body) -> web.Response:
                async with session.request(
                    request.method, f"{url}{request.raw_path}", data=sent, headers=headers
                ) as got:
                    kept = {name: got.headers[name] for name in ("Content-Type", *PRODUCT) if name in got.headers}
                    return web.Response(body=await got.read(), status=got.status, headers=kept)

            def drop_connection() -> None:
                if request.transport is not None:
                    request.transport.abort()

            return await relay.take(Call(request.method, request.path, body, forward, drop_connection))

        async with _served(handle) as relay.url:
            yield relay


@asynccontextmanager
async def serve_answer(
    body: str = "{}", *, status: int = 200, headers: dict[str, str] | None = None
) -> AsyncIterator[str]:
    async def handle(request: web.Request) -> web.StreamResponse:
        return web.Response(text=body, status=status, content_type="application/json", headers=headers)

    async with _served(handle) as url:
        yield url


@dataclass(frozen=True)
class Other:
    """A server that is no Elasticsearch 9, and what it answers to a client of that version."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


_ANOTHER_VERSION = {
    "error": {
        "root_cause": [{"type": "media_type_header_exception", "reason": "Invalid media-type value on headers"}],
        "type": "media_type_header_exception",
        "reason": "Invalid media-type value on headers [Accept, Content-Type]",
        "caused_by": {
            "type": "status_exception",
            "reason": "Accept version must be either version 8 or 7, but found 9.",
        },
    },
    "status": 400,
}
_UNKNOWN_MEDIA = {"error": "Content-Type header [application/vnd.elasticsearch+json] is not supported", "status": 406}
_NO_INDEX = {"error": {"root_cause": [], "type": "index_not_found_exception", "reason": "no such index"}, "status": 404}
OTHERS = {
    "version 8": Other(400, _ANOTHER_VERSION, PRODUCT),
    "version 7": Other(406, _UNKNOWN_MEDIA, PRODUCT),
    "OpenSearch": Other(404, _NO_INDEX),
    "OpenSearch, asked with a body": Other(406, _UNKNOWN_MEDIA),
    "a page": Other(200, "<html><title>Welcome to nginx!</title></html>"),
    "a proxy before it that asks for a login": Other(200, "<html>Sign in</html>", {"X-Elastic-Product": "no"}),
    "a web service": Other(200, {"hello": "world"}),
}


@asynccontextmanager
async def serve_other(other: Other) -> AsyncIterator[str]:
    async def handle(request: web.Request) -> web.StreamResponse:
        asked = request.headers.get("Accept", "")
        assert "compatible-with=9" in asked, asked
        if isinstance(other.body, str):
            return web.Response(text=other.body, status=other.status, content_type="text/html", headers=other.headers)
        return web.json_response(other.body, status=other.status, headers=other.headers)

    async with _served(handle) as url:
        yield url


@asynccontextmanager
async def _served(handle: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    application = web.Application(client_max_size=2**27)
    application.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
