"""The shortcut on a message, "Research this": the message is researched, and answered in its thread, for whoever uses
the shortcut."""

import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.language import detect
from bot.sentences import sentence
from bot.slack.api.calls import code_of
from bot.slack.api.people import UNREACHABLE, People
from bot.slack.messages import notices
from bot.slack.questions.answer import Answerer
from bot.slack.questions.desk import Closed, Desk
from bot.slack.questions.inbound import Inbound, files, own_markup
from bot.slack.questions.limits import TooMany
from bot.slack.tasks import Start, survive
from bot.slack.transport.manifest import RESEARCH_MESSAGE
from bot.store import Run, Store
from indexers.slack_text import markup, plain

logger = logging.getLogger(__name__)

Send = Callable[[str], Awaitable[bool]]


class Shortcut:
    def __init__(
        self,
        *,
        desk: Desk,
        store: Store,
        answerer: Answerer,
        people: People,
        reading: AsyncWebClient,
        responding: Callable[[str], Send],
        start: Start,
    ) -> None:
        """`responding` makes what tells something to whoever used it, and to nobody else."""
        self._desk = desk
        self._store = store
        self._answerer = answerer
        self._people = people
        self._reading = reading
        self._responding = responding
        self._start = start

    def listen(self, app: AsyncApp) -> None:
        app.message_shortcut(RESEARCH_MESSAGE)(self._receive)

    async def _receive(self, body: dict[str, Any], ack: AsyncAck) -> None:
        run = _run(body)
        try:
            with self._desk.receiving():
                if plain(run.asked["text"], {}) or run.asked["files"]:
                    await self._desk.begin(run, self._begin)
                else:
                    self._start(self._tell(run, notices.NO_WORDS))
        except Closed:
            return
        except TooMany as many:
            self._start(self._tell(run, many.told))
        await ack()

    async def _begin(self, run: Run) -> None:
        with self._answerer.running.about(run.key):
            await survive(self._research(run), f"the shortcut {run.key}")

    async def _research(self, run: Run) -> None:
        if await self._is_here(run.channel):
            await self._store.asked(run.channel, run.thread_ts, run.user, root=False)
            await self._answerer.answer(run)
            return
        await self._tell(run, notices.NOT_HERE)
        await self._store.change(run.key, lambda kept: kept.model_copy(update={"status": "stopped"}))

    async def _tell(self, run: Run, told: dict[str, str]) -> None:
        words = plain(run.asked["text"], {})
        text = sentence(told, detect(words) if words else await self._people.language(run.user))
        await survive(self._send(run, text), f"a word on {run.key}")

    async def _send(self, run: Run, text: str) -> None:
        await self._responding(run.response_url)(text)

    async def _is_here(self, channel: str) -> bool:
        """Whether the bot may write there; where Slack does not tell, trying will show."""
        try:
            place = (await self._reading.conversations_info(channel=channel))["channel"]
        except SlackApiError as error:
            return code_of(error) != "channel_not_found"
        except UNREACHABLE as error:
            logger.warning("channel %s cannot be looked up (%s)", channel, type(error).__name__)
            return True
        # Conversations of a few are shown to none but their members.
        return bool(place.get("is_im") or place.get("is_mpim") or place.get("is_member"))


def _run(body: Mapping[str, Any]) -> Run:
    """The message as a question of whoever used the shortcut.  What others wrote is not the asker's own word: it cannot
    ask for the web."""
    message, user, channel = body["message"], str(body["user"]["id"]), str(body["channel"]["id"])
    ts, text = str(message["ts"]), markup(message)
    asked = Inbound(
        channel=channel,
        ts=ts,
        thread_ts=str(message.get("thread_ts") or ts),
        user=user,
        text=text,
        own_text=own_markup(message) if message.get("user") == user else "",
        mentioned=True,
        to_others=False,
        direct=channel.startswith("D"),
        files=files(message),
    )
    return Run(
        key=f"{channel}:{body.get('trigger_id') or uuid.uuid4().hex}",
        channel=channel,
        thread_ts=asked.thread_ts,
        user=user,
        asked=asdict(asked),
        response_url=str(body.get("response_url") or ""),
    )
