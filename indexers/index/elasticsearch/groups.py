"""Documents on their way into Elasticsearch, in groups of limited size."""

import time
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from indexers.document import widens
from indexers.index import Entry
from indexers.index.elasticsearch.records import Generation, Head, in_id
from indexers.index.elasticsearch.strays import Records

GROUP_DOCUMENTS = 256
GROUP_CHUNKS = 256

T = TypeVar("T")


@dataclass(slots=True)
class Change:
    """One document on its way; `new` None removes it."""

    document: str
    entry: Entry | None
    old: Head | None
    at: dict[str, int]
    """Where the head was last read or written; empty where there is none."""
    new: Head | None = None
    chunks: list[dict[str, Any]] = field(default_factory=list)
    tries: int = 1
    marked: bool = False
    published: bool = False
    met: bool = False
    """Another writer is at it."""
    vectors: tuple[str, int] | None = None
    """What made those that it brings, and how many dimensions they have."""
    records: Records = field(default_factory=dict)
    """Its chunks that a search saw."""
    staged: Generation | None = None
    """What an earlier try has written."""
    failure: str = ""
    now: int = field(default_factory=lambda: time.time_ns() // 1000)

    @property
    def head(self) -> Head:
        """The head that is to be: of the new generation, or of a document that is removed."""
        last = self.old.version if self.old else 0
        return self.new or Head(self.document, max(self.now, last), None, {})

    @property
    def stopped(self) -> bool:
        return self.met or bool(self.failure)

    def left_over(self) -> tuple[Generation, ...]:
        """The generations, but for the new one, that may have records."""
        held = () if self.old is None else (*filter(None, [self.old.holds]), *self.old.staged)
        return tuple(one for one in dict.fromkeys(held) if self.new is None or one != self.new.holds)

    def in_vain(self) -> tuple[Generation, ...]:
        """The generation that was staged, and will not be published."""
        held = None if self.old is None else self.old.holds
        return () if self.new is None or self.new.holds in (None, held) else tuple(filter(None, [self.new.holds]))

    def strays(self) -> Records:
        """The records of generations that neither the head names nor will name."""
        heads = [head for head in (self.old, self.new) if head is not None]
        known = {one.name for head in heads for one in (head.holds, *head.staged) if one is not None}
        return {id: at for id, at in self.records.items() if in_id(id)[1] not in known}

    def hides(self) -> bool:
        """Whether somebody who could see something of it is not to see that any more."""
        if self.new is None or self.strays():
            return True
        before = self.old.facts.get("access", ()) if self.old else ()
        return widens(frozenset(self.new.facts["access"]), frozenset(before))


@dataclass(slots=True)
class Group:
    names: frozenset[str]
    changes: list[Change]
    planned: bool = False
    """The heads are known."""


async def groups(entries: AsyncIterable[Entry | str]) -> AsyncGenerator[list[Entry | str], None]:
    """No document is twice in one."""
    group: dict[str, Entry | str] = {}
    chunks = 0
    async for entry in entries:
        size = 1 if isinstance(entry, str) else len(entry.chunks or ())
        if group and (named(entry) in group or len(group) >= GROUP_DOCUMENTS or chunks + size > GROUP_CHUNKS):
            yield list(group.values())
            group, chunks = {}, 0
        group[named(entry)] = entry
        chunks += size
    if group:
        yield list(group.values())


def named(entry: Entry | str) -> str:
    """The id of the document; of one that is removed, there is nothing else."""
    return entry if isinstance(entry, str) else entry.document.id


async def kept(work: Awaitable[T]) -> T | Exception:
    """What comes of it, so that what goes on beside it comes to its end even where it fails."""
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - it is raised again by whoever waits for it
        return error


def settled(outcome: T | Exception) -> T:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
