"""What a Slack workspace holds: people, channels, messages.  No network; the other parts act on it."""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.slack_call import Clock, Refused

TEAM = "T1"
OTHER_TEAM = "T9"
BOT = "UBOT"
BOT_ID = "BBOT"
APP = "A1"
DOMAIN = "acme"

Kind = Literal["channel", "group", "im", "mpim"]
PINGS = re.compile(r"<@[A-Z0-9]+(?:\|[^>]*)?>|<!(?:here|channel|everyone|subteam\^[A-Z0-9]+)(?:\|[^>]*)?>")
LINKS = re.compile(r"<(https?://[^|>]+)(?:\|[^>]*)?>")
FIRST_CHUNK = 256
"""What others than its reader see of a native stream until it is stopped."""


@dataclass
class User:
    id: str
    name: str
    real_name: str = ""
    email: str = ""
    tz: str = "Europe/Paris"
    guest: bool = False
    """A multi-channel guest."""
    single_channel: bool = False
    """A guest of one channel."""
    stranger: bool = False
    """Somebody of another workspace, in a shared channel."""
    bot: bool = False
    admin: bool = False
    owner: bool = False
    deleted: bool = False
    locale: str = "en-US"
    team: str = ""
    """Their own workspace, where it is not this one."""
    also_in: list[str] = field(default_factory=list)
    """Further workspaces of the organisation."""
    runs_all: bool = False
    """An admin of the organisation."""

    @property
    def team_id(self) -> str:
        return self.team or (OTHER_TEAM if self.stranger else TEAM)

    @property
    def teams(self) -> list[str]:
        return [self.team_id, *self.also_in]

    def as_dict(self, *, with_email: bool, enterprise: str = "", with_locale: bool = False) -> dict[str, Any]:
        profile = {"display_name": self.name, "real_name": self.real_name or self.name, "team": self.team_id}
        if with_email and self.email and not self.bot:
            profile["email"] = self.email
        user: dict[str, Any] = {"id": self.id, "team_id": self.team_id, "name": self.name, "deleted": self.deleted}
        user |= {"tz": self.tz, "real_name": profile["real_name"], "profile": profile, "is_bot": self.bot}
        user |= {"is_email_confirmed": True, **({"locale": self.locale} if with_locale else {})}
        if self.stranger:
            return user | {"is_stranger": True}
        if enterprise:
            roles = {"is_admin": self.runs_all, "is_owner": False, "teams": self.teams}
            user["enterprise_user"] = {"id": self.id, "enterprise_id": enterprise, "enterprise_name": "Acme", **roles}
        user |= {"is_admin": self.admin or self.owner, "is_owner": self.owner, "is_primary_owner": False}
        guest = self.guest or self.single_channel
        return user | {"is_restricted": guest, "is_ultra_restricted": self.single_channel}


@dataclass
class Channel:
    id: str
    name: str
    kind: Kind
    members: list[str] = field(default_factory=list)
    shared: bool = False
    """With another workspace (Slack Connect)."""
    archived: bool = False
    creator: str = "U1"
    topic: str = ""
    team: str = TEAM
    also_in: list[str] = field(default_factory=list)
    """Further workspaces of the organisation."""

    @property
    def teams(self) -> list[str]:
        return [self.team, *self.also_in]

    def as_dict(self) -> dict[str, Any]:
        flags = {f"is_{kind}": self.kind == kind for kind in ("channel", "group", "im", "mpim")}
        inside = bool(self.also_in)
        shared = {"is_shared": self.shared or inside, "is_ext_shared": self.shared, "is_org_shared": inside}
        shared["shared_team_ids"] = [*self.teams, *([OTHER_TEAM] if self.shared else [])]
        more = {"is_private": self.kind != "channel", "is_archived": self.archived, "is_member": BOT in self.members}
        if self.kind == "im":
            more["user"] = next(member for member in self.members if member != BOT)
        else:
            more |= {"creator": self.creator, "topic": {"value": self.topic, "creator": self.creator, "last_set": 0}}
        return {"id": self.id, "name": self.name, **flags, **shared, **more, "context_team_id": self.team}


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
    blocks: tuple[dict[str, Any], ...] = ()
    files: tuple[dict[str, Any], ...] = ()
    shown: str = ""
    """What is read: the texts of the blocks where there are some, and `text` otherwise."""


class Workspace:
    def __init__(self, clock: Clock) -> None:
        self.users = {user.id: user for user in (User(BOT, "footnote", bot=True), User("USLACKBOT", "slackbot"))}
        self.channels: dict[str, Channel] = {}
        self.messages: dict[str, dict[str, dict[str, Any]]] = {}
        """By channel and ts, as the Web API gives them."""
        self.groups: dict[str, str] = {}
        """The handles of user groups, by id."""
        self.in_group: dict[str, list[str]] = {}
        """Their members."""
        self.enterprise = ""
        """The id of the Enterprise Grid organisation, if it is one."""
        self.granted = [TEAM]
        """Its workspaces that the app is for."""
        self.group_teams: dict[str, str] = {}
        """The workspaces of user groups that are not of this one."""
        self.clock = clock
        self._count = itertools.count(1)

    @property
    def address(self) -> str:
        return f"https://{DOMAIN}{'.enterprise' if self.enterprise else ''}.slack.com/"

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
        return f"{int(self.clock())}.{next(self._count):06d}"

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

    def remove(self, channel: str, ts: str) -> tuple[dict[str, Any], dict[str, Any] | None, dict[str, Any] | None]:
        """Take a message away.  Gives it, the stone that is left in its place if it has replies, and the stone that
        goes with it if it was the last reply to one."""
        place = self.messages[channel]
        message = place.pop(ts)
        root = message.get("thread_ts", ts)
        if root == ts and self.replies(channel, ts):
            stone = {"user": "USLACKBOT", "subtype": "tombstone", "text": "This message was deleted.", "hidden": True}
            return message, self.add(channel, {**stone, "ts": ts, "thread_ts": ts}), None
        if place.get(root, {}).get("subtype") == "tombstone" and len(self.replies(channel, root)) == 1:
            return message, None, place.pop(root)
        return message, None, None

    # What the app may reach

    def visible(self, id: str) -> Channel:
        channel = self.channels.get(id)
        if channel is None or (channel.kind != "channel" and BOT not in channel.members):
            raise Refused("channel_not_found")
        return channel

    def joined(self, id: str) -> Channel:
        channel = self.visible(id)
        if BOT not in channel.members:
            raise Refused("not_in_channel")
        return channel

    def writable(self, id: str) -> Channel:
        if id in self.users:
            return self.direct(id)
        channel = self.joined(id)
        if channel.archived:
            raise Refused("is_archived")
        return channel

    def root_of(self, channel: str, thread_ts: str) -> str:
        """The ts of the thread, if an app may reply to it."""
        if not re.fullmatch(r"\d+\.\d+", thread_ts):
            raise Refused("invalid_thread_ts")
        root = self.messages.get(channel, {}).get(thread_ts)
        if root is None:
            raise Refused("thread_not_found")
        if root.get("thread_ts", thread_ts) != thread_ts:
            raise Refused("cannot_reply_to_message")
        return thread_ts

    # What people see

    def seen(self, messages: Iterable[dict[str, Any]], by: str = "") -> Iterator[Seen]:
        """By one of them, or by whoever sees most."""
        for message in messages:
            text = message.get("text") or ""
            if by and message.get("streaming_state") == "in_progress" and message["recipient"] not in ("", by):
                text = text[:FIRST_CHUNK]
            links = () if message.get("unfurl_links") is False else tuple(LINKS.findall(text))
            pings = (*PINGS.findall(text), *(re.findall(r"@\w+", text) if message.get("loud") else ()))
            blocks = tuple(message.get("blocks") or ())
            author, thread_ts = message.get("user", ""), message.get("thread_ts", "")
            shown = "\n".join(texts(blocks)) if blocks and not message.get("streamed") else text
            files = tuple(message.get("files") or ())
            yield Seen(message["ts"], author, text, thread_ts, pings, links, blocks, files, shown)


def texts(part: Any) -> Iterator[str]:
    """The texts that people read in blocks, in their order."""
    match part:
        case {"text": str(text)}:
            yield text
        case {"type": "button" | "icon_button" | "feedback_buttons"}:
            return
        case {}:
            for name in ("text", "title", "fields", "elements", "label", "child_blocks", "tasks", "details", "rows"):
                yield from texts(part.get(name))
        case [*parts] | (*parts,):
            for one in parts:
                yield from texts(one)
