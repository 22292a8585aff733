"""Of what the fake Slack tells the app: events in their envelopes, to those who are subscribed and may see them."""

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from tests.fakes.slack_api import WebApi
from tests.fakes.slack_app import App, Change
from tests.fakes.slack_call import Clock
from tests.fakes.slack_delivery import Deliveries, Delivery
from tests.fakes.slack_http import Posts
from tests.fakes.slack_limits import Limits
from tests.fakes.slack_socket import Sockets
from tests.fakes.slack_workspace import APP, BOT, TEAM, Workspace

NAMES = {"channel": "channels", "group": "groups"}


class Events:
    def __init__(self, manifest: dict[str, Any], changed: Callable[[], None]) -> None:
        self.clock = Clock()
        self.workspace = Workspace(self.clock)
        self.app = App(manifest, self.clock, self.workspace)
        self.api = WebApi(self.app)
        self.limits = Limits(self.clock)
        self.sockets = Sockets(changed, self.clock)
        self.transport: Deliveries = self.sockets
        self.echoes = False
        """The app is told of its own posts and edits too, as Slack does where `message.*` is subscribed."""
        self.pair: Sequence[str] = ("app_mention", "message")
        """The order in which the two events of a mention come."""
        self.numbers = itertools.count(1)
        self._changed = changed
        self._echo: deque[Change] = deque()
        self.app.listeners.append(self._heard)

    @property
    def deliveries(self) -> list[Delivery]:
        """All envelopes, oldest first."""
        return self.transport.deliveries

    def deliver_to(self, url: str, secret: str) -> Posts:
        """The app is called over HTTP from now on."""
        posts = Posts(self._changed, self.clock, url=url, secret=secret)
        self.transport = posts
        return posts

    async def event(self, event: dict[str, Any]) -> Delivery:
        """Tell the app of an event, subscribed or not."""
        enterprise = self.workspace.enterprise
        place = self.workspace.channels.get(str(event.get("channel", "")))
        team = place.team if place is not None else TEAM
        payload = {"type": "event_callback", "team_id": team, "api_app_id": APP, "event": event}
        payload |= {"event_id": f"Ev{next(self.numbers)}", "event_time": int(float(event.get("event_ts", 0)))}
        installed: dict[str, Any] = {"team_id": TEAM, "user_id": BOT, "is_bot": True, "is_enterprise_install": False}
        if enterprise:
            installed |= {"enterprise_id": enterprise, "team_id": None, "is_enterprise_install": True}
            payload |= {"enterprise_id": enterprise, "context_enterprise_id": enterprise}
        payload |= {"context_team_id": team, "is_ext_shared_channel": place is not None and place.shared}
        payload["authorizations"] = [installed]
        delivery = await self.transport.deliver(payload)
        self._changed()
        return delivery

    async def subscribed(self, event: dict[str, Any], name: str = "") -> None:
        """Tell the app of an event if it has subscribed to it."""
        if (name or event["type"]) in self.app.events:
            await self.event({"event_ts": self.workspace.new_ts(), **event})

    async def happened(self, kind: str, channel: str, message: dict[str, Any]) -> None:
        """A message, or a mention, was written in a channel."""
        place = self.workspace.channels[channel]
        if BOT not in place.members or (kind == "app_mention" and place.kind == "im"):
            return
        name = f"message.{NAMES.get(place.kind, place.kind)}" if kind == "message" else kind
        event = {**message, "type": kind, "channel": channel, "event_ts": message["ts"]}
        await self.subscribed(event | ({"channel_type": place.kind} if kind == "message" else {}), name)

    async def message_changed(self, channel: str, message: dict[str, Any], before: dict[str, Any]) -> None:
        event = {"type": "message", "subtype": "message_changed", "hidden": True, "ts": self.workspace.new_ts()}
        event |= {"message": dict(message), "previous_message": before}
        await self.happened("message", channel, event)

    async def message_deleted(self, channel: str, message: dict[str, Any]) -> None:
        event = {"type": "message", "subtype": "message_deleted", "hidden": True, "ts": self.workspace.new_ts()}
        event |= {"deleted_ts": message["ts"], "previous_message": message}
        await self.happened("message", channel, event)

    async def reacted(self, kind: str, user: str, channel: str, message: dict[str, Any], name: str) -> None:
        if BOT in self.workspace.channels[channel].members:
            item = {"type": "message", "channel": channel, "ts": message["ts"]}
            event = {"type": kind, "user": user, "reaction": name, "item": item, "item_user": message.get("user")}
            await self.subscribed(event)

    # What the app itself does

    def _heard(self, change: Change) -> None:
        if self.echoes:
            message = {name: value for name, value in change.message.items() if name not in ("loud", "recipient")}
            self._echo.append(Change(change.kind, change.channel, message, change.before, change.reaction))

    async def tell_echoes(self) -> None:
        while self._echo:
            echo = self._echo.popleft()
            match echo.kind:
                case "posted":
                    await self.happened("message", echo.channel, echo.message)
                case "updated":
                    # Slack leaves the bot's user id out of the message within.
                    inner = {key: value for key, value in echo.message.items() if key != "user"}
                    await self.message_changed(echo.channel, inner, echo.before)
                case "deleted":
                    await self.message_deleted(echo.channel, echo.message)
                case kind:
                    kind = "reaction_added" if kind == "reacted" else "reaction_removed"
                    await self.reacted(kind, BOT, echo.channel, echo.message, echo.reaction)
