"""An empty index of every backend, for the tests that hold for all of them."""

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from indexers.index import Index
from indexers.index.elasticsearch import scratch_elasticsearch
from indexers.index.embedded import open_index


@asynccontextmanager
async def embedded(request: pytest.FixtureRequest) -> AsyncIterator[Index]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_index(Path(folder) / "home" / "index.sqlite", create=True) as index:
            yield index


@asynccontextmanager
async def elasticsearch(request: pytest.FixtureRequest) -> AsyncIterator[Index]:
    async with scratch_elasticsearch(request.getfixturevalue("elasticsearch_url")) as index:
        yield index


Backend = Callable[[pytest.FixtureRequest], AbstractAsyncContextManager[Index]]
BACKENDS = [
    pytest.param(embedded, id="embedded"),
    pytest.param(elasticsearch, id="elasticsearch", marks=pytest.mark.elasticsearch),
]
"""Whoever writes another adds a line, and every test of the contract runs on it."""
