"""The link gate: an answer can open only what its sources, the user or a hint named.  No I/O.

It knows every form in which an address can be written: Markdown links and images, inline and by reference, Slack's and
HTML's, and bare ones.  Code is left alone.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from bot.research.addresses import DISGUISE, HIDDEN, Found, canonical, find, spellings, undisguised
from bot.research.citations import without_new_marks
from bot.research.linkforms import Forms
from bot.research.markup import Masked, mask, unused_sign

PASSES = 5

_MAY_HOLD = re.compile(rf"\]\s*+[(\[:]|<[A-Za-z/!|]|[\\@]|//|\w\.[\w-]|\w:\S|{DISGUISE.pattern}", re.IGNORECASE)
_UNWRITABLE = re.compile(r"[\s<>\"`\\|^{}\x00-\x1f]")
_SLACK_LINK = re.compile(r"<([^<>|\s]+)\|[^<>]*>")
_RUNS_ON = re.compile(r"[^\s)\]}>.,;:!?”»\"'*_。，、；：！？）】」』》]|[.,;:!?][^\s.,;:!?)\]]")
_PAIRS = [(r"\(", r"\)"), (r"\[", r"\]"), ("<", ">"), ("“", "”"), ("«", "»"), ("「", "」"), ("（", "）"), ('"', '"')]
_BRACKETS = str.maketrans("[]<>", "()()")


def gate_links(text: str, allowed: Iterable[str], passages: Iterable[str] = ()) -> str:
    """The text with only those addresses live that are the same as an allowed one, spelled as that is.

    Another link or image keeps its label.  Another bare address goes, host included, unless it stands word for word
    in one of the `passages`: then it is kept as inline code.
    """
    if not _MAY_HOLD.search(text):
        return text
    gate = LinkGate(allowed, passages)
    result = gate.text(text)
    if any(f"`{address}`" not in result for address in gate.quoted):
        return LinkGate(allowed).text(text)  # what stands around a quoted address undid its code span
    return result


def urls_in(text: str) -> list[str]:
    """The addresses that a person wrote, in order, as full ones; Slack's `<url|label>` too."""
    plain = _SLACK_LINK.sub(lambda found: f" {found[1].replace('&amp;', '&')} ", text)
    return list(dict.fromkeys(spellings(found.text)[0] for found in find(plain) if not found.mail))


class LinkGate:
    """The gate for one set of allowed addresses."""

    def __init__(self, allowed: Iterable[str], passages: Iterable[str] = ()) -> None:
        self._allowed = {key: url for url in reversed(list(allowed)) if (key := canonical(url))}
        self._passages = passages
        self._in_passages: frozenset[str] | None = None
        self.quoted = list[str]()
        """The addresses that were kept as code."""

    def text(self, text: str) -> str:
        """Gated until nothing changes: what is taken out may bring other text together."""
        for _ in range(PASSES):
            before, text = text, self._once(text)
            if text == before:
                return text
        flat = self._flattened(mask(text))
        return flat.restore(flat.text)

    def masked(self, masked: Masked) -> Masked:
        """The same for a text whose code is masked, and stays so."""
        for _ in range(PASSES):
            if not _MAY_HOLD.search(masked.text):
                return masked
            text = self._prose(masked)
            if text == masked.text:
                return masked
            masked = replace(masked, text=text)
        return self._flattened(masked)

    def _flattened(self, masked: Masked) -> Masked:
        """For what is nested deeper than we look: no bracket at all."""
        return replace(masked, text=self._prose(replace(masked, text=masked.text.translate(_BRACKETS))))

    def _once(self, text: str) -> str:
        masked = mask(text)
        return masked.restore(self._prose(masked))

    def _prose(self, masked: Masked) -> str:
        text = undisguised(masked.text)
        live = unused_sign(text, masked.sign)
        gone = unused_sign(text, masked.sign + live)
        links = list[str]()

        def keep(label: str, url: str) -> str:
            links.append(self._link(label, url, masked, gone))
            return f"{live}{len(links) - 1}{live}"

        forms = Forms(text, self.permitted, keep, live, gone)
        bare = self._bare(forms.resolved(), gone)
        tidy = without_new_marks(text, _tidied(bare, gone))
        return re.sub(f"{live}([0-9]+){live}", lambda found: links[int(found[1])], tidy) if links else tidy

    def permitted(self, address: str) -> str | None:
        """The allowed address that is the same as this one, as it is written; None if there is none."""
        for url in spellings(address):
            same = self._allowed.get(canonical(url) or "")
            if same:
                return _UNWRITABLE.sub(lambda found: f"%{ord(found[0]):02X}", HIDDEN.sub("", same))
        return None

    def _link(self, label: str, url: str, masked: Masked, gone: str) -> str:
        """A live link; its label shows no other address."""
        pieces, last = [], 0
        for found in find(label):
            pieces += [label[last : found.start], found.text if self._shows(found, url) else gone]
            last = found.end
        shown = _tidied("".join([*pieces, label[last:]]), gone).strip()
        if any(not self._shows(found, url) for code in masked.codes_in(shown) for found in find(code)):
            shown = masked.without_codes(shown).strip()
        return f"[{shown}]({url})" if shown else url

    def _shows(self, found: Found, url: str) -> bool:
        host = (canonical(url) or "").split("/")[2]
        keys = {canonical(spelling) for spelling in spellings(found.text)}
        return canonical(url) in keys or f"https://{host}/" in keys

    def _bare(self, text: str, gone: str) -> str:
        pieces, last = [], 0
        for found in find(text):
            pieces += [text[last : found.start], self._kept(found, text) or gone]
            last = found.end
        return "".join([*pieces, text[last:]])

    def _kept(self, found: Found, text: str) -> str:
        if found.mail or (permitted := self.permitted(found.text)):
            return found.mail or permitted or ""
        if "`" not in text and found.text in self._quotable():
            self.quoted.append(found.text)
            return f"`{found.text}`"
        return ""

    def _quotable(self) -> frozenset[str]:
        if self._in_passages is None:
            self._in_passages = frozenset(found.text for passage in self._passages for found in find(passage))
        return self._in_passages


def _tidied(text: str, gone: str) -> str:
    """Without the signs of what was taken out, and without the brackets, bullets and spaces that held only that."""
    if gone not in text:
        return text
    signs = rf"{gone}(?:[ \t]*+{gone})*+"
    inner = rf"[ \t]*+{signs}[ \t]*+"
    pairs = "|".join(f"{begin}{inner}{end}" for begin, end in _PAIRS)
    held = rf"{pairs}|(\*{{1,3}}|_{{1,3}}|~~){signs}\1"
    for _ in range(PASSES):
        text, changes = re.subn(held, gone, text)
        if not changes:
            break
    text = re.sub(rf"!?\[([^\[\]\n]*+)\]\([^()\n{gone}]*+{gone}[^()\n]*+\)", r"\1", text)
    text = re.sub(
        rf"^[ \t>]*+(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]*+)?{signs}[ \t.,;:!?…]*+(?:\n|\Z)", "", text, flags=re.MULTILINE
    )
    text = re.sub(
        rf"^([ \t>]*+(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]++)?){signs}[ \t.,;:!?…]*+", r"\1", text, flags=re.MULTILINE
    )
    return re.sub(rf"([ \t]?){signs}([ \t]?)", _closed_up, text)


def _closed_up(found: re.Match[str]) -> str:
    """What remains between the texts on both sides: never nothing where they would run into one another."""
    before = found.string[found.start() - 1 : found.start()] if found.start() else ""
    after = found.string[found.end() : found.end() + 2]
    if found[2]:
        return found[2] if found[1] or (before and before not in "\n([{<“«\"'*_") else ""
    if not (before or found[1]) or before == "\n":
        return ""
    return " " if _RUNS_ON.match(after) else ""
