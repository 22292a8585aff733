"""What Slack tells of events, and who takes up which."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncApp

from bot.slack.questions.desk import Closed

Handler: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]


class Events:
    """They are taken up before Slack has its acknowledgement: what cannot be is not
    acknowledged, and comes again; what nobody takes up is."""

    def __init__(self, app: AsyncApp) -> None:
        self._handlers: defaultdict[str, list[Handler]] = defaultdict(list)
        app.middleware(self._receive)

    def on(self, handlers: Mapping[str, Handler]) -> None:
        """By the type of event; those of one type are called in the order in which they were added."""
        for type_, handler in handlers.items():
            self._handlers[type_].append(handler)

    async def _receive(self, body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:
        event = body.get("event")
        if event is None:
            return await next()
        try:
            for handle in self._handlers.get(str(event.get("type")), ()):
                await handle(body)
        except Closed:
            return BoltResponse(status=503)
        # Nothing that Bolt could choose between listens to events.
        return BoltResponse(status=200)
