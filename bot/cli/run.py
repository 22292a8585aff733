"""`footnote run`: answers in Slack, until stopped."""

import gc
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from bot import wiring
from bot.cli.running import Failed
from bot.config import Config
from bot.engine.queue import ModelQueue
from bot.health import Health, HealthError, open_health
from bot.research import Event, RunState, SearchHit
from bot.search import HybridSearch
from bot.slack.app import Settings, SlackSetupError, run_slack
from bot.slack.transport.http import Door
from bot.ways import Research, Ways, without_model
from bot.web import Asked, OnSent, WebSetting
from indexers.document import Audience

logger = logging.getLogger(__name__)


async def serve(config: Config) -> int:
    async with (
        wiring.open_library(config, create=True) as library,
        wiring.open_writer(config) as writer,
        wiring.open_ways(config) as ways,
        wiring.open_state(config) as store,
    ):
        for note in filter(None, (writer.note, *library.notes)):
            logger.warning("%s", note)
        asked = _Questions(ways, ModelQueue(config.footnote_model_parallel), writer, library.search(config))
        health = Health({"store": partial(store.thread, "", ""), "index": library.index.embedding}, writer.state)
        try:
            async with _healthy(config, health):
                await run_slack(
                    bot_token=config.slack_bot_token.get_secret_value(),
                    app_token=config.slack_app_token.get_secret_value(),
                    door=door(config),
                    store=store,
                    researcher=asked.researcher,
                    documents=asked.documents,
                    readable=asked.readable,
                    indexed=asked.search.read_at,
                    web=partial(web_of, config),
                    settings=settings(config),
                    api_url=config.slack_api_url,
                    ready=settle,
                    connected=health.connected,
                )
        except (SlackSetupError, HealthError) as error:
            raise Failed(str(error), 2) from error
    return 0


def _healthy(config: Config, health: Health) -> AbstractAsyncContextManager[object]:
    port = config.footnote_health_port
    return nullcontext() if port is None else open_health(health, host=config.footnote_health_host, port=port)


def door(config: Config) -> Door | None:
    """Where Slack's requests are taken; None for Socket Mode."""
    if config.slack_app_token:
        return None
    secret = config.slack_signing_secret.get_secret_value()
    return Door(secret, config.footnote_http_host, config.footnote_http_port)


def settings(config: Config) -> Settings:
    return Settings(
        edit_interval=config.footnote_edit_interval,
        streams=config.footnote_streaming == "auto",
        research_in=config.footnote_research_in,
        clarify_timeout=config.footnote_clarify_timeout * 3600,
        traces_kept=config.footnote_traces_kept,
        threads_kept=config.footnote_threads_kept,
        admins=frozenset(config.footnote_admins.replace(",", " ").split()),
        user_at_once=config.footnote_user_at_once,
        channel_at_once=config.footnote_channel_at_once,
        user_per_minute=config.footnote_user_per_minute,
        drain=config.footnote_drain,
    )


def web_of(config: Config, channel: str) -> WebSetting:
    """What a Slack channel has of the web."""
    on = channel in config.footnote_web_channels.replace(",", " ").split()
    return "on" if on and config.footnote_web != "off" else config.footnote_web


def settle() -> None:
    """What is there when the bot is ready stays: looking through it again and again, the collector would halt all
    answers for some tenths of a second."""
    gc.collect()
    gc.freeze()


@dataclass(frozen=True, slots=True)
class _Questions:
    """What every question of the process shares."""

    ways: Ways
    queue: ModelQueue
    writer: wiring.Writer
    search: HybridSearch

    def researcher(
        self,
        *,
        audience: Audience,
        sources: Sequence[str],
        asked: Asked,
        asker: str,
        clock: Callable[[], datetime],
        clarify_handler: Callable[[str], Awaitable[str]],
        on_event: Callable[[Event], None],
        on_place: Callable[[int], None],
        on_checkpoint: Callable[[RunState], Awaitable[None]],
        on_reply: Callable[[Mapping[str, Any]], None],
        on_sent: OnSent,
    ) -> Research:
        engine = self.queue.bind(self.writer.engine, asker=asker, on_place=on_place)
        asked = asked if self.writer.model else without_model(asked)
        search = self.search.for_audience(audience, clock().tzinfo, question=asked.question, sources=sources)
        return Research(
            self.ways, asked, engine, search, on_event, clarify_handler, clock, on_checkpoint, on_reply, on_sent
        )

    async def readable(self, chunk: str, audience: Audience) -> bool:
        return await self.search.for_audience(audience).readable(chunk)

    async def documents(self, url: str, audience: Audience) -> list[SearchHit]:
        return await self.search.for_audience(audience).linked(url)
