"""What people ask about an answer that is there: how it came to be, and why it says what it says."""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.research import SearchFailed, SearchHit, WebHit
from bot.research.shaping import source_of
from bot.sentences import sentence
from bot.slack.api.outbox import Outbox
from bot.slack.api.people import UNREACHABLE
from bot.slack.messages import sentences
from bot.slack.messages.blocks import HOW, said
from bot.slack.messages.cards import LONGEST_KEPT, quote, text_of
from bot.slack.messages.explained import way
from bot.slack.messages.links import words
from bot.slack.messages.sources import WHY, asked_about, line
from bot.slack.messages.split import split
from bot.slack.questions.audience import Audiences
from bot.slack.questions.desk import Closed, Desk
from bot.slack.questions.inbound import Inbound
from bot.slack.questions.linked import LinkReader
from bot.slack.questions.readers import Readable
from bot.slack.surfaces.click import Click, language_of
from bot.slack.tasks import Start
from bot.store import Run, Store
from indexers.document import Audience


class Explaining:
    def __init__(
        self,
        *,
        desk: Desk,
        store: Store,
        outbox: Outbox,
        audiences: Audiences,
        links: LinkReader,
        readable: Readable,
        start: Start,
    ) -> None:
        """`start` starts what is done after Slack has its acknowledgement."""
        self._desk = desk
        self._store = store
        self._outbox = outbox
        self._audiences = audiences
        self._links = links
        self._readable = readable
        self._start = start

    def listen(self, app: AsyncApp) -> None:
        app.action(HOW)(self._how)
        app.action(WHY)(self._why)

    async def _how(self, body: dict[str, Any], ack: AsyncAck) -> None:
        await self._answer(ack, self._explain, Click.of(body))

    async def _why(self, body: dict[str, Any], ack: AsyncAck) -> None:
        await self._answer(ack, self._show, Click.of(body))

    async def _answer(self, ack: AsyncAck, answer: Callable[[Click], Coroutine[Any, Any, None]], click: Click) -> None:
        with suppress(Closed), self._desk.receiving():
            await ack()
            self._start(answer(click))

    async def _explain(self, click: Click) -> None:
        run = await self._store.run(click.value)
        language = language_of(run)
        if run is None or not run.steps:
            await self._tell(click, words(sentence(sentences.NOT_KEPT, language)))
        elif click.user != run.user:
            await self._tell(click, words(sentence(sentences.ASKERS_ONLY, language)))
        else:
            await self._tell(click, way(run, language))

    async def _show(self, click: Click) -> None:
        """The passages behind a source, for whoever asks and may read them now."""
        refs, key = asked_about(click.value)
        run = await self._store.run(key)
        language = language_of(run)
        quotes = [(ref, run.quotes[ref - 1]) for ref in refs if 0 < ref <= len(run.quotes)] if run else []
        if run is None or not quotes:
            await self._tell(click, words(sentence(sentences.NOT_KEPT, language)))
            return
        audience = await self._audiences.own(click.user, fresh=True)
        place = replace(Inbound.of(run.asked), channel=click.channel, user=click.user)
        shown = [_passage(ref, hit) for ref, hit in quotes if await self._may_read(hit, audience, place)]
        title = f"{sentence(sentences.SAYS, language)}\n\n"
        refused = words(sentence(sentences.NOT_SHOWN, language))
        await self._tell(click, title + "\n\n".join(shown) if shown else refused)

    async def may_read(self, run: Run, user: str) -> bool:
        """Whether somebody may read, now, each passage that is kept of those behind an answer."""
        audience = await self._audiences.own(user, fresh=True)
        place = replace(Inbound.of(run.asked).as_written, user=user)
        for hit in run.quotes:
            if not await self._may_read(hit, audience, place):
                return False
        return True

    async def _may_read(self, hit: SearchHit | WebHit, audience: Audience, place: Inbound) -> bool:
        """Whether somebody in a place would find the passage where it was found, now."""
        if isinstance(hit, WebHit):
            return True
        try:
            if await self._readable(hit.chunk_id, audience):
                return True
            if hit.source != "slack" or not hit.url:
                return False
            linked = await self._links.read(replace(place, own_text=hit.url), audience)
        except (*UNREACHABLE, SearchFailed):
            return False
        return any(one.document_id == hit.document_id for one in linked.hits)

    async def _tell(self, click: Click, text: str) -> None:
        for part in said(split(text)):
            await self._outbox.whisper(click.channel, click.user, part, thread_ts=click.thread_ts)


def _passage(ref: int, hit: SearchHit | WebHit) -> str:
    return f"{line((source_of(hit, ref),))}\n{quote(text_of(hit), LONGEST_KEPT)}"
