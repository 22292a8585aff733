"""The text of an HTML page or file, as its reader sees it.  No I/O."""

import re
from typing import Any

import lxml.etree
import trafilatura

from indexers.reading.charset import decode
from indexers.reading.cutting import one_line
from indexers.reading.failures import Unreadable
from indexers.reading.hidden import strip_hidden
from indexers.reading.types import Extracted
from indexers.reading.walls import SHORT, ends_before_its_end, marks, wall

_LONGEST_TAG = 65_536
_MOST_ATTRIBUTES = 2_000
_MOST_TAGS = 200_000
_TAG = re.compile(r"<[^<>]{4096,}>?")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_DATA_URL = re.compile(r"\bdata:[\w/+.\-]{0,80}[;,][^\"'\s<>)]{512,}", re.IGNORECASE)
_LONG = 1_000_000
"""Characters: where there are so many, there is something to parse."""
_LEAST_SHARE = 0.02
"""Of the visible text: an extraction with less has missed the page."""

_ESCAPED = re.compile(r"(`[^`\n]*`|^\\[#>+-])|\\([!-/:-@\[-`{-~])", re.M)

_BLOCKS = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "br",
            "caption",
            "dd",
            "div",
            "dl",
            "dt",
            "fieldset",
            "figcaption",
        ),
        *(
            "figure",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hr",
            "legend",
            "li",
            "main",
            "nav",
        ),
        *("ol", "p", "pre", "section", "summary", "table", "td", "th", "tr", "ul"),
    )
)


def read_html(body: bytes, charset: str = "", *, web: bool) -> Extracted:
    """Title and text, what is hidden left out.  Raises `Unreadable`.

    A file, which is no page of the web, stands for itself, whatever walls it looks like.
    """
    source = _DATA_URL.sub("data:,", decode(body, charset))
    if web and _is_too_heavy(source):
        raise Unreadable("too_heavy")
    root = _parsed(source)
    seen = marks(root, source)
    strip_hidden(root)
    title, visible = _title(root), visible_text(root)
    article = _article(root)
    found = wall(seen, title, article, visible) if web else None
    if found:
        raise Unreadable(found)
    # Where no article is found, as in forums and tables, all that is visible is the text.
    text = article if len(article) >= max(SHORT, _LEAST_SHARE * len(visible)) else visible
    paid = web and (seen.paid or ends_before_its_end(text))
    if not text:
        raise Unreadable("paywall" if paid else "empty")
    return Extracted(title, text, ("paywall",) if paid else ())


def _parsed(source: str) -> Any:
    root = trafilatura.load_html(source)
    if root is None:  # it takes a few bare words or one paragraph for no page at all
        root = trafilatura.load_html(f"<html><head></head><body><div>{source}</div></body></html>")
    if root is None:
        # It also says nothing of memory that ran out.
        raise Unreadable("too_heavy" if len(source) > _LONG else "empty")
    return root


def visible_text(root: Any) -> str:
    """All text of the body, a line a block."""
    parts: list[str] = []
    bodies = root.xpath("//body") or [root]
    for event, element in lxml.etree.iterwalk(bodies[0], events=("start", "end")):
        if element.tag in _BLOCKS:
            parts.append("\n")
        piece = element.text if event == "start" else element.tail
        if piece and isinstance(element.tag, str) and not (event == "end" and element is bodies[0]):
            parts.append(" ".join(f".{piece}.".split())[1:-1])
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _article(root: Any) -> str:
    markdown = trafilatura.extract(
        root,
        output_format="markdown",
        include_comments=False,
        include_tables=True,
        include_links=False,
        include_images=False,
    )
    return _unescaped(markdown or "")


def _unescaped(markdown: str) -> str:
    """What stands on the page, word for word: `snake_case` is looked up and quoted as such.

    A sign at the beginning of a line stays escaped, so that it makes no heading.
    """
    parts = re.split(r"^(```.*?^```)", markdown, flags=re.M | re.S)
    parts[::2] = [_ESCAPED.sub(lambda found: found[1] or found[2], part) for part in parts[::2]]
    return "".join(parts)


def _title(root: Any) -> str:
    for path in ("//head//title", "//meta[@property='og:title']/@content", "//title", "//h1"):
        for found in root.xpath(path):
            title = one_line(found if isinstance(found, str) else found.text_content())
            if title:
                return title
    return ""


def _is_too_heavy(source: str) -> bool:
    """Whether parsing would take out of proportion: time goes with the square of a tag's attributes."""
    if source.count("<") > _MOST_TAGS:
        return True
    return any(
        len(tag[0]) > _LONGEST_TAG or len(_QUOTED.sub("", tag[0]).split()) > _MOST_ATTRIBUTES
        for tag in _TAG.finditer(source)
    )
