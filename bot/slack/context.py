"""What a run is given beside its question: on whose behalf, what was said before, who asks and where they live."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from bot import sentences
from bot.research import Message, Role, SearchHit, Source, gate_links, neutralise
from bot.sentences import sentence
from bot.slack.audience import Audiences, covers
from bot.slack.inbound import Inbound
from bot.slack.linked import LinkReader
from bot.slack.links import address
from bot.slack.people import UNREACHABLE, People, Person
from bot.slack.thread import ThreadReader
from bot.store import Store, Turn
from indexers.document import Audience
from indexers.slack_text import plain, unnamed_channels, users

logger = logging.getLogger(__name__)

LONGEST_TITLE = 200
LONGEST_NAME = 80
MOST_LINKS = 40


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
    said: tuple[str, ...] = ()
    """What the asker wrote before in this thread."""
    known_link: bool = False
    """The question's link names something of ours."""
    web: bool = False
    """The thread began with a question to the web."""
    hinted: tuple[Source, ...] = ()
    """The sources whose links the hints name."""
    notes: tuple[str, ...] = ()
    """What the answer has to say about how it came to be, in the asker's language."""

    def now(self) -> datetime:
        return datetime.now(UTC).astimezone(self.zone)


class ContextReader:
    def __init__(
        self,
        *,
        store: Store,
        people: People,
        audiences: Audiences,
        threads: ThreadReader,
        links: LinkReader,
        bot_user: str,
    ) -> None:
        self._store = store
        self._people = people
        self._audiences = audiences
        self._threads = threads
        self._links = links
        self._bot_user = bot_user

    async def read(self, asked: Inbound, language: str, *, fresh: bool = False) -> Context:
        """With `fresh`, on behalf of those who may read the thread now, and not some seconds ago."""
        async with asyncio.TaskGroup() as reads:
            audience = reads.create_task(self._audiences.audience(asked, fresh=fresh))
            asker = reads.create_task(self._asker(asked.user))
            words = reads.create_task(self.words(asked, asked.own_text))
            shared = reads.create_task(self._forwarded(asked))
            evidence = reads.create_task(self._evidence(asked))
            turns = reads.create_task(self._turns(asked))
            thread = reads.create_task(self._store.thread(*asked.thread))
        linked = await self._links.read(asked, audience.result())
        # What was found for others is not told to those who could not have found it.
        known = [turn for turn in turns.result() if covers(turn.audience, audience.result())]
        hinted = _linked(known)
        said = evidence.result()
        person = asker.result()
        files = sentence(sentences.FILES_UNREAD, language, files=", ".join(asked.files)) if asked.files else ""
        unread = sentence(sentences.THREAD_UNREAD, language) if said is None else ""
        unseen = sentence(sentences.LINK_UNSEEN, language) if linked.known and not linked.hits else ""
        began = thread.result()
        own, forwarded = words.result(), shared.result()
        return Context(
            query=own or gate_links("\n".join(hit.content_snippet for hit in forwarded), ()),
            own=own,
            audience=audience.result(),
            zone=person.zone if person else None,
            history=tuple(message for turn in known for message in _messages(turn)),
            hints=tuple(filter(None, (_who(person), _links(hinted)))),
            evidence=(*linked.hits, *forwarded, *(said or ())),
            said=tuple(turn.question for turn in known if turn.asker == asked.user),
            known_link=linked.known,
            web=began is not None and began.web,
            hinted=tuple(hinted),
            notes=tuple(filter(None, (files, unread, unseen))),
        )

    async def words(self, message: Inbound, text: str) -> str:
        """The text of a message, or a part of it, as a person would read it aloud."""
        others = [user for user in users(text) if user != self._bot_user]
        names = await self._people.names(others, unnamed_channels(text))
        # Who names themselves like an address has not been named by the asker.
        shown = {known: gate_links(name, ()).strip() or known for known, name in names.items()}
        return plain(text, shown, own=self._bot_user)

    async def name(self, user: str) -> str:
        """What people call somebody; the id where it is not known."""
        person = await self._asker(user)
        return person.name if person else user

    async def still_covers(self, audience: Audience, asked: Inbound) -> bool:
        """Whether those who may read the thread now are still no more than what was found may be told to."""
        return covers(audience, await self._audiences.audience(asked, fresh=True))

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

    async def _turns(self, asked: Inbound) -> list[Turn]:
        """Those before the question, which may be asked for the second time."""
        turns = [] if asked.is_root else await self._store.turns(*asked.thread)
        return [turn for turn in turns if float(turn.ts) < float(asked.ts)]

    async def _evidence(self, asked: Inbound) -> list[SearchHit] | None:
        """What others said in a thread that did not begin with a question to the bot; None where it cannot be read."""
        if asked.is_root:
            return []
        thread = await self._store.thread(*asked.thread)
        if thread is not None and thread.root_asked:
            return []
        try:
            return await self._threads.before(*asked.thread, asked.ts)
        except UNREACHABLE as error:
            logger.warning("channel %s thread %s cannot be read (%s)", *asked.thread, type(error).__name__)
            return None


def _messages(turn: Turn) -> tuple[Message, Message]:
    return Message(Role.USER, turn.question), Message(Role.ASSISTANT, turn.answer)


def _linked(turns: Sequence[Turn]) -> list[Source]:
    """The sources of the turns that have links, each link once, the newest of them."""
    linked = {source["url"]: source for turn in turns for source in turn.sources if address(source["url"])}
    return list(linked.values())[-MOST_LINKS:]


def _links(sources: Sequence[Source]) -> str:
    if not sources:
        return ""
    lines = [f"- {_name(source['title'], LONGEST_TITLE)}: {source['url']}" for source in sources]
    return (
        "The sources of the earlier answers in this thread, oldest first. Where the question speaks of these sites, "
        "links or documents, it means them:\n" + "\n".join(lines)
    )


def _who(person: Person | None) -> str:
    return f"The person who asks is {_name(person.name, LONGEST_NAME)}." if person else ""


def _name(text: str, longest: int) -> str:
    """On one line and without addresses: those of a hint count as the asker's own."""
    return neutralise(gate_links(" ".join(text.split()), ()), longest)
