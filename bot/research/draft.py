"""The draft of an answer while it streams: pieces of a model's text in, gated pieces out.  No I/O.

What is handed out has passed both gates and carries final numbers.  What may still turn into something else is held
back: a tool call written as text, a thought, an open bracket, tag, address or code span.
"""

import re
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace

from bot.research.citations import Numbering, gate_prose
from bot.research.links import LinkGate
from bot.research.markup import Lines, Part, lines_of, mask_parts
from bot.research.reply import without_thoughts
from bot.research.textcalls import MAY_BEGIN_CALL, take_calls
from bot.research.types import Source

AT_ONCE = 24
"""Characters of a line that are looked at together."""
LONGEST_HELD = 2_000
"""Characters of one line that an open bracket may hold back."""
SELDOM = 500
"""Characters held back, from which on they are looked at more rarely."""

_THINKS = re.compile(r"\s*<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_CALL_OR_THOUGHT = re.compile(rf"{MAY_BEGIN_CALL.pattern}|(?i:</?(?:think|thinking|thought|reasoning)>)")
_GROWS = re.compile(
    r"(?:<[^<>\s]{0,20}|\[[A-Za-z_\s]{0,20}|(?:\[\s{0,8})?\{[\s{]{0,8}[\"'“]?\w{0,20}[\"'”]?\s{0,8}"
    r"|\b(?:to=\S{0,80}|call:\S{0,80}))\Z"
)
_SUSPECT = re.compile(r"[{<]|\[(?:[TC]|[A-Za-z_\s]{0,20}\Z)|to=|call:")
_FENCE_OR_DEFINITION = re.compile(r"[ \t>*+\-\d.)]*(?:`{3}|~{3}|`{1,2}\Z|~{1,2}\Z|\Z|\[[^\]]*(?:\Z|\](?:\Z|:)))")
_FENCE = re.compile(r"[ \t>*+\-\d.)]*(?:`{3}|~{3})")
_PLAIN = re.compile(r"(?:[\w\s,;!?'’()*\-–—\"“”«»%€$+=#…]|[.:](?=\s|\Z))*")
_SIGN = re.compile(r"\\?[\[\]]\(?|\\.|`+|<(?=[A-Za-z/!|])|[()>]|\s+", re.DOTALL)
_MARK = re.compile(r"[\]】］]\)?[,;]?(?:\s{1,3}(?:and|et|und|y|e|en|&))?\Z", re.IGNORECASE)
_GOES_ON = re.compile(r"\s+(?:(?:and|et|und|y|e|en|&)\b|[\[【［\\!]|\S*\Z)", re.IGNORECASE)
_ONLY_MARKERS = re.compile(r"[\s>*+\-_#\d.)]*")


class Draft:
    """One reply on its way.

    `sources` are those of the run by their refs, `allowed` the addresses of the user and the hints.  The draft may be
    stricter than the final text: a link to a source is live only where that source was cited before it.
    """

    def __init__(self, sources: Mapping[int, Source], allowed: Iterable[str]) -> None:
        self._known = sources.keys()
        self._numbering = Numbering(sources)
        self._allowed = tuple(allowed)
        self._gate = LinkGate(self._allowed)
        self._cited = 0
        self._lines = Lines()
        self._pieces: list[str] = []
        self._done: list[str] = []
        """What of the text has been gated, as it came."""
        self._pending = ""
        self._retry_at = 0
        self._held = False
        """The rest is held back until the end."""
        self._in_line = False
        self._gap = ""
        """White space to hand out before the next word."""
        self._begun = False

    def feed(self, piece: str) -> str:
        """What can be handed out now that this piece has come."""
        self._pieces.append(piece)
        if self._held:
            return ""
        self._pending += piece
        size = len(self._pending)
        if size < self._retry_at or (size < AT_ONCE and "\n" not in self._pending):
            return ""
        given = self._ready()
        # What is held back long is looked at ever more rarely, or a long line would cost its length squared.
        self._retry_at = len(self._pending) * 3 // 2 if len(self._pending) > SELDOM else 0
        return given

    def _ready(self) -> str:
        given = list[str]()
        while not self._held and self._thought_over() and (size := self._next()):
            out = self._gated(self._pending[:size])
            if out is None:
                break
            self._done.append(self._pending[:size])
            self._pending = self._pending[size:]
            given.append(out)
        return "".join(given)

    def finish(self) -> str:
        """The rest, once the reply has ended and is known to call nothing."""
        self._held = True
        whole, _ = take_calls(without_thoughts("".join(self._pieces)), ())
        done = "".join(self._done).lstrip()
        rest = whole[len(done) :] if whole.startswith(done.rstrip()) else ""
        return "".join(self._gated(line, last=True) or "" for line in lines_of(rest))

    def _thought_over(self) -> bool:
        """Whether no thought is open at the beginning; one that is closed is dropped, with the white space behind."""
        if not self._done:
            self._pending = self._pending.lstrip()
        while not self._done and (opening := _THINKS.match(self._pending)):
            closing = _THOUGHT.search(self._pending, opening.end())
            if not closing:
                return False
            self._pending = self._pending[closing.end() :].lstrip()
        return True

    def _next(self) -> int:
        """The size of the next piece that no later text can change; 0 for none."""
        text = self._pending
        limit, grows = self._limit(text)
        size = text.find("\n") + 1
        line = text[:size] if size else text
        if not self._in_line and _FENCE_OR_DEFINITION.match(line):
            whole = self._block(text) if _FENCE.match(line) else size
        else:
            whole = size if 0 < size <= limit else _cut(line[:limit])
        if whole and whole <= limit:
            return whole
        self._held = limit < len(line) and not grows
        return 0

    def _block(self, text: str) -> int:
        """The size of the fenced block that a text begins with, 0 while it is open: a draft may be broken off, and
        must not leave a fence open to the next one."""
        lines, size = copy(self._lines), 0
        for line in lines_of(text):
            if not line.endswith(("\n", "\r")):
                return 0
            lines.line(line)
            size += len(line)
            if not lines.fenced:
                return size
        return 0

    def _limit(self, text: str) -> tuple[int, bool]:
        """How far the text is no call, and whether that may change with what comes next."""
        limit, changes = len(text), True
        if _SUSPECT.search(text):
            found = _CALL_OR_THOUGHT.search(text)
            grows = None if found else _GROWS.search(text, max(0, len(text) - 120))
            limit = found.start() if found else grows.start() if grows else len(text)
            changes = not found
        size = text.find("\n") + 1
        if not self._in_line and _FENCE.match(text) and not text[size:limit].strip():
            return 0, changes  # a fence that may hold nothing but a call
        return limit, changes

    def _gated(self, piece: str, *, last: bool = False) -> str | None:
        """The piece after both gates; None where its line has nothing to show yet."""
        ends = piece.endswith(("\n", "\r"))
        tried = not (ends or last or self._in_line)
        lines = copy(self._lines) if tried else self._lines
        parts = self._parts(lines, piece, last)
        plain = _PLAIN.fullmatch(piece) and not any(part.code for part in parts)
        out = piece if plain else self._through_gates(parts)
        if tried and _ONLY_MARKERS.fullmatch(out):
            return None
        if not self._in_line:
            lines.shown(piece, out)
        self._lines, self._in_line = lines, not ends
        return self._handed_out(out)

    def _parts(self, lines: Lines, piece: str, last: bool) -> list[Part]:
        if self._in_line:
            bare = piece.rstrip("\r\n")
            return [Part(True, ""), *lines.inline(bare), Part(False, piece[len(bare) :])]
        if last or piece.endswith(("\n", "\r")):
            return [part for line in lines_of(piece) for part in lines.line(line)]
        lines.begin(piece)
        return lines.inline(piece)

    def _through_gates(self, parts: list[Part]) -> str:
        masked = mask_parts(parts)
        numbered = self._numbering.renumber_prose(gate_prose(masked.text, self._known))
        if len(self._numbering.sources) > self._cited:
            self._cited = len(self._numbering.sources)
            self._gate = LinkGate([*self._allowed, *(source["url"] for source in self._numbering.sources)])
        gated = self._gate.masked(replace(masked, text=numbered))
        return gated.restore(gated.text)

    def _handed_out(self, out: str) -> str:
        text = self._gap + out
        shown = text.rstrip()
        self._gap = text[len(shown) :] if shown or self._begun else ""
        shown = shown if self._begun else shown.lstrip()
        self._begun = self._begun or bool(shown)
        return shown


def _cut(line: str) -> int:
    """Where a line that is not whole yet can be cut: before white space, with nothing left open."""
    best, last, ticks, square, target, angle = 0, 0, "", 0, 0, False
    for found in _SIGN.finditer(line):
        sign = found[0]
        if ticks or sign[0] == "`":
            ticks = "" if sign == ticks else ticks or sign
        elif "[" in sign or "]" in sign:
            square = max(0, square + (1 if "[" in sign else -1))
            target += sign == "]("
        elif sign in "()" and target:
            target += 1 if sign == "(" else -1
        elif sign in "<>":
            angle = sign == "<"
        elif sign.isspace():
            last = found.start()
            best = last if not (square or target or angle) and _is_over(line, last) else best
    return best if len(line) - best <= LONGEST_HELD else last


def _is_over(line: str, place: int) -> bool:
    """Whether no mark goes on behind this white space."""
    return not (_MARK.search(line, max(0, place - 9), place) and _GOES_ON.match(line, place))
