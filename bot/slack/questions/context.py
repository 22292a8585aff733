"""What a run is given beside its question: on whose behalf, what was said before, who asks and where they live."""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo

from bot import sentences
from bot.language import detect
from bot.research import Message, Role, SearchHit, Source, gate_links
from bot.sentences import sentence
from bot.slack.api.people import UNREACHABLE, People, Person
from bot.slack.messages import sentences as ours
from bot.slack.messages.links import address
from bot.slack.questions.audience import Audiences, covers
from bot.slack.questions.channels import rests_on_what_is_searched, wishes
from bot.slack.questions.files import MOST_FILES, FileReader, FilesRead, document_of, put_by
from bot.slack.questions.hints import LONGEST_NAME, given, links, named, who
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.linked import Linked, LinkReader
from bot.slack.questions.thread import MOST_MESSAGES, Said, ThreadReader
from bot.store import ChannelSettings, Store, StoreError, Turn
from indexers.document import Audience
from indexers.slack_text import plain

logger = logging.getLogger(__name__)

MOST_LINKS = 40
FILES_INSTEAD = "(no words: the files that came with this are the answer)"
"""What the model is told of a reply of files alone."""


@dataclass(frozen=True, slots=True)
class Context:
    query: str
    own: str
    """The asker's own words: the query, unless they only forward something."""
    audience: Audience
    zone: tzinfo | None
    """The asker's; None where it is not known."""
    history: tuple[Message, ...] = ()
    hints: tuple[str, ...] = ()
    evidence: tuple[SearchHit, ...] = ()
    theirs: frozenset[str] = frozenset()
    """The ids of the documents of the evidence that the asker has put there."""
    said: tuple[str, ...] = ()
    """What the asker wrote before in this thread."""
    known_link: bool = False
    """The question's link names something of ours."""
    web: bool = False
    """The thread began with a question to the web."""
    hinted: tuple[Source, ...] = ()
    """The sources whose links the hints name."""
    settings: ChannelSettings = field(default_factory=ChannelSettings)
    """Of the channel where it was asked, as far as they hold for the answer."""
    notes: tuple[str, ...] = ()
    """What the answer has to say about how it came to be, in the channel's or else in the asker's language."""

    def now(self) -> datetime:
        return datetime.now(UTC).astimezone(self.zone)


@dataclass(frozen=True, slots=True)
class Replied:
    """What somebody answered to a question that was asked back."""

    text: str
    enclosed: tuple[SearchHit, ...]
    """Their files."""
    notes: tuple[str, ...]
    """What of them was not read."""


class ContextReader:
    def __init__(
        self,
        *,
        store: Store,
        people: People,
        audiences: Audiences,
        threads: ThreadReader,
        links: LinkReader,
        files: FileReader,
        bot_user: str,
    ) -> None:
        self._store = store
        self._people = people
        self._audiences = audiences
        self._threads = threads
        self._links = links
        self._files = files
        self._bot_user = bot_user

    async def read(self, asked: Inbound, language: str, *, fresh: bool = False) -> Context:
        """With `fresh`, on behalf of those who may read the thread now, and not some seconds ago."""
        place = asked.as_written
        async with asyncio.TaskGroup() as reads:
            audience = reads.create_task(self._audience(asked, fresh))
            asker = reads.create_task(self._asker(asked.user))
            words = reads.create_task(self.words(asked, asked.own_text))
            shared = reads.create_task(self._forwarded(place))
            thread_said = reads.create_task(self._said(place))
            turns = reads.create_task(self._turns(place))
            thread = reads.create_task(self._store.thread(*place.thread))
            channel = reads.create_task(self._settings(asked))
        settings = channel.result()
        language = settings.language or language
        linked = await self._links.read(asked, audience.result(), settings.sources)
        open_ = _is_open(asked, audience.result())
        known = [turn for turn in turns.result() if open_ and covers(turn.audience, audience.result())]
        said = thread_said.result() if open_ else None
        usable = [turn for turn in known if rests_on_what_is_searched(turn, settings, _here(said))]
        hinted = _linked(usable)
        person = asker.result()
        own, forwarded = words.result(), shared.result()
        files = await self._read_files(asked, said, own, language)
        passages = (*linked.hits, *forwarded, *files.hits, *_others(said, usable))
        return Context(
            query=own or gate_links("\n".join(hit.content_snippet for hit in forwarded), ()) or _about(asked, files),
            own=own,
            audience=audience.result(),
            zone=person.zone if person else None,
            history=tuple(message for turn in usable for message in _messages(turn)),
            hints=tuple(filter(None, (who(person), given(passages, said), links(hinted), *wishes(settings)))),
            evidence=passages,
            theirs=_of_asker(asked, said),
            said=tuple(turn.question for turn in known if turn.asker == asked.user),
            known_link=linked.known,
            web=bool((began := thread.result()) and began.web),
            hinted=tuple(hinted),
            settings=settings,
            notes=(*files.notes, *_limits(said, linked, language)),
        )

    async def words(self, message: Inbound, text: str) -> str:
        """The text of a message, or a part of it, as a person would read it aloud."""
        names = await self._people.names_in([text], but=self._bot_user)
        # Who names themselves like an address has not been named by the asker.
        shown = {known: gate_links(name, ()).strip() or known for known, name in names.items()}
        return plain(text, shown, own=self._bot_user)

    async def replied(self, message: Inbound, query: str, language: str) -> Replied:
        """What a message answers to what was asked back about `query`; the text is "" where it says nothing."""
        text = await self.words(message, message.text)
        language = (await self._store.settings(message.channel)).language or language
        read = await self._files.read(message.files, f"{query}\n{text}", language)
        return Replied(text or (FILES_INSTEAD if read.hits else ""), read.hits, read.notes)

    async def language(self, user: str) -> str:
        """The one that somebody has set in Slack."""
        return await self._people.language(user)

    async def name(self, user: str) -> str:
        """What people call somebody; the id where it is not known."""
        person = await self._asker(user)
        return person.name if person else user

    async def zone(self, user: str) -> tzinfo | None:
        """Where somebody lives; None where it is not known."""
        person = await self._asker(user)
        return person.zone if person else None

    async def _audience(self, asked: Inbound, fresh: bool) -> Audience:
        """As Slack has it now, too, where what is remembered may be of before somebody's coming or going, of which
        another process may have heard."""
        audience = await self._audiences.audience(asked, fresh=fresh)
        if fresh or not await self._moved(asked):
            return audience
        return await self._audiences.audience(asked, fresh=True)

    async def _moved(self, asked: Inbound) -> bool:
        try:
            return await self._store.moves.lately(asked.user if asked.direct else asked.channel)
        except StoreError as error:
            logger.warning("channel %s: whether somebody came in cannot be known (%s)", asked.channel, error)
            return True

    async def _forwarded(self, asked: Inbound) -> list[SearchHit]:
        shared = asked.text.removeprefix(asked.own_text).strip()
        if not shared:  # which a command never has, that has no message either
            return []
        return await self._threads.forwarded(*asked.thread, asked.ts, shared)

    async def _asker(self, user: str) -> Person | None:
        try:
            return await self._people.person(user)
        except UNREACHABLE as error:
            logger.warning("user %s cannot be looked up (%s)", user, type(error).__name__)
            return None

    async def _settings(self, asked: Inbound) -> ChannelSettings:
        """Those of the channel where it was asked.  A private answer is its asker's own view: it comes from all that
        they may read, whatever sources the channel has, and keeps to the channel in all else."""
        settings = await self._store.settings(asked.as_written.channel)
        return settings.model_copy(update={"sources": ()}) if asked.origin else settings

    async def _turns(self, asked: Inbound) -> list[Turn]:
        """Those before the question, which may be asked for the second time."""
        turns = [] if asked.is_root else await self._store.turns(*asked.thread)
        return [turn for turn in turns if float(turn.ts) < float(asked.ts)]

    async def _said(self, asked: Inbound) -> Said | None:
        """What was said in the thread before the question; None where it cannot be read."""
        if asked.is_root:
            return Said({}, (), 0)
        try:
            return await self._threads.before(*asked.thread, asked.ts)
        except UNREACHABLE as error:
            logger.warning("channel %s thread %s cannot be read (%s)", *asked.thread, type(error).__name__)
            return None

    async def _read_files(self, asked: Inbound, said: Said | None, question: str, language: str) -> FilesRead:
        """The question's files; where it has none, the latest of its thread, of which it may speak."""
        if asked.files or said is None:
            return await self._files.read(asked.files, question, language)
        read = await self._files.read(said.files[-MOST_FILES:], question, language)
        return replace(read, notes=())


def _is_open(asked: Inbound, audience: Audience) -> bool:
    """Whether what was said where it was asked may be told to those who could not have been told it there."""
    return not asked.origin or all(f"channel:{asked.as_written.channel}" in one for one in audience)


def _others(said: Said | None, known: Sequence[Turn]) -> list[SearchHit]:
    """What was said in the thread beside the questions that are known as such."""
    turns = {turn.ts for turn in known}
    others = [hits for ts, hits in said.hits.items() if ts not in turns] if said is not None else []
    return [hit for hits in others for hit in hits]


def _here(said: Said | None) -> set[str]:
    """The ids of what all who read the thread see in it: its messages and their files."""
    if said is None:
        return set()
    messages = {hit.document_id for hits in said.hits.values() for hit in hits}
    return messages | {document_of(file) for file in said.files}


def _of_asker(asked: Inbound, said: Said | None) -> frozenset[str]:
    in_thread = said.documents_of(asked.user) if said is not None else set()
    return frozenset(put_by(asked.user, asked.files) | in_thread)


def _about(asked: Inbound, files: FilesRead) -> str:
    """What is asked with a file alone, in its language; "" where none was read."""
    if not (asked.files and files.hits):
        return ""
    names = ", ".join(dict.fromkeys(named(hit.title, LONGEST_NAME) for hit in files.hits))
    return sentence(ours.FILES_ALONE, detect(files.hits[0].content_snippet), files=names)


def _limits(said: Said | None, linked: Linked, language: str) -> Iterator[str]:
    """What of the thread and of the question's link was not read."""
    if said is None:
        yield sentence(sentences.THREAD_UNREAD, language)
    elif said.left_out:
        yield sentence(ours.THREAD_CUT, language, count=MOST_MESSAGES - 1)
    if said is not None and said.cut:
        yield sentence(ours.MESSAGES_CUT, language)
    if linked.known and not linked.hits:
        yield sentence(sentences.LINK_UNSEEN, language)


def _messages(turn: Turn) -> tuple[Message, Message]:
    return Message(Role.USER, turn.question), Message(Role.ASSISTANT, turn.answer)


def _linked(turns: Sequence[Turn]) -> list[Source]:
    """The sources of the turns that have links, each link once, the newest of them."""
    linked = {source["url"]: source for turn in turns for source in turn.sources if address(source["url"])}
    return list(linked.values())[-MOST_LINKS:]
