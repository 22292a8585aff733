"""The text of a Word document as Markdown.  No I/O."""

import io
import zipfile

import docx
from docx.document import Document
from docx.opc.exceptions import OpcError
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml.etree import LxmlError

from indexers.reading.cutting import one_line
from indexers.reading.failures import Unreadable
from indexers.reading.types import Extracted

_LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""What a document with a password is wrapped in; and what old Word wrote, which is not read either."""
_UNPACKED = 200_000_000
_BROKEN = (OpcError, LxmlError, zipfile.BadZipFile, ValueError, KeyError, IndexError, OSError, NotImplementedError)


def read_word(body: bytes) -> Extracted:
    """Title and text.  Raises `Unreadable`."""
    if body.startswith(_LOCKED):
        raise Unreadable("locked")
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as parts:
            if sum(part.file_size for part in parts.infolist()) > _UNPACKED:
                raise Unreadable("too_heavy")
        document = docx.Document(io.BytesIO(body))
        text = "\n\n".join(block for block in map(_block, document.iter_inner_content()) if block)
        title = one_line(document.core_properties.title) or _title(document)
    except _BROKEN as error:
        raise Unreadable("damaged") from error
    if not text:
        raise Unreadable("empty")
    return Extracted(title, text)


def _title(document: Document) -> str:
    styled = (one.text for one in document.paragraphs if one.style is not None and one.style.name == "Title")
    return one_line(next(styled, ""))


def _block(block: Paragraph | Table) -> str:
    if isinstance(block, Table):
        return _table(block)
    text = block.text.strip()
    style = (block.style.name if block.style is not None else None) or ""
    if not text:
        return ""
    if style == "Title":
        return f"# {one_line(text)}"
    if style.startswith("Heading ") and style[8:].isdigit():
        return f"{'#' * min(6, int(style[8:]))} {one_line(text)}"
    return f"- {text}" if style.startswith("List") else text


def _table(table: Table) -> str:
    rows = [[" ".join(cell.text.split()).replace("|", "\\|") for cell in row.cells] for row in table.rows]
    if not rows:
        return ""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * len(rows[0])}", *lines[1:]])
