"""How many calls Slack takes: a token bucket a method, and one a channel for posts.  Off until `start`."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import ceil

from tests.fakes.slack_call import Call

TIER_2, TIER_3, TIER_4 = 20, 50, 100
"""Calls a minute."""
TIERS = {
    "apps.connections.open": TIER_3,
    "auth.test": 600,
    "auth.teams.list": TIER_2,
    "chat.postMessage": 300,
    "chat.update": TIER_3,
    "chat.delete": TIER_3,
    "chat.postEphemeral": TIER_4,
    "chat.getPermalink": 600,
    "chat.startStream": TIER_2,
    "chat.appendStream": TIER_4,
    "chat.stopStream": TIER_2,
    "conversations.history": TIER_3,
    "conversations.replies": TIER_3,
    "conversations.info": TIER_3,
    "conversations.members": TIER_4,
    "conversations.list": TIER_2,
    "conversations.open": TIER_3,
    "reactions.add": TIER_3,
    "reactions.remove": TIER_2,
    "reactions.get": TIER_3,
    "team.info": TIER_3,
    "users.info": TIER_4,
    "users.list": TIER_2,
    "users.conversations": TIER_3,
    "usergroups.list": TIER_2,
    "views.open": TIER_4,
    "views.push": TIER_4,
    "views.update": TIER_4,
    "views.publish": TIER_4,
    "files.getUploadURLExternal": TIER_4,
    "files.completeUploadExternal": TIER_4,
    "files.info": TIER_4,
    "files.delete": TIER_3,
    "assistant.threads.setStatus": 600,
    "assistant.threads.setTitle": TIER_4,
    "assistant.threads.setSuggestedPrompts": TIER_4,
    "agents.sessions.setStatus": TIER_3,
    "agents.sessions.rename": TIER_3,
}
POSTS_A_SECOND = 1.0
"""To one channel."""
BURST_OF_POSTS = 5


@dataclass
class Bucket:
    """Full of `size` tokens at first; `rate` come back a second."""

    size: float
    rate: float
    tokens: float
    at: float

    def wait(self, now: float) -> float:
        """Seconds until there is a token; 0 if there is one now."""
        self.tokens, self.at = min(self.size, self.tokens + (now - self.at) * self.rate), now
        return 0.0 if self.tokens >= 1 - 1e-9 else (1 - self.tokens) / self.rate


class Limits:
    def __init__(self, clock: Callable[[], float]) -> None:
        self.per_minute = dict(TIERS)
        self.quiet: set[str] = set()
        """Methods that refuse with `ok: false` at HTTP 200, as some do."""
        self.on = False
        self._clock = clock
        self._buckets: dict[Hashable, Bucket] = {}

    def start(self, **per_minute: int) -> None:
        """Count from now on, with full buckets; `chat_update=10` sets another limit for that method."""
        self.per_minute |= {method.replace("_", "."): calls for method, calls in per_minute.items()}
        self.on = True
        self._buckets.clear()

    def wait(self, call: Call) -> int:
        """Take a call, or give the whole seconds to wait, of which nothing is taken then."""
        if not self.on:
            return 0
        buckets = [self._bucket(call.method, self.per_minute[call.method], self.per_minute[call.method] / 60)]
        if call.method == "chat.postMessage":
            buckets.append(self._bucket(str(call.get("channel")), BURST_OF_POSTS, POSTS_A_SECOND))
        wait = max(bucket.wait(self._clock()) for bucket in buckets)
        if not wait:
            for bucket in buckets:
                bucket.tokens -= 1
        return ceil(wait)

    def _bucket(self, key: Hashable, size: float, rate: float) -> Bucket:
        return self._buckets.setdefault(key, Bucket(size, rate, size, self._clock()))
