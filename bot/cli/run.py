"""`footnote run`: answers in Slack, until stopped."""

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

from bot import wiring
from bot.cli.running import Failed
from bot.config import Config
from bot.engine.queue import ModelQueue
from bot.research import Event, ResearchAgent
from bot.slack.app import SlackSetupError, run_slack
from bot.store.sqlite import open_store
from indexers.document import Audience

logger = logging.getLogger(__name__)


async def serve(config: Config) -> int:
    async with (
        wiring.open_library(config, wiring.index_file(config), create=True) as library,
        wiring.open_writer(config) as writer,
        open_store(config.footnote_home / "state.sqlite") as store,
    ):
        for note in filter(None, (writer.note, *library.notes)):
            logger.warning("%s", note)
        queue = ModelQueue(config.footnote_model_parallel)
        search = library.search(config)

        def researcher(
            *,
            audience: Audience,
            asker: str,
            clock: Callable[[], datetime],
            clarify_handler: Callable[[str], Awaitable[str]],
            on_event: Callable[[Event], None],
            on_place: Callable[[int], None],
        ) -> ResearchAgent:
            engine = queue.bind(writer.engine, asker=asker, on_place=on_place)
            bound = search.for_audience(audience, clock().tzinfo)
            return wiring.agent(config, engine, bound, on_event=on_event, clarify_handler=clarify_handler, clock=clock)

        try:
            await run_slack(
                bot_token=config.slack_bot_token.get_secret_value(),
                app_token=config.slack_app_token.get_secret_value(),
                store=store,
                researcher=researcher,
                api_url=config.slack_api_url,
                edit_interval=config.footnote_edit_interval,
            )
        except SlackSetupError as error:
            raise Failed(str(error), 2) from error
    return 0
