"""What is read beside the lists: passages and what is around them, newest documents, sources, what is stored."""

from bisect import bisect_left, bisect_right
from collections.abc import AsyncGenerator, Collection, Hashable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from indexers.document import Audience
from indexers.index import Entry, Filter, IndexFault, Line, Passage, Surroundings, chunk_id
from indexers.index.elasticsearch import queries
from indexers.index.elasticsearch.ahead import Position, Thread
from indexers.index.elasticsearch.client import Server, fault_of, kind_of
from indexers.index.elasticsearch.records import (
    Generation,
    Head,
    chunk_ids,
    entry_of,
    head_id,
    head_of,
    is_thread,
    passage_of,
)
from indexers.index.elasticsearch.searching import Searches
from indexers.index.elasticsearch.snapshots import PAGE, snapshot
from indexers.index.elasticsearch.state import State

AT_ONCE = 1_000
"""Chunks of all threads around the hits that are fetched in one go; where there are more, each hit has its own."""
SHORT_PAGE = 32
"""Heads read at a time, with their chunks."""
RECORDS = 256
"""Of chunks, at a time."""
BUSY = (
    "circuit_breaking_exception",
    "es_rejected_execution_exception",
    "no_shard_available_action_exception",
    "unavailable_shards_exception",
)
"""Why one record could not be read, where it may be otherwise in a moment."""


async def passages(
    searches: Searches, chunks: Sequence[str], where: Filter, threads: int, moment: Hashable
) -> dict[str, Passage]:
    found = searches.memory.passages(moment, where, chunks)
    groups = {searches.groups.get(chunk, "") for chunk in chunks[: max(threads, 0)]}
    groups = {group for group in groups if is_thread(group)}
    near = searches.memory.threads(moment, where.audience, groups)
    chunks_left, groups_left = [one for one in chunks if one not in found], groups - near.keys()
    if chunks_left or groups_left:
        read, lines = await _read(searches, chunks_left, groups_left, where)
        searches.memory.keep(moment, where, read, lines)
        found, near = found | read, near | lines
    searches.ahead.keep(where.audience, near)
    there = ((chunk, found[chunk]) for chunk in chunks)
    return {chunk: passage for chunk, passage in there if passage is not None}


async def _read(
    searches: Searches, chunks: Sequence[str], groups: Collection[str], where: Filter
) -> tuple[dict[str, Passage | None], dict[str, Thread]]:
    """Some passages, None for what is not there, and the chunks of whole threads."""
    bodies = [queries.given(chunks, None, where) | queries.CARDS]
    if groups:
        bodies.append(queries.together(groups, where.audience, AT_ONCE) | queries.LINES)
    cards, *lines = await searches.run(bodies, where.audience)
    found = searches.packed(cards, "card")
    read = {chunk: passage_of(chunk, found[chunk][3:]) if chunk in found else None for chunk in chunks}
    return read, _threads(searches, lines[0], groups) if lines else {}


async def around(
    searches: Searches, around_what: Sequence[Passage], audience: Audience, k: int
) -> dict[str, Surroundings]:
    if not around_what or k < 1:
        return {one.chunk_id: Surroundings() for one in around_what}
    named = {one.chunk_id: queries.group(one) for one in around_what}
    groups = set(named.values())
    near = searches.ahead.take(audience, groups)
    if lacking := groups - near.keys():
        [answer] = await searches.run([queries.together(lacking, audience, AT_ONCE) | queries.LINES], audience)
        near |= _threads(searches, answer, lacking)
    if groups - near.keys():
        return await _each(searches, around_what, audience, k)
    return {one.chunk_id: _window(one, near[named[one.chunk_id]], k) for one in around_what}


async def recent(searches: Searches, where: Filter, k: int, *, upcoming: bool) -> list[str]:
    if k < 1:
        return []
    [answer] = await searches.run([queries.recent(where, k, upcoming=upcoming)], where.audience)
    return [chunk_id(hit["sort"][1], 0) for hit in answer.get("hits", {}).get("hits", ())]


async def linked(searches: Searches, urls: Collection[str], where: Filter, k: int) -> list[str]:
    if not urls or k < 1:
        return []
    [answer] = await searches.run([queries.linked(urls, where, k)], where.audience)
    return list(searches.hits(answer))


async def sources(searches: Searches, audience: Audience) -> list[str]:
    [answer] = await searches.run([queries.sources(audience)], audience)
    return sorted(bucket["key"] for bucket in answer["aggregations"]["sources"]["buckets"])


async def heads(state: State, query: Mapping[str, Any], page: int = PAGE) -> AsyncGenerator[Head, None]:
    """The heads that match, in the order of their documents, all of one moment."""
    async with snapshot(state) as now, aclosing(now.heads(query, page)) as found:
        async for head in found:
            yield head


async def entry(state: State, head: Head) -> Entry | None:
    """The document of a head, as it was written, or as it is by now; None where nothing of it may be seen."""
    now: Head | None = head
    while now is not None and now.holds is not None:
        records = await chunks_of(state, now.document, now.holds)
        if len(records) == now.holds.count:
            return entry_of(now, records)
        before, now = now, await _head_now(state, head.document)
        if now is not None and now.holds == before.holds:
            raise IndexFault("A stored document is not whole; index it again.")
    return None


async def chunks_of(state: State, document: str, generation: Generation) -> list[dict[str, Any]]:
    """The records of a generation that are there at this moment."""
    found: list[dict[str, Any]] = []
    ids = chunk_ids(document, generation)
    for start in range(0, len(ids), RECORDS):
        answer = await by_id(state.server, state.names.read, ids[start : start + RECORDS])
        found += [one["_source"] for one in answer if one["found"]]
    return found


async def _head_now(state: State, document: str) -> Head | None:
    [found] = await by_id(state.server, state.names.read, [head_id(document)])
    return head_of(found["_source"]) if found["found"] else None


async def by_id(server: Server, index: str, ids: Sequence[str], **options: Any) -> list[dict[str, Any]]:
    """What is there now, shown or not, by each id: `found`, or not.

    Raises `IndexFault` where the server could not look, which it tells record by record.
    """
    with server.faults():
        answer = await server.writer.mget(index=index, ids=ids, **options)
    for one in answer["docs"]:
        if "found" not in one:
            kind = kind_of(one)
            raise fault_of(503 if kind in BUSY else 500, kind, server.address)
    return list(answer["docs"])


def every_head() -> dict[str, Any]:
    return {"exists": {"field": "version"}}


def _threads(searches: Searches, answer: Mapping[str, Any], groups: Collection[str]) -> dict[str, Thread]:
    """The chunks of some groups by group, in their order; nothing where the answer does not hold them all."""
    if len(answer.get("hits", {}).get("hits", ())) >= AT_ONCE:
        return {}
    rows: dict[str, list[tuple[Position, Line]]] = {group: [] for group in groups}
    for chunk, found in searches.packed(answer, "line").items():
        rows[found[2]].append(_row(chunk, found))
    return {group: Thread.of(of_it) for group, of_it in rows.items()}


def _row(chunk: str, found: Sequence[Any]) -> tuple[Position, Line]:
    document, _, ordinal = chunk.rpartition("#")
    _, _, _, at, timestamp, author, text = found
    number = int(ordinal)
    return (at, document, number), Line(chunk, number, timestamp, author, text)


async def _each(
    searches: Searches, around_what: Sequence[Passage], audience: Audience, k: int
) -> dict[str, Surroundings]:
    bodies = [
        queries.beside(one, audience, k, before=before) | queries.LINES
        for one in around_what
        for before in (True, False)
    ]
    answers = iter(await searches.run(bodies, audience))
    found = {}
    for one in around_what:
        before, after = (
            [_row(chunk, line)[1] for chunk, line in searches.packed(next(answers), "line").items()] for _ in (0, 1)
        )
        found[one.chunk_id] = Surroundings(before[::-1], after)
    return found


def _window(one: Passage, thread: Thread, k: int) -> Surroundings:
    at = queries.position(one)
    first, last = bisect_left(thread.positions, at), bisect_right(thread.positions, at)
    return Surroundings(thread.lines[max(first - k, 0) : first], thread.lines[last : last + k])
