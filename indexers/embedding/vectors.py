"""What every embedder promises of its rows: as many as texts, of one width, finite, of length 1."""

from collections.abc import Sequence

import numpy as np

from indexers.embedding import EmbeddingError, Vectors


def unit_rows(rows: Sequence[Sequence[float]] | Vectors, *, count: int, dimensions: int | None, name: str) -> Vectors:
    """The rows as float32 of length 1; what cannot be compared later is refused here, before it is stored."""
    try:
        vectors = np.asarray(rows, dtype=np.float32)
    except ValueError as error:
        raise EmbeddingError(f"{name} gave vectors of different lengths; fetch the model again.") from error
    if vectors.ndim != 2 or len(vectors) != count or not vectors.shape[1]:
        raise EmbeddingError(f"{name} gave {len(vectors)} vectors for {count} texts; is it an embedding model?")
    if dimensions is not None and vectors.shape[1] != dimensions:
        raise EmbeddingError(
            f"{name} gave vectors of {vectors.shape[1]} dimensions, but {dimensions} before; index everything again."
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise EmbeddingError(
            f"{name} gave a vector that has no direction (zeros or no numbers); fetch the model again."
        )
    return np.asarray(vectors / lengths, dtype=np.float32)


def spread(vectors: Vectors, places: Sequence[int], count: int) -> Vectors:
    """The rows at their places among `count` rows, zeros elsewhere."""
    out = np.zeros((count, vectors.shape[1]), dtype=np.float32)
    out[list(places)] = vectors
    return out


def filled(texts: Sequence[str]) -> list[int]:
    """The places of the texts that hold anything."""
    return [place for place, text in enumerate(texts) if text.strip()]


def comparable(vector: Vectors | None, dimensions: int) -> Vectors | None:
    """The vector, if those of an index, of so many dimensions, can be compared with it."""
    if vector is None or len(vector) != dimensions or not np.isfinite(vector).all() or not vector.any():
        return None
    return vector
