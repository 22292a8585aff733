"""Files that are no plain text, through the real child processes, into the index."""

import pytest

from indexers.document import EVERYTHING
from indexers.index import Filter, Question
from indexers.index.embedded import open_index
from indexers.reading import Extractor
from indexers.sources.files import Files
from indexers.sync import EMPTY, sync
from tests.indexers.reading.files import pdf, word

PAGE = """<!doctype html><html><head><title>Leave at Acme</title></head><body><article><h1>Leave</h1>
<p>Parental leave is sixteen weeks for everyone, and it can be taken in two parts within the first year.</p>
<p style="display:none">The hidden salary is a secret that nobody reads on this page.</p>
</article></body></html>"""


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


async def indexed(folder, index):
    async with Extractor() as extractor:
        return await sync(Files([folder], extractor), index)


async def found(index, text):
    ranking = await index.rank(Question(text), Filter(EVERYTHING), 10)
    return [(one.title, one.text) for one in (await index.passages(list(ranking.lexical), Filter(EVERYTHING))).values()]


async def test_html_pdf_and_word_are_found_by_what_a_reader_sees(folder, tmp_path):
    (folder / "leave.html").write_text(PAGE, "utf-8")
    (folder / "travel.pdf").write_bytes(
        pdf("Trains are booked by the office.", "Flights need a reason.", title="Travel")
    )
    (folder / "pay.docx").write_bytes(
        word(
            ("Heading 1", "Pay"), ("Normal", "Salaries are paid on the 25th."), table=[["Grade", "Band"], ["1", "low"]]
        )
    )
    async with open_index(tmp_path / "index.sqlite", create=True) as index:
        report = await indexed(folder, index)
        assert (report.written, report.failed) == (3, [])
        [(title, text)] = await found(index, "parental sixteen")
        assert "Leave" in title
        assert "secret" not in text
        assert await found(index, "hidden secret") == []
        [(title, text)] = await found(index, "flights")
        assert (title, "Trains" in text) == ("Travel", True)
        [(title, text)] = await found(index, "salaries")
        assert (title, "| Grade | Band |" in text) == ("Pay", True)
        assert (await indexed(folder, index)).unchanged == 3


async def test_files_that_cannot_be_read_are_named_and_the_others_indexed(folder, tmp_path):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    (folder / "broken.docx").write_bytes(b"no archive")
    (folder / "locked.pdf").write_bytes(pdf("Secret.", password="x"))
    (folder / "scanned.pdf").write_bytes(pdf(""))
    (folder / "empty.html").write_text("", "utf-8")
    (folder / "good.md").write_text("# Good\n\nText.\n", "utf-8")
    async with open_index(tmp_path / "index.sqlite", create=True) as index:
        report = await indexed(folder, index)
    assert report.written == 1
    assert {name.rpartition("/")[2]: reason for name, reason in report.failed} == {
        "broken.pdf": "the document is damaged",
        "broken.docx": "the document is damaged",
        "locked.pdf": "the document is locked with a password",
    }
    assert report.skipped == {EMPTY: 2}
