"""What is added to a native stream: of a run as far as it has got, what the stream does not tell yet.  No I/O."""

import json
import re
from dataclasses import dataclass, field, replace
from html import unescape
from typing import Any, TypeAlias

from bot.slack.messages.cards import card
from bot.slack.messages.render import Progress, steps
from bot.slack.messages.sources import today_in

Chunk: TypeAlias = dict[str, Any]

LARGEST = 9_000
"""Bytes of UTF-8 in one stream; some were refused from 10,600 on."""
ROOM = 1_000
"""Of these, what a segment must have left, or it is full."""
MOST_ROWS = 40
"""Slack takes 50."""
LONGEST_TITLE = 150
"""Characters."""
_LINK = re.compile(r"<[^|>\s]+\|([^>]*)>")
_HARMLESS = str.maketrans("<>", "‹›")
_CALL = re.compile(r"(?<!\w)@")
_INLINE, _UNLINKED = "](", "] ("


@dataclass
class Told:
    """What a segment of the stream tells, and of the draft what all of them do."""

    draft: str = ""
    steps: int = 0
    rows: dict[str, str] = field(default_factory=dict)
    card: bool = False
    size: int = 0

    def segment(self) -> None:
        """A new one begins."""
        self.rows, self.size = {}, 0

    @property
    def full(self) -> bool:
        return self.size > LARGEST - ROOM or len(self.rows) >= MOST_ROWS

    def news(self, progress: Progress) -> list[Chunk]:
        """What is to be added, and counts as told from now on; what there is no room for is left for the next
        segment."""
        chunks = []
        for add in (self._rows(progress), self._card(progress)):
            chunks += add
            self.size += sum(len(json.dumps(chunk, ensure_ascii=False).encode()) for chunk in add)
        return [*chunks, *self._draft(progress)]

    def _rows(self, progress: Progress) -> list[Chunk]:
        done = progress.steps[self.steps :][: MOST_ROWS - len(self.rows)]
        chunks = [_row(f"step {self.steps + place}", _title(step), "complete") for place, step in enumerate(done)]
        self.steps += len(done)
        doing = _title(steps(replace(progress, steps=(), draft="")).strip("_"))
        if not progress.draft and self.rows.get("now") != doing:
            chunks.append(_row("now", doing, "in_progress"))
        self.rows |= {chunk["id"]: chunk["title"] for chunk in chunks}
        return chunks

    def _card(self, progress: Progress) -> list[Chunk]:
        blocks = () if self.card or progress.draft else card(progress.found, today_in(progress.zone), progress.language)
        if not blocks or self.size > LARGEST / 2:
            return []
        self.card = True
        return [{"type": "blocks", "blocks": list(blocks)}]

    def _draft(self, progress: Progress) -> list[Chunk]:
        draft = safe(progress.draft)
        if draft.startswith(self.draft):
            new, told = draft[len(self.draft) :], self.draft
        elif draft and self.draft.startswith(draft[: len(draft) // 2]):
            return []  # The same in other words: the last word will say it.
        else:
            new, told = (f"\n\n{draft}" if draft else ""), ""
        piece = _within(new, LARGEST - self.size)
        self.draft = told + (piece if told else piece.removeprefix("\n\n"))
        self.size += len(piece.encode())
        return [{"type": "markdown_text", "text": piece}] if piece else []


def safe(text: str) -> str:
    """Markdown that pings nobody, shows no picture and hides no link behind other words; more of the text gives more
    of this."""
    bare = text.replace(_INLINE, _UNLINKED).replace("]:", "] :")  # which would say where a link elsewhere goes
    return _CALL.sub("@\u200b", bare.replace("<", "&lt;").replace(">", "&gt;"))


def _within(text: str, room: int) -> str:
    if len(text.encode()) <= room:
        return text
    head = text.encode()[: max(room, 0)].decode(errors="ignore")
    return head[: max(head.rfind(" "), head.rfind("\n")) + 1] or head


def _row(id: str, title: str, status: str) -> Chunk:
    return {"type": "task_update", "id": id, "title": title, "status": status}


def _title(line: str) -> str:
    """One line of mrkdwn as plain text, which is none of Slack's markup either where it is taken for that."""
    plain = unescape(_LINK.sub(r"\1", line.split("\n")[0])).translate(_HARMLESS).replace(_INLINE, _UNLINKED)
    return plain if len(plain) <= LONGEST_TITLE else f"{plain[: LONGEST_TITLE - 1]}…"
