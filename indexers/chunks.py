"""Cuts a document into chunks that are short enough to embed and to quote.  No I/O.

Chunks do not overlap: put together they are the document again, a passage is found once, and what a chunk lacks of its
surroundings it has from its title and headings, or is read from its neighbours.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

CHUNKER = "1"
"""Goes into the fingerprint of a document: raise it when chunks come out differently, and all are cut anew."""
SIZE = 512
"""Tokens in a chunk; a heading that must stay with its text may add a quarter.  A token is taken for four bytes of
UTF-8, which is about what models make of English."""

BYTES_PER_TOKEN = 4

_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{3,})[ \t]*$")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+|[。！？]+\s*|\n(?=[ \t]*(?:[-*+|>]|\d+[.)])[ \t])")
_LINE_END = re.compile(r"\n")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Chunk:
    ordinal: int
    """Its place in the document, from 0."""
    headings: tuple[str, ...]
    """The headings above its first line, outermost first, without the document's title."""
    text: str
    """A part of the document's text, white space included."""


@dataclass(slots=True)
class _Block:
    """A paragraph with the blank lines after it, a heading, or a fenced block."""

    text: str
    level: int = 0
    heading: str = ""
    code: bool = False


def chunks(text: str, *, title: str = "", size: int = SIZE) -> list[Chunk]:
    """The chunks of a text in Markdown, or plain; none for a blank one.  `title` is the document's."""
    whole: list[tuple[tuple[str, ...], str]] = []
    path: list[tuple[int, str]] = []
    for group in _groups(_blocks(text), size * BYTES_PER_TOKEN):
        first = next((block for block in group if block.text.strip()), group[0])
        above = tuple(heading for level, heading in path if not first.level or level < first.level)
        whole.append((above[1:] if above[:1] == (title,) else above, "".join(block.text for block in group)))
        for block in group:
            if block.level:
                path = [(level, heading) for level, heading in path if level < block.level]
                path.append((block.level, block.heading))
    return [Chunk(ordinal, above, part) for ordinal, (above, part) in enumerate(_without_blanks(whole))]


def embedded_text(chunk: Chunk) -> str:
    """What is embedded of a chunk, beside the title of its document: the headings above it before its text."""
    return "\n".join(part for part in (" › ".join(chunk.headings), chunk.text.strip()) if part)


def heading_at(chunk_text: str, headings: tuple[str, ...], position: int) -> str:
    """The innermost heading that a position in a chunk stands under; "" where there is none."""
    return ("", *headings, *headings_in(chunk_text[:position]))[-1]


def headings_in(text: str) -> Iterator[str]:
    """The headings that stand in a text itself."""
    return (block.heading for block in _blocks(text) if block.level)


def first_heading(text: str) -> str:
    """The first heading of a text, "" where there is none."""
    return next(headings_in(text), "")


def _groups(blocks: Iterator[_Block], limit: int) -> Iterator[list[_Block]]:
    """Blocks packed up to `limit` bytes; a heading begins a new group unless the one before is still small."""
    group: list[_Block] = []
    held = 0
    for block in blocks:
        for atom in _atoms(block, limit):
            length = _bytes(atom.text)
            if held + length > limit or (atom.level and held >= limit // 4):
                kept = _without_trailing_headings(group, limit // 4)
                if kept:
                    yield group[:kept]
                group = group[kept:]
                held = sum(_bytes(one.text) for one in group)
            group.append(atom)
            held += length
    if group:
        yield group


def _without_trailing_headings(group: list[_Block], most: int) -> int:
    """How many blocks come before the headings at its end, which belong to what follows unless they are long."""
    kept = len(group)
    while kept and (group[kept - 1].level or not group[kept - 1].text.strip()):
        kept -= 1
    return kept if sum(_bytes(one.text) for one in group[kept:]) <= most else len(group)


def _atoms(block: _Block, limit: int) -> Iterator[_Block]:
    """The block whole where it fits, else in parts: a fenced one by lines, others by sentences."""
    if _bytes(block.text) <= limit:
        yield block
        return
    tiers = [_LINE_END, _SPACE] if block.code else [_SENTENCE_END, _LINE_END, _SPACE]
    parts = _parts(block.text, tiers, limit)
    yield replace(block, text=next(parts))
    yield from (_Block(part, code=block.code) for part in parts)


def _parts(text: str, tiers: list[re.Pattern[str]], limit: int) -> Iterator[str]:
    if not tiers:
        step = limit if text.isascii() else limit // BYTES_PER_TOKEN
        yield from (text[start : start + step] for start in range(0, len(text), step))
        return
    start = 0
    for end in (*(found.end() for found in tiers[0].finditer(text)), len(text)):
        part = text[start:end]
        if _bytes(part) > limit:
            yield from _parts(part, tiers[1:], limit)
        elif part:
            yield part
        start = end


def _blocks(text: str) -> Iterator[_Block]:
    lines = iter(text.splitlines(keepends=True))
    held: list[str] = []
    for line in lines:
        bare = line.rstrip()
        if len(held) == 1 and held[0].strip() and (found := _UNDERLINE.match(bare)):
            yield _Block(held[0] + line, 1 if found[1][0] == "=" else 2, held[0].strip())
            held = []
        elif found := _HEADING.match(bare):
            yield from _paragraph(held)
            yield _Block(line, len(found[1]), found[2].strip())
            held = []
        elif found := _FENCE.match(bare):
            yield from _paragraph(held)
            yield _Block(line + "".join(_fenced(lines, found[1])), code=True)
            held = []
        elif bare and held and not held[-1].strip():
            yield from _paragraph(held)
            held = [line]
        else:
            held.append(line)
    yield from _paragraph(held)


def _paragraph(lines: list[str]) -> Iterator[_Block]:
    if lines:
        yield _Block("".join(lines))


def _fenced(lines: Iterator[str], fence: str) -> Iterator[str]:
    """The lines up to the one that closes the fence, or to the end."""
    for line in lines:
        yield line
        bare = line.strip()
        if len(bare) >= len(fence) and set(bare) == {fence[0]}:
            return


def _without_blanks(parts: list[tuple[tuple[str, ...], str]]) -> list[tuple[tuple[str, ...], str]]:
    """White space alone is no chunk: it goes to the chunk before, or after at the start."""
    whole: list[tuple[tuple[str, ...], str]] = []
    before = ""
    for above, part in parts:
        if part.strip():
            whole.append((above, before + part))
            before = ""
        elif whole:
            whole[-1] = (whole[-1][0], whole[-1][1] + part)
        else:
            before += part
    return whole


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
