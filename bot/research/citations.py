"""The marks by which an answer cites: `[5]`, and every other way in which models write it.  No I/O.

Code is never touched.  A number of four or more digits is text, so is a range over ten.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from bot.research.markup import TARGET, outside_code
from bot.research.types import Source

LONGEST_RANGE = 10
PASSES = 4

_S = "[ \t\xa0\u2009\u202f\u200b-\u200f\u2060\ufeff]{0,3}"
"""White space within a mark, that which is not seen too."""
_LABEL = (
    rf"(?:refs?|références?|références?|references?|réf|sources?|citations?|cites?|results?|hits?|quellen?|fuentes?|fontes?"
    rf"|bron)\.?{_S}:?{_S}#?{_S}"
)
_DASH = "[-~\u2010-\u2015\u2212\uff5e]"
_ITEM = rf"(?:{_LABEL}|#)?\^?[0-9]{{1,3}}(?:{_S}{_DASH}{_S}[0-9]{{1,3}})?"
_AND = r"(?:and|et|und|y|e|en|&)[ \t]{1,3}"
_SEPARATOR = rf"(?:{_S}[,;、，]{_S}(?:{_AND})?|[ \t]{{1,3}}(?:{_AND})?)"
_BODY = rf"{_S}{_ITEM}(?:{_SEPARATOR}{_ITEM}){{0,20}}{_S}(?:(?:†|[ \t:,–-]{{1,4}}https?://)[^\[\]【】［］\n]{{0,300}})?"
_MARK = rf"(?>\[\[{_BODY}\]\]|\\?[\[【［]{_BODY}\\?[\]】］])(?:{TARGET})?+"
_IMAGE = rf"(?>!\[{_BODY}\]{TARGET})"
_JOIN = rf"(?>{_S}(?:[,;]{_S})?(?:{_AND})?)"
_RUN = rf"(?>{_IMAGE}|{_MARK})(?:{_JOIN}(?>{_IMAGE}|{_MARK}))*+"

_MARKS = re.compile(
    rf"(?P<lead>[ \t]?)(?:\((?P<round>{_S}{_RUN}{_S})\)|(?P<bare>{_RUN})|\[(?P<square>{_S}{_RUN}{_S})\])"
    r"(?P<trail>[ \t]?)",
    re.IGNORECASE,
)
_ONE = re.compile(rf"(?P<join>{_JOIN})(?P<mark>{_IMAGE}|{_MARK})", re.IGNORECASE)
_BODY_OF = re.compile(r"[!\\\s]*[\[【［]{1,2}((?:(?!https?:)[^†\]】］\\])*+)")
_NUMBERS = re.compile(rf"([0-9]+)(?:{_S}{_DASH}{_S}([0-9]+))?")
_THOUSANDS = re.compile(r"[0-9],0[0-9]")
_DEFINITION = re.compile(
    r"^[ \t>]{0,9}(?:[-*+][ \t]{1,4})?\[\^?[0-9]{1,3}\]:[ \t]*+(?:\n[ \t]*+)?<?(?:[a-z][a-z0-9+.-]{0,20}://|//|www\.|"
    r"(?:mailto|javascript|data|vbscript|tel):)[^\n]*+(?:\n|\Z)",
    re.IGNORECASE | re.MULTILINE,
)
_SINGLE = re.compile(r"\[([0-9]{1,9})\]")
_PARENTHESES = str.maketrans("[]【】［］", "()()()")
_OPENING = re.compile(r"[\[【［](?=[\s\\^]{0,4}[0-9])")


class Numbering:
    """Final footnote numbers, given out in the order of first citation; `sources` are those cited up to now."""

    def __init__(self, ref_to_source: Mapping[int, Source]) -> None:
        self._given = ref_to_source
        self._numbers: dict[int, int] = {}
        self.sources: list[Source] = []

    def renumber(self, text: str) -> str:
        """The text with its single marks renumbered; a ref that no search gave stays as text."""
        return outside_code(text, self.renumber_prose)

    def renumber_prose(self, prose: str) -> str:
        """The same for a text whose code is masked."""
        return _SINGLE.sub(self._mark, prose)

    def _mark(self, found: re.Match[str]) -> str:
        ref = int(found[1])
        source = self._given.get(ref)
        if source is None:
            return found[0]
        if ref not in self._numbers:
            self._numbers[ref] = len(self._numbers) + 1
            self.sources.append({**source, "ref": self._numbers[ref]})
        return f"[{self._numbers[ref]}]"


def renumber_citations(text: str, ref_to_source: Mapping[int, Source]) -> tuple[str, list[Source]]:
    """The first ref cited becomes `[1]`, the next new one `[2]`, …; the sources cited, as copies with the new `ref`."""
    numbering = Numbering(ref_to_source)
    return numbering.renumber(text), numbering.sources


def gate_citations(text: str, known: Collection[int]) -> tuple[str, int]:
    """The text with every mark as single marks `[5]`, without the numbers that are not known, and how many were
    removed.  Addresses written behind a mark go; so do definitions of a number (`[5]: https://…`)."""
    gate = _Gate(known)
    for _ in range(PASSES):
        before, text = text, outside_code(text, gate.once)
        if text == before:
            return text, gate.dropped
    return outside_code(text, gate.last), gate.dropped


def gate_prose(prose: str, known: Collection[int]) -> str:
    """The same for a text whose code is masked, without the count."""
    return _Gate(known).prose(prose)


def strip_citations(text: str) -> str:
    """The text without any mark."""
    return gate_citations(text, ())[0]


def cites(text: str) -> list[int]:
    """The numbers that the text cites, in order and as often as it does, known or not."""
    numbers: list[int] = []

    def collect(prose: str) -> str:
        without = _DEFINITION.sub("", prose)
        for run in _MARKS.finditer(without):
            for one in _ONE.finditer(_marks_of(run)):
                numbers.extend(_numbers(one["mark"]) or [])
        return prose

    outside_code(text, collect)
    return numbers


def without_new_marks(before: str, after: str) -> str:
    """What became of a text, with the marks that it did not hold before made plain text."""
    if before == after or not (new := Counter(cites(after)) - Counter(cites(before))):
        return after
    return outside_code(after, lambda prose: _MARKS.sub(lambda found: _plain(found, new), prose))


def _plain(found: re.Match[str], numbers: Collection[int]) -> str:
    marks = [_numbers(one["mark"]) or [] for one in _ONE.finditer(_marks_of(found))]
    return found[0].translate(_PARENTHESES) if any(number in numbers for mark in marks for number in mark) else found[0]


class _Gate:
    def __init__(self, known: Collection[int]) -> None:
        self._known = known
        self.dropped = 0

    def once(self, prose: str) -> str:
        return _MARKS.sub(self._rewrite, _DEFINITION.sub("", prose))

    def last(self, prose: str) -> str:
        """For what is nested deeper than we look: no mark at all."""
        return _OPENING.sub("(", prose)

    def prose(self, prose: str) -> str:
        """Until nothing changes: a mark may come to light only when one inside it has gone."""
        for _ in range(PASSES):
            before, prose = prose, self.once(prose)
            if prose == before:
                return prose
        return self.last(prose)

    def _rewrite(self, found: re.Match[str]) -> str:
        marks = "".join(self._remaining(_marks_of(found)))
        lead, trail = found["lead"], found["trail"]
        if marks:
            inside = f"({marks})" if found["round"] is not None else marks
            return f"{lead}{inside}{trail}"
        starts_line = found.start() == 0 or found.string[found.start() - 1] == "\n"
        return "" if starts_line and not lead else trail

    def _remaining(self, marks: str) -> Iterator[str]:
        """Each mark with what joins it to the one before, as far as it remains."""
        first = True
        for one in _ONE.finditer(marks):
            numbers = _numbers(one["mark"])
            kept = one["mark"] if numbers is None else "".join(map(self._single, numbers))
            if kept:
                yield kept if first else one["join"] + kept
                first = False

    def _single(self, number: int) -> str:
        if number in self._known:
            return f"[{number}]"
        self.dropped += 1
        return ""


def _marks_of(run: re.Match[str]) -> str:
    return run["bare"] or run["round"] or run["square"] or ""


def _numbers(mark: str) -> list[int] | None:
    """The numbers of one mark; None where it is text after all."""
    body = _BODY_OF.match(mark)
    if body is None or _THOUSANDS.search(body[1]):
        return None
    numbers: list[int] = []
    for first, last in _NUMBERS.findall(body[1]):
        span = range(int(first), int(last or first) + 1)
        if not 0 < len(span) <= LONGEST_RANGE:
            return None
        numbers.extend(span)
    return numbers
