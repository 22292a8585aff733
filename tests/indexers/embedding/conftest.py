import pytest

from tests.fakes.minilm import real_minilm


@pytest.fixture(scope="session")
def minilm_files():
    """The folder with the real model."""
    return real_minilm()
