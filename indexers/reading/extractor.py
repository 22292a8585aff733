"""Turns bytes into text in child processes that are killed when they take too much."""

import asyncio
import json
import os
import signal
import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from indexers.reading.child import LENGTH
from indexers.reading.failures import Unreadable
from indexers.reading.types import Extracted, Kind

IDLE_SECONDS = 60.0
"""An idle child is kept for so long."""
BODIES = 200
"""A child is kept for so many bodies; what they left behind goes with it."""
PATIENCE = 1.0
"""Seconds that work waits for a busy child before another one is started: most pages take a few hundredths."""
_LONGEST_REPLY = 2**28
_KILLED = {-signal.SIGKILL, -signal.SIGXCPU}


class Extractor:
    """A few child processes that read one page or file each at a time, web pages and local files alike.

    async with Extractor() as extractor:
        extracted = await extractor.extract(body, "pdf", chars=None, pages=None)

    They start when there is work, and are given no setting and no secret of ours.
    """

    def __init__(self, *, workers: int = 2, seconds: float = 5.0, megabytes: int = 1024) -> None:
        """`seconds` of the processor and `megabytes` of memory are what one page or file may take."""
        self._seconds = seconds
        self._megabytes = megabytes
        self._places = asyncio.Semaphore(workers)
        self._idle: list[_Child] = []
        self._working = 0
        self._starting = asyncio.Lock()
        self._freed = asyncio.Event()
        self._ended: list[_Child] = []

    async def extract(
        self,
        body: bytes,
        kind: Kind,
        *,
        charset: str = "",
        chars: int | None = 40_000,
        pages: int | None = 20,
        web: bool = False,
    ) -> Extracted:
        """The text, at most `chars` characters of it, of a PDF at most the first `pages` pages; None is no limit.

        `charset` is what the sender called it, "" where nobody did; `web` tells a page of the web, where a login or
        a test against robots may stand in place of the page, from a file.  Raises `Unreadable`.
        """
        header = {"kind": kind, "charset": charset, "chars": chars, "pages": pages, "web": web, "size": len(body)}
        async with self._places:
            reply = await self._ask(header, body)
        if "unreadable" in reply:
            raise Unreadable(reply["unreadable"])
        return Extracted(reply["title"], reply["text"], tuple(reply["notes"]))

    async def warm(self) -> None:
        """Starts a child, unless there is one, before there is work for it: it takes a while to load."""
        async with self._starting:
            if not self._working and not self._fresh():
                self._idle.append(await self._start())

    async def aclose(self) -> None:
        for child in self._idle:
            self._end(child)
        self._idle.clear()
        for child in self._ended:
            await child.process.wait()
        self._ended.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _ask(self, header: dict[str, Any], body: bytes) -> dict[str, Any]:
        self._working += 1
        child, whole = None, False
        try:
            child = await self._free()
            async with asyncio.timeout(3 * self._seconds + 2):  # it may not have the processor to itself
                reply = await child.ask(header, body)
            whole = True
            return reply
        except TimeoutError:
            raise Unreadable("too_heavy") from None
        except (EOFError, OSError):
            if child is None:
                raise  # none could be started, which is no fault of the page
            raise Unreadable("too_heavy" if await child.was_killed() else "damaged") from None
        finally:
            self._working -= 1
            if child is not None and whole:
                child.since = time.monotonic()
                self._idle.append(child)
            elif child is not None:
                self._end(child)
            self._freed.set()

    async def _free(self) -> "_Child":
        """An idle child; a new one where there is none, or none soon."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while self._working > 1 and not self._fresh():
                    self._freed.clear()
                    await self._freed.wait()
        return self._fresh().pop() if self._fresh() else await self._start()

    def _fresh(self) -> list["_Child"]:
        """The idle children, without those that ended or are about to."""
        old = [child for child in self._idle if not child.is_fresh()]
        for child in old:
            self._idle.remove(child)
            self._end(child)
        return self._idle

    def _end(self, child: "_Child") -> None:
        child.kill()
        self._ended = [one for one in self._ended if one.process.returncode is None] + [child]

    async def _start(self) -> "_Child":
        limits = (str(self._seconds), str(self._megabytes))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "indexers.reading.child", *limits),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        return _Child(process)


class _Child:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.since = time.monotonic()
        self.bodies = 0

    def is_fresh(self) -> bool:
        idle = time.monotonic() - self.since
        return self.process.returncode is None and idle < IDLE_SECONDS and self.bodies < BODIES

    async def ask(self, header: dict[str, Any], body: bytes) -> dict[str, Any]:
        """One frame there and one back.  Raises `EOFError` or `OSError` when the child has ended."""
        self.bodies += 1
        requests, replies = self.process.stdin, self.process.stdout
        assert requests is not None
        assert replies is not None
        head = json.dumps(header).encode()
        requests.writelines((LENGTH.pack(len(head)), head, body))
        await requests.drain()
        (length,) = LENGTH.unpack(await replies.readexactly(LENGTH.size))
        if length > _LONGEST_REPLY:
            raise EOFError
        reply: dict[str, Any] = json.loads(await replies.readexactly(length))
        return reply

    async def was_killed(self) -> bool:
        """Whether the child, which is ending, went over a limit."""
        try:
            async with asyncio.timeout(1):
                return await self.process.wait() in _KILLED
        except TimeoutError:
            return False

    def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
