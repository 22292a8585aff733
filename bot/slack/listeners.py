"""What the bot is asked by, wherever it is written: messages, and the command."""

import time
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.slack.events import Events
from bot.slack.questions.changes import called
from bot.slack.questions.desk import Desk
from bot.slack.questions.inbound import read
from bot.slack.surfaces.command import RESEARCH, Commands


def listen(app: AsyncApp, events: Events, desk: Desk, commands: Commands, *, bot_user: str) -> None:
    async def receive(body: dict[str, Any]) -> None:
        now = time.time()
        message = read(body["event"], bot_user, now) or called(body["event"], bot_user, now)
        if message is not None:
            await desk.receive(message)

    async def research(body: dict[str, Any], ack: AsyncAck) -> None:
        await ack(await commands.receive(body))

    events.on({"app_mention": receive, "message": receive})
    app.command(RESEARCH)(research)
