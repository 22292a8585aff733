"""What becomes of a message after it was written, out of the events that tell of it.  No I/O."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.slack.questions.inbound import Inbound, own_markup, read
from indexers.slack_text import users

_CHANGED = "message_changed"
_DELETED = "message_deleted"
_STONE = "tombstone"
"""The subtype of what stands where a message was taken away that has replies."""


def edited(event: Mapping[str, Any], bot_user: str) -> Inbound | None:
    """The message as its author has changed it, and when; None where the event tells of nothing like that.

    A change comes as `message_changed`, with a mention as `app_mention`, too; the same event tells of previews, and of
    what the bot itself has changed.
    """
    changed = event.get("subtype") == _CHANGED
    message = {**event["message"], "type": "message"} if changed else dict(event)
    when = message.pop("edited", None)
    if not when or (not changed and event["type"] != "app_mention"):
        return None
    place = {name: event[name] for name in ("channel", "channel_type") if name in event}
    found = read({**message, **place}, bot_user, now=0)
    return found and replace(found, edited=str(when["ts"]))


def called(event: Mapping[str, Any], bot_user: str, now: float) -> Inbound | None:
    """The message that mentions the bot since its author changed it, as a question that was not one before; None where
    the event tells of nothing like that.  Not every workspace tells of it as `app_mention`, too.

    `now` as in `read`.
    """
    if event.get("subtype") != _CHANGED or not _is_just_edited(event):
        return None
    if bot_user in users(own_markup(event.get("previous_message") or {})):
        return None
    message = read({**event["message"], "type": "message", "channel": event["channel"]}, bot_user, now)
    return message if message is not None and message.mentioned else None


def _is_just_edited(event: Mapping[str, Any]) -> bool:
    """By a person; Slack tells of previews and of a language that it finds out in the same way."""
    when, before = event["message"].get("edited"), event.get("previous_message")
    if not when:
        return False
    return bool(when != before.get("edited") if before else when["ts"] == event.get("ts"))


def deleted(event: Mapping[str, Any]) -> str:
    """What the message was claimed by that is gone; "" where the event tells of nothing like that."""
    if event.get("subtype") == _DELETED:
        return f"{event['channel']}:{event['deleted_ts']}"
    if event.get("subtype") == _CHANGED and event["message"].get("subtype") == _STONE:
        return f"{event['channel']}:{event['message']['ts']}"
    return ""
