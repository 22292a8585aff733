"""Decides whether an address may be asked for a page.  No I/O."""

import re
import unicodedata
from dataclasses import dataclass

from yarl import URL

from indexers.reading.addresses import is_public, parse_address
from indexers.reading.failures import Refused

PORTS = frozenset({80, 443})

_LONGEST = 2048
_PARTS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*):(?://(?P<authority>[^/?#]*))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_\-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_INSIDE = (
    *("localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "arpa"),
    *("test", "invalid", "onion", "default", "svc"),
)
"""Last labels of names that lie inside a house or a cluster, or in no public name server at all.  Not `example`, which
documentation is full of: it resolves to nothing, and to a private address it would be refused for that."""


@dataclass(frozen=True, slots=True)
class Guard:
    """`allow` opens exact (address, port) pairs; `own_hosts` are names of our own services, never a page."""

    allow: frozenset[tuple[str, int]] = frozenset()
    ports: frozenset[int] = PORTS
    own_hosts: frozenset[str] = frozenset()

    def check_url(self, text: str) -> URL:
        """The address as the client will read it.  Raises `Refused`."""
        authority = _authority(text)
        try:
            url = URL(text)
            host, port = (url.raw_host or "").rstrip("."), url.port
        except ValueError:  # a host that is none, a port that is no number
            raise Refused("url") from None
        if "@" in authority or url.raw_user is not None or url.raw_password is not None:
            raise Refused("user_info")
        address = parse_address(host)
        if port not in self.ports and port not in {port for _, port in self.allow}:
            raise Refused("port")
        if host in {name.lower().strip("[]").rstrip(".") for name in self.own_hosts}:
            raise Refused("host")
        if address is None and "[" in authority:
            raise Refused("url")
        if address is None:
            self._check_name(host)
        elif not self.opens(host, port):
            raise Refused("address")
        return url

    def opens(self, address: str, port: int) -> bool:
        """Whether a connection may be made to this address, which is one and not a name."""
        parsed = parse_address(address)
        if parsed is None:
            return False
        if (parsed, port) in {(parse_address(allowed), number) for allowed, number in self.allow}:
            return True
        return port in self.ports and is_public(parsed)

    def _check_name(self, host: str) -> None:
        labels = host.split(".")
        if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
            raise Refused("url")
        # A resolver reads 127.1, 0x7f000001 and 2130706433 as addresses.
        if len(labels) == 1 or labels[-1] in _INSIDE or _NUMBER.fullmatch(labels[-1]):
            raise Refused("host")


def _authority(text: str) -> str:
    """What stands between `//` and the path, after everything that two parsers could read in two ways is refused."""
    if len(text) > _LONGEST or any(_splits_parsers(character) for character in text):
        raise Refused("url")
    parts = _PARTS.match(text)
    if parts is None:
        raise Refused("url")
    if parts["scheme"].lower() not in ("http", "https"):
        raise Refused("scheme")
    authority = parts["authority"] or ""
    if not authority or "%" in authority or any(unicodedata.category(one) == "Cf" for one in authority):
        raise Refused("url")
    return authority


def _splits_parsers(character: str) -> bool:
    return character == "\\" or character.isspace() or unicodedata.category(character) in ("Cc", "Cs")
