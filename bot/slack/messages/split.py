"""Cutting mrkdwn to the length of a message.  No I/O."""

import re

from bot.slack.messages.mrkdwn import FENCE

LIMIT = 3_500
"""Bytes of UTF-8.  `chat.update` refuses text over 4,000 characters, and counts some characters more than once."""

_OPEN, _CLOSE = f"{FENCE}\n", f"\n{FENCE}"
# What is never cut: a link, an entity, a fence.  A character of text is never cut either, whatever its size.
_WHOLE = re.compile(r"<[^<>\n]*>|&(?:amp|lt|gt);|```")


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The text in pieces of at most `limit` bytes, cut at the latest place that reads well: between paragraphs, before
    a list or a code block that fits into a piece whole, between lines, best before one without a margin, between
    words.  Only blanks at the cuts are lost.  A code block that is cut is closed, and opened again in the next piece.
    """
    pieces: list[str] = []
    opening = ""
    text = text.strip("\n")
    while _size(opening + text) > limit:
        cut = _cut(text, limit - len(opening) - len(_CLOSE), in_code=bool(opening))
        head, text = text[:cut].rstrip(), text[cut:]
        in_code = bool(opening) != bool(len(_fences(head)) % 2)
        if in_code and _fences(head[-len(FENCE) :]):  # Opened, with nothing in it yet.
            pieces.append(head[: -len(FENCE)].rstrip())
        else:
            pieces.append(opening + head + (_CLOSE if in_code else ""))
        text = text.lstrip("\n") if in_code or text.startswith("\n") else text.lstrip(" ")
        if in_code and _fences(text[: len(FENCE) + 1].rstrip("\n")):  # Nothing is left in it.
            text, in_code = text[len(FENCE) :].lstrip("\n"), False
        opening = _OPEN if in_code else ""
    return [piece for piece in (*pieces, opening + text if text else "") if piece]


def _size(text: str) -> int:
    return len(text.encode())


def _cut(text: str, room: int, *, in_code: bool) -> int:
    end = len(text.encode()[:room].decode(errors="ignore"))
    for whole in _WHOLE.finditer(text):
        if whole.start() < end < whole.end():
            # One that fills a message by itself is given whole: better too long than broken.
            end = whole.start() or whole.end()
            break
        if whole.start() >= end:
            break
    head = text[:end]
    paragraph = _between_paragraphs(head, in_code)
    if paragraph > end // 3 or (paragraph > 0 and _size(_paragraph(text, paragraph)) <= room):
        return paragraph
    if (code := _before_code(text, end, room, in_code)) > 0:
        return code
    lines = [place.start() for place in re.finditer(r"\n(?! )", head)]
    for found in (lines[-1] if lines and not in_code else -1, head.rfind("\n"), _between_words(head)):
        if found > end // 3:
            return found
    return end


def _between_paragraphs(head: str, in_code: bool) -> int:
    place = head.rfind("\n\n")
    while place > 0 and in_code != bool(len(_fences(head[:place])) % 2):
        place = head.rfind("\n\n", 0, place)
    return place


def _paragraph(text: str, start: int) -> str:
    """What stands between two places that a paragraph begins at, outside of code; a list is one, and so is code."""
    start += len("\n\n")
    end = text.find("\n\n", start)
    while end > 0 and len(_fences(text[start:end])) % 2:
        end = text.find("\n\n", end + 1)
    return text[start:end] if end > 0 else text[start:]


def _before_code(text: str, end: int, room: int, in_code: bool) -> int:
    """The end of the line above a code block that `end` would cut, if a piece holds it whole; else -1."""
    fences = [found.start() for found in re.finditer(rf"^{FENCE}$", text[: end + room], re.MULTILINE)]
    before = [place for place in fences if place < end]
    if not before or in_code == bool(len(before) % 2):
        return -1
    closing = next((place for place in fences if place >= end), None)
    whole = closing is not None and _size(text[before[-1] : closing]) + len(FENCE) <= room
    return before[-1] - 1 if whole else -1


def _between_words(head: str) -> int:
    place = head.rfind(" ")
    while place > 0 and any(whole.start() < place < whole.end() for whole in _WHOLE.finditer(head)):
        place = head.rfind(" ", 0, place)
    return place


def _fences(text: str) -> list[str]:
    return [line for line in text.split("\n") if line == FENCE]
