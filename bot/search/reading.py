"""The second look: what stands around the best hits, so that an answer beside the words that match is seen, too."""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from bot.search.snippets import CHARS as SNIPPET_CHARS
from bot.search.snippets import excerpt
from indexers.document import Audience
from indexers.excerpts import CUT, around
from indexers.index import Filter, Index, IndexFault, Line, Passage, Surroundings, chunk_id

logger = logging.getLogger(__name__)

Told: TypeAlias = Line | Passage

CHARS = 2_000
"""Of one hit, at most."""
BESIDE = 2
"""Chunks, or messages of a thread, before and after a hit."""
SECONDS = 2.0
"""For what is not there yet; after that the hits are shown as they are."""


def beside(chunks: Iterable[str]) -> list[str]:
    """The ids around each in its document, whether or not there are such chunks."""
    found = []
    for one in chunks:
        document, _, ordinal = one.rpartition("#")
        first = max(int(ordinal) - BESIDE, 0)
        found += [chunk_id(document, place) for place in range(first, int(ordinal) + BESIDE + 1)]
    return found


async def whole(
    index: Index,
    best: Iterable[Passage],
    near: Mapping[str, Surroundings],
    audience: Audience,
    *,
    seconds: float = SECONDS,
) -> dict[str, Passage]:
    """The messages nearest the hits, where only their beginnings are known; none in time, none."""
    cut = [
        one.chunk_id
        for hit in best
        for side in _in_thread(near.get(hit.chunk_id, Surroundings()), {})
        for one in side
        if one.text.endswith(CUT)
    ]
    if not cut:
        return {}
    try:
        async with asyncio.timeout(seconds):
            return await index.passages(list(dict.fromkeys(cut)), Filter(audience))
    except (IndexFault, TimeoutError) as error:
        logger.warning("the messages around a hit could not be read whole: %s", type(error).__name__)
        return {}


def more(
    best: Sequence[Passage], stored: Mapping[str, Passage], near: Mapping[str, Surroundings], wanted: frozenset[str]
) -> dict[str, str]:
    """By chunk id what stands around each of the best hits, where that is more than its snippet shows.

    In a thread these are the messages around it, else its document.  What was read for one hit is not read again.
    """
    read: set[str] = set()
    found = {}
    for hit in best:
        if hit.chunk_id in read:
            continue
        before, after = _in_thread(near[hit.chunk_id], stored) if hit.chunk_id in near else _in_document(hit, stored)
        read |= {one.chunk_id for one in (*before, hit, *after)}
        text = _around(hit, before, after, wanted)
        if len(text) > SNIPPET_CHARS or before or after:
            found[hit.chunk_id] = text
    return found


def _around(hit: Passage, before: Sequence[Told], after: Sequence[Told], wanted: frozenset[str]) -> str:
    parts = [_said(one) if hit.thread_id else one.text for one in (*before, hit, *after)]
    body = hit.text.strip()
    first, part = excerpt(body, wanted, SNIPPET_CHARS)
    first += sum(map(len, parts[: len(before)])) + parts[len(before)].index(body)
    return around("".join(parts), first, first + len(part), CHARS)[1].strip()


def _in_document(hit: Passage, stored: Mapping[str, Passage]) -> tuple[list[Told], list[Told]]:
    """The chunks that follow one upon the other before and after a hit."""

    def side(step: int) -> list[Told]:
        places = range(hit.ordinal + step, hit.ordinal + step * (BESIDE + 1), step)
        found: list[Told] = []
        for place in places:
            if (one := stored.get(chunk_id(hit.document_id, place))) is None:
                break
            found.append(one)
        return found

    return side(-1)[::-1], side(1)


def _in_thread(near: Surroundings, stored: Mapping[str, Passage]) -> tuple[list[Told], list[Told]]:
    def known(lines: Sequence[Line]) -> list[Told]:
        return [stored.get(one.chunk_id, one) for one in lines]

    return known(near.before[-BESIDE:]), known(near.after[:BESIDE])


def _said(one: Told) -> str:
    return f"{one.author}: {one.text.strip()}\n" if one.author else f"{one.text.strip()}\n"
