"""Empty documents of a store on every backend, for the tests that hold for all of them."""

import tempfile
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.store import elasticsearch, sqlite
from bot.store.documents import Documents
from indexers.index.elasticsearch.client import connected


@asynccontextmanager
async def scratch_prefix(url: str) -> AsyncIterator[str]:
    """The beginning of index names that nobody else has there; what is made by such a name is gone afterwards."""
    prefix = f"footnote-test-{uuid.uuid4().hex}"
    try:
        yield prefix
    finally:
        async with connected(url) as server:
            for index in await server.reader.indices.get(index=f"{prefix}*", features=["aliases"]):
                await server.reader.indices.delete(index=index)


@asynccontextmanager
async def in_a_file(request: pytest.FixtureRequest) -> AsyncIterator[Documents]:
    with tempfile.TemporaryDirectory() as folder:
        async with sqlite.open_documents(Path(folder) / "home" / "state.sqlite") as documents:
            yield documents


@asynccontextmanager
async def in_elasticsearch(request: pytest.FixtureRequest) -> AsyncIterator[Documents]:
    url = request.getfixturevalue("elasticsearch_url")
    async with scratch_prefix(url) as prefix, elasticsearch.open_documents(url, prefix=prefix) as documents:
        yield documents


BACKENDS = [
    pytest.param(in_a_file, id="sqlite"),
    pytest.param(in_elasticsearch, id="elasticsearch", marks=pytest.mark.elasticsearch),
]
"""Whoever writes another adds a line, and every test of the contract runs on it."""
