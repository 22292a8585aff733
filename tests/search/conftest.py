import pytest

from indexers.index.embedded import open_index


@pytest.fixture
async def index(tmp_path):
    async with open_index(tmp_path / "index.sqlite", create=True) as index:
        yield index
