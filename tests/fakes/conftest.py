"""A fake Slack with an app that uses all of it, and the real client."""

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack import BOT_TOKEN, serve_slack
from tests.fakes.slack_manifest import everything


@pytest.fixture
async def slack():
    async with serve_slack(manifest=everything(agent=True)) as slack:
        yield slack


@pytest.fixture
async def client(slack):
    async with aiohttp.ClientSession() as session:
        yield AsyncWebClient(BOT_TOKEN, base_url=slack.url, session=session, retry_handlers=[])
