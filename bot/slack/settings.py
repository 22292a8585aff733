"""How the bot behaves in Slack."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    edit_interval: float = 1.2
    """Seconds between two edits of a message."""
    edits_per_minute: float = 50.0
    """That Slack takes of all messages together; its other limits are thought to stand in proportion."""
    streams: bool = True
    """Direct messages are streamed where Slack can do it; else edited, as everywhere."""
    stream_seconds: float = 240.0
    """For which one stream goes on before the next: Slack ends it after some 300."""
    retry_pause: float = 1.0
    """Seconds before a call that broke is made again."""
    research_in: Literal["channel", "dm"] = "channel"
    """Where the command is answered."""
    clarify_timeout: float = 24 * 3600.0
    """Seconds for which an answer to what the bot asked back is waited for."""
    traces_kept: float = 30.0
    """Days for which is kept how answers came to be."""
    threads_kept: float = 180.0
    """Days for which is kept what was asked and answered."""
    admins: frozenset[str] = frozenset()
    """The ids of those who may stop any answer, beside the workspace's admins and owners."""
    user_at_once: int = 0
    """Questions of one person that are answered at once; 0 is no limit."""
    channel_at_once: int = 0
    """Of one channel."""
    user_per_minute: int = 0
    """Questions that one person may ask in a minute."""
    drain: float = 10.0
    """Seconds that running answers have to end when the bot is stopped; those that do not go on after a restart."""
