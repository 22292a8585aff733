"""PDF, Word, text and JSON."""

import io
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexers.reading import Unreadable
from indexers.reading.pdf import read_pdf
from indexers.reading.readers import Wanted, read
from indexers.reading.word import read_word
from tests.indexers.reading.files import pdf, word


def kind(reader, body):
    with pytest.raises(Unreadable) as unreadable:
        reader(body)
    return unreadable.value.kind


def test_a_pdf_gives_its_title_and_the_text_of_its_pages():
    extracted = read_pdf(pdf("First page.", "", "Third page.", title="The \n title"))
    assert (extracted.title, extracted.text, extracted.notes) == ("The title", "First page.\n\nThird page.", ())


def test_of_a_long_pdf_the_first_pages_are_read():
    body = pdf(*(f"Page {number}." for number in range(5)))
    assert read_pdf(body, pages=2).text == "Page 0.\n\nPage 1."
    assert read_pdf(body, pages=2).notes == ("pages",)
    assert read_pdf(body, chars=10).notes == ("pages",)
    assert read_pdf(body, pages=5).notes == ()


def test_a_pdf_that_gives_no_text_says_why():
    assert kind(read_pdf, pdf("", "")) == "scanned"
    assert kind(read_pdf, pdf("Secret.", password="pw")) == "locked"
    assert kind(read_pdf, b"%PDF-1.7 and nothing else") == "damaged"
    assert kind(read_pdf, b"") == "damaged"
    assert kind(read_pdf, pdf("Some text.")[:200]) == "damaged"


def test_a_pdf_whose_password_is_empty_is_open():
    assert read_pdf(pdf("Open.", password="")).text == "Open."


@given(st.integers(0, 700), st.binary(min_size=1, max_size=8))
def test_a_broken_pdf_is_read_or_named(place, bytes_):
    body = pdf("Some text.", "More.")
    with suppress(Unreadable):  # and nothing else
        assert read_pdf(body[:place] + bytes_ + body[place + len(bytes_) :]).text


def test_a_word_document_becomes_markdown():
    body = word(
        ("Title", "The title"),
        ("Heading 1", "Part one"),
        ("Normal", "Some words."),
        ("Normal", ""),
        ("List Bullet", "a thing"),
        ("Heading 3", "Deeper"),
        table=[["name", "a|b"], ["Ann", "7"]],
    )
    assert read_word(body).text.split("\n\n") == [
        "# The title",
        "# Part one",
        "Some words.",
        "- a thing",
        "### Deeper",
        "| name | a\\|b |\n| --- | --- |\n| Ann | 7 |",
    ]
    assert read_word(body).title == "The title"
    assert read_word(word(("Normal", "x"), title="From its properties")).title == "From its properties"


def test_a_word_document_that_gives_no_text_says_why():
    assert kind(read_word, word()) == "empty"
    assert kind(read_word, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest") == "locked"
    assert kind(read_word, b"PK\x03\x04rest") == "damaged"
    assert kind(read_word, b"") == "damaged"
    assert kind(read_word, word(("Normal", "x"))[:-100]) == "damaged"
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as parts:
        parts.writestr("a.txt", "x")
    assert kind(read_word, other.getvalue()) == "damaged"


def test_a_word_document_that_unpacks_without_an_end_is_not_unpacked():
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as parts:
        for number in range(3):
            parts.writestr(f"word/{number}.xml", bytes(70_000_000))
    assert kind(read_word, bomb.getvalue()) == "too_heavy"


def test_text_and_json_come_as_they_are():
    assert read(b"\xef\xbb\xbfOne\r\ntwo\n", Wanted("text")).text == "One\ntwo"
    assert read("é".encode("latin-1"), Wanted("json", charset="latin1")).text == "é"
    assert kind(lambda body: read(body, Wanted("text")), b" \n") == "empty"


def test_a_long_text_is_cut_and_says_so():
    cut = read(b"word " * 100, Wanted("text", chars=50))
    assert len(cut.text) <= 50
    assert cut.notes == ("cut",)
    assert read(b"word", Wanted("text", chars=50)).notes == ()
