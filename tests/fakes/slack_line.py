"""A server of sockets that behave badly, one after another, as they are told to."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

from aiohttp import web

Manner = Literal["good", "dead", "silent", "closing", "crowded"]
"""Says hello and listens; refuses the handshake; says nothing; says hello and closes; says that there are too many."""


class Line:
    def __init__(self, *manners: Manner) -> None:
        self.asked: list[float] = []
        """When an address was asked for, in the loop's seconds."""
        self.connected: list[str] = []
        """The addresses that were tried, in their order."""
        self.good = asyncio.Event()
        """A socket that behaves is open."""
        self._manners = deque(manners)
        self._url = ""

    async def link(self) -> str:
        self.asked.append(asyncio.get_running_loop().time())
        return f"{self._url}/{len(self.asked)}"

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.connected.append(request.path)
        manner = self._manners.popleft() if self._manners else "good"
        if manner == "dead":
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if manner == "crowded":
            await socket.send_json({"type": "disconnect", "reason": "too_many_websockets"})
        elif manner != "silent":
            await socket.send_json({"type": "hello", "num_connections": 1})
        if manner in ("closing", "crowded"):
            await socket.close()
        if manner == "good":
            self.good.set()
        async for _ in socket:
            pass
        return socket


@asynccontextmanager
async def serve_line(*manners: Manner) -> AsyncIterator[Line]:
    """After these all are good."""
    line: Any = Line(*manners)
    application = web.Application()
    application.router.add_get("/{number}", line._serve)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    line._url = f"ws://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield line
    finally:
        await runner.cleanup()
