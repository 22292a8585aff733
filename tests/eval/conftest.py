import pytest

from tests.fakes.collection import write_collection


@pytest.fixture
def collection(tmp_path):
    """A folder that holds a small collection with vectors."""
    return write_collection(tmp_path / "small")
