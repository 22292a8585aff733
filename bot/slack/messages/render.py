"""What the message of an answer shows: events fold into a state, state and result become mrkdwn.  No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import assert_never

from bot import sentences
from bot.research import (
    AnswerDelta,
    ClarifyCall,
    ClarifyResponse,
    Error,
    Event,
    FinalAnswer,
    SearchCall,
    SearchError,
    SearchHit,
    SearchResult,
    Source,
    WebHit,
    WebSearch,
)
from bot.sentences import sentence
from bot.slack.messages.cards import best
from bot.slack.messages.links import label, link, words
from bot.slack.messages.mrkdwn import convert
from bot.slack.messages.sources import Folded, folded, heading, line
from bot.slack.messages.split import LIMIT, split
from bot.web import NO_RESULTS, links_in

LONGEST_QUERY = 100
STEPS_SHOWN = 12
MOST_LISTED = 30
"""Sources of one message, each of which may be a block."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A run as far as it has got; all texts are mrkdwn but the draft, which is Markdown."""

    language: str
    doing: str
    steps: tuple[str, ...] = ()
    query: str = ""
    draft: str = ""
    found: tuple[SearchHit | WebHit, ...] = ()
    """The best passages of the first search that had any."""
    place: int = 0
    """In the line for the model; 0 when it waits in none."""
    zone: tzinfo | None = None
    """The asker's; None where it is not known."""


def begun(language: str, *, waits: bool = False, zone: tzinfo | None = None) -> Progress:
    """`waits`: for the question before it in the thread."""
    return Progress(language, sentence(sentences.BUSY_THREAD if waits else sentences.THINKING, language), zone=zone)


def fold(progress: Progress, event: Event) -> Progress:
    """The state after the event."""
    match event:
        case SearchCall(arguments={"url": link} as arguments, web=True) if "query" not in arguments:
            doing = sentence(sentences.READING_PAGE, progress.language, url=_shown(str(link)))
            return replace(progress, draft="", query="", doing=doing)
        case SearchCall(arguments=arguments, web=web):
            return _searching(progress, str(arguments.get("query") or ""), web)
        case SearchResult() | SearchError() | WebSearch():
            failed = isinstance(event, SearchError) or (isinstance(event, WebSearch) and _is_outage(event))
            step = f"{'✗' if failed else '✓'} {_outcome(progress, event)}"
            thinking = sentence(sentences.THINKING, progress.language)
            found = progress.found or (best(event.hits) if isinstance(event, SearchResult) else ())
            return replace(progress, steps=(*progress.steps, step), doing=thinking, found=found)
        case ClarifyCall():
            return replace(progress, draft="", doing=sentence(sentences.ASKED_BACK, progress.language))
        case ClarifyResponse() | Error():
            return replace(progress, doing=sentence(sentences.THINKING, progress.language))
        case AnswerDelta(text=text):
            return replace(progress, draft=progress.draft + text)
        case FinalAnswer(text=text):
            return replace(progress, draft=text)
        case _:
            assert_never(event)


def in_line(progress: Progress, place: int) -> Progress:
    """The state when the run has this place in the line for the model; 0: its turn has come."""
    return replace(progress, place=place)


def going_on(progress: Progress) -> Progress:
    """The state while nobody works on it."""
    return replace(progress, draft="", place=0, doing=sentence(sentences.GOING_ON, progress.language))


def steps(progress: Progress) -> str:
    """What was done, and what is being done."""
    return "\n".join([*progress.steps[-STEPS_SHOWN:], f"_{_doing(progress)}_"])


def draft(progress: Progress) -> str:
    """The message while the run goes on, within Slack's limit."""
    head = "\n".join(progress.steps[-STEPS_SHOWN:])
    # What lies behind the limit is not shown, so it need not be rendered again at every edit.
    body = convert(progress.draft[: 2 * LIMIT])
    if not body.strip():
        return steps(progress)
    pieces = split("\n\n".join(filter(None, (head, body))), LIMIT - len("\n…".encode()))
    return pieces[0] if len(pieces) == 1 else f"{pieces[0]}\n…"


@dataclass(frozen=True, slots=True)
class Piece:
    """One message of an answer: a part of its text, then a part of its sources."""

    body: str
    """mrkdwn."""
    sources: tuple[Folded, ...] = ()
    title: str = ""
    """Over the first of the sources."""
    numbered: bool = True

    @property
    def text(self) -> str:
        """All of it as mrkdwn."""
        listed = "\n".join(filter(None, (self.title, *(line(same, numbered=self.numbered) for same in self.sources))))
        return "\n\n".join(filter(None, (self.body, listed)))


def final(
    text: str, sources: Sequence[Source], language: str, *, notes: Sequence[str] = (), numbered: bool = True
) -> list[Piece]:
    """The answer in messages: the text, notes (plain text), the list of sources.  `numbered`: the text cites them by
    number, and its marks open them."""
    body = convert(text, {source["ref"]: source["url"] for source in sources} if numbered else None) or words(text)
    return listed("\n\n".join(filter(None, (body, *noted(notes)))), sources, language, numbered=numbered)


def noted(notes: Sequence[str]) -> list[str]:
    return [f"_{words(note)}_" for note in notes]


def listed(body: str, sources: Sequence[Source], language: str, *, numbered: bool = True) -> list[Piece]:
    """`body` (mrkdwn) in as many messages as it needs, then the sources, one line a document with all its footnote
    numbers, in the last of them and as many more as they need."""
    pieces = [Piece(part, numbered=numbered) for part in split(body)]
    title = heading(language)
    for same in folded(sources):
        last = pieces[-1] if pieces else None
        longer = replace(last, sources=(*last.sources, same), title=last.title or title) if last else None
        if longer and len(longer.sources) <= MOST_LISTED and len(longer.text.encode()) <= LIMIT:
            pieces[-1], title = longer, ""
        else:
            pieces.append(Piece("", (same,), title, numbered))
            title = ""
    return pieces


def _doing(progress: Progress) -> str:
    if progress.place:
        return sentence(sentences.IN_LINE, progress.language, place=progress.place)
    return progress.doing


def _searching(progress: Progress, query: str, web: bool) -> Progress:
    shown = _shown(query)
    if web:
        doing = sentence(sentences.SEARCHING_WEB, progress.language, query=shown)
    elif shown:
        doing = sentence(sentences.SEARCHING, progress.language, query=shown)
    else:
        doing = sentence(sentences.BROWSING, progress.language)
    return replace(progress, draft="", query=shown, doing=doing)


def _outcome(progress: Progress, event: SearchResult | SearchError | WebSearch) -> str:
    language = progress.language
    match event:
        case SearchResult(num_hits=count, web=True):
            return sentence(sentences.SEARCHED_WEB, language, query=progress.query, count=count)
        case SearchResult(num_hits=count) if progress.query:
            return sentence(sentences.SEARCHED, language, query=progress.query, count=count)
        case SearchResult(num_hits=count):
            return sentence(sentences.BROWSED, language, count=count)
        case WebSearch():
            return _from_the_web(event, language)
        case SearchError(web=True):
            return sentence(sentences.SEARCH_FAILED_WEB, language)
        case SearchError():
            return sentence(sentences.SEARCH_FAILED, language)
        case _:
            assert_never(event)


def _from_the_web(event: WebSearch, language: str) -> str:
    """Who searched, and the numbered links."""
    if links_in(event.query):  # a message that names a page has it read, and nothing searched
        read = sentences.PAGE_UNREAD if event.error else sentences.PAGE_WAS_READ
        return sentence(read, language, url=", ".join(_shown(one["url"]) for one in event.sources))
    if _is_outage(event):
        return sentence(sentences.SEARCH_FAILED_WEB, language)
    count = len(event.sources)
    head = sentence(sentences.SEARCHED_WEB, language, query=_shown(event.query), count=count)
    links = [f"[{one['ref']}] {link(one['url'], one['title'])}" for one in event.sources]
    return "\n".join([f"{head} · {label(event.engine)}", *links])


def _is_outage(event: WebSearch) -> bool:
    """That nothing was found is none."""
    return event.error is not None and event.error != NO_RESULTS


def _shown(query: str) -> str:
    """A query within a line of mrkdwn."""
    line = " ".join(query.split())
    return label(line if len(line) <= LONGEST_QUERY else line[: LONGEST_QUERY - 1].rstrip() + "…")
