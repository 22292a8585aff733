"""What a Slack workspace holds: people, channels, messages.  No network; `slack_api` and `slack` act on it."""

import itertools
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

TEAM = "T1"
BOT = "UBOT"
BOT_ID = "BBOT"
APP = "A1"
DOMAIN = "acme"

Kind = Literal["channel", "group", "im", "mpim"]
PINGS = re.compile(r"<@[A-Z0-9]+(?:\|[^>]*)?>|<!(?:here|channel|everyone|subteam\^[A-Z0-9]+)(?:\|[^>]*)?>")
LINKS = re.compile(r"<(https?://[^|>]+)(?:\|[^>]*)?>")


class Refused(Exception):
    """Slack answers `ok: false` with this error."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.error = error
        self.more = more


@dataclass
class User:
    id: str
    name: str
    real_name: str = ""
    email: str = ""
    tz: str = "Europe/Paris"
    guest: bool = False
    """A multi-channel guest."""
    stranger: bool = False
    """Somebody of another workspace, in a shared channel."""
    bot: bool = False

    def as_dict(self, *, with_email: bool) -> dict[str, Any]:
        profile = {"display_name": self.name, "real_name": self.real_name or self.name}
        if with_email and self.email and not self.bot:
            profile["email"] = self.email
        team = "T9" if self.stranger else TEAM
        user: dict[str, Any] = {"id": self.id, "team_id": team, "name": self.name, "deleted": False, "tz": self.tz}
        user |= {"real_name": profile["real_name"], "profile": profile, "is_bot": self.bot, "is_email_confirmed": True}
        if self.stranger:
            return user | {"is_stranger": True}
        return user | {"is_restricted": self.guest, "is_ultra_restricted": False}


@dataclass
class Channel:
    id: str
    name: str
    kind: Kind
    members: list[str] = field(default_factory=list)
    shared: bool = False
    """With another workspace (Slack Connect)."""
    archived: bool = False

    def as_dict(self) -> dict[str, Any]:
        flags = {f"is_{kind}": self.kind == kind for kind in ("channel", "group", "im", "mpim")}
        shared = {"is_shared": self.shared, "is_ext_shared": self.shared, "is_org_shared": False}
        more = {"is_private": self.kind != "channel", "is_archived": self.archived, "is_member": BOT in self.members}
        return {"id": self.id, "name": self.name, **flags, **shared, **more, "context_team_id": TEAM}


@dataclass(frozen=True)
class Seen:
    """A message as people see it."""

    ts: str
    user: str
    text: str
    thread_ts: str
    pings: tuple[str, ...]
    """Whom it notifies."""
    previews: tuple[str, ...]
    """The links of which Slack shows a card."""


class Workspace:
    def __init__(self) -> None:
        self.users = {user.id: user for user in (User(BOT, "footnote", bot=True), User("USLACKBOT", "slackbot"))}
        self.channels: dict[str, Channel] = {}
        self.messages: dict[str, dict[str, dict[str, Any]]] = {}
        """By channel and ts, as the Web API gives them."""
        self._count = itertools.count(1)

    def person(self, id: str, name: str, **more: Any) -> User:
        return self.users.setdefault(id, User(id, name, **more))

    def channel(self, id: str, name: str, *members: str, kind: Kind = "channel", **more: Any) -> Channel:
        """A channel with the bot and `members` in it."""
        return self.channels.setdefault(id, Channel(id, name, kind, [BOT, *members], **more))

    def direct(self, *users: str) -> Channel:
        """The direct conversation of the bot with one person, or several."""
        id = ("D" if len(users) == 1 else "G") + "".join(users)
        return self.channel(id, "", *users, kind="im" if len(users) == 1 else "mpim")

    def new_ts(self) -> str:
        return f"{int(time.time())}.{next(self._count):06d}"

    def add(self, channel: str, message: dict[str, Any]) -> dict[str, Any]:
        message = {"type": "message", "ts": self.new_ts(), "team": TEAM, **message}
        self.messages.setdefault(channel, {})[message["ts"]] = message
        return message

    def message(self, channel: str, ts: str) -> dict[str, Any]:
        if ts not in self.messages.get(channel, {}):
            raise Refused("message_not_found")
        return self.messages[channel][ts]

    def replies(self, channel: str, thread_ts: str) -> list[dict[str, Any]]:
        """The root and its replies, oldest first."""
        return [
            message
            for ts, message in sorted(self.messages.get(channel, {}).items())
            if thread_ts in (ts, message.get("thread_ts"))
        ]

    def seen(self, messages: Iterable[dict[str, Any]]) -> Iterator[Seen]:
        for message in messages:
            text = message.get("text") or ""
            links = () if message.get("unfurl_links") is False else tuple(LINKS.findall(text))
            pings = (*PINGS.findall(text), *(re.findall(r"@\w+", text) if message.get("loud") else ()))
            yield Seen(message["ts"], message["user"], text, message.get("thread_ts", ""), pings, links)
