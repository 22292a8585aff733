"""Makes an index in Elasticsearch anew beside the one that is searched, and puts it in its place.

The old one is searched all along.  What is written to it meanwhile is taken over in rounds that get shorter; for the
last one it takes no writes, for a moment, in which a sync is told to run again.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexers.embedding import Embedder
from indexers.index import Entry, IndexFault, IndexMissing
from indexers.index.elasticsearch import ElasticsearchIndex, mapping, reading, removals
from indexers.index.elasticsearch.client import Server, connected
from indexers.index.elasticsearch.mapping import Meta, Names
from indexers.index.elasticsearch.records import Head, head_id
from indexers.index.elasticsearch.state import State
from indexers.index.migration import Moved, Progress, embedded_anew, pour

FEW = 100
"""Changed documents that are left to the last round."""
ROUNDS = 5
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Side:
    """One version of the index, by its own name."""

    name: str
    state: State
    index: ElasticsearchIndex

    @classmethod
    def of(cls, server: Server, names: Names, name: str, meta: Meta) -> "Side":
        state = State(server, names.behind(name), meta)
        return cls(name, state, ElasticsearchIndex(state))


async def rebuild(
    url: str,
    *,
    embedder: Embedder | None,
    api_key: str = "",
    ca_certs: Path | None = None,
    prefix: str,
    analyzer: str,
    on_progress: Progress | None = None,
    patience: float = 1.0,
) -> Moved:
    """Embeds the stored text anew into a new index, which then takes the place of the old one.

    Without an embedder the vectors are taken over.  The old index is kept until the next time.  Raises `IndexMissing`
    where there is none, `EmbeddingError`, and other `IndexFault`s; then the old one stays.
    """
    names = Names.of(prefix)
    async with connected(url, api_key=api_key, ca_certs=ca_certs, patience=patience) as server:
        with server.faults():
            found = await mapping.read_meta(server.reader, names.read)
            if found is None:
                raise IndexMissing(
                    f"There is no index {names.read} in the Elasticsearch at {server.address} to make anew; make one "
                    "with `footnote index files PATH`."
                )
            name = await _fresh_name(server, names, found[0])
            await mapping.create(server.writer, name, analyzer)
        old = Side.of(server, names, *found)
        new = Side.of(server, names, name, Meta(analyzer))
        async with _removed_unless_done(server, names, new.name):
            moved, after = await _copied(old, new, embedder, on_progress)
            async with _unwritten(old):
                await _round(old, new, embedder, _changed_since(after), None)
                await _remove_gone(old, new)
                await removals.take_over(old.state, new.state)
                await new.index.visited(await old.index.visits())
                await _put_in_place(server, names, old.name, new.name)
        return moved


async def _copied(old: Side, new: Side, embedder: Embedder | None, on_progress: Progress | None) -> tuple[Moved, int]:
    """What was copied, and after which change what changed since is left to copy."""
    after = await _last_change(old)
    moved = await _round(old, new, embedder, reading.every_head(), on_progress)
    for _ in range(ROUNDS):
        before, after = after, await _last_change(old)
        more = await _round(old, new, embedder, _changed_since(before), None)
        if more.documents + more.kept <= FEW:
            break
    return moved, after


async def _round(
    old: Side, new: Side, embedder: Embedder | None, query: Mapping[str, Any], on_progress: Progress | None
) -> Moved:
    entries = _entries(old, query)
    taken = entries if embedder is None else embedded_anew(entries, embedder)
    async with aclosing(entries), aclosing(taken):
        moved = await pour(taken, new.index, on_progress, await old.index.count())
    if moved.failed:
        raise IndexFault(
            f"{len(moved.failed)} documents could not be taken over into a new index, the first since "
            f"{moved.failed[0][1]}; the old one stays."
        )
    return moved


async def _entries(old: Side, query: Mapping[str, Any]) -> AsyncGenerator[Entry, None]:
    async with aclosing(reading.heads(old.state, query, reading.SHORT_PAGE)) as heads:
        async for head in heads:
            if (entry := await reading.entry(old.state, head)) is not None:
                yield entry


async def _remove_gone(old: Side, new: Side) -> None:
    """What was removed from the old index since it was copied, or is not to be seen there any more."""
    async with aclosing(reading.heads(new.state, reading.every_head())) as heads:
        waiting: list[Head] = []
        async for head in heads:
            waiting.append(head)
            if len(waiting) >= AT_ONCE:
                await new.index.delete(await _gone(old, waiting))
                waiting = []
        await new.index.delete(await _gone(old, waiting))


async def _gone(old: Side, heads: list[Head]) -> list[str]:
    if not heads:
        return []
    ids = [head_id(head.document) for head in heads]
    answer = await reading.by_id(old.state.server, old.name, ids, source_includes=["generation"])
    return [
        head.document
        for head, found in zip(heads, answer, strict=True)
        if not found["found"] or "generation" not in found["_source"]
    ]


def _changed_since(number: int) -> dict[str, Any]:
    return {"bool": {"filter": [reading.every_head(), {"range": {"_seq_no": {"gt": number}}}]}}


async def _last_change(side: Side) -> int:
    """The number of the last change to the index."""
    client = side.state.server.writer
    with side.state.server.faults():
        await client.indices.refresh(index=side.name)
        answer = await client.search(
            index=side.name, size=1, source=False, seq_no_primary_term=True, sort=[{"_seq_no": "desc"}]
        )
    hits = answer["hits"]["hits"]
    return int(hits[0]["_seq_no"]) if hits else -1


@asynccontextmanager
async def _unwritten(side: Side) -> AsyncIterator[None]:
    """In which the index takes no writes; it takes them again if what is done in it fails."""
    client = side.state.server.writer
    with side.state.server.faults():
        await client.indices.add_block(index=side.name, block="write")
    try:
        yield
    except BaseException:
        with side.state.server.faults():
            await client.indices.put_settings(index=side.name, settings={"index.blocks.write": None})
        raise


@asynccontextmanager
async def _removed_unless_done(server: Server, names: Names, new: str) -> AsyncIterator[None]:
    try:
        yield
    except BaseException as error:
        with server.faults():
            if isinstance(error, IndexFault) and not await server.writer.indices.exists(index=new):
                raise IndexFault(
                    "The new index was removed while it was made, by another `footnote index rebuild` perhaps; the old "
                    "one stays. Run one at a time."
                ) from error
            found = await server.writer.indices.get_alias(index=new)
            if names.read not in found[new]["aliases"]:
                await server.writer.indices.delete(index=new)
        raise


async def _put_in_place(server: Server, names: Names, old: str, new: str) -> None:
    actions: list[dict[str, Any]] = [
        {"remove": {"index": old, "aliases": [names.read, names.write]}},
        {"add": {"index": new, "alias": names.read}},
        {"add": {"index": new, "alias": names.write, "is_write_index": True}},
    ]
    with server.faults():
        await server.writer.indices.update_aliases(actions=actions)


async def _fresh_name(server: Server, names: Names, current: str) -> str:
    """The next version's; what is left of earlier ones is removed."""
    found = await server.writer.indices.get_alias(index=f"{names.prefix}-v*")
    versions = {index: number for index in found if (number := names.number_of(index)) is not None}
    for index in versions:
        if index != current and not found[index]["aliases"]:
            await server.writer.indices.delete(index=index)
    # A run that was killed in its last round has left it unwritable.
    await server.writer.indices.put_settings(index=current, settings={"index.blocks.write": None})
    return names.version(max(versions.values(), default=0) + 1)
