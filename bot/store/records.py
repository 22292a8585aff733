"""What is kept, as values."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.research import SearchHit, Source, WebHit
from indexers.document import Audience

_FROZEN = ConfigDict(frozen=True, extra="ignore")
"""What a newer Footnote wrote beside is left out."""


MOST_ASKING = 5
"""Runs of a thread that words can answer, beside their buttons."""


class Turn(BaseModel):
    """One question and its answer."""

    model_config = _FROZEN

    ts: str
    """The question's, unique in its channel."""
    asker: str
    question: str
    answer: str
    """Markdown, as the run gave it; `sources` carry its footnote numbers."""
    sources: tuple[Source, ...] = ()
    audience: Audience = ()
    """On whose behalf was searched."""


class Thread(BaseModel):
    """A thread in which the bot was asked."""

    model_config = _FROZEN

    root_asked: bool = False
    """The first message of the thread was itself a question to the bot."""
    askers: frozenset[str] = frozenset()
    """The ids of those who have asked here."""
    web: bool = False
    """It began with a question to the web."""
    quiet: bool = False
    """Somebody has asked the bot to answer here only when it is mentioned."""
    asking: tuple[str, ...] = ()
    """The keys of the runs that have asked back here, as far as is known, the latest last."""
    turns: tuple[Turn, ...] = ()
    """The newest, oldest first."""

    def asked_by(self, run: str) -> "Thread":
        """With a run that asks back, too."""
        others = [one for one in self.asking if one != run]
        return self.model_copy(update={"asking": (*others, run)[-MOST_ASKING:]})


class Step(BaseModel):
    """One step of a run, for those who ask how an answer came to be."""

    model_config = _FROZEN

    what: str
    """`search`, `web_search`, `page` (it was read), `clarify` or `model`; `query` and `page_request` went out of the
    house."""
    text: str = ""
    """The query, the address, or the question asked back."""
    found: int = 0
    kept: int = 0
    seconds: float = 0.0
    tokens: int = 0
    engine: str = ""
    """Who outside of the house got what went out, where that is known."""
    failed: bool = False


class Part(BaseModel):
    """One message of an answer."""

    model_config = _FROZEN

    text: str
    """mrkdwn; what is shown where blocks are not."""
    blocks: tuple[dict[str, Any], ...] = ()


Status = Literal["open", "stopping", "waiting", "done", "stopped", "claim"]


class Run(BaseModel):
    """One question on its way to its answer, and what is kept of that way."""

    model_config = _FROZEN

    key: str
    """`channel:ts` of the question; every message that belongs to the run carries it."""
    channel: str
    thread_ts: str
    user: str
    asked: dict[str, Any]
    """The question as it came in: the fields of `bot.slack.questions.inbound.Inbound`."""
    response_url: str = ""
    """Where a command may be answered for half an hour."""
    responses: int = 0
    """How often it was."""
    status: Status = "open"
    owner: str = ""
    """The process that works on it."""
    at: float = 0.0
    """When it was asked, in seconds since the epoch."""
    attempt: int = 1
    """It is answered anew when the question is edited, or by wish."""
    messages: tuple[str, ...] = ()
    """The ts of the bot's messages that make up the answer, in their order, as far as is known."""
    lines: tuple[str, ...] = ()
    """The steps that its message shows while it is at work."""
    audience: Audience | None = None
    """On whose behalf `state` was searched."""
    doubted: bool = False
    """Who can read its thread may be others than those for whom it is about to be searched."""
    state: str = ""
    """The last checkpoint: a `bot.research.state.RunState` as JSON."""
    asked_back: str = ""
    """The question that waits for an answer."""
    since: float = 0.0
    """When it was asked back."""
    reply: str | None = None
    """What was answered to it, and the run has not taken up yet."""
    replies: tuple[str, ...] = ()
    """The keys of the messages that answered."""
    helpers: frozenset[str] = frozenset()
    """Who wrote them."""
    said: tuple[str, ...] = ()
    """What the asker wrote in them, without what they forward."""
    put: tuple[str, ...] = ()
    """The ids of the documents that the asker put there with them."""
    parts: tuple[Part, ...] = ()
    """The last word, from when it is known until it is delivered."""
    turn: Turn | None = None
    """What is kept of the answer."""
    made_of: tuple[str, ...] | None = None
    """The ids of the passages that the answer is made from, but for what the asker has put there; None where something
    else is in it, too."""
    stopping: str = ""
    """Who wants it to be stopped; "" where its readers may be others now, and whoever works on it is to look."""
    anew: dict[str, Any] | None = None
    """The question, to be answered in place of what is answered now, as soon as that has stopped."""
    deleted: bool = False
    """The question is gone; what was said to it is to go, too."""
    steps: tuple[Step, ...] = ()
    spoken: tuple[dict[str, Any], ...] = ()
    """What the model gave, reply by reply, from the beginning to `state` or to the end."""
    quotes: tuple[SearchHit | WebHit, ...] = ()
    """What each source of the answer rests on, by its footnote number less one."""
    private: tuple[str, ...] = ()
    """The keys of what goes with it: the runs of private answers to the same question, and the sharings of its own."""
    shares: str = ""
    """The run of a private answer that this shows to others: then it asks nothing."""
    seconds: float = 0.0
    traceless: bool = False
    """What it was told of before is deleted since: once it is over, nothing is kept of how its answer came to be."""

    @property
    def asks(self) -> str:
        """Which of the questions that it asks back it has come to: its attempt, and how many were answered."""
        return f"{self.attempt}.{len(self.replies)}"

    @property
    def waits(self) -> bool:
        """Whether it can be answered what it has asked back."""
        return bool(self.asked_back) and self.reply is None and self.status in ("open", "waiting")


class ChannelSettings(BaseModel):
    """How the bot behaves in one channel."""

    model_config = _FROZEN

    sources: tuple[str, ...] = ()
    """Only these are searched; all where it is empty."""
    unmentioned: bool = False
    """Questions are answered without a mention."""
    web: Literal["", "on", "on request", "off"] = ""
    """"" is what the process is set to."""
    language: str = ""
    """ISO 639-1; "" is the question's."""
    tone: str = Field(default="", max_length=200)
    """One line about how answers should sound."""


class Feedback(BaseModel):
    """What somebody thinks of an answer."""

    model_config = _FROZEN

    run: str
    user: str
    good: bool
    reason: str = ""
    trace: Run | None = None
    """How the answer came to be that was found bad, as long as that is kept."""
    at: float = 0.0
