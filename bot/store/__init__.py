"""What is kept between questions: which messages were taken up, and what was asked and answered in each thread.

The contract; each file beside this one is one implementation.
"""

from dataclasses import dataclass
from typing import Protocol

from bot.research import Source
from indexers.document import Audience

CLAIMS_KEPT = 24 * 3600.0
"""Seconds.  Slack delivers an event again within minutes, but its editor may touch the message for longer."""


class StoreError(Exception):
    """What is kept cannot be opened; the text is one sentence that names the file and the mend."""


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread in which the bot was asked."""

    root_asked: bool
    """The first message of the thread was itself a question to the bot."""
    askers: frozenset[str]
    """The ids of those who have asked here."""
    web: bool = False
    """It began with a question to the web."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer."""

    ts: str
    """The question's, unique in its channel."""
    asker: str
    question: str
    answer: str
    """Markdown, as the run gave it; `sources` carry its footnote numbers."""
    sources: tuple[Source, ...]
    audience: Audience
    """On whose behalf was searched."""


class Store(Protocol):
    async def claim(self, key: str) -> bool:
        """Take up the message `key`, unless that was done in the last `CLAIMS_KEPT` seconds: True for one caller only,
        over restarts and over several processes."""
        ...

    async def thread(self, channel: str, thread_ts: str) -> Thread | None: ...

    async def asked(self, channel: str, thread_ts: str, asker: str, *, root: bool, web: bool = False) -> None:
        """Note that `asker` has asked in the thread; `root`: with its first message; `web`: the web."""
        ...

    async def turns(self, channel: str, thread_ts: str, *, limit: int = 20) -> list[Turn]:
        """The newest turns of the thread, oldest first."""
        ...

    async def add_turn(self, channel: str, thread_ts: str, turn: Turn) -> None:
        """Keep a turn; one of the same question is replaced."""
        ...
