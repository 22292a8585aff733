"""The client of an Elasticsearch, and what it raises in plain sentences."""

import logging
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from elastic_transport import ConnectionError, ConnectionTimeout, TlsError, TransportError
from elasticsearch import ApiError, AsyncElasticsearch, OrjsonSerializer, UnsupportedProductError

from indexers.index import IndexFault, IndexMissing

PORTS = {"http": 9200, "https": 443}
"""Where an address names none."""
SEARCH_SECONDS = 20.0
WRITE_SECONDS = 120.0
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 15.0
"""Before what failed is tried again; each pause is twice as long as the one before."""

BLOCKED = "cluster_block_exception"
_RETRIED = (429, 502, 503, 504)


class Busy(IndexFault):
    """It may be otherwise in a moment."""


@dataclass(frozen=True, slots=True)
class Server:
    """One client, whose transport both share: what reads gives up soon, what writes is patient."""

    reader: AsyncElasticsearch
    writer: AsyncElasticsearch
    address: str
    """Without what may be secret in it."""
    patience: float

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Turns the client's errors into ours."""
        try:
            yield
        except (ApiError, TransportError, UnsupportedProductError) as error:
            raise fault(error, self.address) from error


def _no_bodies(record: logging.LogRecord) -> bool:
    return record.levelno > logging.DEBUG


@asynccontextmanager
async def connected(
    url: str, *, api_key: str = "", ca_certs: Path | None = None, patience: float = 1.0
) -> AsyncIterator[Server]:
    """A client of the Elasticsearch at `url`; it is first asked for something when it is used.

    `patience` is what every limit and pause is multiplied with.  Raises `IndexFault` for `ca_certs` of no use.
    """
    # It logs every retry with a traceback; what comes of them is our caller's to say.
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    # What is sent and answered holds what people wrote, and stays out of every log, however much somebody wants there.
    logging.getLogger("elastic_transport.node").addFilter(_no_bodies)
    parts = urlsplit(url)
    port = parts.port or PORTS.get(parts.scheme, 9200)
    login = f"{parts.username}:{parts.password or ''}@" if parts.username else ""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    client = AsyncElasticsearch(
        urlunsplit((parts.scheme, f"{login}{host}:{port}", parts.path, "", "")),
        api_key=api_key or None,
        serializer=OrjsonSerializer(),
        retry_on_timeout=True,
        retry_backoff_base=FIRST_PAUSE * patience,
        retry_backoff_cap=LONGEST_PAUSE * patience,
        **_trusted(parts.scheme, ca_certs),
    )
    async with client:
        yield Server(
            client.options(request_timeout=SEARCH_SECONDS * patience, max_retries=1, retry_on_status=_RETRIED),
            client.options(request_timeout=WRITE_SECONDS * patience, max_retries=3, retry_on_status=_RETRIED),
            f"{parts.scheme}://{host}:{port}",
            patience,
        )


def _trusted(scheme: str, ca_certs: Path | None) -> dict[str, Any]:
    if ca_certs is None:
        return {}
    if scheme != "https":
        raise IndexFault("ELASTICSEARCH_CA_CERTS needs an ELASTICSEARCH_URL that begins with https://.")
    try:
        return {"ssl_context": ssl.create_default_context(cafile=ca_certs)}
    except OSError as error:
        reason = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise IndexFault(f"ELASTICSEARCH_CA_CERTS {str(ca_certs)!r} cannot be used: {reason}.") from None


def fault(error: Exception, address: str) -> IndexFault:
    """What an error of the client means for whoever runs the command.

    The server's own words are left out, since they may quote the text of a document.
    """
    if isinstance(error, UnsupportedProductError) or (isinstance(error, ApiError) and not is_elasticsearch(error)):
        return IndexFault(f"What answers at {address} is not Elasticsearch; correct ELASTICSEARCH_URL.")
    if isinstance(error, ApiError) and _is_of_no_handler(error.body):
        return IndexFault(f"The Elasticsearch at {address} does not know the path in ELASTICSEARCH_URL; correct it.")
    if isinstance(error, ApiError):
        return fault_of(error.status_code, kind_of(error.body), address)
    if isinstance(error, TlsError) and "CERTIFICATE_VERIFY_FAILED" in str(error):
        return IndexFault(
            f"The certificate of {address} is not trusted; name the file of its authority in ELASTICSEARCH_CA_CERTS."
        )
    if isinstance(error, TlsError):
        return IndexFault(f"What answers at {address} does not speak TLS; write http:// in ELASTICSEARCH_URL.")
    if isinstance(error, ConnectionTimeout):
        return IndexFault(f"Elasticsearch at {address} did not answer in time; look at its load, and try again.")
    if isinstance(error, ConnectionError):
        return IndexFault(f"Elasticsearch does not answer at {address}; start it, or correct ELASTICSEARCH_URL.")
    return foreign(address)


def foreign(address: str) -> IndexFault:
    """What answers gives no answer of Elasticsearch's."""
    return IndexFault(
        f"What answers at {address} is not Elasticsearch; correct ELASTICSEARCH_URL, or look at the proxy before it."
    )


def kind_of(body: Any) -> str:
    """The type in an answer that is an error, "" for none."""
    error = body.get("error") if isinstance(body, Mapping) else None
    return str(error.get("type", "")) if isinstance(error, Mapping) else ""


def _is_of_no_handler(body: Any) -> bool:
    error = body.get("error") if isinstance(body, Mapping) else None
    return isinstance(error, str) and error.startswith("no handler found")


def refusal(status: int, kind: str) -> str:
    """Why one item was refused, in a few words."""
    if status in (429, 503):
        return "Elasticsearch was too busy to take it"
    return f"Elasticsearch refused it ({kind or status})"


def fault_of(status: int, kind: str, address: str) -> IndexFault:
    if kind == "media_type_header_exception" or status == 406:
        return IndexFault(f"The Elasticsearch at {address} is older than version 9; upgrade it.")
    if kind == "index_not_found_exception":
        return IndexMissing(
            f"There is no index in the Elasticsearch at {address}; make one with `footnote index files PATH`."
        )
    if kind == BLOCKED:
        return IndexFault(
            f"The index in the Elasticsearch at {address} is read-only: it is being rebuilt, or the disk is full; "
            "try again once that is mended, and run `footnote index rebuild` again where one was interrupted."
        )
    if status in (401, 403):
        return IndexFault(
            f"The Elasticsearch at {address} refuses this key; set ELASTICSEARCH_API_KEY to one that may read, write "
            "and manage the indices of Footnote."
        )
    if status in (429, 503):
        return Busy(f"The Elasticsearch at {address} is too busy or not whole; try again in a moment.")
    return IndexFault(f"The Elasticsearch at {address} refused the request ({status} {kind}).".replace(" )", ")"))


def is_elasticsearch(error: ApiError) -> bool:
    # It does not say its name to who has no key.
    named = error.meta.headers.get("x-elastic-product") == "Elasticsearch"
    return named or kind_of(error.body) == "security_exception"
