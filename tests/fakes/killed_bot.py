"""A bot that may be killed at any moment: what its model says goes by the question and by what was said so far.

It searches, asks back where the question says so, and answers.
"""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from bot.engine import Message, Role
from bot.language import detect
from bot.research import ResearchAgent, SearchHit
from bot.slack.app import Settings, run_slack
from bot.store import Store
from bot.store.documents import Documents
from bot.ways import Research, Ways
from bot.web import Web, answer
from bot.web.pages import Pages
from indexers.document import Audience
from tests.fakes.research import calls, says, searches
from tests.fakes.search import FakeSearch, hit
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN
from tests.fakes.web_engines import FakeReader

THINKING = (0.02, 0.4)
"""Seconds for one reply of the model."""
LEASE = 2.0

detect("Whoever is started from here knows languages already.")


class Model:
    async def generate(self, messages: Sequence[Message], **options: Any) -> Mapping[str, Any]:
        await asyncio.sleep(random.uniform(*THINKING))
        question = next(message.content for message in reversed(messages) if message.role is Role.USER)
        since = [message for message in messages if message.role is Role.TOOL]
        if not since:
            return _whole(searches("claims"))
        if "ask back" in question and len(since) == 1:
            return _whole(calls(("clarify", {"question": "Which one?"})))
        return _whole(says(f"The answer to {question.split()[-1]} [1]."))


def _whole(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"content": "", "tool_calls": [], "usage": {}, "done_reason": "stop", **reply}


def researcher(**options: Any) -> Research:
    ways = Ways(Web([], Pages(FakeReader())), ResearchAgent, answer)
    names = ("on_event", "clarify_handler", "clock", "on_checkpoint")
    given = {name: options[name] for name in names}
    return Research(ways, options["asked"], Model(), FakeSearch([hit(1)], [hit(1)]), **given)


async def nothing(url: str, audience: Audience) -> list[SearchHit]:
    return []


async def readable(chunk: str, audience: Audience) -> bool:
    return True


async def run(
    url: str, opens: Callable[[], AbstractAsyncContextManager[Documents]], connected: Callable[[], None]
) -> None:
    async with opens() as documents:
        await run_slack(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            store=Store(documents, lease=LEASE),
            researcher=researcher,
            documents=nothing,
            readable=readable,
            api_url=url,
            ready=connected,
            settings=Settings(edit_interval=0.1, edits_per_minute=6_000, retry_pause=0.05),
        )
