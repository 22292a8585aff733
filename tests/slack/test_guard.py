"""Whatever Slack delivers, by either way: it is acknowledged, if it is for this bot at all."""

import json

import pytest

from bot.slack.api.connection import Identity
from bot.slack.transport.guard import is_for
from bot.slack.transport.http import Door
from bot.slack.transport.manifest import PATH
from tests.fakes.ports import free_port
from tests.fakes.research import says
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_workspace import BOT, TEAM

WHO = {"user": {"id": "U1", "team_id": TEAM}, "team": {"id": TEAM}, "trigger_id": "1.2", "api_app_id": "A1"}
VIEW = {"id": "V1", "callback_id": "some_view", "type": "modal", "team_id": TEAM, "state": {"values": {}}, "blocks": []}


@pytest.fixture(params=["sockets", "http"])
async def bot(slack, tmp_path, request):
    more = {}
    if request.param == "http":
        more["door"] = Door("s3cret", "127.0.0.1", free_port())
        slack.deliver_to(f"http://127.0.0.1:{more['door'].port}{PATH}", "s3cret")
    async with running_bot(slack, tmp_path, **more) as bot:
        yield bot


async def taken(slack, kind, payload):
    delivery = await slack.transport.deliver(payload, kind=kind)
    await slack.until(lambda: delivery.acknowledged)
    return delivery


@pytest.mark.parametrize(
    "event",
    [
        {"type": "agent_session_stopped", "channel": "C1", "thread_ts": "1.0", "user": "U1"},
        {"type": "app_home_opened", "user": "U1", "tab": "home"},
        {"type": "member_joined_channel", "user": "U1", "channel": "C1"},
        {
            "type": "reaction_added",
            "user": "U1",
            "reaction": "x",
            "item": {"type": "message", "channel": "C1", "ts": "1.1"},
        },
        {"type": "function_executed", "function": {"callback_id": "x"}, "function_execution_id": "Fx"},
        {"type": "app_rate_limited", "minute_rate_limited": 1},
        {"type": "some_new_event", "whatever": [{}]},
        {"type": "message", "subtype": "some_new_subtype", "channel": "C1", "ts": "1.1"},
    ],
    ids=lambda event: event["type"],
)
async def test_an_event_that_nobody_listens_to_is_acknowledged(bot, slack, event):
    delivery = await slack.event(event)
    await slack.until(lambda: delivery.acknowledged)
    assert bot.questions == []


@pytest.mark.parametrize(
    "event",
    [
        {"type": "agent_session_stopped", "channel": "C1", "user": "U1"},
        {"type": "app_home_opened", "tab": "home"},
        {"type": "app_mention", "user": "U1", "text": f"<@{BOT}> hello", "channel": "C1"},
        {"type": "app_mention", "user": "U1", "text": f"<@{BOT}> hello", "ts": "1.1"},
        {"type": "app_mention", "user": "U1", "text": "hello", "channel": "C1", "ts": "1.1", "edited": {"user": "U1"}},
        {"type": "member_joined_channel", "user": BOT},
        {"type": "member_left_channel", "user": "U1"},
        {"type": "message", "user": "U1", "text": "hello", "channel": "DU1", "channel_type": "im"},
        {"type": "message", "user": "U1", "text": "hello", "channel": "DU1", "channel_type": "im", "ts": "now"},
        {"type": "message", "subtype": "message_changed", "channel": "C1", "ts": "1.1"},
        {"type": "message", "subtype": "message_changed", "channel": "C1", "ts": "1.1", "message": {"text": "hello"}},
        {"type": "message", "subtype": "message_deleted", "channel": "C1", "ts": "1.1"},
        {"type": "reaction_added", "user": "U1", "item": {"type": "message", "channel": "C1", "ts": "1.1"}},
        {"type": "reaction_added", "user": "U1", "reaction": "octagonal_sign", "item": {"type": "message"}},
        {"type": "reaction_added", "user": "U1", "reaction": "octagonal_sign"},
    ],
    ids=lambda event: " ".join(map(str, event.values())),
)
async def test_an_event_that_lacks_what_belongs_to_it_is_acknowledged_and_left_alone(bot, slack, caplog, event):
    delivery = await slack.event(event)
    await slack.until(lambda: delivery.acknowledged)
    assert bot.questions == []
    assert "failed" not in caplog.text


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "block_actions", "actions": [{"action_id": "some_button", "block_id": "b", "type": "button"}]},
        {"type": "block_suggestion", "action_id": "some_menu", "block_id": "b", "value": "x"},
        {"type": "message_action", "callback_id": "some_shortcut", "message": {"ts": "1.1"}, "channel": {"id": "C1"}},
        {"type": "shortcut", "callback_id": "some_global_shortcut"},
        {"type": "view_submission", "view": VIEW},
        {"type": "view_closed", "view": VIEW},
        {"type": "some_new_interaction"},
    ],
    ids=lambda payload: payload["type"],
)
async def test_an_interaction_that_nobody_listens_to_is_acknowledged(bot, slack, payload):
    await taken(slack, "interactive", {**WHO, **payload})


async def test_a_command_that_is_none_of_ours_is_acknowledged(bot, slack):
    payload = {"command": "/else", "text": "a payload", "user_id": "U1", "channel_id": "C1", "team_id": TEAM}
    await taken(slack, "slash_commands", {**payload, "trigger_id": "1.2", "response_url": "http://127.0.0.1:9/"})


# One installation


def authorized(**installation):
    return {"type": "event_callback", "authorizations": [installation]}


WORKSPACE = Identity("UBOT", "B1", "T1", "", "https://acme.slack.com/")
IN_A_GRID = Identity("UBOT", "B1", "T1", "E1", "https://acme.slack.com/")
ORGANISATION = Identity("UBOT", "B1", "E1", "E1", "https://acme.enterprise.slack.com/")


@pytest.mark.parametrize(
    ("body", "who", "ours"),
    [
        (authorized(team_id="T1", is_enterprise_install=False), WORKSPACE, True),
        (authorized(team_id="T2", is_enterprise_install=False), WORKSPACE, False),
        (authorized(team_id="T1", enterprise_id="E1", is_enterprise_install=False), IN_A_GRID, True),
        (authorized(team_id="T2", enterprise_id="E1", is_enterprise_install=False), IN_A_GRID, False),
        (authorized(team_id=None, enterprise_id="E1", is_enterprise_install=True), ORGANISATION, True),
        (authorized(team_id="T7", enterprise_id="E1", is_enterprise_install=True), ORGANISATION, True),
        (authorized(team_id=None, enterprise_id="E2", is_enterprise_install=True), ORGANISATION, False),
        (authorized(team_id=None, enterprise_id="", is_enterprise_install=True), WORKSPACE, False),
        ({"command": "/research", "team_id": "T9"}, WORKSPACE, True),
    ],
)
def test_events_are_told_apart_by_the_installation_that_they_are_for(body, who, ours):
    assert is_for(body, who) is ours


async def test_an_event_of_another_installation_is_left_alone(bot, slack, caplog):
    event = {"type": "app_mention", "user": "U1", "text": f"<@{BOT}> hush", "channel": "C1", "ts": "2000000000.1"}
    payload = {"type": "event_callback", "team_id": "T2", "event": event, "event_id": "Ev1"}
    await taken(slack, "events_api", {**payload, "authorizations": [{"team_id": "T2", "is_enterprise_install": False}]})
    assert bot.questions == []
    assert "one process serves one installation" in caplog.text
    assert "hush" not in json.dumps([record.getMessage() for record in caplog.records])


async def test_an_organisation_is_served_in_all_its_workspaces(slack, tmp_path):
    slack.workspace.enterprise = "E1"
    slack.workspace.channels["C1"].members.extend(
        slack.workspace.person(f"W{number}", f"colleague {number}").id for number in range(20)
    )
    async with running_bot(slack, tmp_path) as bot:
        bot.knows(says("Hello."))
        ts = await slack.mention("U1", "Hello, how are you?", "C1")
        await slack.until(lambda: slack.answer("C1", ts).startswith("Hello."))
        assert slack.deliveries[0].envelope["payload"]["authorizations"][0]["team_id"] is None
    assert all("workspace" in readers for readers in bot.questions[0].audience)
    assert [made.call["team_id"] for made in slack.calls("users.list")] == ["T1"]
