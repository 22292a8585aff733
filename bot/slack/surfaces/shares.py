"""The sharing of a private answer, over restarts: a run of its own, which asks nothing and has what is shared as its
last word."""

import logging
from contextlib import suppress

from bot.sentences import sentence
from bot.slack.api.membership import Memberships
from bot.slack.api.outbox import Mark, Outbox, Refusal
from bot.slack.api.people import UNREACHABLE
from bot.slack.messages.blocks import answered, notice, said
from bot.slack.messages.last_word import LastWord, Place, file_of, found
from bot.slack.messages.render import final
from bot.slack.messages.sentences import IN_A_FILE
from bot.slack.messages.sources import today_in
from bot.slack.questions.answer import Answerer
from bot.slack.questions.context import ContextReader
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.privacy import noted_with
from bot.slack.questions.readers import Readers
from bot.slack.questions.taking_up import taken_up
from bot.slack.questions.thread import permalink
from bot.slack.surfaces import sharing_sentences as ours
from bot.slack.surfaces.click import language_of
from bot.slack.surfaces.explaining import Explaining
from bot.slack.surfaces.preview import in_mrkdwn
from bot.slack.tasks import Start, survive
from bot.store import Lost, Part, Run, Store

logger = logging.getLogger(__name__)

_WHY = {
    "not_in_channel": ours.NOT_THERE,
    "channel_not_found": ours.NOT_THERE,
    "is_archived": ours.ARCHIVED,
    "restricted_action": ours.RESTRICTED,
    "restricted_action_read_only_channel": ours.RESTRICTED,
    "restricted_action_thread_only_channel": ours.RESTRICTED,
    "restricted_action_non_threadable_channel": ours.RESTRICTED,
    "restricted_action_thread_locked": ours.RESTRICTED,
}
"""What the sharer is told of what Slack says."""


class Shares:
    def __init__(
        self,
        *,
        store: Store,
        outbox: Outbox,
        answerer: Answerer,
        contexts: ContextReader,
        readers: Readers,
        memberships: Memberships,
        explaining: Explaining,
        address: str,
        start: Start,
    ) -> None:
        """`address` is the workspace's; `start` starts what Slack need not wait for."""
        self._store = store
        self._outbox = outbox
        self._answerer = answerer
        self._contexts = contexts
        self._readers = readers
        self._memberships = memberships
        self._explaining = explaining
        self._address = address
        self._start = start

    async def allowed(self, run: Run, user: str) -> bool:
        """Whether somebody may share a private answer now: the asker, who may still read all of it and is still where
        they asked.  What of its sources is kept no longer cannot be looked at."""
        origin = run.asked.get("origin") or ()
        kept = run.quotes or run.steps
        if user != run.user or run.turn is None or not origin or not (kept or not run.turn.sources):
            return False
        try:
            here = origin[0] in await self._memberships.channels(user, fresh=True)
        except (*UNREACHABLE, LookupError):
            return False
        covered = here and await self._readers.still(run.turn.audience, Inbound.of(run.asked)) == "covered"
        return covered and await self._explaining.may_read(run, user)

    async def of(self, run: Run) -> Run | None:
        """The sharing of a private answer as it is now, unless it has failed; None where there is none."""
        share = await self._store.run(_key(run))
        return None if share is None or _failed(share) else share

    async def begin(self, run: Run) -> Run | None:
        """Start to share a private answer; where that is done, or being done, or can no more be, how it stands."""
        channel, *_ = run.asked["origin"]
        share = Run(key=_key(run), channel=channel, thread_ts="", user=run.user, asked=run.asked, shares=run.key)
        with suppress(Lost):
            await self._store.change(run.key, lambda kept: noted_with(kept, share.key), own=False)
            taken = await taken_up(self._store, share, failed=_failed)
            if taken is not None:
                self._start(self.go_on(taken, look=taken.attempt > 1))
                return None
        return await self.of(run) or share.model_copy(update={"status": "claim"})

    async def go_on(self, share: Run, *, look: bool = True) -> None:
        """Share what is to be shared, from where that stands; with `look` there may be messages of it of which nobody
        knows."""
        with self._answerer.running.about(share.key):
            await survive(self._share(share, look), f"the sharing of {share.shares}")

    def link(self, share: Run) -> str:
        """Of what was shared; "" before that is there."""
        channel, thread_ts, _ = share.asked["origin"]
        return permalink(self._address, channel, thread_ts, share.messages[0]) if share.messages else ""

    async def as_others_see(self, run: Run, language: str) -> tuple[Part, ...]:
        """A private answer as it is shared: its messages, but for the heading of the first."""
        assert run.turn is not None
        pieces = final(run.turn.answer, run.turn.sources, language, numbered=bool(run.turn.sources))
        return answered(pieces, run.key, language, today=today_in(await self._contexts.zone(run.user)))

    async def _share(self, share: Run, look: bool) -> None:
        if share.status == "open":
            share = await self._told(share, look)
        if share.deleted:  # With the question goes what was shared of its answer.
            await self._answerer.answer(share)

    async def _told(self, share: Run, look: bool) -> Run:
        """Told first and kept then: whoever goes on after a crash in between does both once more, and nobody sees it
        twice."""
        run = await self._store.run(share.shares)
        messages = dict(enumerate(share.messages))
        done = False
        if run is None or _key(run) != share.key or not await self.allowed(run, share.user):
            told, code = ours.NOT_SHARED, ""
        else:
            told, code = await self._posted(share, run, messages, look)
            done = told is ours.NOW_SHARED
        if told is ours.NOT_SHARED:
            await self._take_back(share, messages)
        shown = tuple(messages[number] for number in sorted(messages))
        share = share.model_copy(update={"messages": shown})
        if run is not None and run.turn is not None:
            await self._tell(run, share, told, code, look)

        def over(kept: Run) -> Run:
            status = kept.status if kept.deleted else "done" if done else "stopped"
            return kept.model_copy(update={"status": status, "messages": shown})

        return await self._store.change(share.key, over)

    async def _posted(self, share: Run, run: Run, messages: dict[int, str], look: bool) -> tuple[dict[str, str], str]:
        """Put it in the thread, and what is to be told of that; `messages` become those that are there."""
        language = language_of(run)
        channel, thread_ts, _ = share.asked["origin"]
        place = Place(channel, thread_ts, asker="", moved="", in_a_file=sentence(IN_A_FILE, language))
        try:
            if look:
                messages |= await self._there(share, place)
            parts = await self._parts(run, language)
            await LastWord(self._outbox, share.key, place, messages, look=look).deliver(parts)
        except Refusal as refusal:
            logger.warning("%s: not taken (%s)", share.key, refusal.code)
            return _WHY.get(refusal.code, ours.REFUSED), refusal.code
        except TimeoutError:
            logger.warning("%s: not taken (timeout)", share.key)
            return ours.UNREACHED, ""
        return ours.NOW_SHARED, ""

    async def _there(self, share: Run, place: Place) -> dict[int, str]:
        try:
            return await found(self._outbox, share.key, place)
        except Refusal:  # Its thread is gone.
            return {}

    async def _parts(self, run: Run, language: str) -> tuple[Part, ...]:
        heading = notice(ours.SHARED_BY, language, name=await self._contexts.name(run.user))
        first, *others = await self.as_others_see(run, language)
        return (Part(text=f"{heading.text}\n\n{first.text}", blocks=(*heading.blocks, *first.blocks)), *others)

    async def _take_back(self, share: Run, messages: dict[int, str]) -> None:
        """What a process that is no more has posted, before its owner lost the right to share it."""
        channel, thread_ts, _ = share.asked["origin"]
        try:
            messages |= await self._there(share, Place(channel, thread_ts, asker="", moved="", in_a_file=""))
            for number in sorted(messages):
                await self._outbox.delete(channel, messages.pop(number))
            await self._outbox.delete_file(channel, thread_ts, file_of(share.key))
        except (Refusal, TimeoutError) as error:
            logger.warning("%s: not taken back (%s)", share.key, error)

    async def _tell(self, run: Run, share: Run, told: dict[str, str], code: str, look: bool) -> None:
        """The sharer, where they have their answer."""
        there = self.link(share) if told is ours.NOW_SHARED else ""
        text = in_mrkdwn(told, language_of(run), channel=share.channel, address=there, code=code)
        mark = Mark(run.key, f"sharing {run.attempt}.{share.attempt}")
        try:
            await self._outbox.post(run.channel, run.thread_ts, said([text])[0], mark, look=look)
        except (Refusal, TimeoutError) as error:
            logger.warning("%s: a word on its sharing was not taken (%s)", run.key, error)


def _key(run: Run) -> str:
    """What is shared is one answer: an answer anew is another."""
    return f"share:{run.key}:{run.attempt}"


def _failed(share: Run) -> bool:
    return share.status == "stopped"
