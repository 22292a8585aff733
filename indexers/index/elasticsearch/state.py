"""Which index is open, and what it says of itself."""

import time
from dataclasses import dataclass, field

from elasticsearch import BadRequestError

from indexers.index import IndexMissing
from indexers.index.elasticsearch import mapping
from indexers.index.elasticsearch.client import Server
from indexers.index.elasticsearch.mapping import Meta, Names

SECONDS = 10.0
"""After which is asked again, since another process may have put another index in its place; while there are no
vectors, the next search asks, since the first may have come."""


@dataclass(slots=True)
class State:
    server: Server
    names: Names
    meta: Meta
    read_at: float = field(default_factory=time.monotonic)

    async def now(self) -> Meta:
        """What the index says of itself, at most some seconds ago."""
        if not self.meta.embedding or time.monotonic() - self.read_at > SECONDS:
            await self.look()
        return self.meta

    async def look(self, *, writing: bool = False) -> None:
        client, name = (self.server.writer, self.names.write) if writing else (self.server.reader, self.names.read)
        with self.server.faults():
            found = await mapping.read_meta(client, name)
        if found is None:
            raise IndexMissing(
                f"The index in the Elasticsearch at {self.server.address} is gone; make one with "
                "`footnote index files PATH`."
            )
        # Another analyzer is no matter: the server knows which one its words went through.
        mapping.check(found[1], found[1].analyzer)
        self.meta, self.read_at = found[1], time.monotonic()

    async def expect_vectors(self, embedding: str, dimensions: int) -> None:
        """Prepares for vectors; raises `IndexMismatch` if others are there."""
        mapping.expect(self.meta, embedding, dimensions)
        if self.meta.embedding:
            return
        await self.look()
        if not self.meta.embedding:
            meta = self.meta.with_vectors(embedding, dimensions)
            with self.server.faults():
                try:
                    await mapping.add_vectors(self.server.writer, self.names.write, meta)
                except BadRequestError:  # another process added others at the same moment
                    await self.look()
                else:
                    self.meta = meta
        mapping.expect(self.meta, embedding, dimensions)
