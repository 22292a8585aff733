"""The real all-MiniLM-L6-v2 for tests, fetched once into a cache folder by the product's own code."""

import asyncio
import os
from pathlib import Path

import pytest

from indexers.embedding import EmbeddingError
from indexers.embedding.fetch import fetch_minilm

NAMED = os.environ.get("FOOTNOTE_MINILM")
CACHE = Path(os.environ.get("FOOTNOTE_TEST_MODELS") or Path.home() / ".cache" / "footnote-tests")


def fetched_minilm() -> Path:
    """The folder with the two files.  Raises `EmbeddingError`."""
    return asyncio.run(fetch_minilm(CACHE, named=Path(NAMED) if NAMED else None))


def real_minilm() -> Path:
    """The folder with the two files; skips the test, saying why, where no place gives them."""
    try:
        return fetched_minilm()
    except EmbeddingError as error:
        pytest.skip(str(error))
