"""Bytes of a page into text.  No I/O."""

import codecs
import re

import charset_normalizer
import webencodings

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16's, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:\-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:\-]{2,40})[\"']", re.IGNORECASE)
_DECLARED_WITHIN = 1024
_SAMPLE = 16_384
_SHORT = 40
"""Bytes outside ASCII; of fewer the detector takes French for Hungarian."""


def decode(body: bytes, declared: str = "") -> str:
    """The text of a body: by its byte order mark, the sender's word, its own word, as UTF-8, or by its looks.

    `declared` is the sender's; a charset that cannot be, or that the bytes deny, is passed over.  Never raises.
    """
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    for label in (declared, _own_word(body), "utf-8"):
        text = _by_label(body, label)
        if text is not None:
            return text
    return _by_looks(body)


def _own_word(body: bytes) -> str:
    found = _XML.match(body[:_DECLARED_WITHIN]) or _DECLARED.search(body[:_DECLARED_WITHIN])
    return found[1].decode("ascii", "replace") if found else ""


def _by_label(body: bytes, label: str) -> str | None:
    """As the web's rules read the label; None when it is unknown or does not fit.

    Only the labels of those rules are taken: Python's own go from idna to zip.
    """
    encoding = webencodings.lookup(label)
    if encoding is None or encoding.name in ("x-user-defined", "replacement"):
        return None
    if encoding.name == "utf-8":
        return _strictly(body, "utf-8")
    # Of a page in the charset that it names a few bytes are often broken; a page in another one has many.
    text: str = encoding.codec_info.decode(body, "replace")[0]
    return text if text.count("\ufffd") <= len(text) // 1000 else None


def _strictly(body: bytes, encoding: str) -> str | None:
    try:
        return body.decode(encoding)
    except UnicodeDecodeError:
        return None


def _by_looks(body: bytes) -> str:
    sample = _telling(body)
    western = _strictly(body, "cp1252")
    if western is not None and sum(byte > 127 for byte in sample) < _SHORT and _reads_as_words(western):
        return western
    best = charset_normalizer.from_bytes(sample).best()
    text = _strictly(body, best.encoding) if best else None
    return text if text is not None else body.decode("cp1252" if western else "utf-8", "replace")


def _telling(body: bytes) -> bytes:
    """The lines that are not ASCII, as many as it takes."""
    lines, size = [], 0
    for line in body.splitlines():
        if not line.isascii():
            lines.append(line[:_SAMPLE])
            size += len(line)
        if size > _SAMPLE:
            break
    return b"\n".join(lines)


def _reads_as_words(text: str) -> bool:
    """Whether what is not ASCII are letters and typographic signs, as in a Western language."""
    odd = {character for character in text if ord(character) > 127}
    return all(character.isalpha() or character in "–—‘’“”„«»…•€£§©®°·×¡¿\u00a0" for character in odd)
