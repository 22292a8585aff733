"""What somebody clicked, out of the interaction that tells of it.  No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.language import detect
from bot.store import Run
from indexers.slack_text import plain


@dataclass(frozen=True, slots=True)
class Click:
    user: str
    channel: str
    thread_ts: str
    value: str
    trigger: str
    """Opens a modal, within three seconds."""

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> "Click":
        container = body["container"]
        return cls(
            user=str(body["user"]["id"]),
            channel=str(body["channel"]["id"]),
            thread_ts=str(container.get("thread_ts") or container["message_ts"]),
            value=str(body["actions"][0].get("value") or ""),
            trigger=str(body.get("trigger_id") or ""),
        )


def language_of(run: Run | None) -> str:
    """That of the question; English where there is none."""
    return detect(plain(str(run.asked.get("text", "")), {})) if run is not None else "en"
