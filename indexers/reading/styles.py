"""Which styles a page itself gives to its elements: its `<style>` sheets and `style` attributes.  No I/O.

Only the properties by which text is hidden, and only what stands in the page: sheets of other addresses are not read.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import cssselect
import lxml.etree
import tinycss2

Styles: TypeAlias = dict[str, str]
"""Property → value in lower case."""
Declarations: TypeAlias = list[tuple[str, str, bool]]
"""Property, value, whether `!important`."""

_NAMES = """
display visibility content-visibility opacity filter font font-size color background background-color background-image
background-clip -webkit-background-clip -webkit-text-fill-color clip clip-path transform left top right bottom
inset translate text-indent margin-left margin-top width height max-height overflow overflow-x overflow-y zoom scale
"""
PROPERTIES = frozenset(_NAMES.split())
_BUDGET = 1_000_000
"""Elements × selectors that are looked at, those first that may hide something; the rest is left."""
_SHEET_CHARS = 200_000
"""Of all sheets of a page."""
_SUSPECT = re.compile(r"none|hidden|collapse|transparent|[a-z]\(|(?<![\d.])[0.]|-\d")
_WIDTH = re.compile(r"(min|max)-width:(\d+(?:\.\d+)?)px")
_SCREEN = 1280
_CALCULATED = re.compile(r"calc\(\s*([^\s()]+)\s*\)", re.IGNORECASE)
_DEEPEST = 20
_OURS = ("layer", "supports", "container")


def styles(root: Any) -> dict[Any, Styles]:
    """The styles of each element that has some, the strongest declaration of each property."""
    cascade = _Cascade()
    looks, elements = _BUDGET, sum(1 for _ in root.iter())
    for number, selector, declarations in sorted(_rules(root), key=lambda rule: not _may_hide(rule[2])):
        for path, specificity in _selectors(selector):
            cascade.give(_matching(path, root), declarations, (0, specificity, number))
            looks -= elements
        if looks < 0:
            break
    for element in root.xpath("//*[@style]"):
        cascade.give([element], _declarations(tinycss2.parse_blocks_contents(element.get("style"))), (1, (), 0))
    return cascade.styles()


class _Cascade:
    """Which of several declarations counts: an important one, a `style` attribute, the closer selector, the later."""

    def __init__(self) -> None:
        self._ranked: dict[Any, dict[str, tuple[tuple[Any, ...], str]]] = {}

    def give(self, elements: Iterable[Any], declarations: Declarations, rank: tuple[Any, ...]) -> None:
        for element in elements:
            own = self._ranked.setdefault(element, {})
            for name, value, important in declarations:
                place = (important, *rank)
                if name not in own or own[name][0] <= place:
                    own[name] = (place, value)

    def styles(self) -> dict[Any, Styles]:
        return {element: {name: value for name, (_, value) in own.items()} for element, own in self._ranked.items()}


def _rules(root: Any) -> list[tuple[int, str, Declarations]]:
    """Place, selector and declarations of each rule."""
    rules: list[tuple[int, str, Declarations]] = []
    chars = _SHEET_CHARS
    for sheet in root.iter("style"):
        if not _applies(sheet.get("media") or "all"):
            continue
        text = (sheet.text or "")[:chars]
        chars -= len(text)
        nodes = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
        for prelude, content in _qualified(nodes):
            declarations = _declarations(tinycss2.parse_blocks_contents(content))
            if declarations:
                rules.append((len(rules), tinycss2.serialize(prelude), declarations))
    return rules


def _may_hide(declarations: Declarations) -> bool:
    return any(_SUSPECT.search(value) for _, value, _ in declarations)


def _qualified(nodes: Iterable[Any], depth: int = 0) -> Iterator[tuple[Any, Any]]:
    """Selector and block of each rule that applies to a screen."""
    for node in nodes:
        if node.type == "qualified-rule":
            yield node.prelude, node.content
        elif node.type == "at-rule" and node.content is not None and depth < _DEEPEST and _holds_rules(node):
            inner = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
            yield from _qualified(inner, depth + 1)


def _holds_rules(node: Any) -> bool:
    if node.lower_at_keyword in _OURS:
        return True
    return node.lower_at_keyword == "media" and _applies(tinycss2.serialize(node.prelude))


def _applies(media: str) -> bool:
    """Whether a media query holds for an ordinary screen."""
    query = media.lower().replace(" ", "")
    if "print" in query or "speech" in query or "prefers" in query:
        return False
    widths = [(bound, float(pixels)) for bound, pixels in _WIDTH.findall(query)]
    return all(pixels <= _SCREEN if bound == "min" else pixels >= _SCREEN for bound, pixels in widths)


def _selectors(text: str) -> Iterator[tuple[lxml.etree.XPath, tuple[int, int, int]]]:
    try:
        selectors = cssselect.parse(text)
    except cssselect.SelectorError:
        return
    for selector in selectors:
        if selector.pseudo_element is None and not _depends_on_the_reader(selector.canonical()):
            try:
                yield lxml.etree.XPath(_TRANSLATOR.selector_to_xpath(selector)), selector.specificity()
            except (cssselect.SelectorError, lxml.etree.XPathError):
                continue


_TRANSLATOR = cssselect.HTMLTranslator()


def _matching(path: lxml.etree.XPath, root: Any) -> list[Any]:
    try:
        return list(path(root))
    except lxml.etree.XPathError:  # a namespace that the page does not declare
        return []


def _depends_on_the_reader(selector: str) -> bool:
    return any(state in selector for state in (":hover", ":focus", ":active", ":visited", ":target", ":checked"))


def _declarations(nodes: Iterable[Any]) -> Declarations:
    return [
        (node.lower_name, _value(node.value), node.important)
        for node in nodes
        if node.type == "declaration" and node.lower_name in PROPERTIES
    ]


def _value(tokens: Iterable[Any]) -> str:
    """In lower case, without comments, and a length that is calculated from nothing else as that length."""
    said = tinycss2.serialize([token for token in tokens if token.type != "comment"])
    return _CALCULATED.sub(r"\1", said).strip().lower()
