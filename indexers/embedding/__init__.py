"""What embeds: the seam between texts and their vectors.

Each file beside this one is one implementation: `ollama` (a local server, multilingual by default) and `minilm` (in
process, English).  `fetch` brings the files that `minilm` needs; `vectors` holds what every implementation promises
of its rows; `floor` measures how near nonsense comes.
"""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]


class EmbeddingError(Exception):
    """Texts could not be embedded: the server, the model or its files are missing, or its vectors are unusable.

    Its text is one plain sentence that names the mend; it holds no secret and no text that was to be embedded.
    """


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """The identity kept in the index: vectors of two embedders compare only where the names are equal."""
        ...

    @property
    def dimensions(self) -> int | None:
        """None until the first vectors came, where the model alone can tell."""
        ...

    @property
    def floor(self) -> float:
        """The cosine below which a dense candidate without a lexical match is no hit.

        Measured per model: a nonsense query stays below it.  Read it after `embed_query`, since an embedder whose
        model is not known beforehand measures it at its first call.
        """
        ...

    @property
    def languages(self) -> str:
        """What the model can read, in a word for people: `English`, `multilingual`, or `unknown languages`."""
        ...

    async def embed_documents(self, texts: Sequence[str], *, titles: Sequence[str] = ()) -> Vectors:
        """One row a text: float32, shape (texts, dimensions), each of length 1.

        A blank text is not embedded and gets a row of zeros, which is near nothing.  `titles`, one a text where
        given, go where the model wants a title.  Raises `EmbeddingError`.
        """
        ...

    async def embed_query(self, text: str) -> Vectors:
        """The question's vector: float32, shape (dimensions,), of length 1; zeros for a blank one."""
        ...
