"""What `OLLAMA_HOST` means.

Apart from the client, since the `ollama` package reads that variable when it is imported, and breaks on a wrong one:
it is looked at here first.
"""

import ipaddress
from urllib.parse import urlsplit

DEFAULT_HOST = "http://127.0.0.1:11434"
PORTS = {"": 11434, "http": 80, "https": 443}
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses to listen on, and where a client finds who listens there."""


def normalise_host(host: str) -> str:
    """The URL that `OLLAMA_HOST` means, as Ollama itself reads it: `host`, `host:port`, `:port`, a URL, or nothing.

    Raises `ValueError` with a sentence that never repeats a password.
    """
    host = host.strip().strip("\"'").strip()
    scheme, separator, rest = host.partition("://")
    if not separator:
        scheme, rest = "", host
    if scheme.lower() not in PORTS:
        raise ValueError(f"{scheme}:// is not a way to reach Ollama; use http:// or https://")
    default, scheme = PORTS[scheme.lower()], scheme.lower() or "http"
    if rest.count(":") > 1 and not rest.startswith("["):
        rest = f"[{rest}]"  # a bare IPv6 address
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        name, port = parts.hostname or "127.0.0.1", parts.port
    except ValueError:
        raise ValueError("it is no address; write host, host:port or http://host:port") from None
    if parts.username or parts.password or "@" in parts.netloc:
        raise ValueError("it should hold no user name and no password")
    if parts.query or parts.fragment or any(character.isspace() for character in rest):
        raise ValueError("it is no address; write host, host:port or http://host:port")
    return f"{scheme}://{_bracketed(EVERYWHERE.get(name, name))}:{port or default}{parts.path.rstrip('/')}"


def _bracketed(name: str) -> str:
    try:
        return f"[{name}]" if ipaddress.ip_address(name).version == 6 else name
    except ValueError:
        return name
