"""Bytes of any kind into text; runs in the child process.  No I/O."""

from indexers.reading.charset import decode
from indexers.reading.cutting import cut
from indexers.reading.failures import Unreadable
from indexers.reading.types import Extracted, Kind


def read(
    body: bytes, kind: Kind, *, charset: str = "", chars: int | None = None, pages: int | None = None
) -> Extracted:
    """Title and text, cut at `chars` characters, with a note where something is left out.  Raises `Unreadable`."""
    whole = _whole(body, kind, charset, chars, pages)
    text = cut(whole.text, chars)
    return Extracted(whole.title, text, whole.notes if text == whole.text else (*whole.notes, "cut"))


def _whole(body: bytes, kind: Kind, charset: str, chars: int | None, pages: int | None) -> Extracted:
    # Each of these libraries takes a while to load, and one child may never see a PDF.
    if kind == "html":
        from indexers.reading.html import read_html

        return read_html(body, charset)
    if kind == "pdf":
        from indexers.reading.pdf import read_pdf

        return read_pdf(body, pages=pages, chars=chars)
    if kind == "word":
        from indexers.reading.word import read_word

        return read_word(body)
    text = decode(body, charset).replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise Unreadable("empty")
    return Extracted("", text)
