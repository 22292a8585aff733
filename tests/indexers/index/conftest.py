import pytest

from indexers.index.embedded import open_index


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / "index.sqlite"


@pytest.fixture
async def index(path):
    async with open_index(path, create=True) as index:
        yield index
