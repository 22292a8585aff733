from uuid import uuid4

import pytest

from indexers.index.elasticsearch import open_elasticsearch
from tests.fakes.elasticsearch import serve_relay
from tests.fakes.indexes import BACKENDS


@pytest.fixture(params=BACKENDS)
async def index(request):
    async with request.param(request) as index:
        yield index


@pytest.fixture
async def prefix(elasticsearch_url):
    """Of an index that is there, and empty."""
    prefix = f"footnote-test-{uuid4().hex}"
    async with open_elasticsearch(elasticsearch_url, prefix=prefix, create=True) as index:
        yield prefix
        await index.remove()


@pytest.fixture
async def relay(elasticsearch_url):
    """In front of the real server."""
    async with serve_relay(elasticsearch_url) as relay:
        yield relay
