"""Clicks on what a question back gives to choose from."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot import sentences
from bot.language import detect
from bot.sentences import sentence
from bot.slack.api.outbox import Outbox
from bot.slack.messages import notices
from bot.slack.messages.blocks import said
from bot.slack.messages.choices import CHOICE, chosen
from bot.slack.messages.links import label, words
from bot.slack.questions.desk import Closed, Desk
from bot.slack.questions.inbound import Inbound
from bot.store import Part
from indexers.slack_text import plain


def listen(app: AsyncApp, desk: Desk, outbox: Outbox, name: Callable[[str], Awaitable[str]]) -> None:
    """`name` gives what people call a user."""

    async def choose(body: dict[str, Any], ack: AsyncAck) -> None:
        click = chosen(body)
        if click is not None:
            try:
                taken = await desk.reply(*click)
            except Closed:
                return  # unacknowledged, so that the one who clicks sees that it was not taken
            await ack()
            *_, answer = click
            if taken:
                await _show(body["message"], answer, outbox, await name(answer.user))
            else:
                await _tell(body["message"], answer, outbox)
        else:
            await ack()

    app.action(re.compile(f"{CHOICE}_[0-9]+"))(choose)


async def _show(message: dict[str, Any], answer: Inbound, outbox: Outbox, name: str) -> None:
    """In place of the buttons: what was chosen, and by whom."""
    text = str(message.get("text") or "")
    told = sentence(sentences.CHOSEN, detect(text), name=label(name), choice=label(plain(answer.text, {})))
    shown = f"{text}\n_{told}_"
    await outbox.try_edit(answer.channel, str(message["ts"]), Part(text=shown))


async def _tell(message: dict[str, Any], answer: Inbound, outbox: Outbox) -> None:
    """Why nothing comes of a click."""
    told = words(sentence(notices.NOT_ASKED_ANY_MORE, detect(str(message.get("text") or ""))))
    await outbox.whisper(answer.channel, answer.user, said([told])[0], thread_ts=answer.thread_ts)
