"""App Home: what one person sees of the bot, and the settings of the channels that they may see or change."""

import logging
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime, tzinfo
from functools import partial
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.research import SearchFailed
from bot.slack.api.membership import Memberships
from bot.slack.api.people import UNREACHABLE, People
from bot.slack.events import Events
from bot.slack.messages.sources import today_in
from bot.slack.questions.answer import ASKS_FOR_HELP, ASKS_FOR_QUIET
from bot.slack.questions.audience import Audiences
from bot.slack.questions.desk import Closed, Desk
from bot.slack.questions.means import Indexed, WebOf
from bot.slack.questions.thread import permalink
from bot.slack.surfaces import home
from bot.slack.tasks import Start, survived
from bot.store import Run, Store
from indexers.slack_text import plain

logger = logging.getLogger(__name__)

MOST_LOOKED_AT = 40
_NO_QUESTION = (*ASKS_FOR_HELP, *ASKS_FOR_QUIET)
"""In lower case, the empty text among it."""


class HomeTab:
    def __init__(
        self,
        *,
        desk: Desk,
        slack: AsyncWebClient,
        store: Store,
        people: People,
        memberships: Memberships,
        audiences: Audiences,
        indexed: Indexed,
        web: WebOf,
        admins: Collection[str],
        bot_user: str,
        address: str,
        start: Start,
    ) -> None:
        """`slack` may try its calls again.  `admins`: the ids of those who may change any channel's settings, beside
        the admins of the workspace.  `address` is the workspace's.  `start` starts what Slack need not wait for."""
        self._desk = desk
        self._slack = slack
        self._store = store
        self._people = people
        self._memberships = memberships
        self._audiences = audiences
        self._indexed = indexed
        self._web = web
        self._admins = admins
        self._bot_user = bot_user
        self._address = address
        self._start = start

    def listen(self, app: AsyncApp, events: Events) -> None:
        events.on({"app_home_opened": self._opened})
        app.action(home.PICK)(self._picked)
        app.action(home.OPEN)(self._picked)
        app.view(home.SETTINGS)(self._entered)

    async def _opened(self, body: Mapping[str, Any]) -> None:
        event = body["event"]
        if event.get("tab", "home") == "home":
            with self._desk.receiving():
                self._start(survived(partial(self._show, str(event["user"])), "App Home"))

    async def _show(self, user: str) -> None:
        language, zone = await self._reader(user)
        runs = await self._store.runs_of(user, limit=MOST_LOOKED_AT)
        view = home.home(
            await self._sources(user, zone),
            [run for run in runs if _is_known(run) and self._text(run).lower() not in _NO_QUESTION],
            language,
            today=today_in(zone),
            address=self._link,
            text=self._text,
        )
        await self._slack.views_publish(user_id=user, view=view)

    async def _picked(self, body: dict[str, Any], ack: AsyncAck, client: AsyncWebClient) -> None:
        """A channel was picked, or is to be opened again."""
        channel = _picked(body)
        with suppress(Closed), self._desk.receiving():
            await ack()
            if channel:
                opened = partial(self._open, channel, str(body["user"]["id"]), str(body["trigger_id"]), client)
                self._start(survived(opened, "a click in App Home"))

    async def _open(self, channel: str, user: str, trigger: str, client: AsyncWebClient) -> None:
        """The trigger is used at once: it is good for three seconds, and it may take longer to know what to show."""
        opened = await client.views_open(trigger_id=trigger, view=home.waiting(await self._people.language(user)))
        language, zone = await self._reader(user)
        sees, edits = await self._rights(channel, user)
        view = home.refused(language)
        if sees:
            seen = home.Seen(
                channel,
                await self._store.settings(channel),
                sources=tuple(await self._sources(user, zone) or ()) if edits else (),
                editable=edits,
                no_web=self._web(channel) == "off",
            )
            view = home.settings_of(seen, language)
        await self._slack.views_update(view_id=opened["view"]["id"], view=view)

    async def _entered(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Whether somebody may is looked up again: the form may have been open for long."""
        view, user = body["view"], str(body["user"]["id"])
        channel = str(view["private_metadata"])
        _, edits = await self._rights(channel, user)
        if not edits:
            await ack(response_action="update", view=home.refused(await self._people.language(user)))
            return
        await self._store.set_settings(channel, home.entered(view))
        logger.info("channel %s: user %s changed its settings", channel, user)
        await ack()

    async def _rights(self, channel: str, user: str) -> tuple[bool, bool]:
        """Whether somebody may see the settings of a channel, and whether they may change them."""
        try:
            place = await self._memberships.place(channel, whole=True)
            person = await self._people.person(user)
            member = channel in await self._memberships.channels(user, fresh=True)
        except (*UNREACHABLE, LookupError) as error:
            logger.info("channel %s: its settings are shown to nobody (%s)", channel, type(error).__name__)
            return False, False
        sees = member or (place.open and person.full_member and person.is_in(place.teams))
        return sees, sees and (user == place.creator or user in self._admins or person.rules(place.teams))

    async def _reader(self, user: str) -> tuple[str, tzinfo | None]:
        """Their language and time zone."""
        language = await self._people.language(user)
        try:
            return language, (await self._people.person(user)).zone
        except UNREACHABLE as error:
            logger.warning("user %s cannot be looked up (%s)", user, type(error).__name__)
            return language, None

    async def _sources(self, user: str, zone: tzinfo | None) -> dict[str, datetime] | None:
        try:
            indexed = await self._indexed(await self._audiences.own(user, fresh=True))
        except SearchFailed:
            return None
        return {source: time.astimezone(zone) for source, time in indexed.items()}

    def _text(self, run: Run) -> str:
        return plain(str(run.asked.get("own_text") or ""), {}, own=self._bot_user).strip()

    def _link(self, run: Run) -> str:
        return permalink(self._address, run.channel, run.thread_ts, run.thread_ts)


def _is_known(run: Run) -> bool:
    """Whether somebody knows that they have asked this."""
    return run.status != "claim" and bool(run.thread_ts) and bool(run.messages or not run.asked.get("unasked"))


def _picked(body: Mapping[str, Any]) -> str:
    values = (body["view"].get("state") or {}).get("values") or {}
    fields = [body["actions"][0], *(field for block in values.values() for field in block.values())]
    return next((str(field["selected_conversation"]) for field in fields if field.get("selected_conversation")), "")
