"""The talk around a hit, cut to a window that has the hit in its middle.  No I/O."""

from typing import Any

from bot.search.snippets import snippet
from indexers.index import Passage, Surroundings

CAP = 20
CHARS = 240


def context(surroundings: Surroundings, cap: int = CAP) -> list[dict[str, Any]]:
    """Up to `cap` entries nearest the hit, oldest first, without the hit itself."""
    before, after = surroundings.before, surroundings.after
    earlier = min(len(before), max(cap // 2, cap - len(after)))
    kept = [*before[len(before) - earlier :], *after[: cap - earlier]]
    return [_entry(passage) for passage in kept]


def _entry(passage: Passage) -> dict[str, Any]:
    return {
        "chunk_idx": passage.ordinal,
        "timestamp": passage.timestamp.isoformat(),
        "author": passage.participants[0] if passage.participants else "",
        "snippet": snippet(passage.text, frozenset(), CHARS),
    }
