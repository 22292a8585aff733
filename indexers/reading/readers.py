"""Bytes of any kind into text; runs in the child process.  No I/O."""

from dataclasses import dataclass

from indexers.reading.charset import decode
from indexers.reading.cutting import cut
from indexers.reading.failures import Unreadable
from indexers.reading.types import Extracted, Kind


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a body is, and what is wanted of it; see `Extractor.extract`."""

    kind: Kind
    charset: str = ""
    chars: int | None = None
    pages: int | None = None
    web: bool = False


def read(body: bytes, wanted: Wanted) -> Extracted:
    """Title and text, with a note where something is left out.  Raises `Unreadable`."""
    whole = _whole(body, wanted)
    text = cut(whole.text, wanted.chars)
    return Extracted(whole.title, text, whole.notes if text == whole.text else (*whole.notes, "cut"))


def _whole(body: bytes, wanted: Wanted) -> Extracted:
    # Each of these libraries takes a while to load, and one child may never see a PDF.
    if wanted.kind == "html":
        from indexers.reading.html import read_html

        return read_html(body, wanted.charset, web=wanted.web)
    if wanted.kind == "pdf":
        from indexers.reading.pdf import read_pdf

        return read_pdf(body, pages=wanted.pages, chars=wanted.chars)
    if wanted.kind == "word":
        from indexers.reading.word import read_word

        return read_word(body)
    text = decode(body, wanted.charset).replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise Unreadable("empty")
    return Extracted("", text)
