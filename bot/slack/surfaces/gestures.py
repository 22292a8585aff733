"""What people do about questions and answers without a word to the bot: buttons, reactions, edits, deletions."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.slack.api.outbox import Refusal
from bot.slack.events import Events
from bot.slack.messages.blocks import AGAIN, STOP
from bot.slack.questions.changes import deleted, edited
from bot.slack.questions.desk import Closed, Desk
from bot.slack.surfaces.control import Control
from bot.slack.surfaces.once import PATIENCE, Once
from bot.slack.tasks import Start, survived
from bot.store import Store

logger = logging.getLogger(__name__)

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
        self._once = Once(desk, start, known=self._is_known, note=store.claim)

    def listen(self, app: AsyncApp, events: Events) -> None:
        handlers = {
            "reaction_added": self._reacted,
            "agent_session_stopped": self._session_stopped,
            "message": self._message,
            "app_mention": self._message,
        }
        events.on(handlers)
        app.action(STOP)(self._stop)
        app.action(AGAIN)(self._again)

    async def _stop(self, body: dict[str, Any], ack: AsyncAck) -> None:
        key, user = str(body["actions"][0].get("value") or ""), str(body["user"]["id"])
        with suppress(Closed), self._desk.receiving():
            stopping = self._start(survived(partial(self._control.stop, key, user), f"a click on {key}"))
            await asyncio.wait({stopping}, timeout=PATIENCE)  # Slack tells of a click once.
            await ack()

    async def _again(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """One click asks for one answer, however often it comes."""
        action, user = body["actions"][0], str(body["user"]["id"])
        key = str(action.get("value") or "")

        async def again() -> bool:
            await self._control.again(key, user)
            return True

        with suppress(Closed):
            await self._once.do(f"{key}:{action.get('action_ts')}:{user}:again", again)
            await ack()

    async def _reacted(self, body: Json) -> None:
        event = body["event"]
        name, user, item = event["reaction"], str(event.get("user") or ""), event.get("item") or {}
        if name not in (*STOPS, *AGAINS) or item.get("type") != "message" or user in ("", self._bot_user):
            return
        act = self._control.stop if name in STOPS else self._control.again
        done = f"{item['channel']}:{item['ts']}:{event.get('event_ts')}:{user}:{name}"
        await self._once.do(done, partial(self._about, item["channel"], item["ts"], user, act))

    async def _is_known(self, key: str) -> bool:
        return await self._store.run(key) is not None

    async def _about(self, channel: str, ts: str, user: str, act: Act) -> bool:
        try:
            key = await self._control.run_of(channel, ts)
        except Refusal as refusal:
            logger.info("channel %s ts %s: cannot be looked up (%s)", channel, ts, refusal.code)
            return False
        if key:
            await act(key, user)
        return True

    async def _session_stopped(self, body: Json) -> None:
        event = body["event"]
        channel, thread_ts, user = str(event["channel"]), str(event["thread_ts"]), str(event["user"])

        async def stop() -> bool:
            await self._control.stop_thread(channel, thread_ts, user)
            return True

        await self._once.do(f"stop:{channel}:{thread_ts}:{user}:{event.get('event_ts')}", stop)

    async def _message(self, body: Json) -> None:
        event = body["event"]
        gone = deleted(event)
        if gone:
            await self._control.deleted(gone)
            return
        message = edited(event, self._bot_user)
        if message is not None:
            await self._control.edited(message)
