"""A fake Slack, and the whole bot running against it."""

import pytest

from tests.fakes.slack import serve_slack
from tests.fakes.slack_bot import running_bot


@pytest.fixture
async def slack():
    async with serve_slack() as slack:
        yield slack


@pytest.fixture
async def bot(slack, tmp_path):
    async with running_bot(slack, tmp_path) as bot:
        yield bot
