"""The threads in which the bot was asked, and what was said there."""

from collections.abc import Callable

from bot.store.bodies import as_document, as_record
from bot.store.documents import Documents
from bot.store.records import Thread, Turn

TURNS_KEPT = 20


class Threads:
    def __init__(self, documents: Documents, clock: Callable[[], float]) -> None:
        self._documents = documents
        self._clock = clock

    async def thread(self, channel: str, thread_ts: str) -> Thread | None:
        document = await self._documents.get("thread", f"{channel}:{thread_ts}")
        return as_record(Thread, document) if document else None

    async def change_thread(self, channel: str, thread_ts: str, change: Callable[[Thread], Thread]) -> Thread:
        """Change what is known of a thread, which may be nothing."""
        key = f"{channel}:{thread_ts}"
        while True:
            document = await self._documents.get("thread", key)
            thread = as_record(Thread, document) if document else Thread()
            changed = change(thread)
            new = as_document(changed, self._clock(), old=document)
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
