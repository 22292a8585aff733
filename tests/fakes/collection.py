"""A small collection with judgements, for the tests of `footnote eval`.

Five documents and four queries, of which one has no relevant document.  The words find the first, the vectors the
second, either the third.
"""

import gzip
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

DOCUMENTS = {
    "d1": ("Leave", "Everyone has thirty days of paid leave."),
    "d2": ("Canteen", "Lunch is served at noon."),
    "d3": ("Travel", "Trains are booked by the office."),
    "d4": ("Badges", "Visitors sign in at the desk."),
    "d5": ("", ""),
}
QUERIES = {"q1": "thirty days", "q2": "where do we eat", "q3": "booked trains", "q4": "nobody knows"}
QRELS = ["query-id\tcorpus-id\tscore", "q1\td1\t1", "q2\td2\t2", "q3\td3\t1", "q4\td4\t0"]
NEAR = {"q1": 3, "q2": 1, "q3": 2, "q4": 0}
"""The place of the document that each query's vector is nearest to."""


def write_collection(folder: Path, *, vectors: bool = True, qrels: Sequence[str] = QRELS) -> Path:
    folder.mkdir()
    documents = [{"_id": id, "title": title, "text": text} for id, (title, text) in DOCUMENTS.items()]
    write_lines(folder / "corpus.jsonl.gz", [json.dumps(one) for one in documents])
    write_lines(folder / "queries.jsonl", [json.dumps({"_id": id, "text": text}) for id, text in QUERIES.items()])
    write_lines(folder / "qrels.tsv", qrels)
    if vectors:
        rows = np.eye(len(DOCUMENTS), dtype=np.int8) * 100
        write_vectors(folder, {"docs": rows, "queries": rows[list(NEAR.values())]})
    return folder


def write_lines(file: Path, lines: Sequence[str]) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    file.write_bytes(gzip.compress(text) if file.suffix == ".gz" else text)


def write_vectors(folder: Path, arrays: Mapping[str, object]) -> None:
    for name, rows in arrays.items():
        packed = io.BytesIO()
        np.save(packed, np.asarray(rows))
        (folder / f"minilm_{name}_int8.npy.gz").write_bytes(gzip.compress(packed.getvalue()))
