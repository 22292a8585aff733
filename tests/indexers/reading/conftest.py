import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest

from tests.fakes.site import FakeSite, Names, serve_site


@pytest.fixture
async def site() -> AsyncIterator[FakeSite]:
    async with serve_site() as site:
        yield site


@pytest.fixture
def names() -> Names:
    return Names()


class Sockets:
    """What the whole process asked of the network while it was watched: the interpreter itself tells."""

    def __init__(self) -> None:
        self.watching = False
        self.seen: list[tuple[str, object]] = []
        sys.addaudithook(self._note)  # cannot be taken off again, hence one for the session

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.watching and event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
            self.seen.append((event, arguments))

    @contextmanager
    def watched(self) -> Iterator[list[tuple[str, object]]]:
        self.seen, self.watching = [], True
        try:
            yield self.seen
        finally:
            self.watching = False


@pytest.fixture(scope="session")
def sockets() -> Sockets:
    return Sockets()
