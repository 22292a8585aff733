"""What somebody wrote, out of the events that tell of it.  No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.store import CLAIMS_KEPT
from indexers.slack_text import addresses_others, is_forwarded, markup, users

_WRITTEN = (None, "file_share", "thread_broadcast", "me_message")
"""The subtypes of messages that people write; all others tell of something that happened."""


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file of a message, as Slack tells of it: of one from another workspace no more than its id may be told."""

    id: str
    name: str
    media: str = ""
    size: int = 0
    """Bytes."""
    url: str = ""
    """Where it lies for whoever bears the bot's token."""
    link: str = ""
    """Where people see it."""
    user: str = ""
    at: float = 0.0
    """When it was shared, in seconds since the epoch."""
    mode: str = ""
    """What it is to Slack: "hosted", "external", "tombstone", …"""
    access: str = ""
    """Whether Slack gives it: "visible", "check_file_info", …"""


@dataclass(frozen=True, slots=True)
class Inbound:
    """A message of a person.  A mention in a channel comes as two events, which give the same value but for
    `mentioned`, where the text does not show it."""

    channel: str
    ts: str
    thread_ts: str
    """Of the thread's first message, which may be this one."""
    user: str
    text: str
    """In Slack's markup."""
    own_text: str
    """Of that, what the person wrote, without what they forward: only this can ask for the web."""
    mentioned: bool
    """The bot is."""
    to_others: bool
    """Somebody else is mentioned."""
    direct: bool
    """In a conversation with nobody but the bot."""
    files: tuple[SharedFile, ...] = ()
    unasked: bool = False
    """Nobody called the bot: an answer is shown only if a source backs it."""
    origin: tuple[str, ...] = ()
    """Channel, thread and ts of the message where it was asked, if it is answered to the asker alone."""
    command: bool = False
    """It came as a command that asks for the web by its name."""
    edited: str = ""
    """When its words were changed after it had been taken up, as a ts; "" where they were not."""

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> "Inbound":
        """What was kept of a message, out of its fields."""
        return cls(**{**kept, "files": tuple(SharedFile(**file) for file in kept.get("files", ())), **_origin(kept)})

    @property
    def as_written(self) -> "Inbound":
        """Where it was asked, wherever it is answered."""
        if not self.origin:
            return self
        channel, thread_ts, ts = self.origin
        return replace(self, channel=channel, thread_ts=thread_ts, ts=ts)

    @property
    def key(self) -> str:
        """What it is claimed by: all events that tell of one message share it, an edit too."""
        return f"{self.channel}:{self.ts}"

    @property
    def thread(self) -> tuple[str, str]:
        return self.channel, self.thread_ts

    @property
    def is_root(self) -> bool:
        return self.ts == self.thread_ts


def _origin(kept: Mapping[str, Any]) -> dict[str, Any]:
    return {"origin": tuple(kept.get("origin", ()))}


def read(event: Mapping[str, Any], bot_user: str, now: float) -> Inbound | None:
    """The message that an event tells of, or None where it is of no person, or of nothing that was written.

    `now` is in seconds since the epoch.
    """
    if event.get("subtype") not in _WRITTEN or not _is_of_a_person(event, bot_user):
        return None
    ts = event["ts"]
    if "edited" in event and now - float(ts) > CLAIMS_KEPT:
        return None  # Nobody knows any more whether it was answered.
    own_text = own_markup(event)
    channel = event["channel"]
    return Inbound(
        channel=channel,
        ts=ts,
        thread_ts=event.get("thread_ts") or ts,  # In direct messages it may come as "".
        user=event["user"],
        text=markup(event),
        own_text=own_text,
        mentioned=event["type"] == "app_mention" or bot_user in users(own_text),
        to_others=addresses_others(own_text, bot_user),
        direct=event.get("channel_type") == "im" or channel.startswith("D"),
        files=files(event),
    )


def own_markup(message: Mapping[str, Any]) -> str:
    """What somebody says in a message, without what they forward."""
    own = [one for one in message.get("attachments") or () if not is_forwarded(one)]
    return markup({**message, "attachments": own})


def files(message: Mapping[str, Any]) -> tuple[SharedFile, ...]:
    """Those of a message, and of what it forwards."""
    shared = filter(is_forwarded, message.get("attachments") or ())
    told = [file for holder in (message, *shared) for file in holder.get("files") or ()]
    return tuple(shared_file(file, float(message["ts"])) for file in told)


def shared_file(file: Mapping[str, Any], at: float) -> SharedFile:
    id = str(file.get("id") or "?")
    return SharedFile(
        id=id,
        name=str(file.get("name") or file.get("title") or id),
        media=str(file.get("mimetype") or "").lower(),
        size=int(file.get("size") or 0),
        url=str(file.get("url_private") or ""),
        link=str(file.get("permalink") or ""),
        user=str(file.get("user") or ""),
        at=float(file.get("timestamp") or at),
        mode=str(file.get("mode") or ""),
        access=str(file.get("file_access") or ""),
    )


def _is_of_a_person(event: Mapping[str, Any], bot_user: str) -> bool:
    """Other bots are not answered even when they mention this one: two that answer each other never end."""
    return bool(event.get("user")) and not event.get("bot_id") and event["user"] not in (bot_user, "USLACKBOT")
