"""The forms in which markup carries a link, resolved into live links and plain text.  No I/O.

Markdown (inline, by reference, images), Slack's `<url|label>`, autolinks, and those tags of HTML that link or load.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from bot.research.addresses import find
from bot.research.markup import TARGET

_DEFINITION = re.compile(
    r"^[ \t]*+(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*+)*+\[(?P<label>(?:[^\[\]\\]|\\.){1,200})\]:[ \t]*+(?:\n[ \t]*+)?"
    r"(?P<to><[^<>\n]*+>|[^\s<\ue000-\uf8ff]\S*+)"
    r"(?:[ \t]*+(?:\n[ \t]*+)?(?:\"[^\"\n]*+\"|'[^'\n]*+'|\([^()\n]*+\)))?+[ \t]*+(?:\n|\Z)",
    re.MULTILINE,
)
_WORD = re.compile(r"[\w-]+")
_SPECIAL = re.compile(r"\\[^\n]|!?\[|\]|<")
_TARGET = re.compile(TARGET)
_REFERENCE = re.compile(r"\[((?:[^\[\]\\]|\\.){0,200})\]")
_ANGLE = re.compile(r"<([^<>|\s]+)(?:\|([^<>]*))?>")
_MAIL = re.compile(r"(?:mailto:)?[\w.+%-]+@[\w.-]+", re.IGNORECASE)
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>[A-Za-z][\w:-]*+)(?P<rest>(?:[^<>\"'\n\ue000-\uf8ff]|\n(?!\s*\n)|\"[^\"]*+\"|'[^']*+')*+)>"
)
_LOADERS = {
    *(
        "a",
        "applet",
        "area",
        "audio",
        "base",
        "bgsound",
        "body",
        "embed",
        "form",
        "frame",
        "frameset",
        "iframe",
        "image",
    ),
    *(
        "img",
        "input",
        "button",
        "link",
        "math",
        "meta",
        "object",
        "picture",
        "portal",
        "script",
        "source",
        "style",
        "svg",
    ),
    *("track", "use", "video"),
}
_LOADING = re.compile(
    r"(?:href|src|srcset|style|on[a-z]+|action|formaction|poster|background|data|cite|ping|longdesc|manifest|codebase|"
    r"content|dynsrc|lowsrc|url)\s*+=",
    re.IGNORECASE,
)
_HREF = re.compile(r"\bhref\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.IGNORECASE)
_ALT = re.compile(r"\balt\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.IGNORECASE)
_RAW_ENDS = {name: re.compile(rf"</{name}\b[^>]*+>", re.IGNORECASE) for name in ("script", "style")}


@dataclass(slots=True)
class _Opening:
    """An open bracket: its place in the output, and the place in the text behind it."""

    place: int
    begin: int
    image: bool
    plain: bool = True
    """No other bracket stands inside."""


class Forms:
    """One text on its way to plain text with live links.

    `permitted` gives the address that a link may open, or None; `keep` takes a label and such an address and gives
    what stands for the live link, which begins with `live`; `gone` stands where something was taken out.
    """

    def __init__(
        self,
        text: str,
        permitted: Callable[[str], str | None],
        keep: Callable[[str, str], str],
        live: str,
        gone: str,
    ) -> None:
        self._permitted, self._keep, self._live, self._gone = permitted, keep, live, gone
        self._definitions: dict[str, str | None] = {}
        self._text = _DEFINITION.sub(self._define, text)
        self._out: list[str] = []
        self._openings: list[_Opening] = []
        self._anchors: list[tuple[int, str | None]] = []
        self._dropped: Counter[str] = Counter()
        self._endless: set[str] = set()

    def resolved(self) -> str:
        position = 0
        if "]" not in self._text and "<" not in self._text:
            return self._text
        while found := _SPECIAL.search(self._text, position):
            self._out.append(self._text[position : found.start()])
            position = self._read(found)
        return "".join([*self._out, self._text[position:]])

    def _define(self, found: re.Match[str]) -> str:
        to = found["to"].strip("<>")
        if _WORD.fullmatch(to):
            return found[0]
        self._definitions.setdefault(_normal(found["label"]), self._permitted(to))
        return ""

    def _read(self, found: re.Match[str]) -> int:
        sign = found[0]
        if sign == "]":
            return self._close(found.end())
        if sign == "<":
            return self._angle(found.start())
        if sign.endswith("["):
            if self._openings:
                self._openings[-1].plain = False
            self._openings.append(_Opening(len(self._out), found.end(), sign == "!["))
        self._out.append(sign)
        return found.end()

    def _close(self, end: int) -> int:
        if not self._openings:
            self._out.append("]")
            return end
        opening = self._openings.pop()
        target = _TARGET.match(self._text, end)
        inner = target[0][1:-1].strip() if target else ""
        if target and inner:
            address = inner[1 : inner.find(">")] if inner.startswith("<") else inner.split(None, 1)[0]
            self._collapse(opening.place, 1, self._permitted(address), image=opening.image)
            return target.end()
        return self._close_reference(opening, end)

    def _close_reference(self, opening: _Opening, end: int) -> int:
        if self._definitions:
            reference = _REFERENCE.match(self._text, end)
            label = self._text[opening.begin : end - 1] if opening.plain else ""
            name = _normal((reference[1] if reference else "") or label)
            if name in self._definitions:
                self._collapse(opening.place, 1, self._definitions[name], image=opening.image)
                return reference.end() if reference else end
        self._out.append("]")
        return end

    def _collapse(self, place: int, skip: int, url: str | None, *, image: bool = False) -> None:
        """Puts one piece in the place of all output since `place`: a live link, or the label alone."""
        label = "".join(self._out[place + skip :])
        del self._out[place:]
        self._anchors = [anchor for anchor in self._anchors if anchor[0] <= place] if self._anchors else []
        while self._openings and self._openings[-1].place >= place:
            self._openings.pop()
        if url is None or image or self._live in label:
            self._out.append(label if label.strip() else self._gone)
        else:
            self._out.append(self._keep(label, url))

    def _angle(self, start: int) -> int:
        link = _ANGLE.match(self._text, start)
        if link and _MAIL.fullmatch(link[1]):
            self._out.append(link[2] or link[1])
            return link.end()
        if link and any(find(link[1])):
            url = self._permitted(link[1])
            label = link[2] if link[2] is not None else link[1]
            self._out.append(self._keep(label, url) if url and link[2] is not None else label or self._gone)
            return link.end()
        tag = _TAG.match(self._text, start)
        end = self._tag(tag) if tag else None
        if end is None:
            self._out.append("<")
            return start + 1
        return end

    def _tag(self, tag: re.Match[str]) -> int | None:
        """Where a tag that links or loads ends, once it is dealt with; None for one that does neither."""
        name = tag["name"].lower()
        if tag["close"]:
            return self._close_tag(name, tag.end())
        if name in _RAW_ENDS:
            return self._raw(name, tag)
        if not (_LOADING.search(tag["rest"]) or (name in _LOADERS and tag["rest"].strip(" \t\n/"))):
            return None
        if name == "a":
            self._anchors.append((len(self._out), self._permitted(_value(_HREF, tag["rest"]))))
            return tag.end()
        self._dropped[name] += 1
        self._out.append(_value(_ALT, tag["rest"]) or self._gone)
        return tag.end()

    def _close_tag(self, name: str, end: int) -> int | None:
        if name == "a" and self._anchors:
            place, url = self._anchors.pop()
            self._collapse(place, 0, url)
            return end
        if self._dropped[name]:
            self._dropped[name] -= 1
            self._out.append(self._gone)
            return end
        return None

    def _raw(self, name: str, tag: re.Match[str]) -> int | None:
        """A script or style goes with its content; a mention of one that is never closed stays."""
        end = None if name in self._endless else _RAW_ENDS[name].search(self._text, tag.end())
        if end is None:
            self._endless.add(name)
            if not tag["rest"].strip():
                return None
        self._out.append(self._gone)
        return end.end() if end else tag.end()


def _normal(label: str) -> str:
    return " ".join(label.casefold().split())


def _value(attribute: re.Pattern[str], rest: str) -> str:
    found = attribute.search(rest)
    return (found[1] or found[2] or found[3] or "") if found else ""
