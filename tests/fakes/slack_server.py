"""The fake Slack over HTTP: its calls, what becomes of them, and whoever waits for them."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.fakes.slack_call import Call, Refused, Reply
from tests.fakes.slack_hands import Hands, Hook

BOT_TOKEN = "xoxb-fake"
APP_TOKEN = "xapp-fake"


@dataclass(frozen=True)
class Fault:
    """What becomes of a call in place of what should."""

    status: int = 200
    error: str = ""
    retry_after: int = 0
    done: bool = False
    """The call takes effect before it fails."""
    drops: bool = False
    """The connection breaks off without a reply."""


@dataclass(frozen=True)
class Made:
    """A call that the app made, and when it arrived, in the loop's seconds."""

    call: Call
    at: float
    error: str = ""
    when: float = 0.0
    """In Slack's seconds."""


class Server(Hands):
    def __init__(self, manifest: dict[str, Any]) -> None:
        super().__init__(manifest, self.changed)
        self.hooks: dict[str, Hook] = {}
        self.made: list[Made] = []
        self._faults: dict[str, deque[Fault]] = defaultdict(deque)
        self._gates: dict[str, asyncio.Event] = {}
        self._waiting: set[asyncio.Event] = set()

    @property
    def url(self) -> str:
        """What the app takes as the Web API."""
        return self.app.url

    # Faults

    def limit(self, method: str, times: int = 1, retry_after: int = 1) -> None:
        """The next calls of a method are too many."""
        self._faults[method] += [Fault(429, "ratelimited", retry_after)] * times

    def refuse(self, method: str, error: str, times: int = 1) -> None:
        """The next calls of a method end in `ok: false` with this error, at HTTP 200."""
        self._faults[method] += [Fault(error=error)] * times

    def fail(self, method: str, status: int = 503, times: int = 1, *, done: bool = False) -> None:
        self._faults[method] += [Fault(status, done=done)] * times

    def drop(self, method: str, times: int = 1, *, done: bool = False) -> None:
        """The connection breaks off; with `done`, after the call took effect."""
        self._faults[method] += [Fault(drops=True, done=done)] * times

    def hold(self, method: str) -> None:
        """Calls of a method arrive and wait until `release`."""
        self._gates[method] = asyncio.Event()

    def release(self, method: str) -> None:
        self._gates.pop(method).set()

    # Waiting

    async def until(self, condition: Callable[[], Any], seconds: float = 4.0) -> None:
        """Wait until what Slack has seen meets the condition; an `AssertionError` says what it has, if it does not."""
        changed = asyncio.Event()
        self._waiting.add(changed)
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    with suppress(TimeoutError):  # What nobody announces is looked for again anyhow.
                        async with asyncio.timeout(0.05):
                            await changed.wait()
                    changed.clear()
        except TimeoutError:
            written = [message.get("text") for place in self.workspace.messages.values() for message in place.values()]
            raise AssertionError(f"waited in vain; the messages are {written}") from None
        finally:
            self._waiting.discard(changed)

    def calls(self, method: str) -> list[Made]:
        return [made for made in self.made if made.call.method == method]

    def changed(self) -> None:
        """Whoever waits looks again."""
        for changed in self._waiting:
            changed.set()

    # The server

    async def call(self, request: web.Request) -> web.StreamResponse:
        call = Call(request.match_info["method"], await _arguments(request))
        at = asyncio.get_running_loop().time()
        fault = self._fault(call)
        if fault != Fault() and not fault.done:
            reply: Reply = {"ok": False, "error": fault.error}
        else:
            reply = self._reply(call, request)
        self.made.append(Made(call, at, reply.get("error", ""), self.clock()))
        self.changed()
        if call.method in self._gates:
            await self._gates[call.method].wait()
        await self.tell_echoes()
        if fault.drops:
            assert request.transport is not None
            request.transport.abort()
        if fault.status >= 500:
            return web.Response(status=fault.status, text="<html>upstream</html>", content_type="text/html")
        headers = {"Retry-After": str(fault.retry_after)} if fault.retry_after else None
        return web.json_response(reply, status=fault.status, headers=headers)

    def _fault(self, call: Call) -> Fault:
        faults = self._faults[call.method]
        if faults:
            return faults.popleft()
        wait = self.limits.wait(call) if call.method in self.api else 0
        if not wait:
            return Fault()
        return Fault(error="rate_limited") if call.method in self.limits.quiet else Fault(429, "ratelimited", wait)

    def _reply(self, call: Call, request: web.Request) -> Reply:
        try:
            return {"ok": True, **self._authorised(call, request)}
        except Refused as refused:
            return {"ok": False, "error": refused.error, **refused.more}

    def _authorised(self, call: Call, request: web.Request) -> Reply:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or call.get("token")
        if call.method == "apps.connections.open":
            _check(token, APP_TOKEN, BOT_TOKEN)
            return {"url": f"{self.url.replace('http', 'ws', 1)}link?ticket={self.sockets.ticket()}"}
        if call.method not in self.api:
            raise Refused("unknown_method", req_method=call.method)
        _check(token, BOT_TOKEN, APP_TOKEN)
        if self.uninstalled:
            raise Refused("account_inactive")
        return self.api(call)

    async def _download(self, request: web.Request) -> web.Response:
        return self.api.files.download(request, BOT_TOKEN)

    def application(self) -> web.Application:
        application = web.Application(client_max_size=2**26)
        application.router.add_get("/api/link", self.sockets.link)
        application.router.add_post("/api/upload/{id}", self.api.files.upload)
        application.router.add_put("/api/upload/{id}", self.api.files.upload)
        application.router.add_get("/api/files-pri/{id}/{name}", self._download)
        application.router.add_route("*", "/api/{method}", self.call)
        application.router.add_post("/hook/{number}", self.hook)
        return application


async def _arguments(request: web.Request) -> dict[str, Any]:
    if request.content_type == "application/json":
        return {**request.query, **await request.json()}
    return {**request.query, **await request.post()}


def _check(token: str | None, right: str, other: str) -> None:
    if not token:
        raise Refused("not_authed")
    if token != right:
        raise Refused("not_allowed_token_type" if token == other else "invalid_auth")
