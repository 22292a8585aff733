"""The links that a person put into a message, in Slack's markup or plain.  No I/O."""

import html
import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlsplit

_CODE = re.compile(
    r"^[ \t]*(?:>>>|(?:&gt;){3}).*\Z|```.*?(?:```|\Z)|`[^`\n]*`|^[ \t]*(?:>|&gt;)[^\n]*", re.DOTALL | re.MULTILINE
)
_TOKEN = re.compile(r"<([^<>\n]+)>")
_BARE = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_CLOSING = {")": "(", "]": "[", "}": "{", "」": "「", "』": "『", "）": "（", "】": "【", "»": "«", "”": "“"}
_CJK = re.compile("[「」『』（）【】]")
_AFTER = ".,;:!?'\"*_~`…»”’"


def links_in(message: str) -> list[str]:
    """The http(s) addresses of a message in order, each once, exactly as written; one whose host is missing is none.

    What stands in code or in a quoted line counts only where nothing else does.  The label of a link is never taken
    for its address.
    """
    outside = _CODE.sub(" ", message)
    return list(dict.fromkeys(_links(outside))) or list(dict.fromkeys(_links(message)))


def _links(text: str) -> Iterator[str]:
    tokens: list[tuple[int, str]] = []

    def take(token: re.Match[str]) -> str:
        target = html.unescape(token[1].partition("|")[0])
        if token[1][0] in "@#!":
            return " "
        if _BARE.fullmatch(target):
            tokens.append((token.start(), target))
        return " " * len(token[0])

    rest = _TOKEN.sub(take, text)
    bare = [(found.start(), _trimmed(found[0])) for found in _BARE.finditer(rest)]
    for _, address in sorted([*tokens, *bare]):
        if _has_host(address):
            yield address


def _trimmed(address: str) -> str:
    """Without what only follows it: entities first, since a `&gt;` ends it and a `&amp;` does not."""
    plain = html.unescape(re.split(r"&(?:lt|gt|quot);", address)[0])
    surplus = _first_surplus(plain)
    plain = plain if surplus is None else plain[:surplus]
    end, counts = len(plain), Counter(plain)
    while end and (plain[end - 1] in _AFTER or _unbalanced(plain[end - 1], counts)):
        end -= 1
        counts[plain[end]] -= 1
    return plain[:end]


def _unbalanced(last: str, counts: Counter[str]) -> bool:
    return last in _CLOSING and counts[last] > counts[_CLOSING[last]]


def _first_surplus(address: str) -> int | None:
    """Where a bracket of Chinese or Japanese writing closes that did not open inside the address."""
    depth: dict[str, int] = {}
    for sign in _CJK.finditer(address):
        opening = _CLOSING.get(sign[0], sign[0])
        depth[opening] = depth.get(opening, 0) + (1 if opening == sign[0] else -1)
        if depth[opening] < 0:
            return sign.start()
    return None


def _has_host(address: str) -> bool:
    try:
        return bool(urlsplit(address).hostname)
    except ValueError:
        return False
