"""The buttons of private answers: to have one, and to show it in the thread where it was asked for."""

import logging
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.sentences import sentence
from bot.slack.api.membership import Memberships
from bot.slack.api.outbox import Mark, Outbox
from bot.slack.api.people import UNREACHABLE
from bot.slack.messages import sentences
from bot.slack.messages.blocks import PRIVATE, SHARE, answered, notice
from bot.slack.messages.render import final
from bot.slack.questions.context import ContextReader
from bot.slack.questions.desk import Closed, Desk
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.limits import TooMany
from bot.slack.questions.privacy import private
from bot.slack.surfaces import home_sentences as ours
from bot.slack.surfaces.click import Click, language_of
from bot.slack.surfaces.private import Private
from bot.slack.tasks import Start, survived
from bot.store import Part, Run, Store

logger = logging.getLogger(__name__)

MOST_BLOCKS = 95


class Sharing:
    def __init__(
        self,
        *,
        desk: Desk,
        store: Store,
        outbox: Outbox,
        contexts: ContextReader,
        memberships: Memberships,
        answers: Private,
        slack: AsyncWebClient,
        start: Start,
    ) -> None:
        """`slack` may try its calls again; `start` starts what Slack need not wait for."""
        self._desk = desk
        self._store = store
        self._outbox = outbox
        self._contexts = contexts
        self._memberships = memberships
        self._answers = answers
        self._slack = slack
        self._start = start

    def listen(self, app: AsyncApp) -> None:
        app.action(PRIVATE)(self._wanted)
        app.action(SHARE)(self._clicked)
        app.view(SHARE)(self._confirmed)

    async def _wanted(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Somebody wants an answer of their own to the question of a channel."""
        click = Click.of(body)
        with suppress(Closed), self._desk.receiving():
            run = await self._store.run(click.value)
            await ack()
            if run is None or run.status == "claim" or not run.thread_ts:
                await self._tell(click, sentences.NOT_KEPT, run)
                return
            message = replace(Inbound.of(run.asked), user=click.user, channel=run.channel, thread_ts=run.thread_ts)
            mine = private(message, f"{run.key}:private:{click.user}:{run.attempt}")
            try:
                if await self._desk.begin(mine, self._answers.go_on):
                    await self._store.change(run.key, lambda kept: _with_private(kept, mine.key), own=False)
                    return
            except TooMany as many:
                await self._tell(click, many.told, run)
                return
            there = await self._store.run(mine.key)
            if there is not None and there.thread_ts:
                self._start(survived(self._answers.point(there), f"the way to {mine.key}"))

    async def _clicked(self, body: dict[str, Any], ack: AsyncAck, client: AsyncWebClient) -> None:
        """Before anything is shared its owner sees what that would be."""
        await ack()
        click = Click.of(body)
        self._start(survived(self._preview(click, client), f"what {click.value} would reveal"))

    async def _preview(self, click: Click, client: AsyncWebClient) -> None:
        opened = await client.views_open(trigger_id=click.trigger, view=_modal("en", [_text(ours.WAIT, "en")]))
        run = await self._store.run(click.value)
        language = language_of(run)
        view = _modal(language, [_text(ours.NOT_SHARED, language)])
        if run is not None and await self._may_share(run, click.user):
            parts = _parts(run, language)
            blocks = [block for part in parts for block in part.blocks if block["type"] in ("section", "context")]
            channel = f"<#{run.asked['origin'][0]}>"
            heading = _text(ours.REVEALS, language, channel=channel)
            view = _modal(language, [heading, *map(_bare, blocks[:MOST_BLOCKS])])
            submit = {"type": "plain_text", "text": sentence(ours.SHARE, language)}
            view |= {"callback_id": SHARE, "private_metadata": _shown(run), "submit": submit}
        await self._slack.views_update(view_id=opened["view"]["id"], view=view)

    async def _confirmed(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """What is shared is what was looked at: not what an answer anew has put in its place since."""
        seen, user = str(body["view"]["private_metadata"]), str(body["user"]["id"])
        key = seen.partition(" ")[2]
        with suppress(Closed), self._desk.receiving():
            run = await self._store.run(key)
            if run is None or seen != _shown(run) or not await self._may_share(run, user):
                language = language_of(run)
                await ack(response_action="update", view=_modal(language, [_text(ours.NOT_SHARED, language)]))
                return
            first = await self._store.claim(f"share:{key}:{run.attempt}")
            await ack()
            if first:
                self._start(survived(self._share(run), f"the sharing of {key}"))

    async def _share(self, run: Run) -> None:
        channel, thread_ts, _ = run.asked["origin"]
        language = language_of(run)
        name = await self._contexts.name(run.user)
        heading = notice(ours.SHARED_BY, language, name=name)
        first, *others = _parts(run, language)
        first = Part(text=f"{heading.text}\n\n{first.text}", blocks=(*heading.blocks, *first.blocks))
        for number, part in enumerate((first, *others)):
            await self._outbox.post(channel, thread_ts, part, Mark(run.key, f"shared {number}"))

    async def _may_share(self, run: Run, user: str) -> bool:
        """The asker, who may still read all of it and is still where they asked."""
        origin = run.asked.get("origin") or ()
        if user != run.user or run.turn is None or not origin:
            return False
        try:
            here = origin[0] in await self._memberships.channels(user, fresh=True)
        except (*UNREACHABLE, LookupError):
            return False
        return here and await self._contexts.still_covers(run.turn.audience, Inbound.of(run.asked))

    async def _tell(self, click: Click, told: dict[str, str], run: Run | None) -> None:
        part = notice(told, language_of(run))
        await self._outbox.whisper(click.channel, click.user, part, thread_ts=click.thread_ts)


def _shown(run: Run) -> str:
    """The answer that a look at it is of."""
    return f"{run.attempt} {run.key}"


def _with_private(run: Run, key: str) -> Run:
    """What is asked in private goes with the question."""
    return run if key in run.private else run.model_copy(update={"private": (*run.private, key)})


def _parts(run: Run, language: str) -> tuple[Part, ...]:
    """The answer as others would see it."""
    assert run.turn is not None
    pieces = final(run.turn.answer, run.turn.sources, language, numbered=bool(run.turn.sources))
    return answered(pieces, run.key, language, today=datetime.now(UTC).date())


def _bare(block: dict[str, Any]) -> dict[str, Any]:
    """Without buttons, which are of no use in a modal."""
    return {name: value for name, value in block.items() if name != "accessory"}


def _text(words_: dict[str, str], language: str, **values: str) -> dict[str, Any]:
    text = sentence(words_, language, **values)
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _modal(language: str, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    title = {"type": "plain_text", "text": sentence(ours.SHARE_ANSWER, language)}
    close = {"type": "plain_text", "text": sentence(ours.CLOSE, language)}
    return {"type": "modal", "title": title, "close": close, "blocks": blocks}
