"""What is kept between questions: which messages were taken up, each question on its way, each thread, channel and
opinion.  Kept in `Documents`, so that it is the same wherever that is."""

import time
import zlib
from collections.abc import Callable, Container
from contextlib import suppress
from typing import TypeVar

from pydantic import BaseModel

from bot.store.documents import Document, Documents, StoreError
from bot.store.marks import Marks
from bot.store.processes import LEASE, Processes
from bot.store.records import ChannelSettings, Feedback, Part, Run, Status, Step, Thread, Turn

__all__ = [
    "LEASE",
    "ChannelSettings",
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

CLAIMS_KEPT = 24 * 3600.0
"""Seconds.  Slack delivers an event again within minutes, but its editor may touch the message for longer."""
TURNS_KEPT = 20
MOST_OPEN = 1000
PRUNE_EVERY = 3600.0
DAY = 86_400.0

Record = TypeVar("Record", bound=BaseModel)


class Lost(Exception):
    """Another process has taken the run over, or it was deleted."""


class Store:
    def __init__(self, documents: Documents, *, clock: Callable[[], float] = time.time, lease: float = LEASE) -> None:
        """`clock` gives seconds since the epoch; `lease` is as `LEASE`."""
        self._documents = documents
        self._clock = clock
        self._pruned = float("-inf")
        self._beginning: set[str] = set()
        self._left: set[str] = set()
        self.marks = Marks(documents, clock)
        processes = Processes(documents, clock, lease)
        self.process, self.lease = processes.own, lease
        self.live, self.leave, self.processes = processes.live, processes.leave, processes.living

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._clock()

    # Messages and runs

    async def claim(self, key: str, *, target: str = "") -> bool:
        """Take up the message `key`, which begins no run, unless that was done: True for one caller only, over
        restarts and over several processes.  `target` is the run that it is for."""
        await self._prune_claims()
        run = Run(key=key, channel="", thread_ts="", user="", asked={"target": target}, status="claim")
        return await self._documents.create("run", key, self._document(run, self._clock(), status="claim"))

    async def claimed_for(self, key: str) -> str:
        """The run for which a message was claimed; "" where it was not, or is for none."""
        run = await self.run(key)
        return str(run.asked.get("target", "")) if run is not None and run.status == "claim" else ""

    async def begin(self, run: Run) -> Run | None:
        """Take up the question `run.key`: what was kept, owned by this process; None where it was taken up before."""
        await self._prune_claims()
        run = run.model_copy(update={"owner": self.process, "at": self._clock()})
        self._beginning.add(run.key)
        try:
            return run if await self._documents.create("run", run.key, self._run(run)) else None
        finally:
            self._beginning.discard(run.key)

    async def run(self, key: str) -> Run | None:
        document = await self._documents.get("run", key)
        return _record(Run, document) if document else None

    async def change(self, key: str, change: Callable[[Run], Run], *, own: bool = True) -> Run:
        """Change the run, from what is kept of it now; `change` may be called again where somebody was first.

        Raises `Lost` where the run is not there, or, with `own`, belongs to another process.
        """
        while True:
            document = await self._documents.get("run", key)
            run = _record(Run, document) if document else None
            if document is None or run is None or (own and run.owner != self.process):
                raise Lost(key)
            changed = change(run)
            if changed == run:
                return run
            if await self._documents.replace("run", key, self._run(changed, document)):
                return changed

    async def runs_of(self, user: str, *, limit: int = 10) -> list[Run]:
        """The newest questions of somebody, newest first."""
        return [_record(Run, document) for _, document in await self._documents.find("run", user=user, limit=limit)]

    # Who is at them

    async def orphans(self, busy: Container[str] | None = None) -> list[Run]:
        """The open runs of processes that live no more, oldest first; they are this one's now.

        With `busy`, the keys of the runs that this process is at, also those of its own that it has left: neither now
        nor when this was asked before was it at them.
        """
        living = await self.processes() | {self.process}
        left, taken = set[str](), []
        for status in ("stopping", "open"):
            for key, document in reversed(await self._documents.find("run", status=status, limit=MOST_OPEN)):
                owner = _record(Run, document).owner
                mine = owner == self.process and busy is not None and key not in busy and key not in self._beginning
                if mine and key not in self._left:
                    left.add(key)
                elif (mine or owner not in living) and (run := await self._adopt(key, living, mine=mine)):
                    taken.append(run)
        self._left = left
        return taken

    async def _adopt(self, key: str, living: set[str], *, mine: bool) -> Run | None:
        def adopt(run: Run) -> Run:
            free = run.owner not in living or (mine and run.owner == self.process)
            if not free or run.status not in ("open", "stopping"):
                raise Lost(key)
            return run.model_copy(update={"owner": self.process})

        with suppress(Lost):
            return await self.change(key, adopt, own=False)
        return None

    async def stopping(self) -> list[Run]:
        """The runs that somebody wants to be stopped, wherever they are worked on."""
        return [_record(Run, document) for _, document in await self._documents.find("run", status="stopping")]

    async def at_work(self, channel: str, thread_ts: str) -> list[Run]:
        """The questions of a thread that are worked on, or wait for that, oldest first."""
        found = await self._documents.find("run", status="open", limit=MOST_OPEN)
        runs = [_record(Run, document) for _, document in reversed(found)]
        return [run for run in runs if (run.channel, run.thread_ts) == (channel, thread_ts)]

    async def overdue(self, since: float) -> list[Run]:
        """The runs that wait for an answer to what they asked before `since`."""
        found = await self._documents.find("run", status="waiting", limit=MOST_OPEN, before=since)
        return [run for _, document in found if (run := _record(Run, document)).since < since]

    # Threads

    async def thread(self, channel: str, thread_ts: str) -> Thread | None:
        document = await self._documents.get("thread", f"{channel}:{thread_ts}")
        return _record(Thread, document) if document else None

    async def change_thread(self, channel: str, thread_ts: str, change: Callable[[Thread], Thread]) -> Thread:
        """Change what is known of a thread, which may be nothing."""
        key = f"{channel}:{thread_ts}"
        while True:
            document = await self._documents.get("thread", key)
            thread = _record(Thread, document) if document else Thread()
            changed = change(thread)
            new = self._document(changed, self._clock(), old=document)
            if document and changed == thread:
                return thread
            done = self._documents.replace if document else self._documents.create
            if await done("thread", key, new):
                return changed

    async def asked(self, channel: str, thread_ts: str, asker: str, *, root: bool, web: bool = False) -> None:
        """Note that `asker` has asked in the thread; `root`: with its first message; `web`: the web."""
        await self.change_thread(
            channel,
            thread_ts,
            lambda thread: thread.model_copy(
                update={
                    "root_asked": thread.root_asked or root,
                    "askers": thread.askers | {asker},
                    "web": thread.web or web,
                }
            ),
        )

    async def asking(self, channel: str, thread_ts: str, run: str) -> None:
        """Note that a run asks back in the thread."""
        await self.change_thread(channel, thread_ts, lambda thread: thread.asked_by(run))

    async def turns(self, channel: str, thread_ts: str, *, limit: int = TURNS_KEPT) -> list[Turn]:
        """The newest turns of the thread, oldest first."""
        thread = await self.thread(channel, thread_ts)
        return list(thread.turns[-limit:]) if thread else []

    async def add_turn(self, channel: str, thread_ts: str, turn: Turn) -> None:
        """Keep a turn; one of the same question is replaced."""

        def add(thread: Thread) -> Thread:
            others = [one for one in thread.turns if one.ts != turn.ts]
            return thread.model_copy(update={"turns": (*others, turn)[-TURNS_KEPT:]})

        await self.change_thread(channel, thread_ts, add)

    async def forget(self, run: Run) -> None:
        """Delete what is kept of a question, which stays taken up."""
        gone = (run.key.partition(":")[2], run.asked.get("ts"))  # A command and a private answer have both.

        def without(thread: Thread) -> Thread:
            return thread.model_copy(update={"turns": tuple(turn for turn in thread.turns if turn.ts not in gone)})

        await self.change_thread(run.channel, run.thread_ts, without)
        claim = Run(key=run.key, channel="", thread_ts="", user="", asked={}, status="claim")
        await self._documents.put("run", run.key, self._document(claim, self._clock(), status="claim"))
        for id, document in await self._documents.find("feedback", limit=MOST_OPEN):
            if _record(Feedback, document).run == run.key:
                await self._documents.delete("feedback", id)

    # Channels and opinions

    async def settings(self, channel: str) -> ChannelSettings:
        document = await self._documents.get("channel", channel)
        return _record(ChannelSettings, document) if document else ChannelSettings()

    async def set_settings(self, channel: str, settings: ChannelSettings) -> None:
        await self._documents.put("channel", channel, self._document(settings, self._clock()))

    async def add_feedback(self, feedback: Feedback) -> None:
        """Keep an opinion; the latest of a person on a run stands."""
        now = self._clock()
        kept = feedback.model_copy(update={"at": now})
        status = "good" if feedback.good else "bad"
        # What is kept of the answer is kept no longer for that somebody has an opinion of it.
        asked = feedback.trace.at if feedback.trace else now
        new = self._document(kept, asked, status=status, user=feedback.user)
        await self._documents.put("feedback", f"{feedback.run}:{feedback.user}", new)

    async def feedback_of(self, run: str, user: str) -> Feedback | None:
        """What somebody thinks of an answer, if they have said so."""
        document = await self._documents.get("feedback", f"{run}:{user}")
        return _record(Feedback, document) if document else None

    async def feedback(self, *, good: bool, limit: int = MOST_OPEN) -> list[Feedback]:
        """The newest first."""
        found = await self._documents.find("feedback", status="good" if good else "bad", limit=limit)
        return [_record(Feedback, document) for _, document in found]

    # Retention

    async def prune(self, *, traces: float, threads: float) -> None:
        """Delete how answers came to be after `traces` days, and questions, threads and opinions after `threads`."""
        now = self._clock()
        await self._prune_traces(now - traces * DAY)
        before = now - threads * DAY
        await self._documents.prune("run", before, statuses=("done", "stopped", "waiting"))
        await self._documents.prune("thread", before)
        await self._documents.prune("feedback", before)

    async def _prune_traces(self, before: float) -> None:
        for status in ("done", "stopped"):
            for key, document in await self._documents.find("run", status=status, before=before, limit=MOST_OPEN):
                run = _record(Run, document)
                if run.state or run.steps or run.quotes:
                    bare = run.model_copy(update={"state": "", "steps": (), "spoken": (), "quotes": ()})
                    await self._documents.replace("run", key, self._run(bare, document))
        for key, document in await self._documents.find("feedback", before=before, limit=MOST_OPEN):
            opinion = _record(Feedback, document)
            if opinion.trace:
                untraced = opinion.model_copy(update={"trace": None})
                new = self._document(untraced, document.at, status=document.status, user=opinion.user, old=document)
                await self._documents.replace("feedback", key, new)

    async def forget_all(self) -> None:
        """Delete everything that came from Slack, which is all that there is."""
        await self._documents.clear()

    async def _prune_claims(self) -> None:
        now = self._clock()
        if now - self._pruned > PRUNE_EVERY:
            self._pruned = now
            await self._documents.prune("run", now - CLAIMS_KEPT, statuses=("claim",))

    def _run(self, run: Run, old: Document | None = None) -> Document:
        return self._document(run, run.at, status=run.status, user=run.user, old=old)

    def _document(
        self, record: BaseModel, at: float, *, status: str = "", user: str = "", old: Document | None = None
    ) -> Document:
        body = zlib.compress(record.model_dump_json(exclude_defaults=True).encode())
        return Document(body, at, status, user, old.version if old else None)


def _record(kind: type[Record], document: Document) -> Record:
    return kind.model_validate_json(zlib.decompress(document.body))
