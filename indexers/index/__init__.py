"""The index: what every backend promises, in the words in which `bot.search` asks and `indexers.sync` writes.

Each file beside this one is one implementation or a part of one: `embedded` is SQLite and numpy.  A backend ranks and
stores; fusion, grouping, snippets and thread windows are decided once, above it, so that all backends answer alike.
"""

import time
from collections.abc import AsyncGenerator, AsyncIterable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from indexers.chunks import Chunk
from indexers.document import Audience, Document
from indexers.embedding import Vectors

DEGRADED = {
    "lexical": "The index could not be searched by words, so the search was by meaning only.",
    "dense": "The index could not be searched by meaning, so the search was by words only.",
}
"""What is said of a list that could not be made."""


REMOVAL_KEPT = 86_400_000_000
"""Microseconds for which a removal is remembered, so that an older state of the document that comes late is known."""


class IndexFault(Exception):
    """The index could not be opened, read or written; its text is one plain sentence that names the mend."""


class IndexMissing(IndexFault):
    """Nothing has been indexed there yet."""


class IndexMismatch(IndexFault):
    """The index was made with another schema or other vectors than are used now."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What a chunk must meet; the same object goes into both lists.

    `person` is part of a name, handle or address, in any case, with or without accents; `start` and `end` are aware
    and belong to the range; `sources` None means every source.
    """

    audience: Audience
    person: str = ""
    start: datetime | None = None
    end: datetime | None = None
    sources: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        # One set handed over in place of a tuple of sets would silently mean something else: refuse it.
        if not isinstance(self.audience, tuple) or not all(isinstance(one, frozenset) for one in self.audience):
            raise TypeError("An audience is a tuple of frozensets of principals.")
        if any(bound is not None and bound.tzinfo is None for bound in (self.start, self.end)):
            raise ValueError("A time range needs aware datetimes.")


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for: the words, and their vector (length 1) where there is one."""

    text: str
    vector: Vectors | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Two lists, each best first: raw scores by chunk id (BM25; cosine).

    `degraded` says, a sentence of `DEGRADED` each, which list could not be made; at least one could.  `moment` stands
    for the state in which the index was: equal ones for an equal state, None where it cannot tell.
    """

    lexical: dict[str, float] = field(default_factory=dict)
    dense: dict[str, float] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    moment: Hashable = field(default=None, compare=False)


def degraded_by(question: Question, dimensions: int) -> tuple[str, ...]:
    """What is said where the vectors that are stored, if there are any, are of other dimensions than the question's."""
    other = question.vector is not None and dimensions and len(question.vector) != dimensions
    return (DEGRADED["dense"],) if other else ()


@dataclass(frozen=True, slots=True)
class Completion:
    """Scores by chunk id, in no order: BM25 (absent: no word matches), cosine (absent: no vector), and the cosine with
    the refined vector where one was given."""

    lexical: dict[str, float] = field(default_factory=dict)
    dense: dict[str, float] = field(default_factory=dict)
    refined: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk as it is stored, with what its document says of it."""

    chunk_id: str
    document_id: str
    ordinal: int
    source: str
    title: str
    headings: tuple[str, ...]
    text: str
    timestamp: datetime
    participants: tuple[str, ...]
    thread_id: str
    url: str

    @property
    def author(self) -> str:
        return self.participants[0] if self.participants else ""


class Line(NamedTuple):
    """One chunk as it is told beside another: the first of its participants, and the `opening` of its text."""

    chunk_id: str
    ordinal: int
    timestamp: str
    """ISO 8601, with its offset."""
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands before and after a passage, each oldest first, without the passage itself."""

    before: list[Line] = field(default_factory=list)
    after: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """By what a stored document is known to be unchanged.

    `content` stands for title, text and how they are cut; `facts` for access, link, time and people; `embedding`
    names what made its vectors, "" for none.  `access` is that of what can be read of it now: the index tells it, and
    whoever writes gives it with the document.
    """

    content: str
    facts: str
    embedding: str = ""
    access: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """One document as it is written.

    `chunks` None leaves text and vectors as they are stored, and replaces access, link, time, people and thread;
    nothing is written if nothing is stored.  `vectors` has a row a chunk; None, or a row of zeros, is no vector.
    `version` is when this state of the document was read, in microseconds since 1970: an older one never takes the
    place of a newer one, however late it comes.
    """

    document: Document
    chunks: Sequence[Chunk] | None
    vectors: Vectors | None
    fingerprint: Fingerprint
    version: int = field(default_factory=lambda: time.time_ns() // 1000)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one entry: written; or not, since the same or a newer state is stored; or failed, in a sentence
    that quotes nothing of the document."""

    document_id: str
    written: bool = True
    failure: str = ""


def chunk_id(document_id: str, ordinal: int) -> str:
    return f"{document_id}#{ordinal}"


def document_of(chunk: str) -> str:
    """The document id in a chunk id."""
    return chunk.rpartition("#")[0]


class Index(Protocol):
    """What search asks for, then what sync writes.  Every method may raise `IndexFault`.

    Nothing that `where` or `audience` keeps out shows in any result of a method that takes one.
    """

    async def rank(self, question: Question, where: Filter, k: int, *, again: bool = False) -> Ranking:
        """The first pass: the best `k` chunks of each list.  `again` says that `vectors` and `complete` will be asked
        for what is found."""
        ...

    async def complete(
        self, question: Question, chunks: Collection[str], where: Filter, *, refined: Vectors | None = None, k: int = 0
    ) -> Completion:
        """The second pass, one round trip: every score of the given chunks, and of the `k` nearest to `refined`."""
        ...

    async def vectors(self, chunks: Sequence[str]) -> dict[str, Vectors]:
        """The vector of each chunk that has one."""
        ...

    async def recent(self, where: Filter, k: int, *, upcoming: bool = False) -> list[str]:
        """The first chunk of each document, newest first; `upcoming`: oldest first."""
        ...

    async def linked(self, urls: Collection[str], where: Filter, k: int) -> list[str]:
        """The first `k` chunks of the documents whose link is one of these, in their order."""
        ...

    async def passages(
        self, chunks: Sequence[str], where: Filter, *, threads: int = 0, moment: Hashable = None
    ) -> dict[str, Passage]:
        """Those that are there, in this order.  `threads` says that `around` will be asked for some of the first so
        many.  `moment` is that of the ranking, made just now under the same filter, which they come from: what was read
        before under this filter, in the same state of the index, need not be read again."""
        ...

    async def around(self, passages: Sequence[Passage], audience: Audience, k: int) -> dict[str, Surroundings]:
        """By chunk id: up to `k` chunks before and `k` after it in its thread (of the same source), or in its document
        where it belongs to no thread."""
        ...

    async def sources(self, audience: Audience) -> list[str]:
        """The sources of which the audience may read anything, by name."""
        ...

    async def read_at(self, audience: Audience) -> dict[str, datetime]:
        """By source, when what the audience may read of it was last looked at; aware.

        That is when the newest state was read, or the latest visit to a scope that holds a document of the source which
        they may read, if that is later.  So a run over one of several folders counts for the source, but only to those
        who may read something in that folder.
        """
        ...

    async def embedding(self) -> str:
        """What made the vectors that are stored; "" while there are none."""
        ...

    async def expect(self, embedding: str) -> None:
        """Raises `IndexMismatch` if vectors of this embedding cannot be added to those that are there."""
        ...

    async def fingerprints(self, scopes: Sequence[str]) -> dict[str, Fingerprint]:
        """Of each stored document whose id is one of the scopes, or lies below one (`scope/…`)."""
        ...

    async def write(
        self, document: Document, chunks: Sequence[Chunk], vectors: Vectors | None, fingerprint: Fingerprint
    ) -> None:
        """Put the document in place of what was stored under its id, whole or not at all.  One row of vectors a
        chunk; a row of zeros stands for no vector."""
        ...

    def write_all(self, entries: AsyncIterable[Entry]) -> AsyncGenerator[Outcome, None]:
        """Write a stream of documents, each whole or not at all, with one outcome each.

        Entries are pulled as there is room for them.  Once it ends, what was written can be read.
        """
        ...

    async def visited(self, visits: Mapping[str, datetime]) -> None:
        """Keeps by scope (as of `fingerprints`) when a run began that saw all of it, aware: one small write.

        Of two visits the later one is kept, in whatever order they come.
        """
        ...

    async def visits(self) -> dict[str, datetime]:
        """What `visited` has kept, the latest first."""
        ...

    async def count(self) -> int:
        """How many documents are stored."""
        ...

    def stored(self) -> AsyncGenerator[Entry, None]:
        """Every document that is stored, in the order of their ids, as it was written."""
        ...

    async def describe(self, document: Document, fingerprint: Fingerprint) -> None:
        """Replace access, link, time, people and thread of a stored document, and leave its text alone."""
        ...

    async def delete(self, documents: Iterable[str]) -> int:
        """Remove documents by id; how many there were.  A state that was read before does not come back."""
        ...
