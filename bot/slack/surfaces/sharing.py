"""The buttons of private answers: to have one, and to show it in the thread where it was asked for."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.api.outbox import Outbox
from bot.slack.messages import sentences
from bot.slack.messages.blocks import PRIVATE, SHARE, notice
from bot.slack.questions.desk import Closed, Desk
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.limits import TooMany
from bot.slack.questions.privacy import noted_with, private
from bot.slack.surfaces import preview
from bot.slack.surfaces import sharing_sentences as ours
from bot.slack.surfaces.click import Click, language_of
from bot.slack.surfaces.private import Private, came_to_nothing
from bot.slack.surfaces.shares import Shares
from bot.slack.tasks import Start, survived
from bot.store import Lost, Run, Store


class Sharing:
    def __init__(
        self,
        *,
        desk: Desk,
        store: Store,
        outbox: Outbox,
        answers: Private,
        shares: Shares,
        slack: AsyncWebClient,
        start: Start,
    ) -> None:
        """`slack` may try its calls again; `start` starts what Slack need not wait for."""
        self._desk = desk
        self._store = store
        self._outbox = outbox
        self._answers = answers
        self._shares = shares
        self._slack = slack
        self._start = start

    def listen(self, app: AsyncApp) -> None:
        app.action(PRIVATE)(self._wanted)
        app.action(SHARE)(self._clicked)
        app.view(SHARE)(self._submitted)

    async def _wanted(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Somebody wants an answer of their own to the question of a channel."""
        click = Click.of(body)
        with suppress(Closed), self._desk.receiving():
            run = await self._store.run(click.value)
            await ack()
            if run is None or run.status == "claim" or not run.thread_ts or not _is_shown(run, click):
                await self._tell(click, sentences.NOT_KEPT, run)
                return
            message = replace(Inbound.of(run.asked), user=click.user, channel=run.channel, thread_ts=run.thread_ts)
            mine = private(message, f"{run.key}:private:{click.user}:{run.attempt}")
            try:
                # Before it is begun: with the question it goes, however it ends.
                await self._store.change(run.key, lambda kept: noted_with(kept, mine.key), own=False)
                if await self._desk.begin(mine, self._answers.begin, failed=came_to_nothing):
                    return
            except Lost:
                await self._tell(click, sentences.NOT_KEPT, run)
                return
            except TooMany as many:
                await self._tell(click, many.told, run)
                return
            there = await self._store.run(mine.key)
            if there is not None and there.thread_ts:
                self._start(survived(partial(self._answers.point, there), f"the way to {mine.key}"))

    async def _clicked(self, body: dict[str, Any], ack: AsyncAck, client: AsyncWebClient) -> None:
        """Before anything is shared its owner sees what that would be."""
        click = Click.of(body)
        with suppress(Closed), self._desk.receiving():
            await ack()
            self._start(survived(partial(self._preview, click, client), f"what {click.value} would reveal"))

    async def _preview(self, click: Click, client: AsyncWebClient) -> None:
        language = language_of(await self._store.run(click.value))
        opened = await client.views_open(trigger_id=click.trigger, view=preview.waiting(language))
        found = await self._shareable(click.value, click.user)
        view = await self._page(found, 0) if isinstance(found, Run) else found
        await self._slack.views_update(view_id=opened["view"]["id"], view=view)

    async def _submitted(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """A page was looked at; behind the last the answer is shared."""
        seen, user = preview.Seen.of(str(body["view"]["private_metadata"])), str(body["user"]["id"])
        with suppress(Closed), self._desk.receiving():
            found = await self._shareable(seen.run, user, attempt=seen.attempt)
            view = await self._seen(found, seen) if isinstance(found, Run) else found
            await (ack(response_action="update", view=view) if view else ack())

    async def _seen(self, run: Run, seen: preview.Seen) -> preview.Json | None:
        """What is shown next, if anything."""
        if not seen.last:
            return await self._page(run, seen.page + 1)
        there = await self._shares.begin(run)
        return None if there is None else self._shared(there)

    async def _shareable(self, key: str, user: str, *, attempt: int = 0) -> Run | preview.Json:
        """The answer that somebody may share, or what they are shown instead.  It is to be the `attempt` that they have
        looked at, and not what an answer anew has put in its place since."""
        run = await self._store.run(key)
        if run is None or attempt not in (0, run.attempt) or not await self._shares.allowed(run, user):
            return preview.told(ours.NOT_SHARED, language_of(run))
        share = await self._shares.of(run)
        return run if share is None else self._shared(share)

    def _shared(self, share: Run) -> preview.Json:
        """What is said of an answer that is shared already, or nearly so."""
        language, channel = language_of(share), share.channel
        if share.status == "done":
            return preview.told(ours.ALREADY_SHARED, language, channel=channel, address=self._shares.link(share))
        if share.status == "open":
            return preview.told(ours.BEING_SHARED, language, channel=channel)
        return preview.told(ours.NOT_SHARED, language_of(share))

    async def _page(self, run: Run, number: int) -> preview.Json:
        language = language_of(run)
        return preview.page(run, await self._shares.as_others_see(run, language), number, language)

    async def _tell(self, click: Click, told: dict[str, str], run: Run | None) -> None:
        part = notice(told, language_of(run))
        await self._outbox.whisper(click.channel, click.user, part, thread_ts=click.thread_ts)


def _is_shown(run: Run, click: Click) -> bool:
    """Whether whoever clicks has the question before them."""
    return click.user == run.user or click.channel == run.channel
