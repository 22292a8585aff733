"""How an Ollama server is reached: its address, its client, and what is said when it is not there.

What generates (`bot.engine.ollama`) and what embeds (`indexers.embedding.ollama`) both come through here.
"""

import ipaddress
from typing import Any
from urllib.parse import urlsplit

import httpx
import ollama

DEFAULT_HOST = "http://127.0.0.1:11434"
PORTS = {"": 11434, "http": 80, "https": 443}
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses to listen on, and where a client finds who listens there."""

FAILURES = (httpx.HTTPError, OSError, ValueError, TypeError, AttributeError)
"""What a call of the official client raises beside its `ResponseError`: the network's errors, and whatever its own
parsing comes to where somebody else answers (a list, a page)."""


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


def open_client(host: str, *, connect: float) -> ollama.AsyncClient:
    """The official client; `connect` is in seconds, every other limit is the caller's own."""
    return ollama.AsyncClient(host, **_options(host, connect))


def open_http(host: str, *, connect: float) -> httpx.AsyncClient:
    """A plain client of the same server, for what the official one cannot carry."""
    return httpx.AsyncClient(base_url=host, **_options(host, connect))


def _options(host: str, connect: float) -> dict[str, Any]:
    return {
        "timeout": httpx.Timeout(None, connect=connect),
        "follow_redirects": False,
        # The package gives `OLLAMA_API_KEY` to whatever host is set.
        "event_hooks": {"request": [_without_key]},
        # A company's proxy cannot reach this machine's loopback.
        "trust_env": not _on_this_machine(host),
    }


async def _without_key(request: httpx.Request) -> None:
    request.headers.pop("authorization", None)


def _on_this_machine(host: str) -> bool:
    name = urlsplit(host).hostname or ""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def unreachable(host: str) -> str:
    return f"Ollama does not answer at {host}; start it (ollama serve), or set OLLAMA_HOST to where it runs."


def missing(model: str) -> str:
    return f"Ollama has no model {model}; fetch it with: ollama pull {model}"


def same_model(one: str, other: str) -> bool:
    """Whether two names mean one model; a name without a tag means `:latest`."""
    return tagged(one) == tagged(other)


def tagged(model: str) -> str:
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"
