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


def test_a_run_that_names_no_access_is_refused_where_the_documents_have_one(footnote, docs):
    footnote("index", "files", docs, "--access", "user:ada@example.com", "--access", "channel:C1")
    (docs / "leave.md").unlink()
    (docs / "new.md").write_text("# Bonus\n\nEveryone gets one.")
    done = footnote("index", "files", docs)
    said = (
        "error: What you named is indexed with --access channel:C1 --access user:ada@example.com (2 documents), and "
        "this command has no --access: give --access channel:C1 --access user:ada@example.com again, or "
        "--access workspace to let every full member read all of it; nothing was indexed or removed.\n"
    )
    assert (done.code, done.out, done.err) == (2, "", said)
    assert titles(footnote, "bonus") == []
    assert titles(footnote, "paid leave") == ["Leave policy"]
    assert titles(footnote, "paid leave", "--as", "workspace") == []


def test_a_run_over_parts_with_several_accesses_names_each(footnote, docs):
    footnote("index", "files", docs / "leave.md", "--access", "channel:C1")
    footnote("index", "files", docs / "lunch.txt", "--access", "public")
    done = footnote("index", "files", docs)
    assert done.code == 2
    assert "--access channel:C1 (1 document)" in done.err
    assert "--access public (1 document)" in done.err
    assert "index each part with its own --access again" in done.err


def test_of_many_accesses_three_are_named_and_the_rest_counted(footnote, docs):
    for number in range(5):
        (docs / f"{number}.md").write_text(f"Page {number}.")
        footnote("index", "files", docs / f"{number}.md", "--access", f"channel:C{number}")
    error = footnote("index", "files", docs).err
    assert "--access channel:C2 (1 document), 2 more, and" in error
    assert "channel:C3" not in error


def test_what_lies_elsewhere_does_not_hinder_a_run_that_names_no_access(footnote, docs):
    footnote("index", "files", docs / "leave.md", "--access", "channel:C1")
    assert footnote("index", "files", docs / "lunch.txt").code == 0


def test_access_that_is_named_is_taken_and_how_many_more_people_can_read_is_said(footnote, docs):
    footnote("index", "files", docs, "--access", "channel:C1")
    assert "Unchanged: 2." in footnote("index", "files", docs, "--access", "channel:C1").out
    done = footnote("index", "files", docs, "--access", "workspace")
    assert (done.code, done.out.splitlines()[0]) == (
        0,
        "Indexed 0 documents (0 passages). Details updated: 2. Access widened: 2.",
    )
    assert titles(footnote, "leave", "--as", "workspace") == ["Leave policy"]
    narrowed = footnote("index", "files", docs, "--access", "channel:C1").out
    assert "Details updated: 2." in narrowed
    assert "widened" not in narrowed


def test_where_there_is_nothing_to_index_the_mend_is_said(footnote, docs):
    folder = docs.with_name("pictures")
    folder.mkdir()
    (folder / "photo.jpeg").write_bytes(b"x")
    done = footnote("index", "files", folder)
    assert (done.code, done.out.splitlines()[:2]) == (
        0,
        [
            "Indexed 0 documents (0 passages). Skipped: 1 of another type.",
            "Note: There is no document to read in what you named; name a folder that holds .md, .markdown, .txt, "
            ".html, .htm, .pdf or .docx files which are not hidden.",
        ],
    )
    assert "no document to read" not in footnote("index", "files", docs).out
    assert "no document to read" not in footnote("index", "files", docs).out


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
