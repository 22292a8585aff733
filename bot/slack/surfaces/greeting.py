"""What the bot says when it is invited to a channel: once, and nothing that nobody asked."""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

from bot.sentences import sentence
from bot.slack.api.outbox import Mark, Outbox, Refusal
from bot.slack.api.people import People
from bot.slack.messages import notices
from bot.slack.messages.blocks import said
from bot.slack.questions.desk import Desk
from bot.slack.surfaces.once import Once
from bot.slack.tasks import Start
from bot.store import Store

logger = logging.getLogger(__name__)


class Greeting:
    def __init__(
        self,
        *,
        desk: Desk,
        store: Store,
        people: People,
        outbox: Outbox,
        start: Start,
        bot_user: str,
    ) -> None:
        self._store = store
        self._people = people
        self._outbox = outbox
        self._bot_user = bot_user
        self._once = Once(desk, start, known=self._is_greeted, note=store.marks.note)

    async def joined(self, body: Mapping[str, Any]) -> None:
        event = body["event"]
        if event.get("user") != self._bot_user:
            return
        channel = str(event["channel"])
        await self._once.do(f"greeted {channel}", partial(self._greet, channel, str(event.get("inviter") or "")))

    async def _is_greeted(self, key: str) -> bool:
        return await self._store.marks.since(key) is not None

    async def _greet(self, channel: str, inviter: str) -> bool:
        """In the language of the channel, else of whoever invites; False where Slack does not take it."""
        language = (await self._store.settings(channel)).language or await self._people.language(inviter)
        text = sentence(notices.GREETING, language, mention=f"<@{self._bot_user}>")
        try:
            # It may be there, from before somebody was killed, or did not come to note it.
            await self._outbox.begin(channel, said([text])[0], Mark(f"{channel}:greeting", "greeting"), look=True)
        except Refusal as refusal:
            logger.info("channel %s: takes no greeting (%s)", channel, refusal.code)
            return False
        return True
