"""What the bot says when it is invited to a channel: once, and nothing that nobody asked."""

from collections.abc import Mapping
from typing import Any

from bot.sentences import sentence
from bot.slack.api.outbox import Mark, Outbox
from bot.slack.api.people import People
from bot.slack.messages import notices
from bot.slack.messages.blocks import said
from bot.slack.questions.desk import Desk
from bot.slack.tasks import Start, survived
from bot.store import Store


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
        self._desk = desk
        self._store = store
        self._people = people
        self._outbox = outbox
        self._start = start
        self._bot_user = bot_user

    async def joined(self, body: Mapping[str, Any]) -> None:
        event = body["event"]
        if event.get("user") != self._bot_user:
            return
        channel = str(event["channel"])
        with self._desk.receiving():
            if await self._store.marks.note(f"greeted {channel}"):
                inviter = str(event.get("inviter") or "")
                self._start(survived(self._greet(channel, inviter), f"the greeting in {channel}"))

    async def _greet(self, channel: str, inviter: str) -> None:
        """In the language of the channel, else of whoever invites."""
        language = (await self._store.settings(channel)).language or await self._people.language(inviter)
        text = sentence(notices.GREETING, language, mention=f"<@{self._bot_user}>")
        await self._outbox.begin(channel, said([text])[0], Mark(f"{channel}:greeting", "greeting"))
