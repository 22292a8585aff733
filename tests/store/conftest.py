"""The store, on everything that it may be kept in."""

import pytest

from bot.store import Store
from bot.store.sqlite import open_documents


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=["sqlite"])
async def documents(tmp_path):
    async with open_documents(tmp_path / "home" / "state.sqlite") as documents:
        yield documents


@pytest.fixture
def store(documents, clock):
    return Store(documents, clock=clock)
