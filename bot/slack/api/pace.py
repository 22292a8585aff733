"""How often Slack is called: one budget a workspace and method, which all live threads share, in turn."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.metrics import HELD_SECONDS

PER_MINUTE = {
    "auth.teams.list": 20.0,
    "chat.postMessage": 300.0,
    "chat.update": 50.0,
    "chat.delete": 50.0,
    "chat.startStream": 20.0,
    "chat.appendStream": 100.0,
    "chat.stopStream": 20.0,
    "chat.postEphemeral": 100.0,
    "chat.getPermalink": 600.0,
    "conversations.members": 100.0,
    "users.info": 100.0,
    "users.list": 20.0,
    "usergroups.list": 20.0,
    "views.open": 100.0,
    "views.publish": 100.0,
    "views.update": 100.0,
    "assistant.threads.setSuggestedPrompts": 100.0,
}
"""What Slack takes, of all replicas together."""
OF_ANY_OTHER = 50.0
POSTS_A_SECOND = 1.0
"""To one channel."""
BURST_OF_POSTS = 5.0
OF_STATES = 0.8
"""The share that may go to states that the next one replaces anyhow."""
BURST = 12.0
"""States that may be shown at once after a quiet time."""
KEPT_FOR_LAST_WORDS = 4.0
"""Of these, so many are not for states."""
_MOST_CHANNELS = 500
_QUIET = BURST_OF_POSTS / POSTS_A_SECOND
"""Seconds after which a channel takes as many posts as one that was never posted to."""
_NOTHING = 1e-6
"""What is missing of a token is no reason to wait."""


@dataclass(slots=True)
class Bucket:
    """Holds at most `size` tokens, of which `rate` come back a second."""

    size: float
    rate: float
    tokens: float
    at: float

    def fill(self, now: float) -> None:
        self.tokens = min(self.size, self.tokens + (now - self.at) * self.rate)
        self.at = now

    def wait(self, now: float, kept: float = 0.0) -> float:
        """Seconds until there is one token more than those that are kept."""
        self.fill(now)
        missing = kept + 1 - self.tokens
        return missing / self.rate if missing > _NOTHING else 0.0

    def take(self, now: float) -> None:
        """Those that are owed are never more than it holds."""
        self.fill(now)
        self.tokens = max(-self.size, self.tokens - 1)


@dataclass(frozen=True, slots=True)
class _Turn:
    come: asyncio.Future[bool]
    channel: str = ""


@dataclass(slots=True)
class _Line:
    """Those that wait to call one method."""

    calls: Bucket
    states: Bucket
    held_until: float
    urgent: deque[_Turn] = field(default_factory=deque)
    waiting: deque[_Turn] = field(default_factory=deque)
    timer: asyncio.TimerHandle | None = None


class Pace:
    """Whoever calls Slack to say something takes a turn first.  Posts and last words come before states; among
    themselves, each in the order in which they came, so that no thread is passed over."""

    def __init__(self, scale: float = 1.0, *, clock: Callable[[], float] = time.monotonic) -> None:
        """`scale`: how many times Slack's limits there are.  `clock` gives seconds, as the running loop counts them."""
        self._scale = scale
        self._clock = clock
        self._replicas = 1
        self._lines: dict[str, _Line] = {}
        self._channels: dict[str, Bucket] = {}

    def share(self, replicas: int) -> None:
        """So many processes share the budgets from now on."""
        replicas = max(1, replicas)
        if replicas == self._replicas:
            return
        factor, self._replicas = self._replicas / replicas, replicas
        for method, line in self._lines.items():
            for bucket in (line.calls, line.states):
                bucket.fill(self._clock())
                bucket.rate, bucket.tokens = bucket.rate * factor, bucket.tokens * factor
            line.calls.size = self._size(method)
            self._go_on(line)

    async def turn(self, method: str, channel: str = "") -> None:
        """Wait until the method may be called, for what must be said; `channel` where something is posted."""
        line = self._line(method)
        turn = _Turn(asyncio.get_running_loop().create_future(), channel)
        line.urgent.append(turn)
        asked = self._clock()
        self._go_on(line)
        await turn.come
        HELD_SECONDS.labels(method).inc(max(0.0, self._clock() - asked))

    def state(self, method: str) -> asyncio.Future[bool]:
        """True once the method may be called for a state that the next one replaces anyhow; what is shown is best asked
        for then.  Whoever gives up sets it to False."""
        line = self._line(method)
        turn = _Turn(asyncio.get_running_loop().create_future())
        line.waiting.append(turn)
        self._go_on(line)
        return turn.come

    def now(self, method: str) -> bool:
        """Take a turn if it comes at once."""
        line, now = self._line(method), self._clock()
        if line.urgent or self._wait(line, "", now):
            return False
        self._take(line, "", now)
        return True

    def hold(self, method: str, seconds: float) -> None:
        """Slack has said that it takes no more calls of the method for so long, and one then."""
        line, now = self._line(method), self._clock()
        line.held_until = max(line.held_until, now + seconds)
        line.calls.fill(now)
        line.calls.tokens = min(line.calls.tokens, 1 - seconds * line.calls.rate)
        self._go_on(line)

    def _line(self, method: str) -> _Line:
        if method not in self._lines:
            now, size = self._clock(), self._size(method)
            calls = Bucket(size, size / 60, size, now)
            states = Bucket(BURST, OF_STATES * size / 60, BURST / self._replicas, now)
            self._lines[method] = _Line(calls, states, now)
        return self._lines[method]

    def _size(self, method: str) -> float:
        return max(1.0, PER_MINUTE.get(method, OF_ANY_OTHER) * self._scale / self._replicas)

    def _go_on(self, line: _Line) -> None:
        """Let those in whose turn has come, and look again when the next one's comes."""
        if line.timer is not None:
            line.timer.cancel()
            line.timer = None
        waits = [*self._let_in(line, line.urgent, states=False), *self._let_in(line, line.waiting, states=True)]
        if waits:
            line.timer = asyncio.get_running_loop().call_later(min(waits), self._go_on, line)

    def _let_in(self, line: _Line, turns: deque[_Turn], *, states: bool) -> list[float]:
        """How long those that stay must wait."""
        now, waits, stay = self._clock(), list[float](), list[_Turn]()
        while turns:
            turn = turns.popleft()
            if turn.come.done():  # It was given up.
                continue
            wait = self._wait_of_states(line, now) if states else self._wait(line, turn.channel, now)
            if not wait:
                self._take(line, turn.channel, now)
                turn.come.set_result(True)
                continue
            waits.append(wait)
            stay.append(turn)
            if not turn.channel:
                break  # The others wait for the same.
        turns.extendleft(reversed(stay))
        return waits

    def _wait(self, line: _Line, channel: str, now: float) -> float:
        posts = self._channel(channel).wait(now) if channel else 0.0
        return max(line.held_until - now, line.calls.wait(now), posts, 0.0)

    def _wait_of_states(self, line: _Line, now: float) -> float:
        return max(self._wait(line, "", now), line.states.wait(now, KEPT_FOR_LAST_WORDS))

    def _take(self, line: _Line, channel: str, now: float) -> None:
        line.calls.take(now)
        line.states.take(now)
        if channel:
            self._channel(channel).take(now)

    def _channel(self, channel: str) -> Bucket:
        now = self._clock()
        if channel not in self._channels:
            if len(self._channels) >= _MOST_CHANNELS:
                self._channels = {id: one for id, one in self._channels.items() if now - one.at < _QUIET}
            rate = POSTS_A_SECOND * self._scale
            self._channels[channel] = Bucket(BURST_OF_POSTS, rate, BURST_OF_POSTS, now)
        return self._channels[channel]
