"""Takes out of a page what its reader does not see: text that is hidden is written for machines.  No I/O."""

import re
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import tinycss2.color4

from indexers.reading.styles import Styles, styles

Colour: TypeAlias = tuple[float, float, float]
"""Red, green and blue, 0 to 1."""

_UNSEEN = (
    "//comment() | //processing-instruction() | //script | //style | //noscript | //template | //iframe | //frame"
    " | //noframes | //object | //embed | //applet | //canvas | //audio | //video | //svg | //datalist"
    " | //noembed | //rp | //annotation | //annotation-xml"
    " | //*[@hidden] | //*[@aria-hidden='true'] | //dialog[not(@open)] | //*[@popover]"
)
_NAMED = frozenset(
    (*("visually-hidden", "visuallyhidden", "sr-only", "screen-reader-text", "screen-reader-only", "d-none"),)
)
_FOLDED = "//details[not(@open)]"

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_LENGTH = re.compile(rf"({_NUMBER})(px|pt|pc|cm|mm|in|em|rem|ex|ch|vw|vh|%)?(?![\w%])")
_PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "cm": 37.8, "mm": 3.78, "in": 96.0, "rem": 16.0}
_PIXELS |= {"em": 16.0, "ex": 8.0, "ch": 8.0}
# Of what is relative, only a whole screen is far: halves place a wide picture in the middle.
_PIXELS |= {"vw": 5.0, "vh": 5.0, "%": 5.0}
_SIZE = re.compile(rf"(?:^|\s)(?:({_NUMBER})(px|pt|pc|cm|mm|in|em|rem|ex|ch|vw|vh|%)|(0))(?=\s|/|$)")
"""The size in the shorthand `font`, where a bare number is a weight."""
_TINY = 4.0
"""Pixels: letters below are for nobody's eyes."""
_FAR = 500.0
"""Pixels beyond the edge."""
_FAINT = 0.05
_CLIP_PATH = re.compile(rf"inset\(\s*({_NUMBER})(px|%)?|(?:circle|ellipse)\(\s*0|polygon\([\s,0px%]*\)")
_SHRUNK = re.compile(rf"scale(?:x|y|3d)?\(\s*({_NUMBER})|translate(?:x|y|3d)?\(([^)]*)\)")
_ON_EDGE = re.compile(r"matrix(?:3d)?\(\s*0\s*,|rotate[xy]\(\s*-?(?:90|270)deg")
_WORD = re.compile(r"[\w#-]+(?:\([^)]*\))?")
_SPACES = ("srgb", "hsl", "hwb")
_UNKNOWN = ("var(", "color-mix(", "light-dark(", "lab(", "lch(", "oklab(", "oklch(", "color(")
_FADED = re.compile(rf"opacity\(\s*({_NUMBER})(%?)")


@dataclass(frozen=True, slots=True)
class _Seen:
    """What an element hands down to what it holds.  A colour is None where the page does not say which."""

    visible: bool = True
    inked: bool = True
    font: float = 16.0
    colour: Colour | None = None
    ground: Colour | None = None

    @property
    def shows_text(self) -> bool:
        if not self.visible or not self.inked or self.font < _TINY:
            return False
        return self.colour is None or self.ground is None or not _alike(self.colour, self.ground)


def strip_hidden(root: Any) -> None:
    """Removes from an lxml.html tree, in place, every text that a reader does not see as the page is opened."""
    told = styles(root)  # the sheets go below
    for node in root.xpath(_UNSEEN):
        _drop(node)
    for node in root.xpath("//*[@class]"):
        if not _NAMED.isdisjoint((node.get("class") or "").lower().split()):
            _drop(node)
    for details in root.xpath(_FOLDED):
        _fold(details)
    _walk(root, told)


def _walk(root: Any, told: dict[Any, Styles]) -> None:
    linked = bool(root.xpath("//link[contains(translate(@rel, 'STYLEHE', 'stylehe'), 'stylesheet')]"))
    # Where sheets are linked, the page alone does not say what colours it has.
    plain = _Seen() if linked else _Seen(colour=(0, 0, 0), ground=(1, 1, 1))
    waiting: list[tuple[Any, _Seen]] = [(root, _handed(root, plain, told))]
    while waiting:
        element, seen = waiting.pop()
        if not seen.shows_text and element.text:
            element.text = " "
        for child in list(element):
            if not isinstance(child.tag, str):
                continue
            if not seen.shows_text and child.tail:
                child.tail = " "
            if child.tag not in ("body", "head") and _gone(told.get(child, {})):
                _drop(child)
            else:
                waiting.append((child, _handed(child, seen, told)))


def _handed(element: Any, seen: _Seen, told: dict[Any, Styles]) -> _Seen:
    own = {**_of_old(element), **told.get(element, {})}
    if not own:
        return seen
    # A page that is hidden as a whole is shown by its program.
    if "visibility" in own and element.tag not in ("html", "body"):
        seen = replace(seen, visible=own["visibility"] not in ("hidden", "collapse"))
    seen = replace(seen, font=_font(own, seen.font))
    if any(name.startswith("background") for name in own):
        seen = replace(seen, ground=_ground(own, seen.ground))
    if "text" in own.get("background-clip", "") + own.get("-webkit-background-clip", ""):
        return replace(seen, colour=None, inked=True)  # the letters show the background
    return _coloured(seen, own.get("-webkit-text-fill-color") or own.get("color", ""))


def _coloured(seen: _Seen, value: str) -> _Seen:
    colour = _parsed(value)
    if colour is None:
        return replace(seen, colour=None, inked=True) if value.startswith(_UNKNOWN) else seen
    return replace(seen, colour=_mixed(colour, seen.ground), inked=colour.alpha > _FAINT)


def _of_old(element: Any) -> Styles:
    """Attributes that were styles before there were sheets."""
    found = {}
    if element.get("bgcolor"):
        found["background-color"] = element.get("bgcolor").lower()
    if element.tag == "font" and element.get("color"):
        found["color"] = element.get("color").lower()
    if element.tag == "body" and element.get("text"):
        found["color"] = element.get("text").lower()
    return found


def _gone(own: Styles) -> bool:
    """Whether the element goes with everything in it, whatever that says of itself."""
    if not own:
        return False
    return (
        own.get("display") == "none"
        or own.get("content-visibility") == "hidden"
        or _share(own.get("opacity", "1")) <= _FAINT
        or _faded(own.get("filter", ""))
        or _share(own.get("zoom", "1")) == 0
        or _share(own.get("scale", "1")) == 0
        or _clipped(own)
        or _shrunk(own.get("transform", ""))
        or any(abs(length) >= 10 * _FAR for length in _lengths(own.get("translate", "")))
        or _off_screen(own)
        or _without_size(own)
    )


def _faded(value: str) -> bool:
    found = _FADED.search(value)
    return found is not None and float(found[1]) / (100 if found[2] else 1) <= _FAINT


def _clipped(own: Styles) -> bool:
    path = _CLIP_PATH.search(own.get("clip-path", ""))
    if path and (path[1] is None or float(path[1]) >= (50 if path[2] == "%" else _FAR)):
        return True
    clip = own.get("clip", "")
    return clip.startswith("rect") and all(abs(length) <= 1 for length in _lengths(clip))


def _shrunk(value: str) -> bool:
    if _ON_EDGE.search(value):
        return True
    for found in _SHRUNK.finditer(value):
        if found[1] is not None and abs(float(found[1])) <= 0.01:
            return True
        if found[2] is not None and any(abs(length) >= 10 * _FAR for length in _lengths(found[2])):
            return True
    return False


def _off_screen(own: Styles) -> bool:
    names = ("inset", "left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top")
    moved = {name: length for name in names for length in _lengths(own.get(name, ""))[:1]}
    return min(moved.values(), default=0) <= -_FAR or max(moved.get("left", 0), moved.get("top", 0)) >= 10 * _FAR


def _without_size(own: Styles) -> bool:
    flat = {name for name in ("width", "height", "max-height") if (_lengths(own.get(name, "")) or [9.0])[0] <= 1}
    cut_off = any(own.get(name, "").startswith(("hidden", "clip")) for name in ("overflow", "overflow-x", "overflow-y"))
    return bool(flat) and (cut_off or flat >= {"width", "height"})


def _font(own: Styles, inherited: float) -> float:
    value = own.get("font-size", "")
    found = _LENGTH.match(value) if value else _SIZE.search(own.get("font", ""))
    if not found or found[1] is None:
        return 0.0 if found else inherited if not value or "(" in value else 16.0
    if found[2] in ("em", "%"):
        return float(found[1]) * inherited / (100 if found[2] == "%" else 1)
    return float(found[1]) * _PIXELS[found[2] or ""]


def _ground(own: Styles, behind: Colour | None) -> Colour | None:
    painted = f"{own.get('background', '')} {own.get('background-image', '')}"
    if "url(" in painted or "gradient" in painted:
        return None
    value = own.get("background-color") or own.get("background", "")
    for word in _WORD.findall(value):
        found = _parsed(word)
        if found is not None:
            return _mixed(found, behind)
    return None if value.startswith(_UNKNOWN) else behind


def _parsed(value: str) -> Any:
    """A colour with `alpha`; None for what is none, or is not known from the page."""
    found = tinycss2.color4.parse_color(value)
    return None if found is None or found == "currentcolor" or found.space not in _SPACES else found


def _mixed(colour: Any, behind: Colour | None) -> Colour | None:
    front = [float(part) for part in colour.to("srgb").coordinates]
    if colour.alpha < 1 and behind is None:
        return None
    under = behind or (0, 0, 0)
    mixed = [one * colour.alpha + other * (1 - colour.alpha) for one, other in zip(front, under, strict=True)]
    return mixed[0], mixed[1], mixed[2]


def _alike(one: Colour, other: Colour) -> bool:
    return all(abs(left - right) < 0.04 for left, right in zip(one, other, strict=True))


def _lengths(value: str) -> list[float]:
    return [float(number) * _PIXELS[unit or ""] for number, unit in _LENGTH.findall(value)]


def _share(value: str) -> float:
    found = re.match(rf"({_NUMBER})(%?)", value)
    return float(found[1]) / (100 if found[2] else 1) if found else 1.0


def _fold(details: Any) -> None:
    for child in list(details):
        if child.tag == "summary":
            child.tail = " "
        else:
            child.tail = None
            details.remove(child)
    details.text = None


def _drop(node: Any) -> None:
    """Takes a node out and leaves the text that follows it."""
    parent = node.getparent()
    if parent is None:
        return
    before, tail = node.getprevious(), node.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + " " + tail
    else:
        parent.text = (parent.text or "") + " " + tail
    parent.remove(node)
