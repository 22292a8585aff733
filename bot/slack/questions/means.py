"""What questions are answered with, as the answering sees it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from bot.research import Event, Message, ResearchResult, RunState, SearchHit
from bot.slack.api.outbox import Outbox
from bot.slack.messages.last_word import Directly
from bot.slack.messages.render import Progress
from bot.slack.questions.context import ContextReader
from bot.slack.questions.endings import Endings
from bot.slack.questions.line import Lines
from bot.slack.questions.readers import Readers
from bot.slack.tasks import Start
from bot.store import Part, Store
from bot.web import Asked, OnSent, WebSetting
from indexers.document import Audience


class Agent(Protocol):
    """What researches one question: `bot.ways.Research`."""

    async def run(
        self,
        query: str,
        *,
        history: Sequence[Message],
        hints: Sequence[str],
        evidence: Sequence[SearchHit],
        said: Sequence[str],
        resume: RunState | None,
    ) -> ResearchResult: ...


class Researcher(Protocol):
    """Makes the agent for one question, bound to an audience."""

    def __call__(
        self,
        *,
        audience: Audience,
        sources: Sequence[str],
        asked: Asked,
        asker: str,
        clock: Callable[[], datetime],
        clarify_handler: Callable[[str], Awaitable[str]],
        on_event: Callable[[Event], None],
        on_place: Callable[[int], None],
        on_checkpoint: Callable[[RunState], Awaitable[None]],
        on_reply: Callable[[Mapping[str, Any]], None],
        on_sent: OnSent,
    ) -> Agent:
        """Nothing is found but in `sources`, where any are given.  `asked` is what the question asks for; `asker` is an
        opaque id; `on_place` is told the place in the line for the model, 0 when the wait is over; `on_reply` each
        reply of the model, `on_sent` what goes out of the house."""
        ...


Indexed: TypeAlias = Callable[[Audience], Awaitable[Mapping[str, datetime]]]
"""By source, when what the audience may read of it was last brought up to date.  Raises `SearchFailed`."""


async def nothing_indexed(audience: Audience) -> Mapping[str, datetime]:
    """`Indexed` where there is no index."""
    return {}


WebOf: TypeAlias = Callable[[str], WebSetting]
"""What a channel has of the web."""


class Shown(Protocol):
    """Where an answer is written: `LiveMessage`, which says more."""

    @property
    def messages(self) -> tuple[str, ...]: ...

    def open(self, render: Callable[[], Part], progress: Callable[[], Progress]) -> None:
        """Begin to show what `render` gives, asked again at each edit; `progress` is what it is made of."""
        ...

    def touch(self) -> None: ...

    async def pause(self) -> None:
        """Somebody is to write in the thread now; what keeps them from it ends before this returns."""
        ...

    async def close(self, parts: Sequence[Part], directly: Directly | None = None) -> bool:
        """`directly`: how the asker may be told it alone; None where it holds nothing that was found."""
        ...

    async def leave(self) -> None: ...

    async def drop(self) -> None:
        """Write nothing more, unless it has ended: another process goes on with it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What every question is answered with."""

    researcher: Researcher
    contexts: ContextReader
    store: Store
    outbox: Outbox
    endings: Endings
    start: Start
    web: WebOf
    indexed: Indexed
    lines: Lines
    readers: Readers
