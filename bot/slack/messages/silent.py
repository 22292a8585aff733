"""An answer that nobody asked for: nothing is seen of it until it is there, and it may never be."""

from collections.abc import Callable, Sequence

from bot.slack.messages.last_word import Directly
from bot.slack.messages.render import Progress, begun
from bot.slack.questions.means import Shown
from bot.store import Part


class Silent:
    """Opened, touched and closed as a `LiveMessage` is, which writes the last word."""

    def __init__(self, message: Shown) -> None:
        self._message = message
        self._progress: Callable[[], Progress] = lambda: begun("en")

    @property
    def messages(self) -> tuple[str, ...]:
        return self._message.messages

    def open(self, render: Callable[[], Part], progress: Callable[[], Progress]) -> None:
        """Nothing is shown yet."""
        self._progress = progress

    def touch(self) -> None:
        """Nothing is shown yet."""

    async def pause(self) -> None:
        """Nothing is shown yet."""

    async def close(self, parts: Sequence[Part], directly: Directly | None = None) -> bool:
        """Put the last word, if there is one."""
        if not parts:
            return False
        self._message.open(lambda: parts[0], self._progress)
        return await self._message.close(parts, directly)

    async def drop(self) -> None:
        """Nothing is shown yet, or all is."""

    async def leave(self) -> None:
        """Nothing is shown yet."""
