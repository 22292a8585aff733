import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexers.reading.plain import decode, heading_text, markdown, storable


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param("Café €".encode(), "Café €", id="UTF-8"),
        pytest.param("Café €".encode("utf-8-sig"), "Café €", id="UTF-8 with a mark"),
        pytest.param("Café €".encode("utf-16"), "Café €", id="UTF-16 with a mark"),
        pytest.param(b"\xfe\xff" + "Café €".encode("utf-16-be"), "Café €", id="UTF-16, the other way round"),
        pytest.param("Café €".encode("utf-32"), "Café €", id="UTF-32 with a mark"),
        pytest.param("Café €".encode("cp1252"), "Café €", id="Windows-1252"),
        pytest.param(b"a\r\nb\rc\n", "a\nb\nc\n", id="line ends"),
        pytest.param("Cafe\u0301".encode(), "Caf\u00e9", id="composed"),
        pytest.param(b"\x81 odd", "\ufffd odd", id="a byte that no encoding has"),
    ],
)
def test_text_is_read_in_the_encoding_that_it_has(body, text):
    assert decode(body) == text


@pytest.mark.parametrize("body", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"MZ\0\0", "no mark".encode("utf-16-le")])
def test_what_is_no_text_is_refused(body):
    with pytest.raises(ValueError, match="not text"):
        decode(body)


@given(st.binary(max_size=200))
def test_bytes_are_text_or_refused(body):
    with suppress(ValueError):
        assert not set(decode(body)) & {"\r", "\0"}


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff"), max_size=200))
def test_utf_8_comes_back_as_it_was_but_composed(text):
    assert decode(text.encode()) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    ("text", "title", "rest"),
    [
        pytest.param("---\ntitle: Leave\ntags: [a]\n---\n# Other\n", "Leave", "# Other\n", id="of the front matter"),
        pytest.param('---\ntitle: "Leave: all"\n---\nText', "Leave: all", "Text", id="in quotes"),
        pytest.param('+++\ntitle = "Leave"\n+++\nText', "Leave", "Text", id="of TOML"),
        pytest.param("---\ntags: a\n---\n# Leave\n", "Leave", "# Leave\n", id="front matter without a title"),
        pytest.param("Intro\n\n## Leave\n", "Leave", "Intro\n\n## Leave\n", id="the first heading"),
        pytest.param("Leave\n=====\n", "Leave", "Leave\n=====\n", id="an underlined heading"),
        pytest.param("```\n# no heading\n```\n", "", "```\n# no heading\n```\n", id="none in code"),
        pytest.param("---\n\nA line above.\n\n---\n", "", "---\n\nA line above.\n\n---\n", id="a rule is kept"),
        pytest.param("", "", "", id="nothing"),
    ],
)
def test_a_markdown_file_has_its_title_from_front_matter_or_heading(text, title, rest):
    assert markdown(text) == (title, rest)


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("**Leave** and `code`", "Leave and code"),
        ("[Leave](https://x.test) {#leave}", "Leave"),
        ("![logo](x.png) Leave", "Leave"),
        ("snake_case_name", "snake_case_name"),
        ("2 * 3 * 4", "2 * 3 * 4"),
    ],
)
def test_a_heading_loses_its_markup(heading, text):
    assert heading_text(heading) == text


def test_what_cannot_be_stored_is_replaced():
    assert storable("a\0b\ud800c é") == "a\ufffdb\ufffdc é"
    assert storable("plain") == "plain"
