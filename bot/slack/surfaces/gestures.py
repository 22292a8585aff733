"""What people do about questions and answers without a word to the bot: buttons, reactions, edits, deletions."""

from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.slack.listeners import before_acknowledgement
from bot.slack.messages.blocks import AGAIN, STOP
from bot.slack.questions.changes import deleted, edited
from bot.slack.questions.desk import Closed, Desk
from bot.slack.surfaces.control import Control
from bot.slack.tasks import Start, survived
from bot.store import Store

STOPS = ("octagonal_sign", "stop_sign", "no_entry", "no_entry_sign", "black_square_for_stop")
AGAINS = ("arrows_counterclockwise", "repeat")

Json: TypeAlias = Mapping[str, Any]
Act: TypeAlias = Callable[[str, str], Coroutine[Any, Any, None]]
"""Does something about a run for somebody."""


class Gestures:
    def __init__(
        self,
        *,
        desk: Desk,
        store: Store,
        control: Control,
        start: Start,
        bot_user: str,
    ) -> None:
        """`start` starts what need not be done before Slack has its acknowledgement."""
        self._desk = desk
        self._store = store
        self._control = control
        self._start = start
        self._bot_user = bot_user

    def listen(self, app: AsyncApp) -> None:
        handlers = {
            "reaction_added": self._reacted,
            "agent_session_stopped": self._session_stopped,
            "message": self._message,
            "app_mention": self._message,
        }
        before_acknowledgement(app, handlers)
        app.action(STOP)(self._stop)
        app.action(AGAIN)(self._again)

    async def _stop(self, body: dict[str, Any], ack: AsyncAck) -> None:
        await self._clicked(body, ack, self._control.stop)

    async def _again(self, body: dict[str, Any], ack: AsyncAck) -> None:
        await self._clicked(body, ack, self._control.again)

    async def _clicked(self, body: Json, ack: AsyncAck, act: Act) -> None:
        key = str(body["actions"][0].get("value") or "")
        with suppress(Closed), self._desk.receiving():
            self._start(survived(act(key, str(body["user"]["id"])), f"a click on {key}"))
            await ack()

    async def _reacted(self, body: Json) -> None:
        event = body["event"]
        name, user, item = event["reaction"], str(event.get("user") or ""), event.get("item") or {}
        if name not in (*STOPS, *AGAINS) or item.get("type") != "message" or user in ("", self._bot_user):
            return
        act = self._control.stop if name in STOPS else self._control.again
        with self._desk.receiving():
            if await self._store.claim(f"{item['channel']}:{item['ts']}:{event.get('event_ts')}:{user}:{name}"):
                self._start(
                    survived(self._about(item["channel"], item["ts"], user, act), f"a reaction in {item['channel']}")
                )

    async def _about(self, channel: str, ts: str, user: str, act: Act) -> None:
        key = await self._control.run_of(channel, ts)
        if key:
            await act(key, user)

    async def _session_stopped(self, body: Json) -> None:
        event = body["event"]
        channel, thread_ts, user = str(event["channel"]), str(event["thread_ts"]), str(event["user"])
        with self._desk.receiving():
            self._start(
                survived(self._control.stop_thread(channel, thread_ts, user), f"the stop in {channel} {thread_ts}")
            )

    async def _message(self, body: Json) -> None:
        event = body["event"]
        gone = deleted(event)
        if gone:
            await self._control.deleted(gone)
            return
        message = edited(event, self._bot_user)
        if message is not None:
            await self._control.edited(message)
