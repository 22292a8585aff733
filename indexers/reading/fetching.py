"""The only way out to a page."""

import asyncio
import logging
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from indexers.reading.addresses import parse_address
from indexers.reading.failures import FetchFailed, Refused
from indexers.reading.guard import PORTS, Guard
from indexers.reading.kinds import HEAD, kind_of, may_hold_text
from indexers.reading.types import Kind, Page

Resolver: TypeAlias = Callable[[str], Awaitable[Sequence[str]]]
"""The addresses of a host name, as text.  Raises `OSError` where there is none."""

MEGABYTE = 1_000_000
LIMITS: dict[Kind, int] = {
    "html": 2 * MEGABYTE,
    "text": 2 * MEGABYTE,
    "json": 2 * MEGABYTE,
    "pdf": 10 * MEGABYTE,
    "word": 10 * MEGABYTE,
}
"""The most bytes of a body, after decompression."""
OF_AN_ERROR = 256_000
"""How much is read of a page that comes with an error's status."""
MAX_REDIRECTS = 5
RESOLVE_SECONDS = 5.0

_HEADERS = {
    "User-Agent": "Footnote/0.1 (reads one page when a person asks for it)",
    "Accept": "text/markdown, text/html;q=0.9, application/pdf;q=0.8, text/plain;q=0.7, */*;q=0.1",
    "Accept-Encoding": "gzip, deflate",
}
_DECODED = {"", "identity", "gzip", "deflate"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_REDIRECTS = {301, 302, 303, 307, 308}
# A name server that hangs holds a thread; it must not be one of those that the rest of the program shares.
_RESOLVING = ThreadPoolExecutor(4, "resolve")

logger = logging.getLogger(__name__)


async def fetch(
    url: str,
    *,
    allow: frozenset[tuple[str, int]] = frozenset(),
    resolver: Resolver | None = None,
    seconds: float = 15.0,
    ports: frozenset[int] = PORTS,
    own_hosts: frozenset[str] = frozenset(),
) -> Page:
    """The page at an address on the public internet, whatever its status.

    Every address that a name resolves to, and every redirect, is checked before a byte is sent.  `allow` opens exact
    (address, port) pairs, for tests; `seconds` is for all of it; `own_hosts` are names of services that are no page.
    Raises `Refused` or `FetchFailed`.
    """
    guard = Guard(allow, ports, own_hosts)
    try:
        async with asyncio.timeout(seconds):
            return await _follow(url, guard, resolver or system_resolver)
    except TimeoutError:
        raise FetchFailed("timeout") from None


async def system_resolver(host: str) -> Sequence[str]:
    """What this machine's resolver says."""
    found = await asyncio.get_running_loop().run_in_executor(
        _RESOLVING, lambda: socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    )
    return [str(answer[4][0]) for answer in found]


async def _follow(text: str, guard: Guard, resolver: Resolver) -> Page:
    url, seen = guard.check_url(text), set[URL]()
    while True:
        seen.add(url)
        answer = await _ask(url, text, guard, await _addresses(url, guard, resolver))
        if isinstance(answer, Page):
            return answer
        text = _next(url, answer)
        following = guard.check_url(text)
        if following in seen or len(seen) > MAX_REDIRECTS:
            raise FetchFailed("redirects")
        check_downgrade(url, following)
        url = following


def check_downgrade(url: URL, following: URL) -> None:
    """Raises `Refused` for a redirect that leaves encryption and the site as well."""
    if url.scheme == "https" and following.scheme == "http" and url.raw_host != following.raw_host:
        raise Refused("downgrade")


def _next(url: URL, location: str) -> str:
    if location.startswith("//"):
        return f"{url.scheme}:{location}"
    if "\\" in location or _SCHEME.match(location):
        return location  # as it came: joining would mend what the guard has to see
    try:
        return str(url.join(URL(location)))
    except ValueError:
        raise Refused("url") from None


async def _addresses(url: URL, guard: Guard, resolver: Resolver) -> Sequence[str]:
    """What the host resolves to, once; refused whole when one address is not open, since any may be tried."""
    host, port = (url.raw_host or "").rstrip("."), url.port or 0
    if parse_address(host):
        return [host]
    try:
        async with asyncio.timeout(RESOLVE_SECONDS):
            addresses = await resolver(host)
    except (OSError, UnicodeError):  # a timeout is an OSError too
        raise FetchFailed("dns") from None
    if not addresses:
        raise FetchFailed("dns")
    closed = [address for address in addresses if not guard.opens(address, port)]
    if closed:
        logger.warning("%s resolves to %s; not asked", host, ", ".join(closed))
        raise Refused("address")
    return addresses


class _Pinned(AbstractResolver):
    """Gives the client the addresses that were checked, and never asks again."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
                "proto": 0,
                "flags": socket.AI_NUMERICHOST,
            }
            for address in self._addresses
        ]

    async def close(self) -> None:
        pass


class _Closed(OSError):
    """A socket was about to be opened to an address that the guard does not open."""


async def _ask(url: URL, text: str, guard: Guard, addresses: Sequence[str]) -> Page | str:
    """The page, or where the answer leads to."""

    def open_socket(info: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = info
        # The client resolves no literal address, so this is the one place that sees every connection.
        if not guard.opens(str(address[0]), int(address[1])):
            raise _Closed
        return socket.socket(family, kind, protocol)

    connector = aiohttp.TCPConnector(
        resolver=_Pinned(addresses), use_dns_cache=False, socket_factory=open_socket, force_close=True
    )
    try:
        async with (
            aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),
                trust_env=False,
                headers=_HEADERS,
            ) as session,
            session.get(url, allow_redirects=False) as response,
        ):
            if response.status in _REDIRECTS and "Location" in response.headers:
                return response.headers["Location"]
            return await _page(response, text)
    except (aiohttp.ClientError, OSError) as error:
        raise _failure(error) from error


async def _page(response: aiohttp.ClientResponse, text: str) -> Page:
    content_type = response.headers.get("Content-Type", "")
    failed = response.status >= 400
    try:
        body = await _body(response, content_type, OF_AN_ERROR if failed else None)
    except FetchFailed:
        if not failed:
            raise
        body = b""
    return Page(text, response.status, content_type, body)


async def _body(response: aiohttp.ClientResponse, content_type: str, cut_at: int | None) -> bytes:
    """The body; longer than its kind's limit it fails, or is cut where `cut_at` is given."""
    if response.headers.get("Content-Encoding", "").strip().lower() not in _DECODED:
        raise FetchFailed("bad_answer")
    body = bytearray(await _head(response) if may_hold_text(content_type) else b"")
    kind = kind_of(content_type, bytes(body))
    if kind is None:
        raise FetchFailed("unsupported")
    limit = cut_at or LIMITS[kind]
    if not cut_at and (response.content_length or 0) > limit:
        raise FetchFailed("too_large")
    async for chunk in response.content.iter_chunked(65536):
        body += chunk
        if len(body) > limit:
            break
    if len(body) > limit and not cut_at:
        raise FetchFailed("too_large")
    return bytes(body[:limit])


async def _head(response: aiohttp.ClientResponse) -> bytes:
    try:
        return await response.content.readexactly(HEAD)
    except asyncio.IncompleteReadError as error:
        return error.partial


def _failure(error: aiohttp.ClientError | OSError) -> Refused | FetchFailed:
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
        return FetchFailed("tls")
    if isinstance(error, aiohttp.ClientConnectorError):
        return Refused("address") if isinstance(error.os_error, _Closed) else FetchFailed("unreachable")
    if isinstance(error, aiohttp.ClientOSError | aiohttp.ServerDisconnectedError):
        return FetchFailed("unreachable")
    return FetchFailed("bad_answer")
