import pytest

from indexers.reading.kinds import charset, kind_of, media_type

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("content_type", "head", "kind"),
    [
        ("text/html; charset=utf-8", b"<p>x", "html"),
        ("application/xhtml+xml", b"<?xml", "html"),
        ("", b"  <!DOCTYPE HTML><title>", "html"),
        ("text/plain", b"<html><body>", "html"),
        ("application/xml", b'<?xml version="1.0"?><html xmlns="x">', "html"),
        ("application/json", b"{}", "json"),
        ("application/ld+json; charset=utf-8", b"{}", "json"),
        ("text/plain", b"words", "text"),
        ("text/markdown", b"# words", "text"),
        ("text/csv", b"a,b", "text"),
        ("application/rss+xml", b"<?xml version='1.0'?><rss>", "text"),
        ("application/xml", b"<?xml version='1.0'?><feed>", "text"),
        ("", b"words", "text"),
        ("", b"", "text"),
        ("text/plain", b"\xff\xfea\0b\0", "text"),
        ("text/plain; charset=utf-16le", b"a\0b\0", "text"),
        ("application/pdf", b"%PDF-1.7", "pdf"),
        ("application/octet-stream", b"\0\0%PDF-1.7", "pdf"),
        ("text/html", b"%PDF-1.7", "pdf"),
        (WORD, b"PK\x03\x04", "word"),
        ("application/pdf", b"<html>Sign in", "html"),
        ("application/pdf", b"nothing", None),
        (WORD, b"nothing", None),
        ("application/zip", b"PK\x03\x04", None),
        ("application/octet-stream", b"words", None),
        ("image/svg+xml", b"<svg>", None),
        ("image/png", b"words", None),
        ("text/html", b"GIF89a", None),
        ("text/html", b"a\0b", None),
        ("", b"\x1f\x8b\x08", None),
    ],
)
def test_the_kind_of_a_body(content_type, head, kind):
    assert kind_of(content_type, head) == kind


def test_the_parts_of_a_content_type():
    assert media_type(" Text/HTML ; charset=x") == "text/html"
    assert charset('text/html; boundary=a; Charset="UTF-8"') == "utf-8"
    assert charset("text/html") == ""
