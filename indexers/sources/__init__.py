"""Where documents come from: a source is one file here.

A source says cheaply what there is, and reads a document only when it is asked to: what has not changed since the last
run is never read again.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from indexers.document import Document


class SourceError(Exception):
    """The source as a whole could not be read, so nothing can be said of what has vanished from it; its text is one
    plain sentence that names the mend."""


class DocumentFailed(Exception):
    """One document could not be read; its text says why, in plain words that end a sentence."""


class Item(NamedTuple):
    """One document that is there."""

    id: str
    name: str
    """What people call it: a path, a title."""
    content: str
    """A digest of all that its title and text are made from."""
    facts: str
    """A digest of the rest: access, link, time, people, thread."""
    read: Callable[[], Awaitable[Document]]
    """Raises `DocumentFailed`; a document without text is one that is empty."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is no document: counted by reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Something that should be a document and could not be looked at: named, and kept if it is stored."""

    name: str
    reason: str
    scope: str
    """Its id, or what the ids of all below it begin with."""


Found: TypeAlias = Item | Skipped | Failed


class Source(Protocol):
    @property
    def total(self) -> int | None:
        """How many `found` will give, once that is known."""
        ...

    async def scopes(self) -> Sequence[str]:
        """What this run covers: a stored document whose id is one of these, or lies below one (`scope/…`), and which
        the run does not give, has vanished.  Raises `SourceError`."""
        ...

    def found(self) -> AsyncGenerator[Found, None]:
        """Everything there is, each id once.  Raises `SourceError`."""
        ...


def within(id: str, scope: str) -> bool:
    """Whether an id is a scope or lies below it."""
    return id == scope or id.startswith(f"{scope}/")
