"""What may be asked, suggested to whoever opens the agent's tab or begins a thread there."""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.sentences import sentence
from bot.slack.api.attempts import Broken, Limited, Refusal, checked
from bot.slack.api.people import People
from bot.slack.events import Events
from bot.slack.messages import sentences
from bot.slack.questions.desk import Desk
from bot.slack.surfaces.agent import NO_AGENT, NO_SESSIONS
from bot.slack.tasks import Start, survived

logger = logging.getLogger(__name__)


class Suggestions:
    """What Slack refuses once, because the app is no agent, is not tried again."""

    def __init__(self, *, desk: Desk, slack: AsyncWebClient, people: People, start: Start) -> None:
        """`start` starts what Slack need not wait for."""
        self._desk = desk
        self._slack = slack
        self._people = people
        self._start = start
        self._possible = True

    def listen(self, events: Events) -> None:
        events.on({"app_home_opened": self._opened, "assistant_thread_started": self._began})

    async def _opened(self, body: Mapping[str, Any]) -> None:
        event = body["event"]
        if event.get("tab") == "messages":
            self._begin(str(event.get("user") or ""), str(event.get("channel")), "")

    async def _began(self, body: Mapping[str, Any]) -> None:
        thread: Mapping[str, Any] = body["event"].get("assistant_thread") or {}
        user, channel = str(thread.get("user_id") or ""), str(thread.get("channel_id"))
        self._begin(user, channel, str(thread.get("thread_ts") or ""))

    def _begin(self, user: str, channel: str, thread_ts: str) -> None:
        with self._desk.receiving():
            suggest = partial(self._suggest, user, channel, thread_ts)
            self._start(survived(suggest, f"what is suggested in {channel}"))

    async def _suggest(self, user: str, channel: str, thread_ts: str) -> None:
        if not self._possible:
            return
        language = await self._people.language(user)
        texts = [sentence(one, language) for one in (sentences.ASK_WHAT_IT_DOES, sentences.ASK_WHAT_IS_NEW)]
        suggest = checked(
            lambda: self._slack.assistant_threads_setSuggestedPrompts(
                channel_id=channel,
                thread_ts=thread_ts or None,
                prompts=[{"title": text, "message": text} for text in texts],
            )
        )
        try:
            await suggest()
        except Refusal as refusal:
            self._possible = refusal.code not in (*NO_AGENT, *NO_SESSIONS)
        except (Limited, Broken) as error:
            logger.info("channel %s: nothing was suggested (%s)", channel, error)
