"""What the bot says when it is invited to a channel: once, and nothing that nobody asked."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from bot.sentences import sentence
from bot.slack.api.outbox import Mark, Outbox
from bot.slack.messages import notices
from bot.slack.messages.blocks import said
from bot.slack.questions.answer import survive
from bot.slack.questions.desk import Desk
from bot.store import Store


class Greeting:
    def __init__(
        self,
        *,
        desk: Desk,
        store: Store,
        outbox: Outbox,
        start: Callable[[Coroutine[Any, Any, None]], object],
        bot_user: str,
    ) -> None:
        self._desk = desk
        self._store = store
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
                self._start(self._greet(channel))

    async def _greet(self, channel: str) -> None:
        async def greet() -> None:
            language = (await self._store.settings(channel)).language or "en"
            text = sentence(notices.GREETING, language, mention=f"<@{self._bot_user}>")
            part = said([text])[0]
            await self._outbox.begin(channel, part, Mark(f"{channel}:greeting", "greeting"))

        await survive(greet(), f"the greeting in {channel}")
