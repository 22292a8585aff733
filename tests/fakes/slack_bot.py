"""The whole bot, wired as in production, against a fake Slack; only what the model says is scripted."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bot.engine.scripted import ScriptedEngine
from bot.research import ResearchAgent, ResearchResult, SearchHit
from bot.research.state import RunState
from bot.slack.app import Settings, run_slack
from bot.store import Store
from bot.store.sqlite import open_store
from bot.ways import Research, Ways
from bot.web import Web, WebSetting, answer
from bot.web.pages import Pages
from indexers.document import may_read
from tests.fakes.search import FakeSearch
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN, FakeSlack
from tests.fakes.web_engines import FakeReader


class GatedEngine(ScriptedEngine):
    """Plays its replies; waits before each until `gate` is open."""

    def __init__(self, replies: Any, gate: asyncio.Event, changed: Callable[[], None]) -> None:
        super().__init__(replies)
        self.gate = gate
        self.asked = False
        self.changed = changed

    async def generate(self, messages: Any, **options: Any) -> Any:
        self.asked = True
        self.changed()
        await self.gate.wait()
        return await super().generate(messages, **options)


@dataclass
class Asked:
    """What the bot gave to the research of one question."""

    options: dict[str, Any]
    engine: GatedEngine
    search: FakeSearch
    run: dict[str, Any] = field(default_factory=dict)
    """The arguments of `run`, with its `query`."""
    result: ResearchResult | None = None

    @property
    def audience(self) -> Any:
        return self.options["audience"]


@dataclass
class Bot:
    """`knows` a list of what the researches find and say, one entry a question, and keeps what each was given."""

    slack: FakeSlack
    store: Any
    web: Web = field(default_factory=lambda: Web([], Pages(FakeReader())))
    documents: dict[str, list[SearchHit]] = field(default_factory=dict)
    """What the index holds, by address."""
    access: dict[str, frozenset[str]] = field(default_factory=dict)
    """Who may read a passage of the index, by its id; one that is not here is not there."""
    asked_for: list[tuple[str, Any]] = field(default_factory=list)
    """What was looked up there, and on whose behalf."""
    questions: list[Asked] = field(default_factory=list)
    task: asyncio.Task[None] | None = None
    _scripts: list[tuple[list[Any], FakeSearch, asyncio.Event]] = field(default_factory=list)

    def knows(self, *replies: Any, finds: Any = (), held: bool = False) -> asyncio.Event:
        """What the next question gets: the model's replies, and what its searches find.  With `held` the model says
        nothing until the event that this gives is set."""
        gate = asyncio.Event()
        if not held:
            gate.set()
        self._scripts.append((list(replies), FakeSearch(*finds), gate))
        return gate

    def researcher(self, **options: Any) -> Any:
        return _Recorded(options, self)

    def asked(self, options: dict[str, Any], query: str, resume: RunState | None) -> Asked:
        """What a question gets; one that is gone on with keeps what it had."""
        for asked in self.questions:
            if resume is not None and asked.result is None and asked.run["query"] == resume.query:
                return asked
        replies, search, gate = self._scripts.pop(0) if self._scripts else ([], FakeSearch(), asyncio.Event())
        asked = Asked(options, GatedEngine(replies, gate, self.slack.changed), search)
        self.questions.append(asked)
        return asked

    async def readable(self, chunk: str, audience: Any) -> bool:
        self.asked_for.append((chunk, audience))
        return may_read(self.access.get(chunk, ()), audience)

    async def linked(self, url: str, audience: Any) -> list[SearchHit]:
        self.asked_for.append((url, audience))
        return self.documents.get(url, [])


@dataclass
class _Recorded:
    options: dict[str, Any]
    bot: Bot

    async def run(self, query: str, *, resume: RunState | None = None, **given: Any) -> Any:
        bot, options = self.bot, self.options
        asked = bot.asked(options, query, resume)
        asked.run = asked.run or {"query": query, **given}
        bot.slack.changed()
        names = ("clock", "clarify_handler", "on_event", "on_checkpoint", "on_reply", "on_sent")
        handlers = {name: options[name] for name in names}
        ways = Ways(bot.web, ResearchAgent, answer)
        research = Research(ways, options["asked"], asked.engine, asked.search, **handlers)
        asked.result = await research.run(query, resume=resume, **given)
        bot.slack.changed()
        return asked.result


@asynccontextmanager
async def running_bot(
    slack: FakeSlack,
    home: Path,
    *,
    edit_interval: float = 0.01,
    edits_per_minute: float = 6_000,
    through: Callable[[Store], Any] = lambda store: store,
    clarify_timeout: float = 86_400.0,
    web: Web | None = None,
    web_setting: WebSetting = "on request",
    web_channels: frozenset[str] = frozenset(),
    research_in: Any = "channel",
    drain: float = 0,
    access: Mapping[str, frozenset[str]] = MappingProxyType({}),
    clock: Callable[[], float] = time.time,
    behaves: Mapping[str, Any] = MappingProxyType({}),
    **more: Any,
) -> AsyncIterator[Bot]:
    """A bot that is connected, on what `through` makes of its store.  It is cancelled at the end.

    `access`: who may read which passages of the index from the beginning.
    `behaves` are further settings, `more` further arguments of `run_slack`.
    """
    async with open_store(home / "state.sqlite", clock=clock) as file, asyncio.TaskGroup() as tasks:
        store = through(file)
        bot = Bot(slack, store, access=dict(access), **({"web": web} if web else {}))
        ready = asyncio.Event()
        run = run_slack(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            store=store,
            researcher=bot.researcher,
            documents=bot.linked,
            readable=bot.readable,
            api_url=slack.url,
            settings=Settings(
                edit_interval=edit_interval,
                edits_per_minute=edits_per_minute,
                retry_pause=0.01,
                research_in=research_in,
                clarify_timeout=clarify_timeout,
                drain=drain,
                **behaves,
            ),
            ready=ready.set,
            web=lambda channel: "on" if channel in web_channels else web_setting,
            **more,
        )
        bot.task = tasks.create_task(run)
        async with asyncio.timeout(5):
            await ready.wait()
        await slack.until(lambda: slack.sockets.connected or "door" in more)
        try:
            yield bot
        finally:
            bot.task.cancel()
