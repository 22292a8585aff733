"""Records as the bodies of documents."""

import zlib
from typing import TypeVar

from pydantic import BaseModel

from bot.store.documents import Document

Record = TypeVar("Record", bound=BaseModel)


def body(record: BaseModel) -> bytes:
    return zlib.compress(record.model_dump_json(exclude_defaults=True).encode())


def as_document(
    record: BaseModel, at: float, *, status: str = "", user: str = "", place: str = "", old: Document | None = None
) -> Document:
    """`old` is what it is to replace."""
    return Document(body(record), at, status, user, place, old.version if old else None)


def as_record(kind: type[Record], document: Document) -> Record:
    return kind.model_validate_json(zlib.decompress(document.body))
