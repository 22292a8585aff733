"""One search service over HTTP that answers JSON: what every engine with an API of its own is asked through."""

from collections.abc import Callable, Mapping
from typing import Any

import aiohttp
from yarl import URL

from bot.sentences import said
from bot.web import sentences
from bot.web.engines import EngineFailed
from bot.web.engines.answers import mapping, parsed, redacted, refusal
from bot.web.outcome import FailureKind

USER_AGENT = "Footnote (research assistant)"
"""Some services turn away the names of HTTP libraries."""
ANSWER_BYTES = 2_000_000
CHUNK = 65_536

Kinds = Mapping[int, FailureKind]


class Service:
    """`secret` is taken out of whatever the service says; `kinds` are its own readings of an HTTP status, which a
    function may also take from the body; `advice` is what to say of a status in place of the service's words."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        base: str,
        *,
        headers: Mapping[str, str] | None = None,
        secret: str = "",
        kinds: Kinds | Callable[[object], Kinds] | None = None,
        advice: Mapping[int, str] | None = None,
    ) -> None:
        self._session = session
        self._base = base.rstrip("/")
        self._headers = {"User-Agent": USER_AGENT, "Accept": "application/json", **(headers or {})}
        self._secret = secret
        self._kinds = kinds
        self._advice = advice

    async def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        json: Mapping[str, Any] | None = None,
    ) -> Any:
        """The JSON of an answer with status 200.  Raises `EngineFailed`; follows no redirect and asks once."""
        try:
            url = URL(self._base + path, encoded=True)
            async with self._session.request(
                method, url, params=params, json=json, headers=self._headers, allow_redirects=False
            ) as response:
                body = await _read(response)
        except TimeoutError:
            raise EngineFailed("timeout") from None
        except (aiohttp.ClientPayloadError, aiohttp.ClientResponseError) as error:
            raise EngineFailed("bad_response", said(sentences.BROKEN)) from error
        except (aiohttp.ClientError, OSError) as error:
            raise EngineFailed("unreachable") from error
        except ValueError as error:  # a key or an address that cannot be sent at all
            raise EngineFailed("bad_request", redacted(str(error), [self._secret])) from error
        if response.status == 200:
            return parsed(body)
        raise self._refusal(response, body)

    def _refusal(self, response: aiohttp.ClientResponse, body: bytes) -> EngineFailed:
        try:
            told = parsed(body)
        except EngineFailed:
            told = None
        return refusal(
            response.status,
            mapping(told),
            retry_after=response.headers.get("Retry-After"),
            secrets=[self._secret],
            kinds=self._kinds(told) if callable(self._kinds) else self._kinds,
            advice=self._advice,
        )


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """The body, decompressed.  Raises `EngineFailed` for one beyond all measure."""
    pieces, size = [], 0
    async for piece in response.content.iter_chunked(CHUNK):
        size += len(piece)
        if size > ANSWER_BYTES:
            raise EngineFailed("bad_response", said(sentences.TOO_LONG))
        pieces.append(piece)
    return b"".join(pieces)
