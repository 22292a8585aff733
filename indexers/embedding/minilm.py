"""An `Embedder` in process: all-MiniLM-L6-v2 on onnxruntime.  English; needs the extra `embedded` and two files."""

import asyncio
import importlib.util
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indexers.embedding import EmbeddingError, Vectors
from indexers.embedding.vectors import filled, spread, unit_rows

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FILES = ("model.onnx", "tokenizer.json")
MODEL = "all-MiniLM-L6-v2"
DIMENSIONS = 384
TOKENS = 256
"""What the model was trained to read; the rest of a text is cut."""
BATCH = 16
FLOOR = 0.35
"""Over SciFact's 5,183 abstracts the best match of 400 nonsense queries (random letters, invented words) reached
.22 at the median, .31 at the 95th percentile and .352 at most; of the 339 judged pairs 10% stand below .35; the floor
touches only those of them that share no word with their query.  Over 511 pieces of Markdown, queries
of random letters stayed below .35 nine times in ten, invented words always (.315)."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: Any
    tokenizer: "Tokenizer"
    inputs: frozenset[str]


class MiniLmEmbedder:
    """`folder` holds `model.onnx` and `tokenizer.json`; `threads` are those of one batch, at most the cores.

    The files are read at the first call.  Raises `EmbeddingError` at once where they, or the extra, are missing.
    """

    name = "minilm-l6-v2"
    languages = "English"
    floor = FLOOR

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        absent = [module for module in ("onnxruntime", "tokenizers") if importlib.util.find_spec(module) is None]
        if absent:
            raise EmbeddingError(f"{MODEL} needs {' and '.join(absent)}; install: pip install onnxruntime tokenizers")
        lacking = lacking_files(folder)
        if lacking:
            raise EmbeddingError(f"{lacking} not in {folder}; fetch the model: footnote models fetch")
        self._folder = folder
        self._threads = min(threads or 64, os.cpu_count() or 1)
        self._loading = threading.Lock()
        self._loaded: _Loaded | None = None

    @property
    def dimensions(self) -> int | None:
        return DIMENSIONS

    async def embed_documents(self, texts: Sequence[str], *, titles: Sequence[str] = ()) -> Vectors:
        """The model knows no titles: one that is given goes before the text."""
        places = filled(texts)
        whole = [f"{titles[place]} {texts[place]}".strip() if titles else texts[place] for place in places]
        vectors = np.zeros((len(places), DIMENSIONS), dtype=np.float32)
        # Texts of like length share a batch, since a batch is as wide as its longest.
        order = sorted(range(len(whole)), key=lambda place: len(whole[place]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            # A thread a batch: onnxruntime lets the loop run meanwhile, and a cancelled run ends with its batch.
            vectors[batch] = await asyncio.to_thread(self._embed, [whole[place] for place in batch])
        return spread(vectors, places, len(texts))

    async def embed_query(self, text: str) -> Vectors:
        vectors = await self.embed_documents([text])
        return np.asarray(vectors[0])

    def _embed(self, texts: list[str]) -> Vectors:
        loaded = self._load()
        encoded = loaded.tokenizer.encode_batch(texts)
        mask = np.array([each.attention_mask for each in encoded], dtype=np.int64)
        given = {
            "input_ids": np.array([each.ids for each in encoded], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        hidden = loaded.session.run(None, {name: given[name] for name in loaded.inputs})[0]
        means = np.einsum("btd,bt->bd", hidden, mask) / mask.sum(axis=1, keepdims=True)
        return unit_rows(means, count=len(texts), dimensions=DIMENSIONS, name=MODEL)

    def _load(self) -> _Loaded:
        with self._loading:
            if self._loaded is None:
                self._loaded = _read(self._folder, self._threads)
            return self._loaded


def lacking_files(folder: Path) -> str:
    """The files that the folder lacks, as the beginning of a sentence; empty when it has both."""
    lacking = [file for file in FILES if not (folder / file).is_file()]
    return f"{' and '.join(lacking)} {'is' if len(lacking) == 1 else 'are'}" if lacking else ""


def _read(folder: Path, threads: int) -> _Loaded:
    from tokenizers import Tokenizer  # here, since both are of the extra

    onnxruntime: Any = importlib.import_module("onnxruntime")  # it ships no types

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(folder / FILES[0]), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(folder / FILES[1]))
    except Exception as error:  # neither library names what it raises for a bad file
        raise EmbeddingError(
            f"The files in {folder} cannot be read; fetch them again: footnote models fetch"
        ) from error
    tokenizer.enable_truncation(TOKENS)
    tokenizer.enable_padding()
    return _Loaded(session, tokenizer, frozenset(each.name for each in session.get_inputs()))
