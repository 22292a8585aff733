"""How an Ollama server is reached: its address, its client, and what is said when it is not there.

What generates (`bot.engine.ollama`) and what embeds (`indexers.embedding.ollama`) both come through here.
"""

import ipaddress
from typing import Any
from urllib.parse import urlsplit

import httpx
import ollama

from indexers.ollama_host import DEFAULT_HOST, normalise_host

__all__ = [
    "DEFAULT_HOST",
    "FAILURES",
    "missing",
    "normalise_host",
    "open_client",
    "open_http",
    "same_model",
    "unreachable",
]

FAILURES = (httpx.HTTPError, OSError, ValueError, TypeError, AttributeError)
"""What a call of the official client raises beside its `ResponseError`: the network's errors, and whatever its own
parsing comes to where somebody else answers (a list, a page)."""


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
