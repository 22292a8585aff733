"""What is read, and what comes of it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["html", "pdf", "word", "json", "text"]
Note: TypeAlias = Literal["paywall", "cut", "pages"]

NOTES: dict[Note, str] = {
    "paywall": "Only the free part of this page could be read.",
    "cut": "The text is cut.",
    "pages": "Only the first pages of this document were read.",
}
"""What a reader should know of a text that is not the whole one."""


@dataclass(frozen=True, slots=True)
class Page:
    """An answer as it came: the address after redirects, the HTTP status (an error's too), the `Content-Type` header,
    and the body, decompressed and within its limit."""

    url: str
    status: int
    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of one page or file.  `title` is one line, "" where there is none; `text` is Markdown or plain."""

    title: str
    text: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class PageText:
    """A page that was read: the address after redirects, and what `Extracted` says."""

    url: str
    title: str
    text: str
    notes: tuple[Note, ...] = ()
