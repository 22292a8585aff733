"""A bot that may be killed at any moment: what its model says goes by the question and by what was said so far.

It searches, asks back where the question says so, and answers; each answer bears a token of its own.
"""

import asyncio
import random
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

from bot.engine import Message, Role
from bot.language import detect
from bot.research import ResearchAgent, SearchHit, WebHit
from bot.slack.app import Settings, run_slack
from bot.store import Store
from bot.store.documents import Document, Documents, Kind
from bot.ways import Research, Ways
from bot.web import Web, answer
from bot.web.engines import Found, Query
from bot.web.pages import Pages
from indexers.document import Audience
from tests.fakes.research import calls, says, searches
from tests.fakes.search import FakeSearch, hit
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN
from tests.fakes.web_engines import FakeReader

THINKING = (0.02, 0.4)
"""Seconds for one reply of the model."""
LEASE = 2.0
_ASKED = re.compile(r"what is (\d+)")

detect("Whoever is started from here knows languages already.")


class Model:
    def __init__(self, question: str) -> None:
        """`question`: the asker's own words, whatever else is in the thread."""
        self.question = question

    async def generate(self, messages: Sequence[Message], **options: Any) -> Mapping[str, Any]:
        await asyncio.sleep(random.uniform(*THINKING))
        question = self.question
        since = [message for message in messages if message.role is Role.TOOL]
        if options.get("tools") and not since:
            return _whole(searches("claims"))
        if "for ever" in question:
            await asyncio.Event().wait()
        if "ask back" in question and len(since) == 1:
            return _whole(calls(("clarify", {"question": "Which one?"})))
        number = _ASKED.findall(question)[-1]
        return _whole(says(f"The answer to {number} is {secrets.token_hex(4)} [1]."))


class Engine:
    """Finds a page of the web."""

    name = "engine"

    async def search(self, query: Query) -> Found:
        return Found([WebHit(title="Claims", url="https://claims.example/", snippet="It rests on them.")])


class Apart:
    """What is kept, by a process on a machine of its own: nobody can look whether it runs."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def __getattr__(self, name: str) -> Any:
        return getattr(self._documents, name)

    async def put(self, kind: Kind, id: str, document: Document) -> None:
        await self._documents.put(kind, id, replace(document, body=b"") if kind == "process" else document)


def _whole(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"content": "", "tool_calls": [], "usage": {}, "done_reason": "stop", **reply}


def researcher(**options: Any) -> Research:
    ways = Ways(Web([Engine()], Pages(FakeReader())), ResearchAgent, answer)
    names = ("on_event", "clarify_handler", "clock", "on_checkpoint")
    given = {name: options[name] for name in names}
    return Research(ways, options["asked"], Model(options["asked"].question), FakeSearch([hit(1)], [hit(1)]), **given)


async def nothing(url: str, audience: Audience) -> list[SearchHit]:
    return []


async def readable(chunk: str, audience: Audience) -> bool:
    return True


async def run(
    url: str,
    opens: Callable[[], AbstractAsyncContextManager[Documents]],
    connected: Callable[[], None],
    *,
    apart: bool,
) -> None:
    async with opens() as documents:
        await run_slack(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            store=Store(Apart(documents) if apart else documents, lease=LEASE),
            researcher=researcher,
            documents=nothing,
            readable=readable,
            api_url=url,
            ready=connected,
            settings=Settings(edit_interval=0.1, edits_per_minute=6_000, retry_pause=0.05),
        )
