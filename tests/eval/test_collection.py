"""A collection is read as it was written, and what is wrong with it is said in one sentence."""

import gzip
import json

import numpy as np
import pytest

from bot.eval.collection import CollectionError, read
from tests.fakes.collection import QRELS, QUERIES, write_collection, write_lines, write_vectors


def refused(folder):
    with pytest.raises(CollectionError) as raised:
        read(folder)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_documents_queries_and_judgements_are_read(collection):
    found = read(collection)
    assert [one.id for one in found.documents] == ["d1", "d2", "d3", "d4", "d5"]
    assert found.documents[0].title == "Leave"
    assert found.relevant == {"q1": {"d1": 1}, "q2": {"d2": 2}, "q3": {"d3": 1}}


def test_a_query_without_a_relevant_document_is_left_out_with_its_vector(tmp_path):
    found = read(write_collection(tmp_path / "one", qrels=["q1\td1\t0", "q3\td3\t1"]))
    assert [query.id for query in found.queries] == ["q3"]
    assert found.embedded.queries.tolist() == [[0, 0, 1, 0, 0]]


def test_vectors_have_the_length_1_and_a_row_of_zeros_is_none(collection):
    write_vectors(collection, {"docs": np.diag([100, 50, -3, 127, 0]).astype(np.int8)})
    assert np.diag(read(collection).embedded.documents).tolist() == [1, 1, -1, 1, 0]


def test_without_vectors_there_are_none(tmp_path):
    assert read(write_collection(tmp_path / "bare", vectors=False)).embedded is None


def test_the_layout_of_beir_is_read_too(collection):
    (collection / "corpus.jsonl").write_bytes(gzip.decompress((collection / "corpus.jsonl.gz").read_bytes()))
    (collection / "corpus.jsonl.gz").unlink()
    (collection / "qrels").mkdir()
    (collection / "qrels.tsv").rename(collection / "qrels" / "test.tsv")
    assert len(read(collection).documents) == 5


def test_judgements_need_no_header(tmp_path):
    assert read(write_collection(tmp_path / "bare", qrels=QRELS[1:])).relevant["q1"] == {"d1": 1}


def test_halves_of_characters_are_replaced(collection):
    lines = [json.dumps({"_id": id, "text": "a\ud800"}) for id in QUERIES]
    write_lines(collection / "queries.jsonl", lines)
    assert read(collection).queries[0].text == "a?"


def test_a_folder_that_is_not_there_is_named(tmp_path):
    assert refused(tmp_path / "nowhere") == f"There is no folder {tmp_path / 'nowhere'}."


@pytest.mark.parametrize("name", ["corpus.jsonl.gz", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(collection, name):
    (collection / name).unlink()
    assert f"holds no {name} or " in refused(collection)


@pytest.mark.parametrize("name", ["corpus.jsonl.gz", "queries.jsonl"])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not a JSON object"),
        ("[1]", "not a JSON object"),
        ('{"_id": 7, "text": "x"}', "_id and text, both strings"),
        ('{"_id": "x"}', "_id and text, both strings"),
        ('{"_id": "twice", "text": "x"}', "'twice' has been given before"),
    ],
)
def test_a_malformed_line_is_named_by_its_number(collection, name, line, said):
    write_lines(collection / name, ['{"_id": "twice", "text": "x"}', "", line])
    message = refused(collection)
    assert f"{name}, line 3: " in message
    assert said in message


def test_a_query_without_words_is_named(collection):
    write_lines(collection / "queries.jsonl", [json.dumps({"_id": "q1", "text": " "})])
    assert refused(collection).endswith("line 1: the text is empty.")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q1\td1", "not a query, a document and a whole number"),
        ("q1\td1\tmany", "not a query, a document and a whole number"),
        ("q1 d1 1", "not a query, a document and a whole number"),
        ("q9\td1\t1", "there is no query 'q9'"),
        ("q1\td9\t1", "there is no document 'd9'"),
        ("q1\td9\t0", "there is no document 'd9'"),
    ],
)
def test_a_judgement_that_cannot_be_is_named_by_its_line(tmp_path, line, said):
    message = refused(write_collection(tmp_path / "wrong", qrels=[*QRELS, line]))
    assert f"qrels.tsv, line {len(QRELS) + 1}: {said}" in message


def test_no_relevant_document_at_all_is_said(tmp_path):
    assert "nothing to measure" in refused(write_collection(tmp_path / "none", qrels=[QRELS[0], "q1\td1\t0"]))


@pytest.mark.parametrize("name", ["corpus.jsonl.gz", "queries.jsonl"])
def test_an_empty_file_is_named(collection, name):
    write_lines(collection / name, [])
    assert refused(collection).endswith(f"{name} is empty.")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no gzip", "cannot be read: "),
        (gzip.compress(b'{"_id": "d1", "text": "x"}\n')[:-9], "cannot be read: "),
        (gzip.compress(b"\xff\xfe"), "is not UTF-8"),
    ],
    ids=["not packed", "cut off", "another encoding"],
)
def test_a_file_that_is_broken_is_named(collection, content, said):
    (collection / "corpus.jsonl.gz").write_bytes(content)
    assert said in refused(collection)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"docs": np.eye(4)}, "should hold 5 vectors, one a row, but is of the shape (4, 4)"),
        ({"queries": np.zeros(4)}, "should hold 4 vectors, one a row, but is of the shape (4,)"),
        ({"docs": np.zeros((5, 0))}, "is of the shape (5, 0)"),
        ({"queries": np.eye(4)}, "have 5 dimensions and those of the queries 4"),
        ({"docs": np.full((5, 5), np.nan)}, "not finite"),
        ({"docs": np.full((5, 5), "x")}, "is not a NumPy array of numbers"),
    ],
)
def test_vectors_that_do_not_fit_are_named(collection, arrays, said):
    write_vectors(collection, arrays)
    assert said in refused(collection)


def test_vectors_that_are_no_array_are_named(collection):
    (collection / "minilm_docs_int8.npy.gz").write_bytes(b"x")
    assert "minilm_docs_int8.npy.gz is not a NumPy array" in refused(collection)


@pytest.mark.parametrize("name", ["docs", "queries"])
def test_vectors_of_one_kind_alone_are_refused(collection, name):
    (collection / f"minilm_{name}_int8.npy.gz").unlink()
    assert f"minilm_{name}_int8.npy.gz is missing" in refused(collection)
