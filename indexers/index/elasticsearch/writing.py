"""Documents go into Elasticsearch: each whole or not at all, as a reader sees it.

Nothing holds several records together there, so a document is written in steps, and a group of them step by step:

1. mark     its head says that it is in transit, and which generation may be seen meanwhile: the old one, or none
2. stage    the chunks of the new generation are written; nobody is shown them
3. publish  its head names the new generation: from now on that one is seen, and no other
4. clear    what is left of other generations is deleted, named by a head or not; of a document that is removed, its
            head stays for a while
5. settle   its head is in transit no more

A document of one chunk that is not there yet needs the second and the third only.  Each step waits until the one before
it is confirmed.  Heads are written only over what was read, so that of two writers one starts again.  Who dies in the
middle leaves a head in transit: readers go on seeing one generation, and the next sync, to which such a document has no
fingerprint, writes it again and deletes what is left over.  So it does with a document that has more chunks, or fewer,
than its head names, or no head: what was written without a mark, or came when another writer was done.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, TypeAlias

from elasticsearch import AsyncElasticsearch
from elasticsearch.helpers import BULK_FLUSH, async_streaming_bulk

from indexers.index import Entry, Outcome
from indexers.index.elasticsearch import records
from indexers.index.elasticsearch.client import BLOCKED, FIRST_PAUSE, LONGEST_PAUSE, fault_of, kind_of, refusal
from indexers.index.elasticsearch.groups import GROUP_CHUNKS, Change, Group, groups, kept, named, settled
from indexers.index.elasticsearch.reading import by_id, chunks_of
from indexers.index.elasticsearch.records import Head, chunk_ids, head_id, packed
from indexers.index.elasticsearch.state import State
from indexers.index.elasticsearch.strays import shown, whole
from indexers.index.storable import problem

REQUEST_BYTES = 1_000_000
"""What aiohttp sends at once holds up everything else beyond 2**20, of which it warns."""
TRIES = 4
"""Of a document that another writer is at, too."""
REFRESH_SECONDS = 5.0
"""After which what was written so far is shown, while more is being written."""
BUSY = (429, 503)
RETRIES = 6
LAST_SECONDS = 10.0
"""For showing what was written, where somebody waits for the end."""

Action: TypeAlias = dict[str, Any]


class Writing:
    def __init__(self, state: State) -> None:
        self._state = state
        self._waiting: dict[str, Change] = {}
        self._done: deque[Outcome] = deque()
        self._strays: list[str] = []
        self._shown = time.monotonic()
        self._unseen = False
        """Something was written since."""
        self._hides = False
        """Something that could be seen is not to be seen any more."""

    async def __call__(self, entries: AsyncIterable[Entry | str]) -> AsyncGenerator[Outcome, None]:
        """Writes entries, and removes documents that are named by their id only.

        While one group is written, the next one is pulled and planned.
        """
        try:
            async with aclosing(groups(entries)) as found:
                group = await self._next(found, frozenset())
                while group is not None:
                    async with asyncio.TaskGroup() as tasks:
                        following = tasks.create_task(kept(self._next(found, group.names)))
                        written = await kept(self._write(group))
                    while self._done:
                        yield self._done.popleft()
                    settled(written)
                    group = settled(following.result())
            await self._show(self._state.server.writer)
        except BaseException:
            await self._show_at_last()
            raise

    async def _next(self, found: AsyncGenerator[list[Entry | str], None], before: frozenset[str]) -> Group | None:
        entries = await anext(found, None)
        if entries is None:
            return None
        changes = [Change(named(one), None if isinstance(one, str) else one, None, {}) for one in entries]
        group = Group(frozenset(one.document for one in changes), changes)
        if before.isdisjoint(group.names):
            await self._plan(group)
        return group

    async def _plan(self, group: Group) -> None:
        group.changes, group.planned = await self._planned(group.changes), True

    async def _write(self, group: Group) -> None:
        server, names = self._state.server, self._state.names
        if not group.planned:
            await self._plan(group)
        async with aclosing(self._actions(group.changes)) as actions:
            told = async_streaming_bulk(
                server.writer,
                actions,
                chunk_size=2 * GROUP_CHUNKS,
                max_chunk_bytes=REQUEST_BYTES,
                raise_on_error=False,
                max_retries=RETRIES,
                initial_backoff=FIRST_PAUSE * server.patience,
                max_backoff=LONGEST_PAUSE * server.patience,
                retry_on_status=BUSY,
                index=names.write,
                require_alias=names.read != names.write,
            )
            with server.faults():
                async for ok, item in told:
                    self._note(ok, item)
        if self._hides or time.monotonic() - self._shown > REFRESH_SECONDS:
            await self._show(self._state.server.writer)

    async def _actions(self, changes: list[Change]) -> AsyncGenerator[Any, None]:
        while changes or self._strays:
            # Another index may have been put in the place of the one for which they were planned.
            await self._state.look(writing=True)
            for vectors in {change.vectors for change in changes if change.vectors}:
                await self._state.expect_vectors(*vectors)
            self._waiting = {head_id(one.document): one for one in changes}
            for id in self._strays:
                yield {"_op_type": "delete", "_id": id}
            self._strays = []
            for step in (self._mark, self._stage, self._publish, self._clear, self._settle):
                for change in changes:
                    for action in step(change):
                        yield action
                yield BULK_FLUSH
            changes = await self._planned(await self._left(changes))

    async def _planned(self, changes: Sequence[Change]) -> list[Change]:
        """What is to be done, now that the heads are known, and the chunks that a search sees."""
        ids = [head_id(change.document) for change in changes]
        planned: list[Change] = []
        if not ids:
            return planned
        answer = await by_id(self._state.server, self._state.names.write, ids)
        seen = await shown(self._state, [change.document for change in changes])
        for change, found in zip(changes, answer, strict=True):
            change.records = seen[head_id(change.document)]
            if found["found"]:
                change.old = records.head_of(found["_source"])
                change.at = {"if_seq_no": found["_seq_no"], "if_primary_term": found["_primary_term"]}
            if await self._is_to_do(change):
                planned.append(change)
        return planned

    async def _is_to_do(self, change: Change) -> bool:
        entry, old = change.entry, change.old
        if change.tries > TRIES:
            return self._told(change, "another process is writing it; run this again")
        if entry is None:
            return (old is not None and not old.removed) or bool(change.strays()) or self._told(change)
        late = old is not None and old.version > entry.version
        stored = old is not None and old.holds is not None
        if late or (entry.chunks is None and not stored):
            return self._told(change)
        if entry.chunks is None and old is not None:
            entry = await self._described(entry, old)
            if len(entry.chunks or ()) < (old.holds.count if old.holds else 0):
                return self._told(change, "its stored text is not whole; index it again")
        if failure := problem(entry):
            return self._told(change, failure)
        if entry.vectors is not None and len(entry.vectors):
            change.vectors = entry.fingerprint.embedding, entry.vectors.shape[1]
            await self._state.expect_vectors(*change.vectors)
        return await self._is_new(change, entry)

    async def _is_new(self, change: Change, entry: Entry) -> bool:
        change.chunks = records.chunk_records(entry)
        change.new = records.new_head(entry, change.chunks)
        same = change.old is not None and change.old.holds == change.new.holds and not change.old.staged
        if not same or change.strays() or not await whole(self._state, change.new, change.records):
            return True
        return self._told(change)

    def _told(self, change: Change, failure: str = "") -> bool:
        """Nothing is to be done, or can be; what an earlier try has written is nobody's."""
        self._done.append(Outcome(change.document, False, failure))
        held = () if change.old is None else (change.old.holds, *change.old.staged)
        if change.staged is not None and change.staged not in held:
            self._strays += chunk_ids(change.document, change.staged)
        return False

    async def _described(self, entry: Entry, old: Head) -> Entry:
        """The stored text and vectors under new facts."""
        chunks = [] if old.holds is None else await chunks_of(self._state, old.document, old.holds)
        stored = records.entry_of(old, chunks)
        return replace(entry, chunks=stored.chunks, vectors=stored.vectors)

    def _mark(self, change: Change) -> Iterator[Action]:
        if change.new is None or (change.old is None and len(change.chunks) <= 1):
            return
        held = change.old or Head(change.document, 0, None, {})
        staged = tuple(dict.fromkeys((*held.staged, *filter(None, [change.new.holds]))))
        change.marked = True
        yield self._head(change, replace(held, staged=staged))

    def _stage(self, change: Change) -> Iterator[Action]:
        if change.stopped or change.new is None or change.new.holds is None:
            return
        generation = change.new.holds
        for id, chunk in zip(chunk_ids(change.document, generation), change.chunks, strict=True):
            self._waiting[id] = change
            yield {"_op_type": "index", "_id": id, **chunk, **packed(chunk, generation.name)}
        change.chunks = []

    def _publish(self, change: Change) -> Iterator[Action]:
        if change.stopped:
            return
        yield self._head(change, replace(change.head, staged=change.left_over()))

    def _clear(self, change: Change) -> Iterator[Action]:
        if change.met:
            return
        change.published = not change.failure
        for generation in change.left_over() if change.published else change.in_vain():
            for id in chunk_ids(change.document, generation):
                self._waiting[id] = change
                yield {"_op_type": "delete", "_id": id}
        if change.published:
            self._hides |= change.hides()
            for id, at in change.strays().items():
                self._waiting[id] = change
                yield {"_op_type": "delete", "_id": id, **at}

    def _settle(self, change: Change) -> Iterator[Action]:
        if change.met or (change.published and change.failure):
            return
        if change.published and not change.left_over():
            return
        if not change.published and not change.marked:
            return
        settled = change.head if change.published else change.old
        if settled is not None:
            yield self._head(change, settled)
        else:
            yield {"_op_type": "delete", "_id": head_id(change.document), **change.at}

    async def _left(self, changes: Sequence[Change]) -> list[Change]:
        """Those that are to be tried again; what became of the others is told."""
        again = []
        for change in changes:
            if change.met:
                staged = change.new.holds if change.new else None
                again.append(Change(change.document, change.entry, None, {}, tries=change.tries + 1, staged=staged))
            else:
                self._done.append(Outcome(change.document, not change.failure, change.failure))
        if again:
            await asyncio.sleep(random.uniform(0.5, 1) * FIRST_PAUSE * self._state.server.patience * again[0].tries)
        return again

    def _head(self, change: Change, head: Head) -> Action:
        action = {"_op_type": "index" if change.at else "create", "_id": head_id(change.document), **change.at}
        return {**action, "_source": head.record()}

    def _note(self, ok: bool, item: dict[str, Any]) -> None:
        [(operation, told)] = item.items()
        change = self._waiting.get(told["_id"])
        if change is None:  # a stray
            return
        is_head = told["_id"] == head_id(change.document)
        if ok or (operation == "delete" and told["status"] == 404):
            self._unseen = True
            if is_head:
                change.at = {"if_seq_no": told["_seq_no"], "if_primary_term": told["_primary_term"]}
        elif told["status"] == 409:
            change.met |= is_head  # a stray that was written again meanwhile is one of another writer
        elif (kind := kind_of(told)) == BLOCKED:
            raise fault_of(told["status"], kind, self._state.server.address)
        elif not change.failure:
            change.failure = refusal(told["status"], kind)

    async def _show(self, client: AsyncElasticsearch) -> None:
        with self._state.server.faults():
            await client.indices.refresh(index=self._state.names.write)
        self._shown, self._unseen, self._hides = time.monotonic(), False, False

    async def _show_at_last(self) -> None:
        """What was acknowledged is seen, whatever has ended the writing; a server that does not answer is given up."""
        if self._unseen:
            server = self._state.server
            client = server.writer.options(request_timeout=LAST_SECONDS * server.patience, max_retries=0)
            await asyncio.shield(kept(self._show(client)))
