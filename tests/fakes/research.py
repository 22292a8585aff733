"""Playing a run of the research loop with a scripted engine, and looking at what came of it."""

import json
from dataclasses import dataclass, field
from typing import Any

from bot.engine import Message, Role
from bot.engine.scripted import ScriptedEngine
from bot.research import Event, ResearchAgent, ResearchResult
from tests.fakes.search import FakeSearch

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def calls(*named: tuple[str, dict[str, Any]] | str, **reply: Any) -> dict[str, Any]:
    """A reply with tool calls: `calls(("search", {"query": "x"}))`, or a bare name for no arguments."""
    pairs = [(call, {}) if isinstance(call, str) else call for call in named]
    return {
        "tool_calls": [{"id": f"id{i}", "name": name, "arguments": args} for i, (name, args) in enumerate(pairs)],
        "usage": USAGE,
        **reply,
    }


def searches(query: str = "falcon", **filters: Any) -> dict[str, Any]:
    return calls(("search", {"query": query, **filters}))


def says(content: str, **reply: Any) -> dict[str, Any]:
    return {"content": content, "usage": USAGE, **reply}


@dataclass
class Played:
    result: ResearchResult
    events: list[Event] = field(default_factory=list)
    engine: ScriptedEngine = field(default_factory=lambda: ScriptedEngine([]))
    search: FakeSearch = field(default_factory=FakeSearch)

    @property
    def dicts(self) -> list[dict[str, Any]]:
        """The events without the drafts, as dicts."""
        return [event.as_dict() for event in self.events if event.as_dict()["type"] != "answer_delta"]

    @property
    def types(self) -> list[str]:
        return [event["type"] for event in self.dicts]

    def messages(self, call: int = -1) -> list[Message]:
        return self.engine.calls[call]["messages"]

    def tool_contents(self, call: int = -1) -> list[dict[str, Any]]:
        return [json.loads(message.content) for message in self.messages(call) if message.role is Role.TOOL]

    def offered(self, call: int = -1) -> list[str] | None:
        tools = self.engine.calls[call]["tools"]
        return tools and [tool["function"]["name"] for tool in tools]


async def play(
    *replies: Any, search: FakeSearch | None = None, query: str = "What is Falcon?", run: Any = None, **options: Any
) -> Played:
    """Runs an agent over the replies; `run` holds keyword arguments of `ResearchAgent.run`."""
    engine, found, events = ScriptedEngine(replies), search or FakeSearch(), []
    agent = ResearchAgent(engine, found, **{"on_event": events.append, **options})
    return Played(await agent.run(query, **(run or {})), events, engine, found)
