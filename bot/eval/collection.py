"""A collection with judgements, read from a folder.

The layout is BEIR's: `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl` (`_id`, `text`), each also with `.gz`,
and `qrels.tsv` or `qrels/test.tsv` (query, document, grade).  `minilm_docs_int8.npy.gz` and
`minilm_queries_int8.npy.gz` may lie beside: vectors of all-MiniLM-L6-v2, one row a line, of any length.
"""

import gzip
import io
import json
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from indexers.embedding import Vectors
from indexers.embedding.minilm import MiniLmEmbedder

CORPUS = ("corpus.jsonl.gz", "corpus.jsonl")
QUERIES = ("queries.jsonl", "queries.jsonl.gz")
QRELS = ("qrels.tsv", "qrels/test.tsv")
DOCUMENT_VECTORS = "minilm_docs_int8.npy.gz"
QUERY_VECTORS = "minilm_queries_int8.npy.gz"


class CollectionError(Exception):
    """The collection cannot be read; the text is one sentence that names the file, the line, and what is wrong."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document or a query."""

    id: str
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of a collection: a row a document and a row a query, of length 1, or of zeros for none."""

    documents: Vectors
    queries: Vectors
    name: str
    """Of what made them."""
    floor: float
    """As an embedder has it."""


@dataclass(frozen=True, slots=True)
class Collection:
    documents: list[Text]
    queries: list[Text]
    """Those with a relevant document; without one there is nothing to find."""
    relevant: dict[str, dict[str, int]]
    """By query: the grades, above 0, of its relevant documents."""
    embedded: Embedded | None = None


def read(folder: Path) -> Collection:
    """Raises `CollectionError`."""
    if not folder.is_dir():
        raise CollectionError(f"There is no folder {folder}.")
    corpus, queries, qrels = _file(folder, CORPUS), _file(folder, QUERIES), _file(folder, QRELS)
    documents, asked = _texts(corpus, blank=True), _texts(queries, blank=False)
    relevant = _judgements(qrels, asked, documents)
    judged = [place for place, query in enumerate(asked) if query in relevant]
    if not judged:
        raise CollectionError(f"{qrels} names no relevant document for any query, so there is nothing to measure.")
    embedded = _embedded(folder, len(documents), len(asked), judged)
    every = list(asked.values())
    return Collection(list(documents.values()), [every[place] for place in judged], relevant, embedded)


def _file(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise CollectionError(f"The folder {folder} holds no {' or '.join(names)}.")


def _texts(file: Path, *, blank: bool) -> dict[str, Text]:
    found: dict[str, Text] = {}
    for number, line in _lines(file):
        text = _text(line)
        if text is None:
            raise CollectionError(f"{file}, line {number}: not a JSON object with _id and text, both strings.")
        if not blank and not text.text.strip():
            raise CollectionError(f"{file}, line {number}: the text is empty.")
        if text.id in found:
            raise CollectionError(f"{file}, line {number}: the _id {text.id!r} has been given before.")
        found[text.id] = text
    if not found:
        raise CollectionError(f"{file} is empty.")
    return found


def _text(line: str) -> Text | None:
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    match fields.get("_id"), fields.get("text"), fields.get("title") or "":
        case str(id), str(text), str(title):
            return Text(id, _unicode(text), _unicode(title))
    return None


def _unicode(text: str) -> str:
    """JSON can escape halves of characters, which no index takes."""
    return text.encode("utf-8", "replace").decode()


def _judgements(file: Path, queries: dict[str, Text], documents: dict[str, Text]) -> dict[str, dict[str, int]]:
    relevant: dict[str, dict[str, int]] = defaultdict(dict)
    for number, line in _lines(file):
        fields = line.rstrip("\n").split("\t")
        if number == 1 and len(fields) == 3 and not _is_grade(fields[2]):
            continue
        if len(fields) != 3 or not _is_grade(fields[2]):
            raise CollectionError(f"{file}, line {number}: not a query, a document and a whole number, parted by tabs.")
        query, document, grade = fields
        for id, known, what in ((query, queries, "query"), (document, documents, "document")):
            if id not in known:
                raise CollectionError(f"{file}, line {number}: there is no {what} {id!r} in the collection.")
        if int(grade) > 0:
            relevant[query][document] = int(grade)
    return dict(relevant)


def _is_grade(field: str) -> bool:
    return field.strip().removeprefix("-").isdecimal()


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines that hold anything, with their numbers from 1."""
    number = 0
    try:
        with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, line
    except UnicodeDecodeError:
        raise CollectionError(f"{file} is not UTF-8{_after(number)}.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise CollectionError(f"{file} cannot be read{_after(number)}: {_reason(error)}.") from None


def _after(number: int) -> str:
    return f" after line {number}" if number else ""


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _embedded(folder: Path, documents: int, queries: int, judged: list[int]) -> Embedded | None:
    files = folder / DOCUMENT_VECTORS, folder / QUERY_VECTORS
    there = [file.is_file() for file in files]
    if not any(there):
        return None
    if not all(there):
        raise CollectionError(f"{files[there.index(False)]} is missing; the vectors of both are needed, or of neither.")
    of_documents, of_queries = _vectors(files[0], documents), _vectors(files[1], queries)
    if of_documents.shape[1] != of_queries.shape[1]:
        raise CollectionError(
            f"The vectors of the documents in {folder} have {of_documents.shape[1]} dimensions and those of the "
            f"queries {of_queries.shape[1]}; make both with the same model, or take them away."
        )
    return Embedded(of_documents, of_queries[judged], MiniLmEmbedder.name, MiniLmEmbedder.floor)


def _vectors(file: Path, count: int) -> Vectors:
    try:
        rows = np.load(io.BytesIO(gzip.decompress(file.read_bytes())), allow_pickle=False).astype(np.float32)
    except (OSError, EOFError, zlib.error, ValueError):
        raise CollectionError(f"{file} is not a NumPy array of numbers, packed with gzip.") from None
    if rows.ndim != 2 or len(rows) != count or not rows.shape[1]:
        raise CollectionError(
            f"{file} should hold {count} vectors, one a row, but is of the shape {rows.shape}; make them anew, or take "
            "them away."
        )
    if not np.isfinite(rows).all():
        raise CollectionError(f"{file} holds a vector that is not finite; make it anew, or take it away.")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)
