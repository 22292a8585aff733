"""The questions on their way, and who is at them."""

from collections.abc import Callable, Container
from contextlib import suppress

from bot.store.bodies import as_document, as_record
from bot.store.documents import Document, Documents
from bot.store.processes import Processes
from bot.store.records import Run

CLAIMS_KEPT = 24 * 3600.0
"""Seconds.  Slack delivers an event again within minutes, but its editor may touch the message for longer."""
MOST_OPEN = 1000
OVER = ("done", "stopped")
PRUNE_EVERY = 3600.0


class Lost(Exception):
    """Another process has taken the run over, or it was deleted."""


class Runs:
    def __init__(self, documents: Documents, clock: Callable[[], float], lease: float) -> None:
        self._documents = documents
        self._clock = clock
        self._pruned = float("-inf")
        self._beginning: set[str] = set()
        self._left: set[str] = set()
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
        return await self._documents.create("run", key, as_document(run, self._clock(), status="claim"))

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
            return run if await self._documents.create("run", run.key, run_document(run)) else None
        finally:
            self._beginning.discard(run.key)

    async def run(self, key: str) -> Run | None:
        document = await self._documents.get("run", key)
        return as_record(Run, document) if document else None

    async def change(self, key: str, change: Callable[[Run], Run], *, own: bool = True) -> Run:
        """Change the run, from what is kept of it now; `change` may be called again where somebody was first.

        Raises `Lost` where the run is not there, or, with `own`, belongs to another process.
        """
        while True:
            document = await self._documents.get("run", key)
            run = as_record(Run, document) if document else None
            if document is None or run is None or (own and run.owner != self.process):
                raise Lost(key)
            changed = _as_kept(change(run))
            if changed == run:
                return run
            if await self._documents.replace("run", key, run_document(changed, document)):
                return changed

    async def runs_of(self, user: str, *, limit: int = 10) -> list[Run]:
        """The newest questions of somebody, newest first."""
        return [as_record(Run, document) for _, document in await self._documents.find("run", user=user, limit=limit)]

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
                owner = as_record(Run, document).owner
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
        return [as_record(Run, document) for _, document in await self._documents.find("run", status="stopping")]

    async def at_work(self, channel: str, thread_ts: str) -> list[Run]:
        """The questions of a thread that are worked on, or wait for that, oldest first."""
        found = await self._documents.find("run", status="open", place=f"{channel}:{thread_ts}", limit=MOST_OPEN)
        return [as_record(Run, document) for _, document in reversed(found)]

    async def open_in(self, channel: str) -> list[Run]:
        """The questions that are worked on, oldest first: those of a channel, or of all with ""."""
        found = reversed(await self._documents.find("run", status="open", limit=MOST_OPEN))
        there = channel and f"{channel}:"
        return [as_record(Run, document) for _, document in found if document.place.startswith(there)]

    async def overdue(self, since: float) -> list[Run]:
        """The runs that wait for an answer to what they asked before `since`."""
        found = await self._documents.find("run", status="waiting", limit=MOST_OPEN, before=since)
        return [run for _, document in found if (run := as_record(Run, document)).since < since]

    async def _prune_claims(self) -> None:
        now = self._clock()
        if now - self._pruned > PRUNE_EVERY:
            self._pruned = now
            await self._documents.prune("run", now - CLAIMS_KEPT, statuses=("claim",))


def without_trace(run: Run) -> Run:
    """The question and its answer, and nothing of how that came to be."""
    bare = {"state": "", "steps": (), "lines": (), "spoken": (), "quotes": (), "said": (), "reply": None}
    return run.model_copy(update=bare)


def _as_kept(run: Run) -> Run:
    return without_trace(run) if run.traceless and run.status in OVER else run


def place_of(run: Run) -> str:
    """Its thread; "" where it has none yet."""
    return f"{run.channel}:{run.thread_ts}" if run.thread_ts else ""


def run_document(run: Run, old: Document | None = None) -> Document:
    return as_document(run, run.at, status=run.status, user=run.user, place=place_of(run), old=old)
