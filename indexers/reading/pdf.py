"""The text of a PDF.  No I/O."""

import io

import pypdf
from pypdf.errors import DependencyError, PyPdfError

from indexers.reading.cutting import one_line
from indexers.reading.failures import Unreadable
from indexers.reading.types import Extracted

_BROKEN = (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, OSError, RecursionError)
"""What pypdf raises on a file that is none, or only half of one."""


def read_pdf(body: bytes, *, pages: int | None = None, chars: int | None = None) -> Extracted:
    """Title and text of the first `pages` pages, as many as it takes for `chars` characters.  Raises `Unreadable`."""
    try:
        reader = pypdf.PdfReader(io.BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("locked")
        count = len(reader.pages)
        text, read = _text(reader, min(count, count if pages is None else pages), chars)
        title = one_line((reader.metadata and reader.metadata.title) or "")
    except DependencyError as error:  # a cipher that needs another library
        raise Unreadable("locked") from error
    except _BROKEN as error:
        raise Unreadable("damaged") from error
    if not text:
        raise Unreadable("scanned" if count else "empty")
    return Extracted(title, text, ("pages",) if read < count else ())


def _text(reader: pypdf.PdfReader, pages: int, chars: int | None) -> tuple[str, int]:
    """The text, and how many pages it is of."""
    texts: list[str] = []
    for number in range(pages):
        texts.append(reader.pages[number].extract_text().strip())
        if chars is not None and sum(map(len, texts)) > chars:
            break
    return "\n\n".join(text for text in texts if text), len(texts)
