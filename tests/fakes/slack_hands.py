"""What people do in the fake Slack with commands, buttons, shortcuts and modals, and what comes back to them."""

import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.fakes.slack_blocks import taken
from tests.fakes.slack_call import Refused, Reply
from tests.fakes.slack_delivery import Delivery
from tests.fakes.slack_elements import act, find, state
from tests.fakes.slack_people import People
from tests.fakes.slack_workspace import APP, DOMAIN, TEAM

HOOK_USES = 5
HOOK_SECONDS = 1_800.0


@dataclass
class Hook:
    """What somebody did, as they see it: what they were told at `url`, which takes five messages."""

    url: str
    user: str = ""
    channel: str = ""
    ts: str = ""
    """Of the message with the button."""
    until: float = 0.0
    told: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    """All that came to `url`."""
    refused: int = 0
    expired: bool = False
    delivery: Delivery | None = None


class Hands(People):
    hooks: dict[str, Hook]

    async def command(self, user: str, text: str, channel: str, command: str = "/research") -> Hook:
        """Somebody gives a command of the app; what comes back to them alone is in `told`."""
        if command not in {one["command"] for one in self.app.features.get("slash_commands", ())}:
            raise AssertionError(f"the manifest has no {command}")
        assert "commands" in self.app.scopes
        hook = self._hook(user, channel)
        place = self.workspace.channels.get(channel)
        payload = {"command": command, "text": text, "user_id": user, "user_name": "someone", "channel_id": channel}
        payload |= {"channel_name": place.name if place else "privategroup", "response_url": hook.url, "token": "t"}
        payload |= {"team_id": place.team if place else TEAM, "team_domain": DOMAIN, "api_app_id": APP}
        enterprise = self.workspace.enterprise
        payload |= {"enterprise_id": enterprise, "enterprise_name": "Acme"} if enterprise else {}
        payload |= {"trigger_id": self.api.views.trigger(user), "is_enterprise_install": str(bool(enterprise)).lower()}
        hook.delivery = await self.transport.deliver(payload, kind="slash_commands")
        self._changed()
        return hook

    async def click(self, user: str, channel: str, ts: str, action_id: str, chosen: Any = None) -> Hook:
        """Somebody uses a button (or what else has this action_id) of a message, or of one that they alone see.

        Of several with the same action_id, or of several options, `chosen` is the value of the one meant.
        """
        assert user in self.workspace.channels[channel].members, f"{user} is not in {channel}"
        alone = [one for one in self.whispers(user) if one["ts"] == ts]
        message = alone[0] if alone else self.workspace.message(channel, ts)
        action = act(*find(message.get("blocks", ()), action_id, chosen), chosen, self.workspace.new_ts())
        hook = self._hook(user, channel, ts)
        container = {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": bool(alone)}
        if "thread_ts" in message:
            container["thread_ts"] = message["thread_ts"]
        payload = {**self._interaction("block_actions", user), "container": container, "actions": [action]}
        payload |= {"channel": self._named(channel), "response_url": hook.url, "state": {"values": {}}}
        hidden = {"metadata", "loud", "recipient"}
        shown = {name: value for name, value in message.items() if name not in hidden}
        hook.delivery = await self._interact(payload | ({} if alone else {"message": shown}))
        return hook

    async def click_in_view(self, user: str, action_id: str, chosen: Any = None, *, home: bool = False) -> Delivery:
        """Somebody uses a button of the modal that they have open, or of App Home."""
        view = self.api.views.home[user] if home else self.api.views.modal(user)
        action = act(*find(view["blocks"], action_id, chosen), chosen, self.workspace.new_ts())
        payload = self._interaction("block_actions", user, view["id"])
        container = {"type": "view", "view_id": view["id"]}
        return await self._interact({**payload, "container": container, "view": dict(view), "actions": [action]})

    async def shortcut(self, user: str, callback_id: str, channel: str, ts: str) -> Hook:
        """Somebody takes a message shortcut of the app."""
        shortcuts = {one["callback_id"] for one in self.app.features.get("shortcuts", ()) if one["type"] == "message"}
        assert callback_id in shortcuts, f"the manifest has no message shortcut {callback_id}"
        hook = self._hook(user, channel)
        message = self.workspace.message(channel, ts)
        payload = {**self._interaction("message_action", user), "callback_id": callback_id, "message": message}
        payload |= {"channel": self._named(channel), "message_ts": ts, "action_ts": self.workspace.new_ts()}
        hook.delivery = await self._interact({**payload, "response_url": hook.url})
        return hook

    async def submit(self, user: str, **entered: Any) -> Delivery:
        """Somebody submits the modal that they have open, with what they entered by action_id.

        The modal then does what the app's acknowledgement says; it closes if it says nothing.
        """
        view = self.api.views.modal(user)
        assert view["submit"], "the modal has no submit button"
        view.pop("errors", None)
        view["state"] = {"values": state(view["blocks"], entered)}
        payload = {**self._interaction("view_submission", user, view["id"]), "view": dict(view), "response_urls": []}
        return await self._interact(payload, then=lambda response: self.api.views.answered(user, view, response))

    async def close_modal(self, user: str) -> None:
        view = self.api.views.modals[user].pop()
        if view["notify_on_close"]:
            payload = self._interaction("view_closed", user)
            del payload["trigger_id"]
            await self._interact({**payload, "view": view, "is_cleared": False})

    async def press_stop(self, user: str, channel: str, thread_ts: str) -> None:
        """Somebody presses the Stop button that Slack itself shows for an agent at work."""
        assert self.api.threads.stoppable(channel, thread_ts), "Slack shows no Stop button there"
        stopped = self.api.streams.stop_by(user, channel, thread_ts)
        event = {"type": "agent_session_stopped", "channel": channel, "thread_ts": thread_ts, "user": user}
        await self.subscribed({**event, "streaming_message_ts": stopped})

    async def _interact(self, payload: dict[str, Any], then: Any = None) -> Delivery:
        enabled = self.app.manifest["settings"].get("interactivity", {}).get("is_enabled")
        assert enabled, "the manifest has interactivity off"
        delivery = await self.transport.deliver(payload, kind="interactive", then=then)
        self._changed()
        return delivery

    def _interaction(self, kind: str, user: str, view: str = "") -> dict[str, Any]:
        person = self.workspace.users[user]
        who = {"id": user, "username": person.name, "name": person.name, "team_id": person.team_id}
        enterprise = {"id": self.workspace.enterprise, "name": "Acme"} if self.workspace.enterprise else None
        payload = {"type": kind, "user": who, "api_app_id": APP, "token": "t", "team": {"id": TEAM, "domain": DOMAIN}}
        if enterprise:
            payload["team"] = None
        payload |= {"enterprise": enterprise, "is_enterprise_install": enterprise is not None}
        return payload | {"trigger_id": self.api.views.trigger(user, view)}

    def _named(self, channel: str) -> dict[str, str]:
        place = self.workspace.channels[channel]
        name = {"im": "directmessage", "group": "privategroup"}.get(place.kind, place.name)
        return {"id": channel, "name": name}

    # What comes back

    def _hook(self, user: str, channel: str, ts: str = "") -> Hook:
        number = str(next(self.numbers))
        address = f"{self.app.url.removesuffix('api/')}hook/{number}"
        self.hooks[number] = Hook(address, user, channel, ts, self.clock() + HOOK_SECONDS)
        return self.hooks[number]

    async def hook(self, request: web.Request) -> web.Response:
        hook, body = self.hooks[request.match_info["number"]], await request.json()
        expired = hook.expired or self.clock() >= hook.until
        if expired or len(hook.bodies) >= HOOK_USES:
            hook.refused += 1
            self._changed()
            return web.Response(status=404, text="expired_url" if expired else "used_url")
        try:
            self._answered(hook, body)
        except Refused as refused:
            return web.json_response({"ok": False, "error": refused.error}, status=400)
        hook.bodies.append(body)
        self._changed()
        return web.Response(text="ok")

    def _answered(self, hook: Hook, body: dict[str, Any]) -> None:
        content: Reply = {"text": body.get("text") or ""}
        if body.get("blocks"):
            content["blocks"] = taken(_listed(body["blocks"]))
        ephemerals = self.api.messages.ephemerals
        shown = [one for one in ephemerals if one["ts"] == hook.ts]
        if body.get("delete_original"):
            if shown:
                ephemerals.remove(shown[0])
            else:
                self.workspace.messages[hook.channel].pop(hook.ts)
        elif not (content["text"] or "blocks" in content):
            raise Refused("no_text")
        elif body.get("replace_original") and hook.ts:
            target = shown[0] if shown else self.workspace.message(hook.channel, hook.ts)
            target.pop("blocks", None)
            target |= content
            hook.told.append(content["text"])
        else:
            self._said(hook, body, content)

    def _said(self, hook: Hook, body: dict[str, Any], content: Reply) -> None:
        """A new message; a later one replaces it only where it stands for a button's message, never for a command's
        (slackapi/bolt-js#2287, slackapi/bolt-python#1268)."""
        if body.get("thread_ts"):
            content["thread_ts"] = body["thread_ts"]
        if body.get("response_type") == "in_channel":
            self.workspace.add(hook.channel, {**self.app.author(), **content})
        else:
            hook.told.append(content["text"])
            alone = {"channel": hook.channel, "user": hook.user, **content, "ts": self.workspace.new_ts()}
            self.api.messages.ephemerals.append(alone)


def _listed(blocks: Any) -> Any:
    return json.loads(blocks) if isinstance(blocks, str) else blocks
