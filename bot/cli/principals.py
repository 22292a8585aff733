"""Principals as they are typed: who may read, and on whose behalf is asked."""

import re
from collections.abc import Iterable

from bot.cli.running import Failed
from indexers.document import EVERYTHING, Audience

_PRINCIPAL = re.compile(r"public|workspace|(?:channel|group|user):\S+")


def principals(typed: Iterable[str]) -> frozenset[str]:
    """Raises `Failed` for one that is none, since a mistyped one would silently fit nobody."""
    return frozenset(map(_principal, typed))


def audience(typed: Iterable[str]) -> Audience:
    """One set of these principals; without any, the terminal sees everything."""
    held = principals(typed)
    return (held,) if held else EVERYTHING


def _principal(typed: str) -> str:
    if not _PRINCIPAL.fullmatch(typed):
        raise Failed(
            f"{typed!r} is no principal; write public, workspace, channel:ID, group:ID, user:ID or user:ADDRESS.", 2
        )
    return typed.lower() if "@" in typed else typed
