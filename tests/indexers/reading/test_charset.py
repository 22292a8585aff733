import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexers.reading.charset import decode

FRENCH = "Le café crème du garçon où l’été « brûle » : 3 €"
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy. Vážení přátelé, dovolte mi říci několik slov o řece a městě. " * 3
JAPANESE = "これは日本語の文章です。文字コードを調べるために十分な長さがあります。" * 3
RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний. " * 3


@pytest.mark.parametrize(
    ("text", "encoding", "declared"),
    [
        pytest.param(FRENCH, "utf-8", "", id="UTF-8 without a word"),
        pytest.param(FRENCH, "utf-8-sig", "", id="UTF-8 with a mark"),
        pytest.param(FRENCH, "utf-8-sig", "shift_jis", id="a mark wins over the sender"),
        pytest.param(FRENCH, "utf-16", "", id="UTF-16 with a mark"),
        pytest.param(FRENCH, "utf-32", "", id="UTF-32 with a mark"),
        pytest.param(FRENCH, "cp1252", "windows-1252", id="the sender's word"),
        pytest.param(FRENCH, "cp1252", "ISO-8859-1", id="latin-1 means windows-1252"),
        pytest.param(FRENCH, "cp1252", "ascii", id="so does ascii"),
        pytest.param(FRENCH, "cp1252", "utf-8", id="the sender is wrong"),
        pytest.param(FRENCH, "cp1252", "", id="short Western text without a word"),
        pytest.param("Café crème", "cp1252", "", id="two words of French"),
        pytest.param("Grüße aus Köln", "cp1252", "", id="German"),
        pytest.param(FRENCH, "utf-8", "idna", id="a codec of Python that is no charset"),
        pytest.param(FRENCH, "utf-8", "zip", id="nor is this"),
        pytest.param(FRENCH, "utf-8", "\x00'\"", id="nonsense"),
        pytest.param(CZECH, "cp1250", "windows-1250", id="Czech with its word"),
        pytest.param(JAPANESE, "shift_jis", "x-sjis", id="Japanese with its word"),
        pytest.param(JAPANESE, "euc_jp", "", id="Japanese without"),
        pytest.param(RUSSIAN, "cp1251", "", id="Russian without"),
        pytest.param(RUSSIAN, "koi8_r", "koi8-r", id="Russian in another"),
        pytest.param("中文网页的文字编码测试，这里有足够的内容。" * 5, "gbk", "gb2312", id="gb2312 means gbk"),
    ],
)
def test_text_is_decoded(text, encoding, declared):
    assert decode(text.encode(encoding), declared) == text


@pytest.mark.parametrize(
    "head",
    [
        '<meta charset="windows-1251">',
        "<meta charset=windows-1251 />",
        '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1251">',
        '<?xml version="1.0" encoding="windows-1251"?>',
    ],
)
def test_the_pages_own_word_is_taken(head):
    assert decode((head + "Да").encode("cp1251")).endswith("Да")
    assert decode((head + "Да").encode("koi8-r"), "koi8-r").endswith("Да")


def test_a_page_whose_own_word_is_wrong_is_still_read():
    assert "Café crème" in decode('<meta charset="utf-8">Café crème'.encode("cp1252"))


def test_a_few_broken_bytes_do_not_make_it_another_charset():
    body = JAPANESE.encode("shift_jis") * 20 + b"\x81"
    assert JAPANESE in decode(body, "shift_jis")


def test_every_encoding_of_python_as_a_label_is_harmless():
    for label in sorted({path.stem for path in Path(codecs.__file__).parent.glob("encodings/*.py")}):
        assert isinstance(decode(b"plain \xe9 text", label), str)


@given(st.binary(max_size=300), st.text(max_size=12))
def test_whatever_comes_is_decoded(body, declared):
    assert isinstance(decode(body, declared), str)


@given(st.text(max_size=200).filter(lambda text: not text.startswith("\ufeff")))
def test_utf8_comes_back_as_it_was(text):
    body = text.encode("utf-8", "surrogatepass") if text.isprintable() else text.encode("utf-8", "replace")
    if b"charset" not in body.lower() and b"encoding" not in body.lower():
        assert decode(body) == body.decode("utf-8", "replace")
