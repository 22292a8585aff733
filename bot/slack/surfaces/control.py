"""What people may do about a question while it is answered and after: stop it, have it answered again, change it, take
it back."""

import logging
from collections.abc import Callable, Collection
from dataclasses import asdict, replace
from typing import Any, TypeAlias

from bot.language import detect
from bot.slack.api.outbox import Outbox
from bot.slack.api.people import UNREACHABLE, People
from bot.slack.messages import notices
from bot.slack.messages.blocks import notice, offer
from bot.slack.questions.desk import Desk
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.limits import TooMany
from bot.slack.questions.privacy import in_private, meant, wants_privacy
from bot.slack.questions.running import Running, wished
from bot.store import Lost, Part, Run, Store
from indexers.slack_text import plain

logger = logging.getLogger(__name__)

AT_WORK = ("open", "waiting", "stopping")
OVER = ("done", "stopped")

Wish: TypeAlias = Callable[[Run], dict[str, Any] | None]
"""What is to be noted with a run, or None where nothing is."""


class Control:
    def __init__(
        self,
        *,
        desk: Desk,
        store: Store,
        running: Running,
        outbox: Outbox,
        people: People,
        bot_user: str,
        admins: Collection[str] = (),
    ) -> None:
        """`admins`: the ids of those who may stop any answer, beside the admins of the workspace."""
        self._desk = desk
        self._store = store
        self._running = running
        self._outbox = outbox
        self._people = people
        self._bot_user = bot_user
        self._admins = admins

    async def stop(self, key: str, user: str) -> None:
        """Stop a question for somebody who may, wherever it is worked on; tells others that they may not."""
        run = await self._store.run(key)
        if run is None or run.status not in AT_WORK:
            return
        if not (await self._takes_part(run, user) or await self._is_admin(user)):
            await self._tell(run, user, notices.MAY_NOT_STOP)
            return

        def wish(kept: Run) -> dict[str, Any] | None:
            stopped = kept.stopping and kept.anew is None
            ended = {"stopping": user, "asked": kept.anew or kept.asked, "anew": None}
            return ended if kept.status in AT_WORK and not stopped else None

        await self._wish(key, wish)

    async def stop_thread(self, channel: str, thread_ts: str, user: str) -> None:
        """Stop the question that is worked on in a thread."""
        for run in (await self._store.at_work(channel, thread_ts))[:1]:
            await self.stop(run.key, user)

    async def again(self, key: str, user: str) -> None:
        """Answer a question anew, once it is answered, for somebody who asks in its thread; tells others that they may
        not."""
        run = await self._store.run(key)
        if run is None or not _answered(run):
            return
        if not await self._takes_part(run, user):
            await self._tell(run, user, notices.MAY_NOT_REPEAT)
            return
        try:
            await self._desk.limits.take(run, user)
        except TooMany as many:
            await self._tell(run, user, many.told)
            return
        begun = False
        try:
            begun = await self._wish(key, _anew)
        finally:
            if not begun:
                await self._desk.limits.give_back(run, user)

    async def edited(self, message: Inbound) -> None:
        """Note the new words of a question: what is answered now is answered anew, for what is answered already that
        is offered.  Slack tells of one edit several times, and of changes of no word, too."""
        run = await self._store.run(message.key)
        if run is None or run.status not in (*AT_WORK, *OVER) or self._changed(run, message) is None:
            return
        offered = False

        def over(kept: Run) -> Run:
            nonlocal offered
            asked = self._changed(kept, message)
            answered = bool(kept.messages) or not (asked or {}).get("unasked")
            offered = asked is not None and kept.status in OVER and answered
            return kept.model_copy(update={"asked": asked}) if offered else kept

        def at_work(kept: Run) -> dict[str, Any] | None:
            asked = self._changed(kept, message)
            return {"anew": asked} if asked is not None and kept.status in AT_WORK else None

        with self._desk.receiving():
            if not await self._wish(run.key, at_work):
                run = await self._store.change(run.key, over, own=False)
        if offered:
            await self._offer(run, message.user)

    async def deleted(self, key: str) -> None:
        """Take back what was said to a question that is gone, in private too, with what is kept of it.  One that comes
        only now, since Slack delivers it again, is not taken up any more."""
        with self._desk.receiving():
            if await self._store.claim(key):
                return
        run = await self._store.run(key)
        if run is not None and run.status in (*AT_WORK, *OVER):
            with self._desk.receiving():
                for private in run.private:
                    await self.deleted(private)
                for late in await self._delete(key) - {*run.private}:
                    await self.deleted(late)

    async def _delete(self, key: str) -> set[str]:
        """The keys of what goes with the question: with one that is deleted, nothing is noted any more."""
        private: set[str] = set()

        def delete(kept: Run) -> dict[str, Any] | None:
            private.update(kept.private)
            return None if kept.status == "claim" else {"deleted": True}

        await self._wish(key, delete)
        return private

    async def run_of(self, channel: str, ts: str) -> str:
        """The run that a message belongs to, as its question or as the bot's, which may be shared; "" where there is
        none.  Raises `Refusal`, and `TimeoutError`."""
        key = f"{channel}:{ts}"
        if await self._store.run(key) is not None:
            return key
        mark = await self._outbox.mark_of(channel, ts)
        run = await self._store.run(mark.run) if mark else None
        return (run.shares or run.key) if run else ""

    async def _wish(self, key: str, wish: Wish) -> bool:
        """Have something done in place of going on with a run: by whoever works on it, or else here, as `Desk.go_on`
        does it.  False where there is nothing to do."""
        noted = mine = False

        def note(run: Run) -> Run:
            nonlocal noted, mine
            update = wish(run)
            noted = update is not None
            mine = noted and run.status not in ("open", "stopping")
            owned = {"owner": self._store.process} if mine else {}
            return run.model_copy(update={**update, **owned, "status": "stopping"}) if update is not None else run

        try:
            run = await self._store.change(key, note, own=False)
        except Lost:
            return False
        stop = wished(run)
        if mine:
            self._desk.go_on(run, look=not run.messages)
        elif noted and stop is not None:
            self._running.stop(key, stop)
        return noted

    def _changed(self, run: Run, message: Inbound) -> dict[str, Any] | None:
        """The question with the words of the message; None where it has them, or later ones."""
        asked = Inbound.of(run.anew or run.asked)
        alone = wants_privacy(message) and not asked.origin
        same = self._words(asked) == self._words(message) and not alone
        if same or float(message.edited) <= float(asked.edited or 0):
            return None
        written = meant(message) if asked.origin else message
        unasked = asked.unasked and not message.mentioned
        new = replace(asked, text=written.text, own_text=written.own_text, edited=message.edited, unasked=unasked)
        return asdict(in_private(new) if alone else new)

    def _words(self, message: Inbound) -> list[str]:
        """What is forwarded is left out: Slack adds to it by itself."""
        own = message.own_text if message.direct else meant(message).own_text
        return plain(own, {}, own=self._bot_user).split()

    async def _takes_part(self, run: Run, user: str) -> bool:
        if user == run.user or user in run.helpers:
            return True
        thread = await self._store.thread(run.channel, run.thread_ts)
        return thread is not None and user in thread.askers

    async def _is_admin(self, user: str) -> bool:
        try:
            return user in self._admins or (await self._people.person(user)).admin
        except UNREACHABLE as error:
            logger.warning("user %s cannot be looked up (%s)", user, type(error).__name__)
            return False

    async def _tell(self, run: Run, user: str, words_: dict[str, str]) -> None:
        await self._whisper(run, user, notice(words_, self._language(run)))

    async def _offer(self, run: Run, user: str) -> None:
        await self._whisper(run, user, offer(run.key, self._language(run)))

    async def _whisper(self, run: Run, user: str, part: Part) -> None:
        await self._outbox.whisper(run.channel, user, part, thread_ts=run.thread_ts)

    def _language(self, run: Run) -> str:
        return detect(plain(str(run.asked.get("text", "")), {}, own=self._bot_user))


def _anew(run: Run) -> dict[str, Any] | None:
    return {"anew": run.asked} if _answered(run) else None


def _answered(run: Run) -> bool:
    """Its last word is there, or on its way: it is seen before it is noted."""
    return run.status in OVER or (run.status == "open" and bool(run.parts))
