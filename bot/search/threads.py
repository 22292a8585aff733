"""The talk around a hit, cut to a window that has the hit in its middle.  No I/O."""

from typing import Any

from indexers.index import Surroundings

CAP = 20


def context(surroundings: Surroundings, cap: int = CAP) -> list[dict[str, Any]]:
    """Up to `cap` entries nearest the hit, oldest first, without the hit itself."""
    before, after = surroundings.before, surroundings.after
    earlier = min(len(before), max(cap // 2, cap - len(after)))
    return [
        {"chunk_idx": ordinal, "timestamp": timestamp, "author": author, "snippet": text}
        for _, ordinal, timestamp, author, text in (*before[len(before) - earlier :], *after[: cap - earlier])
    ]
