"""Small PDFs and Word documents, made on the spot."""

import io
from collections.abc import Sequence

import docx
import pypdf


def pdf(*pages: str, title: str = "", password: str | None = None) -> bytes:
    """A PDF with a line of text on each page; an empty one is a page without a text layer."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET" if text else "0 0 m"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {resources} /Contents {len(objects)} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    whole = _written(objects)
    if not title and password is None:
        return whole
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(whole))
    writer.add_metadata({"/Title": title})
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _written(objects: Sequence[str]) -> bytes:
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode()
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += "".join(f"{place:010} 00000 n \n" for place in places).encode()
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def word(*paragraphs: tuple[str, str], table: Sequence[Sequence[str]] = (), title: str = "") -> bytes:
    """A Word document of (style, text) paragraphs and, after them, a table."""
    document = docx.Document()
    document.core_properties.title = title
    for style, text in paragraphs:
        document.add_paragraph(text, style=style)
    if table:
        grid = document.add_table(len(table), len(table[0]))
        for row, texts in zip(grid.rows, table, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()
