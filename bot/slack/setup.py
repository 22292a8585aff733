"""What the bot is made from."""

from dataclasses import dataclass

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.api.connection import Identity
from bot.slack.api.outbox import Outbox
from bot.slack.questions.linked import Documents
from bot.slack.questions.means import Indexed, Researcher, WebOf
from bot.slack.questions.readers import Readable
from bot.slack.settings import Settings
from bot.store import Store
from indexers.reading import Extractor


@dataclass(frozen=True, slots=True)
class Setup:
    """What there is before the first task."""

    who: Identity
    session: aiohttp.ClientSession
    extractor: Extractor
    reading: AsyncWebClient
    outbox: Outbox
    store: Store
    researcher: Researcher
    documents: Documents
    readable: Readable
    indexed: Indexed
    web: WebOf
    settings: Settings
