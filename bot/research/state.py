"""The state of a run: serialisable after every step, and enough to go on from."""

from collections.abc import Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from bot.engine import Message, ToolCall
from bot.research.shaping import CORPUS_CAP, WEB_CAP
from bot.research.types import SearchHit, ToolInvocation, WebHit

Hit = SearchHit | WebHit


class RunState(BaseModel):
    """One run as it stands.  `model_dump_json()` writes it, `RunState.model_validate_json()` reads it back."""

    model_config = ConfigDict(extra="forbid")

    query: str
    language: str
    hints: list[str] = Field(default_factory=list)
    evidence: list[Hit] = Field(default_factory=list)
    sources: list[str] = Field(default_factory=list)
    """The connected sources, as the prompt names them."""

    system: Message
    history: list[Message] = Field(default_factory=list)
    question: list[Message]
    """The query, the hints, and the evidence if any."""
    transcript: list[Message] = Field(default_factory=list)
    """What the run has added since."""

    pending: list[ToolCall] = Field(default_factory=list)
    """Calls of the last reply that still want their tool message."""
    attempted: int = 0
    """How many calls of the last reply were run, failing ones included."""
    clarified: str | None = None
    """The person's answer to the clarify call that waits first in `pending`."""
    enclosed: list[SearchHit] = Field(default_factory=list)
    """What came with that answer; the call takes both."""

    turns: int = 0
    iterations: int = 0
    seconds: float = 0.0
    """Of the run's own limit, used up so far."""
    usage: dict[str, int] = Field(
        default_factory=lambda: {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    )
    invocations: list[ToolInvocation] = Field(default_factory=list)
    failures: dict[str, int] = Field(default_factory=dict)
    asked_again: bool = False
    told_budget: bool = False
    warnings: list[str] = Field(default_factory=list)

    def answered(self, text: str, enclosed: Sequence[SearchHit] = ()) -> Self:
        """This state with the person's answer to the clarify question that it waits for, and with what came with it,
        which is citable as what a search finds."""
        return self.model_copy(update={"clarified": text, "enclosed": [*enclosed]})

    def snapshot(self) -> Self:
        """A copy that later steps do not change; what is inside the lists is never changed in place."""
        changed: dict[str, Any] = {name: value.copy() for name, value in self if isinstance(value, list | dict)}
        return self.model_copy(update=changed)

    def warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)

    @property
    def charged(self) -> list[ToolInvocation]:
        return [invocation for invocation in self.invocations if not invocation.error]

    @property
    def searches(self) -> list[ToolInvocation]:
        """The charged searches, corpus and web."""
        return [invocation for invocation in self.charged if invocation.tool_name != "clarify"]

    def refs(self) -> dict[int, Hit]:
        """Every hit of this run under its ref, in the order in which refs were given out."""
        hits: list[Hit] = list(self.evidence)
        for invocation in self.charged:
            hits += shown_hits(invocation)
        return dict(enumerate([*hits, *self.enclosed], 1))

    def ranks(self) -> dict[int, int]:
        """The place of every ref in the search that gave it, from 0; what the caller brought comes before all."""
        places = [0] * len(self.evidence)
        for invocation in self.charged:
            shown = range(len(shown_hits(invocation)))
            places += shown if invocation.tool_name != "clarify" else [0] * len(shown)
        return dict(enumerate([*places, *([0] * len(self.enclosed))], 1))


def shown_hits(invocation: ToolInvocation) -> list[Hit]:
    """The hits of one search that were given a ref; of an answer all that came with it."""
    if invocation.tool_name == "clarify":
        return [*invocation.raw_hits]
    return [*invocation.raw_hits[:CORPUS_CAP], *invocation.web_hits[:WEB_CAP]]
