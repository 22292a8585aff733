"""From the result of a run to the last word in Slack.  No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot import sentences
from bot.research import (
    ResearchResult,
    SearchHit,
    Source,
    WebHit,
    build_sources_for_client,
    build_web_sources_for_client,
)
from bot.research.links import urls_in
from bot.sentences import sentence
from bot.slack.messages.links import words
from bot.slack.messages.render import Piece, final, listed, noted

MOST_FOUND = 5

_NO_CLAIMS = frozenset(
    text.removesuffix(".")
    for texts in (
        *(sentences.NOTHING_FOUND, sentences.ENGINE_FAILED, sentences.OUT_OF_TIME),
        *(sentences.SEARCH_FAILED, sentences.SEARCH_FAILED_WEB),
    )
    for text in texts.values()
)
"""Answers that state nothing which a source could back."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    text: str
    """Markdown; what a follow-up is told was answered."""
    sources: tuple[Source, ...]
    pieces: tuple[Piece, ...]
    """The messages."""
    passages: tuple[SearchHit | WebHit, ...] = ()
    """What each of the sources rests on; none where they are not cited by number."""


def conclude(result: ResearchResult, hinted: Sequence[Source], notes: Sequence[str]) -> Conclusion:
    """`hinted` are the sources whose links the run was told; an answer that gives such links rests on them."""
    notes = [*notes, *_unsearched(result)]
    if result.stop_reason in ("no_content", "no_synthesis"):
        return _without_answer(result, [*notes, *result.warnings])
    told = [*notes, *(warning for warning in result.warnings if warning not in result.answer)]
    if result.sources or result.answer.removesuffix(".") in _NO_CLAIMS:
        pieces = final(result.answer, result.sources, result.language, notes=told)
        return Conclusion(result.answer, tuple(result.sources), tuple(pieces), tuple(result.passages))
    given = frozenset(urls_in(result.answer))
    used = [source for source in hinted if source["url"] in given]
    if not used:
        told.append(sentence(sentences.UNSOURCED, result.language))
    pieces = final(result.answer, used, result.language, notes=told, numbered=False)
    return Conclusion(result.answer, tuple(used), tuple(pieces))


def _unsearched(result: ResearchResult) -> list[str]:
    """Nobody should take an outage for an answer that there is nothing."""
    searches = [call for call in result.tool_calls if call.tool_name == "search"]
    said = sentence(sentences.SEARCH_FAILED, result.language)
    failed = searches and all(call.error for call in searches) and said not in result.answer
    return [f"{said}."] if failed else []


def _without_answer(result: ResearchResult, notes: Sequence[str]) -> Conclusion:
    """The model gave no text: a sentence says so, and what was found is listed."""
    found = _found(result)
    text = sentence(sentences.NO_ANSWER if found else sentences.NO_CONTENT, result.language)
    body = "\n\n".join([words(text), *noted(notes)])
    return Conclusion(text, tuple(found), tuple(listed(body, found, result.language, numbered=False)))


def _found(result: ResearchResult) -> list[Source]:
    documents: dict[str, Source] = {}
    for call in result.tool_calls:
        for source in (*build_sources_for_client(call.raw_hits), *build_web_sources_for_client(call.web_hits)):
            documents.setdefault(source["source_id"] or source["url"] or source["title"], source)
    return list(documents.values())[:MOST_FOUND]
