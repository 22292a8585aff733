"""What the bot listens to in Slack."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.slack.questions.changes import called
from bot.slack.questions.desk import Closed, Desk
from bot.slack.questions.inbound import read
from bot.slack.surfaces.command import RESEARCH, Commands

_TOLD_OF_MESSAGES = ("app_mention", "message")


def before_acknowledgement(app: AsyncApp, handlers: Mapping[str, Callable[[dict[str, Any]], Awaitable[None]]]) -> None:
    """What is told of events, by their types: what it cannot take up is not acknowledged, and comes again."""

    async def receive(body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:
        handle = handlers.get(str((body.get("event") or {}).get("type")))
        try:
            if handle is not None:
                await handle(body)
        except Closed:
            return BoltResponse(status=503)
        return await next()

    app.middleware(receive)


def listen(app: AsyncApp, desk: Desk, commands: Commands, *, bot_user: str) -> None:
    async def receive(body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:
        """Before the acknowledgement: what could not be claimed is not acknowledged, and comes again."""
        event = body.get("event") or {}
        if event.get("type") in _TOLD_OF_MESSAGES:
            now = time.time()
            message = read(event, bot_user, now) or called(event, bot_user, now)
            try:
                if message is not None:
                    await desk.receive(message)
            except Closed:
                return BoltResponse(status=503)
        return await next()

    async def research(body: dict[str, Any], ack: AsyncAck) -> None:
        await ack(await commands.receive(body))

    app.middleware(receive)
    app.command(RESEARCH)(research)
