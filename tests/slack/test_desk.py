"""What is turned away at the door."""

import time

import pytest
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.api.connection import Identity, bolt
from bot.slack.events import Events
from bot.slack.listeners import listen
from bot.slack.questions.desk import Closed, Desk
from bot.slack.questions.inbound import read
from bot.store.sqlite import open_store

MENTION = {"type": "app_mention", "user": "U1", "text": "<@UBOT> hello", "channel": "C1", "ts": "2000000000.000001"}


@pytest.fixture
async def desk(tmp_path):
    async with open_store(tmp_path / "state.sqlite") as store:
        yield Desk(store=store, answerer=None, private=None, outbox=None, limits=None, start=None)


async def test_a_closed_desk_claims_nothing(desk):
    await desk.close()
    with pytest.raises(Closed):
        await desk.receive(read(MENTION, "UBOT", time.time()))
    assert await desk._store.claim("C1:2000000000.000001")


async def test_what_a_closed_desk_turns_away_is_not_acknowledged(desk):
    await desk.close()
    app = bolt(AsyncWebClient(), "xoxb-1", Identity("UBOT", "BBOT", "T1", "", "https://acme.slack.com/"))
    listen(app, Events(app), desk, None, bot_user="UBOT")
    body = {"type": "event_callback", "team_id": "T1", "event": MENTION}
    response = await app.async_dispatch(AsyncBoltRequest(body=body, mode="socket_mode"))
    assert response.status == 503
