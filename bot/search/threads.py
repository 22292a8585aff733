"""The talk around a hit, cut to a window that has the hit in its middle.  No I/O."""

from typing import Any

from indexers.index import Line, Surroundings

CAP = 20


def context(surroundings: Surroundings, cap: int = CAP) -> list[dict[str, Any]]:
    """Up to `cap` entries nearest the hit, oldest first, without the hit itself."""
    before, after = surroundings.before, surroundings.after
    earlier = min(len(before), max(cap // 2, cap - len(after)))
    return list(map(_entry, [*before[len(before) - earlier :], *after[: cap - earlier]]))


def _entry(line: Line) -> dict[str, Any]:
    return {"chunk_idx": line.ordinal, "timestamp": line.timestamp, "author": line.author, "snippet": line.text}
