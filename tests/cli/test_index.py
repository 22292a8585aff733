"""`footnote index files`: what is indexed, what is said, and the exit code."""

import json

import pytest

from bot.cli.index import summary
from indexers.sync import Report


def titles(footnote, *arguments):
    hits = json.loads(footnote("search", "--json", *arguments).out)["hits"]
    return [hit["title"] for hit in hits]


def test_what_was_indexed_is_found(footnote, docs):
    done = footnote("index", "files", docs)
    assert (done.code, done.out.splitlines()[0]) == (0, "Indexed 2 documents (2 passages).")
    assert titles(footnote, "paid leave") == ["Leave policy"]


def test_a_second_run_changes_nothing(footnote, docs):
    footnote("index", "files", docs)
    assert "Indexed 0 documents (0 passages). Unchanged: 2." in footnote("index", "files", docs).out


def test_what_has_vanished_is_removed(footnote, docs):
    footnote("index", "files", docs)
    (docs / "leave.md").unlink()
    assert "Removed: 1." in footnote("index", "files", docs).out
    assert titles(footnote, "paid leave") == []


def test_a_missing_path_removes_nothing_and_is_1(footnote, docs):
    footnote("index", "files", docs)
    docs.rename(docs.with_name("elsewhere"))
    done = footnote("index", "files", docs)
    said = f"error: There is no file or folder '{docs}'; nothing was indexed or removed.\n"
    assert (done.code, done.err) == (1, said)
    assert titles(footnote, "paid leave") == ["Leave policy"]


def test_a_file_that_fails_is_named_the_rest_is_indexed_and_the_code_is_1(footnote, docs):
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing of it")
    done = footnote("index", "files", docs)
    assert done.code == 1
    assert "broken.pdf" in done.err
    assert "Failed: 1." in done.out
    assert titles(footnote, "paid leave") == ["Leave policy"]


def test_hidden_files_and_unknown_types_are_counted_and_are_no_error(footnote, docs):
    (docs / ".secret.md").write_text("x")
    (docs / "photo.jpeg").write_bytes(b"x")
    done = footnote("index", "files", docs)
    assert done.code == 0
    assert "Skipped: 1 hidden, 1 of another type." in done.out


def test_access_narrows_who_finds_it(footnote, docs):
    footnote("index", "files", docs, "--access", "channel:C1", "--access", "user:Ada@example.com")
    assert titles(footnote, "leave", "--as", "workspace") == []
    assert titles(footnote, "leave", "--as", "workspace", "--as", "user:ada@example.com") == ["Leave policy"]


def test_a_mistyped_principal_is_refused(footnote, docs):
    done = footnote("index", "files", docs, "--access", "worksapce")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "worksapce" in done.err


def test_a_base_gives_each_document_its_link(footnote, docs):
    footnote("index", "files", docs, "--url", "https://wiki.example/handbook")
    hits = json.loads(footnote("search", "leave", "--json").out)["hits"]
    assert hits[0]["url"] == "https://wiki.example/handbook/leave.md"


def test_a_base_that_is_no_address_is_refused(footnote, docs):
    assert footnote("index", "files", docs, "--url", "handbook").code == 2


def test_that_nothing_has_vectors_is_said(footnote, docs):
    assert "FOOTNOTE_EMBEDDINGS is none" in footnote("index", "files", docs).out


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (Report(written=1, chunks=1), "Indexed 1 document (1 passage)."),
        (Report(described=2, unchanged=3), "Indexed 0 documents (0 passages). Details updated: 2. Unchanged: 3."),
    ],
)
def test_the_summary_says_what_was_and_leaves_out_what_was_not(report, line):
    assert summary(report) == line
