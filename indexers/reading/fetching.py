"""The only way out to a page."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from indexers.reading.types import Page

Resolver: TypeAlias = Callable[[str], Awaitable[Sequence[str]]]
"""The addresses of a host name, as text.  Raises `OSError` where there is none."""


async def fetch(
    url: str,
    *,
    allow: frozenset[tuple[str, int]] = frozenset(),
    resolver: Resolver | None = None,
    seconds: float = 15.0,
) -> Page:
    """The page at an address on the public internet, whatever its status.

    Every address that a name resolves to, and every redirect, is checked before a byte is sent.  `allow` opens exact
    (address, port) pairs, for tests; `seconds` is for all of it.  Raises `Refused` or `FetchFailed`.
    """
    raise NotImplementedError
