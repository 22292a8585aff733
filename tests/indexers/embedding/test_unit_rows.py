import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexers.embedding import EmbeddingError
from indexers.embedding.vectors import filled, spread, unit_rows

numbers = st.floats(-100, 100, width=32)


@given(
    rows=st.integers(1, 5).flatmap(
        lambda width: st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=1)
    )
)
def test_rows_are_of_length_one_or_refused(rows):
    try:
        vectors = unit_rows(rows, count=len(rows), dimensions=None, name="m")
    except EmbeddingError:
        assert not np.linalg.norm(np.asarray(rows, dtype=np.float32), axis=1).all()
    else:
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("rows", "count", "dimensions", "why"),
    [
        pytest.param([[1.0, 0.0]], 2, None, "gave 1 vectors for 2 texts", id="one is missing"),
        pytest.param([[1.0, 0.0]], 1, 3, "2 dimensions, but 3 before", id="another width than before"),
        pytest.param([[1.0, 0.0], [1.0]], 2, None, "different lengths", id="two widths at once"),
        pytest.param([[0.0, 0.0]], 1, None, "no direction", id="zeros"),
        pytest.param([[float("nan"), 1.0]], 1, None, "no direction", id="not a number"),
        pytest.param([[float("inf"), 1.0]], 1, None, "no direction", id="infinity"),
        pytest.param([], 1, None, "gave 0 vectors", id="nothing"),
        pytest.param([[]], 1, None, "gave 1 vectors", id="a row of nothing"),
    ],
)
def test_rows_that_cannot_be_compared_are_refused(rows, count, dimensions, why):
    with pytest.raises(EmbeddingError, match=why):
        unit_rows(rows, count=count, dimensions=dimensions, name="m")


@given(texts=st.lists(st.sampled_from(["", "  ", "\n", "a", "b c"])))
def test_blank_texts_get_rows_of_zeros_at_their_places(texts):
    places = filled(texts)
    rows = spread(np.ones((len(places), 2), dtype=np.float32), places, len(texts))
    assert [bool(row.any()) for row in rows] == [bool(text.strip()) for text in texts]
