"""What becomes of a message after it was written, out of the events that tell of it.  No I/O."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.slack.questions.inbound import Inbound, read

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


def deleted(event: Mapping[str, Any]) -> str:
    """What the message was claimed by that is gone; "" where the event tells of nothing like that."""
    if event.get("subtype") == _DELETED:
        return f"{event['channel']}:{event['deleted_ts']}"
    if event.get("subtype") == _CHANGED and event["message"].get("subtype") == _STONE:
        return f"{event['channel']}:{event['message']['ts']}"
    return ""
