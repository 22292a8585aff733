"""What is kept between questions: which messages were taken up, each question on its way, each thread, channel and
opinion.  Kept in `Documents`, so that it is the same wherever that is."""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress

from bot.store.bodies import as_document, as_record
from bot.store.documents import Document, Documents, Kind, StoreError
from bot.store.marks import Marks
from bot.store.moves import Moves
from bot.store.processes import LEASE
from bot.store.records import ChannelSettings, Feedback, Part, Run, Status, Step, Thread, Turn
from bot.store.runs import CLAIMS_KEPT, MOST_OPEN, OVER, Lost, Runs, run_document, without_trace
from bot.store.tallies import Excess, Tallies
from bot.store.threads import Threads

__all__ = [
    "CLAIMS_KEPT",
    "LEASE",
    "ChannelSettings",
    "Excess",
    "Feedback",
    "Lost",
    "Part",
    "Run",
    "Status",
    "Step",
    "Store",
    "StoreError",
    "Thread",
    "Turn",
]

DAY = 86_400.0
PAGE = 100
"""How many documents are read at a time where there may be many."""


class Store(Runs, Threads):
    def __init__(self, documents: Documents, *, clock: Callable[[], float] = time.time, lease: float = LEASE) -> None:
        """`clock` gives seconds since the epoch; `lease` is as `LEASE`."""
        Runs.__init__(self, documents, clock, lease)
        Threads.__init__(self, documents, clock)
        self.marks = Marks(documents, clock)
        self.moves = Moves(documents, clock)
        self.tallies = Tallies(documents, clock)

    async def forget(self, run: Run) -> None:
        """Delete what is kept of a question, which stays taken up: also of later ones how their answers came to be,
        since they were told of it.  Where it is broken off it can be done again."""
        gone = (run.key.partition(":")[2], run.asked.get("ts"))  # A command and a private answer have both.

        def without(thread: Thread) -> Thread:
            return thread.model_copy(update={"turns": tuple(turn for turn in thread.turns if turn.ts not in gone)})

        await self.change_thread(run.channel, run.thread_ts, without)
        async for key in self._told_of(run):
            with suppress(Lost):
                await self.change(key, _traceless, own=False)
            async for id, _ in self._newest("feedback", begins=f"{key}:"):
                await self._forget_trace(id)
        await self._forget_opinions(run.key)
        claim = Run(key=run.key, channel="", thread_ts="", user="", asked={}, status="claim")
        await self._documents.put("run", run.key, as_document(claim, self._clock(), status="claim"))

    async def _told_of(self, run: Run) -> AsyncIterator[str]:
        """The keys of the questions that were asked after it in its thread, wherever they are answered."""
        for channel, thread_ts in {(run.channel, run.thread_ts), _asked_in(run)} - {("", "")}:
            async for key, document in self._newest("run", since=run.at, place=f"{channel}:{thread_ts}"):
                if document.status != "claim" and key != run.key:
                    yield key
            async for key, document in self._newest("run", since=run.at, begins=f"{channel}:"):
                private = document.status != "claim" and not document.place.startswith(f"{channel}:")
                if private and key != run.key and _asked_in(as_record(Run, document)) == (channel, thread_ts):
                    yield key

    async def _forget_trace(self, opinion: str) -> None:
        while document := await self._documents.get("feedback", opinion):
            kept = as_record(Feedback, document)
            untraced = kept.model_copy(update={"trace": None})
            new = as_document(untraced, document.at, status=document.status, user=kept.user, old=document)
            if untraced == kept or await self._documents.replace("feedback", opinion, new):
                return

    async def _forget_opinions(self, run: str) -> None:
        while found := await self._documents.find("feedback", begins=f"{run}:", limit=PAGE):
            for id, _ in found:
                await self._documents.delete("feedback", id)

    # Channels and opinions

    async def settings(self, channel: str) -> ChannelSettings:
        document = await self._documents.get("channel", channel)
        return as_record(ChannelSettings, document) if document else ChannelSettings()

    async def set_settings(self, channel: str, settings: ChannelSettings) -> None:
        await self._documents.put("channel", channel, as_document(settings, self._clock()))

    async def add_feedback(self, feedback: Feedback) -> None:
        """Keep an opinion; the latest of a person on a run stands."""
        now = self._clock()
        kept = feedback.model_copy(update={"at": now})
        status = "good" if feedback.good else "bad"
        # What is kept of the answer is kept no longer for that somebody has an opinion of it.
        asked = feedback.trace.at if feedback.trace else now
        new = as_document(kept, asked, status=status, user=feedback.user)
        id = f"{feedback.run}:{feedback.user}"
        await self._documents.put("feedback", id, new)
        run = await self.run(feedback.run)
        if run is not None and (run.deleted or run.status == "claim"):  # Just now.
            await self._documents.delete("feedback", id)
        elif run is not None and run.traceless:
            await self._forget_trace(id)

    async def feedback_of(self, run: str, user: str) -> Feedback | None:
        """What somebody thinks of an answer, if they have said so."""
        document = await self._documents.get("feedback", f"{run}:{user}")
        return as_record(Feedback, document) if document else None

    async def feedback(self, *, good: bool, limit: int = MOST_OPEN) -> list[Feedback]:
        """The newest first."""
        found = await self._documents.find("feedback", status="good" if good else "bad", limit=limit)
        return [as_record(Feedback, document) for _, document in found]

    # Retention

    async def prune(self, *, traces: float, threads: float) -> None:
        """Delete how answers came to be after `traces` days, and questions, threads and opinions after `threads`."""
        now = self._clock()
        await self._prune_traces(now - traces * DAY)
        before = now - threads * DAY
        await self._documents.prune("run", before, statuses=("done", "stopped", "waiting"))
        await self._documents.prune("thread", before)
        await self._documents.prune("feedback", before)
        await self._documents.prune("tally", now - CLAIMS_KEPT)
        await self._documents.prune("move", now - CLAIMS_KEPT)

    async def _prune_traces(self, before: float) -> None:
        for status in OVER:
            async for key, document in self._newest("run", before, status=status):
                run = as_record(Run, document)
                bare = without_trace(run)
                if bare != run:
                    await self._documents.replace("run", key, run_document(bare, document))
        async for key, document in self._newest("feedback", before):
            if as_record(Feedback, document).trace:  # Most are without one.
                await self._forget_trace(key)

    async def _newest(
        self, kind: Kind, before: float | None = None, *, since: float = 0.0, **what: str
    ) -> AsyncIterator[tuple[str, Document]]:
        """However many there are of those that `Documents.find` finds, the newest first."""
        while found := await self._documents.find(kind, before=before, limit=PAGE, **what):
            for one in found:
                if one[1].at >= since:
                    yield one
            before = found[-1][1].at
            if before < since:
                return

    async def forget_all(self) -> None:
        """Delete everything that came from Slack, which is all that there is."""
        await self._documents.clear()


def _asked_in(run: Run) -> tuple[str, str]:
    """The thread where a private answer was asked for; of another question none."""
    origin: Sequence[str] = run.asked.get("origin") or ("", "")
    return origin[0], origin[1]


def _traceless(run: Run) -> Run:
    return run if run.status == "claim" else run.model_copy(update={"traceless": True})
