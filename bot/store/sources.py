"""Documents as Elasticsearch holds them."""

import base64
from collections.abc import Mapping
from typing import Any

from bot.store.documents import Document, Kind

# One shard, so that one search sees all of one moment.
SETTINGS: dict[str, Any] = {"number_of_shards": 1, "auto_expand_replicas": "0-1", "refresh_interval": "-1"}
PROPERTIES: dict[str, Any] = {
    "kind": {"type": "keyword"},
    "id": {"type": "keyword"},
    "status": {"type": "keyword"},
    "user": {"type": "keyword"},
    "place": {"type": "keyword"},
    "at": {"type": "double"},
    "body": {"type": "binary"},
    "write": {"type": "keyword", "index": False, "doc_values": False},
}


def key_of(kind: Kind, id: str) -> str:
    return f"{kind}/{id}"


def source_of(kind: Kind, id: str, document: Document, mark: str) -> dict[str, Any]:
    body = base64.b64encode(document.body).decode()
    about = {"at": document.at, "status": document.status, "user": document.user, "place": document.place}
    return {"kind": kind, "id": id, **about, "body": body, "write": mark}


def document_of(found: Mapping[str, Any]) -> Document:
    source = found["_source"]
    return Document(
        base64.b64decode(source["body"]),
        source["at"],
        source["status"],
        source["user"],
        source.get("place", ""),  # A Footnote of the schema 1 may still write beside this one.
        (found["_seq_no"], found["_primary_term"]),
    )
