"""What a body is, from its first bytes and what its sender calls it.  No I/O."""

from indexers.reading.types import Kind

HEAD = 1024
"""How many bytes tell what a body is."""

_MAGIC = (
    *(
        b"\x89PNG",
        b"GIF8",
        b"\xff\xd8\xff",
        b"RIFF",
        b"OggS",
        b"ID3",
        b"\x1f\x8b",
        b"BZh",
        b"PK\x03\x04",
        b"7z\xbc\xaf",
    ),
    *(
        b"7z\xbc\xaf",
        b"Rar!",
        b"\x7fELF",
        b"MZ",
        b"wOFF",
        b"wOF2",
        b"\x28\xb5\x2f\xfd",
        b"\xfd7zXZ",
        b"\xd0\xcf\x11\xe0",
        b"%!PS",
    ),
)
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_HTML = ("text/html", "application/xhtml+xml")
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_TEXTUAL = ("application/xml", "application/javascript", "application/yaml", "application/toml", "")
_NEVER_TEXT = ("image", "audio", "video", "font", "model")


def media_type(content_type: str) -> str:
    """The type without its parameters, in lower case."""
    return content_type.partition(";")[0].strip().lower()


def charset(content_type: str) -> str:
    """The `charset` parameter, "" where there is none."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'").lower()
    return ""


def may_hold_text(content_type: str) -> bool:
    """Whether it is worth looking at the body at all."""
    return media_type(content_type).partition("/")[0] not in _NEVER_TEXT


def kind_of(content_type: str, head: bytes) -> Kind | None:
    """What a body is that begins with `head`; None for what has no text.  The bytes win over the sender's word."""
    head, media = head[:HEAD], media_type(content_type)
    if b"%PDF-" in head:
        return "pdf"
    if media == _WORD and head.startswith(b"PK"):
        return "word"
    if not may_hold_text(content_type) or _is_binary(head, charset(content_type)):
        return None
    if media in _HTML or begins_as_html(head):
        return "html"
    if media == "application/json" or media.endswith("+json"):
        return "json"
    if media.startswith("text/") or media.endswith("+xml") or media in _TEXTUAL:
        return "text"
    return None


def _is_binary(head: bytes, charset: str) -> bool:
    if head.startswith(_MAGIC):
        return True
    return b"\0" in head and not head.startswith(_WIDE) and not charset.startswith(("utf-16", "utf-32"))


def begins_as_html(head: bytes) -> bool:
    """Whether it is the beginning of a whole page."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")) or (
        start.startswith(b"<?xml") and b"<html" in start
    )
