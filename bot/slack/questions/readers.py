"""Who may be told an answer that is there: those who can read its thread, else the asker alone, else nobody."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from bot import sentences
from bot.research import Message, ResearchResult, RunState, SearchFailed, SearchHit, WebHit
from bot.sentences import sentence
from bot.slack.messages.blocks import said
from bot.slack.messages.last_word import Directly
from bot.slack.messages.links import words
from bot.slack.questions import readers_sentences as ours
from bot.slack.questions.audience import Audiences, Still, covers
from bot.slack.questions.context import Context
from bot.slack.questions.inbound import Inbound
from bot.store import Run
from indexers.document import Audience

logger = logging.getLogger(__name__)

Readable: TypeAlias = Callable[[str, Audience], Awaitable[bool]]
"""Whether a passage, by its id, is indexed still and the audience may read it.  Raises `SearchFailed`."""


class LeftOut(Exception):
    """Nobody may be told the answer now; `told` says so in each language, and `directly` how to say it to the asker,
    where it differs."""

    def __init__(self, told: dict[str, str], directly: Directly | None = None) -> None:
        super().__init__(told["en"])
        self.told = told
        self.directly = directly


class Readers:
    def __init__(self, audiences: Audiences, readable: Readable) -> None:
        self._audiences = audiences
        self._readable = readable

    async def still(self, audience: Audience, asked: Inbound) -> Still:
        """Whether all who can read the question's thread now may read what was found for `audience`."""
        return await self._audiences.still(audience, asked)

    async def hidden(self, audience: Audience, asked: Inbound) -> bool:
        """Whether nothing of what was found for `audience` may be shown while the question is gone on with, since it
        cannot be known who reads it; raises `LeftOut` where they are known, and may not read it."""
        still = await self.still(audience, asked)
        if still == "more":
            raise LeftOut(ours.READS_LESS if asked.direct else sentences.MORE_READERS)
        return still == "unknown"

    async def admit(self, run: Run, language: str) -> Directly:
        """How the answer of a run may be told: in its thread, or to the asker alone, where it cannot be known who can
        read the thread.  Raises `LeftOut`."""
        asked = Inbound.of(run.asked)
        still = await self.still(run.audience or (), asked)
        if still == "covered" or (asked.direct and await self.asker_may(run)):
            return self._directly(run, language)
        if asked.direct:
            raise LeftOut(ours.READS_LESS if still == "more" else ours.READER_UNKNOWN)
        if still == "more":
            raise LeftOut(sentences.MORE_READERS)
        if asked.unasked or not await self.asker_may(run):
            raise LeftOut(ours.READERS_UNKNOWN, _withheld(run, language))
        return self._directly(run, language, alone=True)

    async def asker_may(self, run: Run) -> bool:
        """Whether the asker may read, as it is now, all that the answer of a run is made from; False where that cannot
        be known."""
        own = await self._audiences.own(run.user, fresh=True)
        if run.audience is not None and covers(run.audience, own):
            return True
        try:
            return run.made_of is not None and all([await self._readable(chunk, own) for chunk in run.made_of])
        except SearchFailed as error:
            logger.warning("%s: it cannot be known what its asker may read (%s)", run.key, type(error).__name__)
            return False

    def _directly(self, run: Run, language: str, *, alone: bool = False) -> Directly:
        async def may_read() -> bool:
            return await self.asker_may(run)

        return replace(
            _withheld(run, language),
            may_read=may_read,
            here=said([words(sentence(ours.TOLD_DIRECTLY, language))])[0] if alone else None,
            note=sentence(ours.TOLD_ALONE, language, channel=f"<#{run.channel}>"),
        )


def _withheld(run: Run, language: str) -> Directly:
    async def may_read() -> bool:
        return False

    return Directly(may_read, sentence(ours.WITHHELD, language, channel=f"<#{run.channel}>"))


def made_of(run: Run, context: Context, result: ResearchResult) -> tuple[str, ...] | None:
    """The ids of the passages that an answer is made from, cited or not, but for what its asker has put there; None
    where it is also made from what others have been told or have said, which no id stands for."""
    state = RunState.model_validate_json(run.state) if run.state else None
    history: Sequence[Message] = state.history if state else context.history
    evidence: Sequence[SearchHit | WebHit] = state.evidence if state else context.evidence
    if history or run.helpers - {run.user}:
        return None
    found = [*evidence, *(hit for call in result.tool_calls for hit in call.raw_hits)]
    theirs = context.theirs.union(run.put)
    others = [hit for hit in found if isinstance(hit, SearchHit) and hit.document_id not in theirs]
    return tuple(dict.fromkeys(hit.chunk_id for hit in others))
