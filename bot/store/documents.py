"""What a store is kept in: small documents, each replaced whole.

The contract; `sqlite.py` and `elasticsearch.py` beside this file implement it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

Kind: TypeAlias = Literal["run", "thread", "channel", "feedback", "process", "mark", "move", "tally"]


class StoreError(Exception):
    """What is kept cannot be opened or reached; the text is one sentence that names it and the mend."""


@dataclass(frozen=True, slots=True)
class Document:
    """`body` is opaque; the other fields are what documents are found by."""

    body: bytes
    at: float
    """Seconds since the epoch; the newest are found first."""
    status: str = ""
    user: str = ""
    place: str = ""
    version: Any = None
    """Of a document that was read: what `replace` compares."""


class Documents(Protocol):
    """Every call may raise `StoreError`.  What a call has written, the next `get` sees, whoever makes it; `find` may
    see it a second later."""

    async def create(self, kind: Kind, id: str, document: Document) -> bool:
        """Write it unless there is one of that id: True for one caller only, over all processes."""
        ...

    async def get(self, kind: Kind, id: str) -> Document | None: ...

    async def put(self, kind: Kind, id: str, document: Document) -> None:
        """Write it, whatever was there."""
        ...

    async def replace(self, kind: Kind, id: str, document: Document) -> bool:
        """Write it where nobody has written or deleted it since its `version` was read."""
        ...

    async def delete(self, kind: Kind, id: str) -> None: ...

    async def find(
        self,
        kind: Kind,
        *,
        status: str = "",
        user: str = "",
        place: str = "",
        begins: str = "",
        before: float | None = None,
        limit: int = 100,
    ) -> list[tuple[str, Document]]:
        """The newest with that status, user and place, an id that `begins` so, where given, and `at` before a time: ids
        and documents."""
        ...

    async def prune(self, kind: Kind, before: float, *, statuses: Sequence[str] = ()) -> None:
        """Delete those with `at` before a time, of these statuses where any are given."""
        ...

    async def clear(self) -> None:
        """Delete everything."""
        ...
