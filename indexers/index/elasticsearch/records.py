"""Documents as records of an index, and back.  No I/O.

A document is as many records as it has chunks, and one head.  All records of one write bear its generation; the head
names the generation that holds.  While a document is written, its head is in transit: it tells readers, too, which
generation they may see, and whoever comes after a crash, which ones are left over.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import Any

import numpy as np
import orjson
from pybase64 import b64decode, b64encode_as_string

from indexers.chunks import Chunk, headings_in
from indexers.document import Document
from indexers.embedding import Vectors
from indexers.excerpts import opening
from indexers.index import Entry, Fingerprint, Passage, chunk_id
from indexers.index.filters import fold

VISITS = "visits"
"""The group of records that are of no document: what stands for a chunk is in none that is called so."""
_bytes = partial(b64decode, altchars=None, validate=True)
"""What strict decoding gives; it is the faster one."""
CARD = ("source", "thread", "title", "headings", "timestamp", "participants", "url", "text")


@dataclass(frozen=True, slots=True)
class Generation:
    name: str
    count: int
    """Of chunks."""


@dataclass(frozen=True, slots=True)
class Head:
    """The record of a document.  `holds` None: nothing of it may be seen (yet, or any more)."""

    document: str
    version: int
    holds: Generation | None
    facts: dict[str, Any]
    """Of the generation that holds: what the record has beside its state."""
    staged: tuple[Generation, ...] = ()
    """Other generations that may have left records: half written, or replaced."""

    @property
    def removed(self) -> bool:
        """Nothing is left of it but since when; so an older state that comes late is known."""
        return self.holds is None and not self.staged

    def record(self) -> dict[str, Any]:
        record = {"document": self.document, "version": self.version, **self.facts}
        if self.holds is not None:
            record |= {"generation": self.holds.name, "count": self.holds.count}
        if self.staged:
            record["staged"] = [f"{one.count} {one.name}" for one in self.staged]
            record["transit"] = place(self.document, self.holds.name if self.holds else "")
        return record


def head_of(record: dict[str, Any]) -> Head:
    staged = [one.partition(" ") for one in record.get("staged", ())]
    state = ("document", "version", "generation", "count", "staged", "transit")
    return Head(
        record["document"],
        record["version"],
        Generation(record["generation"], record["count"]) if "generation" in record else None,
        {name: value for name, value in record.items() if name not in state},
        tuple(Generation(name, int(count)) for count, _, name in staged),
    )


def head_id(document: str) -> str:
    return hashlib.blake2b(_utf8(document), digest_size=16).hexdigest()


def chunk_ids(document: str, generation: Generation) -> list[str]:
    """The ids of the records of a generation."""
    return [f"{head_id(document)}-{generation.name}-{number}" for number in range(generation.count)]


def in_id(id: str) -> tuple[str, str]:
    """What stands in the id of a chunk's record: the id of its head, and the generation."""
    head, generation, _ = id.split("-")
    return head, generation


def place(name: str, generation: str) -> str:
    return f"{name}@{generation}"


def visit_id(scope: str) -> str:
    return f"{VISITS}-{head_id(scope)}"


def visit(scope: str, seconds: float) -> dict[str, Any]:
    """A run over a scope: it has nothing by which a head or a chunk is found."""
    return {"group": VISITS, "document": scope, "time": seconds}


def in_place(stored: str) -> tuple[str, str]:
    """What stands in a place: the document and its generation."""
    name, _, generation = stored.rpartition("@")
    return name, generation


def packed(record: Mapping[str, Any], generation: str) -> dict[str, str]:
    """What searches fetch of a chunk's record, each with its id, its generation and its group: that alone, what is told
    of it beside another, or all that a passage needs."""
    place = [record["chunk"], generation, record["group"]]
    author = record["participants"][0] if record["participants"] else ""
    line = [record["time"], record["timestamp"], author, opening(record["text"])]
    return {
        "place": _packed(place),
        "line": _packed(place + line),
        "card": _packed(place + [record[name] for name in CARD]),
    }


@lru_cache(2**15)
def place_of(stored: str) -> tuple[str, str, str]:
    """The id of a chunk, its generation and its group; of what is found again and again."""
    chunk, generation, group = orjson.loads(_bytes(stored))
    return chunk, generation, group


def unpacked(stored: Iterable[str]) -> list[Any]:
    values: list[Any] = orjson.loads(b"[%b]" % b",".join(map(_bytes, stored)))
    return values


def group_of(source: str, thread: str, document: str) -> str:
    """What belongs together: a thread of one source, or a document where it is in no thread."""
    return f"{len(source)} {source} {thread}" if thread else f"document {document}"


def is_thread(group: str) -> bool:
    return group[:1].isdigit()


def new_head(entry: Entry, chunks: Sequence[dict[str, Any]]) -> Head:
    document, fingerprint = entry.document, entry.fingerprint
    facts = _filtered(document) | {
        "facts": {
            "title": document.title,
            "url": document.url,
            "participants": list(document.participants),
            "timestamp": document.timestamp.isoformat(),
            "thread": document.thread_id,
            "fingerprint": [fingerprint.content, fingerprint.facts, fingerprint.embedding],
        }
    }
    # By content, so that the same write done twice is one write.
    digest = hashlib.blake2b(orjson.dumps([facts, *chunks], option=orjson.OPT_SERIALIZE_NUMPY), digest_size=8)
    return Head(document.id, entry.version, Generation(digest.hexdigest(), len(chunks)), facts)


def chunk_records(entry: Entry) -> list[dict[str, Any]]:
    """The records of an entry's chunks, but for their place in a generation."""
    document = entry.document
    common = _filtered(document) | {
        "document": document.id,
        "group": group_of(document.source, document.thread_id, document.id),
        "thread": document.thread_id,
        "title": document.title,
        "url": document.url,
        "participants": list(document.participants),
        "timestamp": document.timestamp.isoformat(),
    }
    records = []
    for number, chunk in enumerate(entry.chunks or ()):
        vector = None if entry.vectors is None else np.asarray(entry.vectors[number], np.float32)
        record = common | {
            "chunk": chunk_id(document.id, chunk.ordinal),
            "ordinal": chunk.ordinal,
            "headings": list(chunk.headings),
            "inner": list(headings_in(chunk.text)),
            "text": chunk.text,
        }
        if vector is not None and vector.any():
            record |= {"half": to_half(vector), "embedding": np.ascontiguousarray(vector)}
        records.append(record)
    return records


def entry_of(head: Head, chunks: Iterable[dict[str, Any]]) -> Entry:
    """A document as it was written, from its records."""
    records = sorted(chunks, key=lambda record: int(record["ordinal"]))
    cut = [Chunk(record["ordinal"], tuple(record["headings"]), record["text"]) for record in records]
    facts = head.facts["facts"]
    document = Document(
        id=head.document,
        source=head.facts["source"],
        title=facts["title"],
        text="".join(chunk.text for chunk in cut),
        timestamp=datetime.fromisoformat(facts["timestamp"]),
        url=facts["url"],
        participants=tuple(facts["participants"]),
        thread_id=facts["thread"],
        access=frozenset(head.facts["access"]),
    )
    halves = [record.get("half") for record in records]
    width = max((len(_bytes(half)) // 2 for half in halves if half), default=0)
    rows = [from_halves([half])[0] if half else np.zeros(width, np.float32) for half in halves]
    return Entry(document, cut, np.stack(rows) if width else None, fingerprint_of(head), head.version)


def fingerprint_of(head: Head) -> Fingerprint:
    """What never fits where a write was cut short, so that the document is written again."""
    if head.holds is None:
        return Fingerprint("", "")
    content, facts, embedding = ("", "", "") if head.staged else head.facts["facts"]["fingerprint"]
    return Fingerprint(content, facts, embedding, frozenset(head.facts["access"]))


def passage_of(chunk: str, card: Sequence[Any]) -> Passage:
    document, _, ordinal = chunk.rpartition("#")
    source, thread, title, headings, timestamp, participants, url, text = card
    return Passage(
        chunk,
        document,
        int(ordinal),
        source,
        title,
        tuple(headings),
        text,
        datetime.fromisoformat(timestamp),
        tuple(participants),
        thread,
        url,
    )


def to_half(vector: Vectors) -> str:
    return b64encode_as_string(vector.astype(np.float16).tobytes())


def from_halves(halves: Sequence[str]) -> Vectors:
    """One row each, of length 1."""
    packed = b"".join(map(_bytes, halves))
    vectors: Vectors = np.frombuffer(packed, np.float16).reshape(len(halves), -1).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    vectors /= np.maximum(lengths, np.finfo(np.float32).tiny)[:, np.newaxis]
    return vectors


def _filtered(document: Document) -> dict[str, Any]:
    """What filters compare."""
    seconds = document.timestamp.timestamp()
    return {
        "source": document.source,
        "access": sorted(document.access),
        "people": sorted({fold(name) for name in document.participants}),
        "time": seconds if math.isfinite(seconds) else 0.0,
    }


def _packed(value: Any) -> str:
    return b64encode_as_string(orjson.dumps(value))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
