"""What stands under an answer: what was searched for it, and how fresh that is."""

import asyncio
import logging
from collections.abc import Mapping
from datetime import datetime

from bot.research import ResearchResult, SearchFailed
from bot.slack.messages.explained import searched
from bot.slack.messages.sources import today_in
from bot.slack.questions.context import Context
from bot.slack.questions.means import Indexed
from bot.slack.questions.trace import Trace

logger = logging.getLogger(__name__)

PATIENCE = 2.0
"""Seconds that an answer waits for how fresh its sources are."""


async def footer(result: ResearchResult, trace: Trace, context: Context, indexed: Indexed) -> str:
    """In mrkdwn; "" where nothing was searched."""
    looked = any(call.tool_name == "search" and not call.error for call in result.tool_calls)
    read = await _read(context, indexed) if looked else {}
    day = today_in(context.zone)
    return searched(result, trace.connected, day, result.language, indexed=read, queries=trace.queries)


async def _read(context: Context, indexed: Indexed) -> Mapping[str, datetime]:
    try:
        async with asyncio.timeout(PATIENCE):
            read = await indexed(context.audience)
    except (SearchFailed, TimeoutError) as error:
        logger.info("how fresh the sources are is not known (%s)", type(error).__name__)
        return {}
    zone = context.now().tzinfo
    return {source: time.astimezone(zone) for source, time in read.items()}
