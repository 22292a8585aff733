"""A document as a source gives it, and the principals that may read it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

PUBLIC = "public"
"""Everyone, guests and outsiders too."""
WORKSPACE = "workspace"
"""Every full member."""

Audience: TypeAlias = tuple[frozenset[str], ...]
"""On whose behalf is asked: a document passes when its access meets every one of the principal sets."""
EVERYTHING: Audience = ()
"""No set to meet: the operator's own terminal, and nothing else."""


def may_read(access: Iterable[str], audience: Audience) -> bool:
    """Whether a document with this access passes for the audience."""
    held = frozenset(access)
    return all(held & principals for principals in audience)


def widens(before: frozenset[str], now: frozenset[str]) -> bool:
    """Whether somebody may read `now` who might not `before`, as far as the principals tell: that a channel or a person
    is one of guests shows in none of them."""
    if PUBLIC in before or WORKSPACE in before:
        return PUBLIC in now - before
    return bool(now - before)


@dataclass(frozen=True, slots=True)
class Document:
    """One document.  `id` is `<source>:<id within the source>`; `timestamp` is aware; `text` is Markdown or plain."""

    id: str
    source: str
    title: str
    text: str
    timestamp: datetime
    url: str = ""
    participants: tuple[str, ...] = ()
    """The author or sender first; each with name, handle and address where they are known."""
    thread_id: str = ""
    access: frozenset[str] = field(default=frozenset({WORKSPACE}))
