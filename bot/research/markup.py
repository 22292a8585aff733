"""What of a text is code, and what is prose.  No I/O.

Everything that is gated is gated in the prose.  So only what every reader of Markdown takes for code is code here:
fenced blocks, and code spans that end on their line.  Where readers differ, the text counts as prose.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

TARGET = (
    r"\(\s*+(?:<[^<>\n]*+>|(?!<)(?:[^\s()\\]|\\[^\n]|\((?:[^\s()\\]|\\[^\n])*+\))*+)"
    r"(?:\s++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?+\s*+\)"
)
"""What follows the brackets of a link: an address, perhaps a title, in round brackets."""

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++\Z")
_TICKS = re.compile(r"`++")
_FENCE = re.compile(
    r"(?P<prefix>(?: {0,3}> ?)*+ *+(?:(?:[-*+]|\d{1,9}[.)]) {1,4}(?=[^ ]))*+)(?P<marks>`{3,}+(?=[^`]*+\Z)|~{3,}+)"
)
_QUOTES = re.compile(r"\A(?: {0,3}> ?)*+")
_TABBED = re.compile(r"[ >*+\-\d.)]*+\t[ \t>*+\-\d.)]*+(?:```|~~~)")
_ITEM = re.compile(r"( *+)(?:[-*+]|(\d{1,9})[.)]) {1,4}(?=\S)")
_RULE = re.compile(r" {0,3}([-*_])(?: *\1){2,} *\Z")
_BLOCK = re.compile(
    r"(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*+"
    r"<(?:[!?]|(?P<raw>/?(?:pre|script|style|textarea)\b)|/?[a-z][a-z0-9-]*+(?=[\s/>]|\Z))",
    re.IGNORECASE,
)
_LEAD = re.compile(r"\A(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=\s|\Z))*+")
_IN_ADDRESS = re.compile(r"(?:://|www\.)[^\s<>()\[\]]*+\Z", re.IGNORECASE)
_CELLS = re.compile(r"(?<!\\)\|")
_MAY_GO_ON = re.compile(r"\]\(|<(?=[A-Za-z/!?])")
_WHOLE_TAG = re.compile(r"<[A-Za-z/](?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+>")
_LINK_TARGET = re.compile(TARGET)
_FIRST_SIGN = 0xE000


class Part(NamedTuple):
    code: bool
    text: str


class Lines:
    """Tells code from prose line by line, in one pass: what it said of a line never changes with later ones."""

    def __init__(self) -> None:
        self._fence = ""
        self._quotes = self._indent = 0
        """How many quotations the fence stands in, and how many spaces behind their signs."""
        self._item = 0
        """Where the text of the list item that we are in begins; 0 outside of lists."""
        self._after_blank = True
        self._unclear = False
        """Of the rest of this paragraph: readers may pair its backticks differently."""
        self._in_html = False
        self._lost = False
        """Of the rest of the text: readers may differ on what is fenced."""

    @property
    def fenced(self) -> bool:
        return bool(self._fence)

    def line(self, line: str) -> list[Part]:
        """The parts of one whole line, with its line break; the break itself is prose."""
        bare = line.rstrip("\r\n")
        end = [Part(False, line[len(bare) :])] if len(bare) < len(line) else []
        if self._fence and self._still_fenced(bare):
            return [Part(True, bare), *end]
        if not self._lost and self._opens(bare):
            return [Part(True, bare), *end]
        self.begin(bare)
        return [*self.inline(bare), *end]

    def begin(self, line: str) -> None:
        """Takes note of how a line of prose begins: a blank one ends a paragraph, an item begins a list."""
        if not line.strip(" \t"):
            self._after_blank, self._unclear, self._in_html = True, False, False
            return
        if block := _BLOCK.match(line):
            self._unclear = self._in_html = True
            self._lost = self._lost or block["raw"] is not None or block[0][-1] in "!?"
        item = _ITEM.match(line)
        if item and not _RULE.match(line) and self._begins_item(item):
            self._item = item.end()
        elif len(line) - len(line.lstrip(" ")) < self._item:
            self._item = 0
        self._after_blank = False

    def inline(self, text: str) -> list[Part]:
        """The parts of a piece of a line of prose; a piece never ends inside a code span."""
        parts, start, table = [], 0, False
        for opening, closing in _spans(text):
            gap = text[start : opening.start()]
            self._unclear = self._unclear or closing is None or _takes_ticks(gap)
            if self._unclear or self._lost or closing is None:
                break
            # The cells of a table are told apart before their code is.
            table = table or _CELLS.search(text, opening.end(), closing.start()) is not None
            if not table:
                parts += [Part(False, gap), Part(True, text[opening.start() : closing.end()])]
                start = closing.end()
        rest = text[start:]
        self._unclear = self._unclear or _left_open(rest)
        return [*parts, Part(False, rest)]

    def shown(self, line: str, out: str) -> None:
        """Takes note of how a line of prose looks now that it is gated: where what it begins with has changed, readers
        of the result may see another structure than the one seen here."""
        before, after = _LEAD.sub("", line, count=1)[:1], _LEAD.sub("", out, count=1)[:1]
        if before != after:
            self._item = 0
        if line != out:
            begins = [sign for sign in (_FENCE, _ITEM, _BLOCK) if sign.match(out) and not sign.match(line)]
            self._lost = self._lost or bool(begins)

    def _still_fenced(self, line: str) -> bool:
        """Whether this line belongs to the open fence; the line that closes it does."""
        quoted = re.compile(rf"(?: {{0,3}}> ?){{{self._quotes}}}").match(line)
        rest = line[quoted.end() :] if quoted else ""
        indent = len(rest) - len(rest.lstrip(" ")) - self._indent
        if not quoted or (indent < 0 and rest.strip(" ")):
            self._fence, self._lost = "", True  # its list or quotation has ended, and the fence with it
            return False
        marks = rest.strip(" \t") if "\t" not in rest[: max(indent, 0) + self._indent + 1] else ""
        if set(marks) != {self._fence[0]} or len(marks) < len(self._fence) or (indent > 3 and not self._indent):
            return True
        self._fence, self._after_blank = "", True
        self._unclear = self._in_html = False
        self._lost = self._lost or (indent > 0 and self._indent > 0)  # so deep, it may be code
        return True

    def _opens(self, line: str) -> bool:
        found = _FENCE.match(line)
        if not found:
            self._lost = self._lost or bool(_TABBED.match(line))
            return False
        prefix = found["prefix"]
        item = _ITEM.match(line) if prefix.strip(" >") else None
        if self._in_html or "|" in line or not (self._deep_enough(prefix) if not item else self._begins_item(item)):
            self._lost = True
            return False
        if item:
            self._item = len(prefix)
        self._fence, self._quotes = found["marks"], prefix.count(">")
        self._indent = len(_QUOTES.sub("", prefix, count=1))
        return True

    def _deep_enough(self, prefix: str) -> bool:
        """Whether a fence after these spaces is one, and neither indented code nor the going on of a paragraph."""
        if prefix.strip(" >") or (">" in prefix and prefix[0] == " "):
            return False  # an item inside a quotation, or a quotation that may be inside an item
        spaces = len(_QUOTES.sub("", prefix, count=1))
        return spaces <= 3 or (">" not in prefix and 0 < self._item <= spaces <= self._item + 3)

    def _begins_item(self, item: re.Match[str]) -> bool:
        indent = len(item[1])
        near = indent <= 3 or 0 < self._item <= indent <= self._item + 3
        return near and (item[2] is None or int(item[2]) == 1 or self._after_blank or self._item > 0)


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with one sign in the place of each piece of code: `sign`, its number, `sign`."""

    text: str
    codes: tuple[str, ...]
    sign: str

    def restore(self, text: str) -> str:
        if not self.codes:
            return text
        return re.sub(f"{self.sign}([0-9]+){self.sign}", lambda found: self.codes[int(found[1])], text)

    def codes_in(self, text: str) -> list[str]:
        if not self.codes:
            return []
        return [self.codes[int(number)] for number in re.findall(f"{self.sign}([0-9]+){self.sign}", text)]

    def without_codes(self, text: str) -> str:
        return re.sub(f"{self.sign}[0-9]+{self.sign}", "", text) if self.codes else text


def mask(text: str) -> Masked:
    """The text with its code taken out, so that what stands around it can be read as one."""
    if "`" not in text and "~~~" not in text:
        return Masked(text, (), unused_sign(text))
    return mask_parts(parts_of(text))


def mask_parts(parts: Iterable[Part]) -> Masked:
    pieces, codes = [], list[str]()
    parts = list(parts)
    if not any(part.code for part in parts):
        text = "".join(part.text for part in parts)
        return Masked(text, (), unused_sign(text))
    sign = unused_sign("".join(part.text for part in parts))
    for part in parts:
        if part.code:
            pieces.append(f"{sign}{len(codes)}{sign}")
            codes.append(part.text)
        else:
            pieces.append(part.text)
    return Masked("".join(pieces), tuple(codes), sign)


def parts_of(text: str) -> Iterator[Part]:
    lines = Lines()
    for line in lines_of(text):
        yield from lines.line(line)


def lines_of(text: str) -> Iterator[str]:
    """The lines as Markdown counts them, each with its break."""
    return (found[0] for found in _LINE.finditer(text))


def outside_code(text: str, transform: Callable[[str], str]) -> str:
    """`transform` on the prose, in which a sign stands for each piece of code; the code itself is left alone."""
    masked = mask(text)
    return masked.restore(transform(masked.text))


def unused_sign(text: str, used: str = "") -> str:
    """A private-use character that does not occur in the text."""
    return next(sign for sign in map(chr, range(_FIRST_SIGN, 0x110000)) if sign not in text and sign not in used)


def _spans(text: str) -> Iterator[tuple[re.Match[str], re.Match[str] | None]]:
    """Each run of backticks that opens a code span, with the run that closes it, if there is one."""
    runs = list(_TICKS.finditer(text))
    after: list[int | None] = [None] * len(runs)
    seen: dict[int, int] = {}
    for place in range(len(runs) - 1, -1, -1):
        length = len(runs[place][0])
        after[place], seen[length] = seen.get(length), place
    place = 0
    while place < len(runs):
        closing = after[place]
        yield runs[place], None if closing is None else runs[closing]
        place = place + 1 if closing is None else closing + 1


def _takes_ticks(gap: str) -> bool:
    """Whether a backtick right after this prose may be taken for a part of it: escaped, or in an address."""
    return gap.endswith("\\") or bool(_IN_ADDRESS.search(gap, max(0, len(gap) - 2_000))) or _left_open(gap)


def _left_open(gap: str) -> bool:
    """Whether this prose leaves a tag, a link or a definition open that may go on."""
    position = 0
    while sign := _MAY_GO_ON.search(gap, position):
        whole = (_LINK_TARGET if sign[0] == "](" else _WHOLE_TAG).match(gap, sign.end() - 1)
        if not whole:
            return True
        position = whole.end()
    return gap.rstrip().endswith("]:")
