"""Which addresses lie on the public internet.  No I/O.

An explicit table, because what the standard library calls global differs between its patch versions and lets several
ways into a private network through.
"""

import ipaddress
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_CLOSED_V4 = tuple(
    ipaddress.IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # behind a carrier's translation
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's services, in a public range
        "169.254.0.0/16",  # link-local, with most metadata services
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_OPEN_V6 = ipaddress.IPv6Network("2000::/3")
_CLOSED_V6 = tuple(
    ipaddress.IPv6Network(text)
    for text in (
        "2001::/23",  # Teredo, benchmarking, ORCHID
        "2001:db8::/32",
        "2002::/16",  # 6to4: holds any IPv4 address
        "3fff::/20",
    )
)
_HOLDS_V4 = (ipaddress.IPv6Network("::ffff:0:0/96"), ipaddress.IPv6Network("64:ff9b::/96"))
"""IPv4 written as IPv6, and what a network that speaks only IPv6 makes of IPv4: the address inside counts."""
_ISATAP = (0x00005EFE, 0x02005EFE)
"""The middle of an IPv6 address that is a tunnel to the IPv4 address at its end."""


def parse_address(text: str) -> Address | None:
    """The address in its canonical spelling; None for anything else, one with a zone too."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return None if isinstance(address, ipaddress.IPv6Address) and address.scope_id else address


def is_public(address: Address) -> bool:
    """Whether the address lies on the public internet."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _CLOSED_V4)
    if any(address in network for network in _HOLDS_V4):
        return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    if address not in _OPEN_V6 or (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        return False
    return not any(address in network for network in _CLOSED_V6)
