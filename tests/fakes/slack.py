"""Slack on loopback, as an app sees it: the Web API, Socket Mode, and the people who write.

`async with serve_slack() as slack:` gives a `FakeSlack`; its `url` is what the app takes as the Web API.
"""

import asyncio
import itertools
import json
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.fakes.slack_api import Call, Reply, WebApi
from tests.fakes.slack_socket import Delivery, Sockets
from tests.fakes.slack_workspace import APP, BOT, TEAM, Refused, Seen, Workspace

MANIFEST = json.loads((Path(__file__).parents[2] / "manifest.json").read_text("utf-8"))
BOT_TOKEN = "xoxb-fake"
APP_TOKEN = "xapp-fake"


@dataclass(frozen=True)
class Fault:
    """What becomes of a call in place of what should."""

    status: int = 200
    error: str = ""
    retry_after: int = 0
    done: bool = False
    """The call takes effect before it fails."""
    drops: bool = False
    """The connection breaks off without a reply."""


@dataclass(frozen=True)
class Made:
    """A call that the app made, and when it arrived, in the loop's seconds."""

    call: Call
    at: float
    error: str = ""


@dataclass
class Command:
    """A command as its giver sees it: what they alone were told at `url`, which takes five messages."""

    url: str
    told: list[str] = field(default_factory=list)
    refused: int = 0
    expired: bool = False
    delivery: Delivery | None = None


class FakeSlack:
    def __init__(self, manifest: dict[str, Any] = MANIFEST) -> None:
        self.workspace = Workspace()
        self.made: list[Made] = []
        self.echoes = False
        """The app is told of its own posts and edits too, as Slack does where `message.*` is subscribed."""
        self.pair: Sequence[str] = ("app_mention", "message")
        """The order in which the two events of a mention come."""
        self.url = ""
        self.sockets = Sockets(self.changed)
        self.api = WebApi(self.workspace, manifest["oauth_config"]["scopes"]["bot"], self._told)
        self._events = frozenset(manifest["settings"]["event_subscriptions"]["bot_events"])
        self.hooks: dict[str, Command] = {}
        self._commands = {one["command"] for one in manifest["features"].get("slash_commands", ())}
        assert not self._commands or "commands" in manifest["oauth_config"]["scopes"]["bot"]
        self._faults: dict[str, deque[Fault]] = defaultdict(deque)
        self._gates: dict[str, asyncio.Event] = {}
        self._numbers = itertools.count(1)
        self._waiting: set[asyncio.Event] = set()
        self._echo: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    # People

    async def say(self, user: str, text: str | None, channel: str, thread_ts: str | None = None, **more: Any) -> str:
        """Somebody writes; the app is told of it.  `more` are further fields of the message.  Gives its ts.

        A `thread_ts` of "" is none, but is told as Slack sometimes does.
        """
        message = {"user": user, "text": text, "client_msg_id": f"m{next(self._numbers)}", **more}
        if thread_ts:
            message["thread_ts"] = thread_ts
        message = self.workspace.add(channel, message)
        self.changed()
        mentioned = f"<@{BOT}" in json.dumps([text, more.get("blocks")])
        for kind in self.pair if mentioned else ("message",):
            await self._happened(kind, channel, {**message, **({"thread_ts": ""} if thread_ts == "" else {})})
        return message["ts"]

    async def mention(self, user: str, text: str, channel: str, thread_ts: str | None = None, **more: Any) -> str:
        return await self.say(user, f"<@{BOT}> {text}", channel, thread_ts, **more)

    async def dm(self, user: str, text: str | None, thread_ts: str | None = None, **more: Any) -> str:
        return await self.say(user, text, self.workspace.direct(user).id, thread_ts, **more)

    async def edit(self, channel: str, ts: str, text: str) -> None:
        """The author changes the message: a mention in it comes again, with the same ts."""
        message = self.workspace.message(channel, ts)
        before = dict(message)
        message |= {"text": text, "edited": {"user": message["user"], "ts": self.workspace.new_ts()}}
        await self._changed_message(channel, message, before)
        if f"<@{BOT}" in text:
            await self._happened("app_mention", channel, message)

    async def delete(self, channel: str, ts: str) -> None:
        message = self.workspace.messages[channel].pop(ts)
        await self.event(
            {
                "type": "message",
                "subtype": "message_deleted",
                "hidden": True,
                "deleted_ts": ts,
                "ts": self.workspace.new_ts(),
            }
            | {"previous_message": message, "channel": channel, **self._kind(channel)}
        )

    def thread(self, channel: str, ts: str) -> list[Seen]:
        """A thread as people see it, oldest first."""
        return list(self.workspace.seen(self.workspace.replies(channel, ts)))

    def answers(self, channel: str, ts: str) -> list[str]:
        """What the app has written in a thread."""
        return [message.text for message in self.thread(channel, ts) if message.user == BOT]

    def answer(self, channel: str, ts: str) -> str:
        """The newest of these, or ""."""
        return (self.answers(channel, ts) or [""])[-1]

    async def command(self, user: str, text: str, channel: str, command: str = "/research") -> "Command":
        """Somebody gives a command of the app; what comes back to them alone is in `told`."""
        if command not in self._commands:
            raise AssertionError(f"the manifest has no {command}")
        number = next(self._numbers)
        hook = Command(f"{self.url.removesuffix('api/')}hook/{number}")
        self.hooks[str(number)] = hook
        place = self.workspace.channels.get(channel)
        payload = {"command": command, "text": text, "user_id": user, "user_name": "someone", "channel_id": channel}
        payload |= {"channel_name": place.name if place else "privategroup", "response_url": hook.url, "token": "t"}
        payload |= {"team_id": TEAM, "team_domain": "acme", "api_app_id": APP, "trigger_id": f"trigger.{number}"}
        payload["is_enterprise_install"] = "false"
        hook.delivery = await self.sockets.deliver(payload, kind="slash_commands", accepts_response_payload=True)
        self.changed()
        return hook

    # Events

    async def event(self, event: dict[str, Any]) -> Delivery:
        """Tell the app of an event."""
        payload = {"type": "event_callback", "team_id": TEAM, "api_app_id": APP, "event": event}
        payload |= {"event_id": f"Ev{next(self._numbers)}", "event_time": int(float(event.get("event_ts", 0)))}
        payload["authorizations"] = [{"team_id": TEAM, "user_id": BOT, "is_bot": True, "is_enterprise_install": False}]
        delivery = await self.sockets.deliver(payload)
        self.changed()
        return delivery

    async def _happened(self, kind: str, channel: str, message: dict[str, Any]) -> None:
        names = {"channel": "channels", "group": "groups"}
        place = self.workspace.channels[channel]
        name = f"message.{names.get(place.kind, place.kind)}" if kind == "message" else kind
        if name not in self._events or BOT not in place.members or (kind == "app_mention" and place.kind == "im"):
            return
        event = {**message, "type": kind, "channel": channel, "event_ts": message["ts"]}
        await self.event(event | (self._kind(channel) if kind == "message" else {}))

    async def _changed_message(self, channel: str, message: dict[str, Any], before: dict[str, Any]) -> None:
        event = {"type": "message", "subtype": "message_changed", "hidden": True, "ts": self.workspace.new_ts()}
        event |= {"channel": channel, "message": dict(message), "previous_message": before, **self._kind(channel)}
        await self.event({**event, "event_ts": event["ts"]})

    def _kind(self, channel: str) -> dict[str, str]:
        return {"channel_type": self.workspace.channels[channel].kind}

    def _told(self, change: str, channel: str, message: dict[str, Any]) -> None:
        if self.echoes:
            self._echo.put_nowait({"change": change, "channel": channel, "message": dict(message)})

    async def _tell_echoes(self) -> None:
        while not self._echo.empty():
            echo = self._echo.get_nowait()
            if echo["change"] == "posted":
                await self._happened("message", echo["channel"], echo["message"])
            elif echo["change"] == "updated":
                # Slack leaves the bot's user id out of the message within.
                inner = {key: value for key, value in echo["message"].items() if key != "user"}
                await self._changed_message(echo["channel"], inner, inner)

    # Faults

    def limit(self, method: str, times: int = 1, retry_after: int = 1) -> None:
        """The next calls of a method are too many."""
        self._faults[method] += [Fault(429, "ratelimited", retry_after)] * times

    def refuse(self, method: str, error: str, times: int = 1) -> None:
        """The next calls of a method end in `ok: false` with this error, at HTTP 200."""
        self._faults[method] += [Fault(error=error)] * times

    def fail(self, method: str, status: int = 503, times: int = 1, *, done: bool = False) -> None:
        self._faults[method] += [Fault(status, done=done)] * times

    def drop(self, method: str, times: int = 1, *, done: bool = False) -> None:
        """The connection breaks off; with `done`, after the call took effect."""
        self._faults[method] += [Fault(drops=True, done=done)] * times

    def hold(self, method: str) -> None:
        """Calls of a method arrive and wait until `release`."""
        self._gates[method] = asyncio.Event()

    def release(self, method: str) -> None:
        self._gates.pop(method).set()

    # Waiting

    async def until(self, condition: Callable[[], Any], seconds: float = 4.0) -> None:
        """Wait until what Slack has seen meets the condition; an `AssertionError` says what it has, if it does not."""
        changed = asyncio.Event()
        self._waiting.add(changed)
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    with suppress(TimeoutError):  # What nobody announces is looked for again anyhow.
                        async with asyncio.timeout(0.05):
                            await changed.wait()
                    changed.clear()
        except TimeoutError:
            written = [message.get("text") for place in self.workspace.messages.values() for message in place.values()]
            raise AssertionError(f"waited in vain; the messages are {written}") from None
        finally:
            self._waiting.discard(changed)

    def calls(self, method: str) -> list[Made]:
        return [made for made in self.made if made.call.method == method]

    def changed(self) -> None:
        """Whoever waits looks again."""
        for changed in self._waiting:
            changed.set()

    # The server

    async def call(self, request: web.Request) -> web.StreamResponse:
        call = Call(request.match_info["method"], await _arguments(request))
        at = asyncio.get_running_loop().time()
        faults = self._faults[call.method]
        fault = faults.popleft() if faults else Fault()
        if fault != Fault() and not fault.done:
            reply: Reply = {"ok": False, "error": fault.error}
        else:
            reply = self._reply(call, request)
        self.made.append(Made(call, at, reply.get("error", "")))
        self.changed()
        if call.method in self._gates:
            await self._gates[call.method].wait()
        await self._tell_echoes()
        if fault.drops:
            assert request.transport is not None
            request.transport.abort()
        if fault.status >= 500:
            return web.Response(status=fault.status, text="<html>upstream</html>", content_type="text/html")
        headers = {"Retry-After": str(fault.retry_after)} if fault.retry_after else None
        return web.json_response(reply, status=fault.status, headers=headers)

    async def hook(self, request: web.Request) -> web.Response:
        command, body = self.hooks[request.match_info["number"]], await request.json()
        if command.expired or len(command.told) >= 5:
            command.refused += 1
            self.changed()
            return web.Response(status=404, text="expired_url" if command.expired else "used_url")
        assert body["response_type"] == "ephemeral"
        command.told.append(body["text"])
        self.changed()
        return web.Response(text="ok")

    def _reply(self, call: Call, request: web.Request) -> Reply:
        try:
            return {"ok": True, **self._authorised(call, request)}
        except Refused as refused:
            return {"ok": False, "error": refused.error, **refused.more}

    def _authorised(self, call: Call, request: web.Request) -> Reply:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or call.get("token")
        if call.method == "apps.connections.open":
            _check(token, APP_TOKEN, BOT_TOKEN)
            return {"url": f"{self.url.replace('http', 'ws', 1)}link?ticket={self.sockets.ticket()}"}
        if call.method not in self.api:
            raise Refused("unknown_method", req_method=call.method)
        _check(token, BOT_TOKEN, APP_TOKEN)
        return self.api(call)

    def application(self) -> web.Application:
        application = web.Application(client_max_size=2**22)
        application.router.add_get("/api/link", self.sockets.link)
        application.router.add_route("*", "/api/{method}", self.call)
        application.router.add_post("/hook/{number}", self.hook)
        return application


async def _arguments(request: web.Request) -> dict[str, Any]:
    if request.content_type == "application/json":
        return {**request.query, **await request.json()}
    return {**request.query, **await request.post()}


def _check(token: str | None, right: str, other: str) -> None:
    if not token:
        raise Refused("not_authed")
    if token != right:
        raise Refused("not_allowed_token_type" if token == other else "invalid_auth")


@asynccontextmanager
async def serve_slack(port: int = 0) -> AsyncIterator[FakeSlack]:
    """A workspace of five, on loopback: Ada, Grace and Linus are members, Gustav a guest, Olga from elsewhere."""
    slack = FakeSlack()
    workspace = slack.workspace
    workspace.person("U1", "ada", real_name="Ada Lovelace", email="Ada@acme.test", tz="America/New_York")
    workspace.person("U2", "grace", real_name="Grace Hopper", email="grace@acme.test")
    workspace.person("U3", "linus", real_name="Linus", email="linus@acme.test")
    workspace.person("UG", "gustav", email="gustav@guest.test", guest=True)
    workspace.person("UO", "olga", email="olga@other.test", stranger=True)
    workspace.channel("C1", "general", "U1", "U2", "U3")
    workspace.channel("C2", "with-guest", "U1", "UG")
    workspace.channel("C3", "with-others", "U1", "UO", shared=True)
    workspace.channel("C4", "secret", "U1", "U2", kind="group")
    runner = web.AppRunner(slack.application(), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    slack.url = f"http://127.0.0.1:{runner.addresses[0][1]}/api/"
    try:
        yield slack
    finally:
        await slack.sockets.close()
        await runner.cleanup()
