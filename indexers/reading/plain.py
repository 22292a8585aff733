"""Text and Markdown: bytes into text, and the title in them.  No I/O."""

import codecs
import re
import unicodedata

from indexers.chunks import first_heading

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16's, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FRONT_MATTER = re.compile(
    r"(?:---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)|\+\+\+[ \t]*\n(.{0,20000}?)\n\+\+\+)[ \t]*(?:\n|$)", re.S
)
_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(.+?)[ \t]*$", re.M | re.I)
_KEY = re.compile(r"^[\w-]+[ \t]*[:=]", re.M)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ANCHOR = re.compile(r"\s*\{#[^}]*\}\s*$")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`|~~)(?=\S)(.+?)(?<=\S)\1")


def decode(body: bytes) -> str:
    """The text of a file: by its byte order mark, else UTF-8, else Windows-1252.  Raises `ValueError` for what is no
    text."""
    text = _decoded(body)
    if "\0" in text:
        raise ValueError("it is not text")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def storable(text: str) -> str:
    """Without what no file of text holds, and what an extractor may give all the same: NUL and lone surrogates."""
    return text if text.isascii() and "\0" not in text else _UNSTORABLE.sub("\ufffd", text)


def markdown(text: str) -> tuple[str, str]:
    """Title ("" for none) and text of a Markdown file; the front matter lends its title and is left out."""
    title = ""
    if (found := _FRONT_MATTER.match(text)) and _KEY.search(found[1] or found[2] or ""):
        named = _TITLE.search(found[1] or found[2])
        title = named[1].strip("\"'") if named else ""
        text = text[found.end() :]
    return title or heading_text(first_heading(text)), text


def heading_text(heading: str) -> str:
    """A heading without its markup."""
    bare = _LINK.sub(r"\1", _IMAGE.sub("", _ANCHOR.sub("", heading)))
    return " ".join(_EMPHASIS.sub(r"\2", bare).split())


def _decoded(body: bytes) -> str:
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")
