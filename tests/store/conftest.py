"""The store, on everything that it may be kept in."""

import pytest

from bot.store import Store
from tests.fakes.stores import BACKENDS


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=BACKENDS)
async def documents(request):
    async with request.param(request) as documents:
        yield documents


@pytest.fixture
def store(documents, clock):
    return Store(documents, clock=clock)
