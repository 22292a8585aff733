"""A replay case: one question with all that its answer was made of, as a file that can be read, kept and run again."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.research import RunState, SearchHit, Source, ToolInvocation, WebHit
from bot.store import Feedback


class CaseError(Exception):
    """A file is no replay case; the text is one sentence that names it."""


class Said(BaseModel):
    """An earlier turn of the conversation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["user", "assistant"]
    content: str


class Case(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    id: str
    asked_at: float
    """Seconds since the epoch."""
    reason: str
    """What was wrong with the answer, in the words of whoever found it bad."""
    way: Literal["documents", "web"]
    """`web`: from the public web alone, of which no search is kept that could answer again."""
    question: str
    history: tuple[Said, ...] = ()
    hints: tuple[str, ...] = ()
    evidence: tuple[SearchHit | WebHit, ...] = ()
    """What the run held before its first search."""
    connected: tuple[str, ...] = ()
    """The sources that could be searched."""
    searches: tuple[ToolInvocation, ...] = ()
    """Every call of a tool in its order, with what came back."""
    replies: tuple[dict[str, Any], ...] = ()
    """What the model gave, reply by reply; one that failed has an `error`."""
    answer: str
    sources: tuple[Source, ...] = ()


def case_of(feedback: Feedback) -> Case | None:
    """What somebody found bad, as a case; None where it is not kept any more how the answer came to be."""
    run = feedback.trace
    if run is None or run.turn is None:
        return None
    known: dict[str, Any] = {"question": run.turn.question}
    if run.state:
        state = RunState.model_validate_json(run.state)
        known = {
            "question": state.query,
            "history": [{"role": str(turn.role), "content": turn.content} for turn in state.history],
            "hints": state.hints,
            "evidence": state.evidence,
            "connected": state.sources,
            "searches": state.invocations,
        }
    return Case(
        id=f"{feedback.run}:{feedback.user}",
        asked_at=run.at,
        reason=feedback.reason,
        way="documents" if run.spoken else "web",
        replies=run.spoken,
        answer=run.turn.answer,
        sources=run.turn.sources,
        **known,
    )


def read(paths: Iterable[Path]) -> Iterator[Case]:
    """The cases in files, and in the `*.json` of folders by their names.  Raises `CaseError`."""
    for path in paths:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not files:
            raise CaseError(f"{path} holds no replay case; name a folder that `footnote feedback export` wrote.")
        for file in files:
            try:
                yield Case.model_validate_json(file.read_bytes())
            except OSError as error:
                raise CaseError(f"{file} cannot be read: {error.strerror}.") from error
            except ValidationError as error:
                where = ".".join(map(str, error.errors()[0]["loc"]))
                why = f"see {where}" if where else "it is not a JSON object"
                raise CaseError(f"{file} is no replay case of version 1: {why}.") from error
