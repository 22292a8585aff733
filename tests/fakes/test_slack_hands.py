"""Buttons, shortcuts, modals and App Home of the fake keep Slack's word."""

import aiohttp
import pytest

from tests.fakes.slack_clients import error, socket
from tests.fakes.slack_forms import INPUT, MODAL, TITLE, actions, button, modal, posted

FEEDBACK = {
    "type": "feedback_buttons",
    "action_id": "feedback",
    "positive_button": {"text": {"type": "plain_text", "text": "Good"}, "value": "good"},
    "negative_button": {"text": {"type": "plain_text", "text": "Bad"}, "value": "bad"},
}
HOME = {"type": "home", "blocks": [{"type": "divider"}]}


async def test_a_click_says_who_clicked_what_where(slack, client):
    async with socket(slack) as requests:
        root = await slack.say("U1", "hello", "C1")
        ts = await posted(client, button(value="0"), button("again"), thread_ts=root)
        hook = await slack.click("U2", "C1", ts, "stop")
        await slack.until(lambda: hook.delivery.acknowledged)
    request = requests[-1]
    assert (request.type, request.accepts_response_payload) == ("interactive", True)
    payload = request.payload
    assert (payload["type"], payload["user"]["id"], payload["team"]["id"]) == ("block_actions", "U2", "T1")
    assert payload["channel"] == {"id": "C1", "name": "general"}
    assert payload["container"] == {
        "type": "message",
        "message_ts": ts,
        "channel_id": "C1",
        "is_ephemeral": False,
        "thread_ts": root,
    }
    assert (payload["message"]["ts"], payload["message"]["bot_id"], payload["response_url"]) == (ts, "BBOT", hook.url)
    action = payload["actions"][0]
    assert (action["action_id"], action["block_id"], action["value"]) == ("stop", "b", "0")


async def test_feedback_says_which_of_its_buttons_was_pressed(slack, client):
    blocks = [{"type": "context_actions", "elements": [FEEDBACK]}]
    ts = (await client.chat_postMessage(channel="C1", text="x", blocks=blocks))["ts"]
    hook = await slack.click("U1", "C1", ts, "feedback", "bad")
    assert hook.delivery.envelope["payload"]["actions"][0]["value"] == "bad"


async def test_a_button_that_is_not_there_cannot_be_clicked(slack, client):
    ts = await posted(client, button())
    with pytest.raises(AssertionError, match="there is no 'other'"):
        await slack.click("U1", "C1", ts, "other")
    await client.chat_update(channel="C1", ts=ts, text="done")
    with pytest.raises(AssertionError, match="there is no 'stop'"):
        await slack.click("U1", "C1", ts, "stop")


async def test_of_a_message_for_one_alone_the_app_learns_the_place_only(slack, client):
    shown = await client.chat_postEphemeral(channel="C1", user="U1", text="x", blocks=actions(button()))
    hook = await slack.click("U1", "C1", shown["message_ts"], "stop")
    payload = hook.delivery.envelope["payload"]
    assert payload["container"]["is_ephemeral"]
    assert "message" not in payload


async def test_what_is_sent_to_the_address_of_a_click_replaces_the_message_or_tells_its_giver_alone(slack, client):
    ts = await posted(client, button())
    hook = await slack.click("U1", "C1", ts, "stop")
    async with aiohttp.ClientSession() as session:
        await session.post(hook.url, json={"text": "psst"})
        await session.post(hook.url, json={"text": "stopped", "replace_original": True})
        bad = await session.post(hook.url, json={"blocks": [{"type": "banner"}]})
    assert [shown["text"] for shown in slack.whispers("U1")] == ["psst"]
    assert slack.answers("C1", ts) == ["stopped"]
    assert (bad.status, (await bad.json())["error"]) == (400, "invalid_blocks")


async def test_the_address_of_a_click_is_good_for_half_an_hour(slack, client):
    hook = await slack.click("U1", "C1", await posted(client, button()), "stop")
    slack.clock.advance(1_800)
    async with aiohttp.ClientSession() as session:
        assert (await session.post(hook.url, json={"text": "late"})).status == 404


async def test_a_message_can_be_taken_away_through_the_address_of_a_click(slack, client):
    shown = await client.chat_postEphemeral(channel="C1", user="U1", text="x", blocks=actions(button()))
    ts = await posted(client, button())
    async with aiohttp.ClientSession() as session:
        for each in (shown["message_ts"], ts):
            hook = await slack.click("U1", "C1", each, "stop")
            await session.post(hook.url, json={"delete_original": True})
    assert (slack.whispers("U1"), slack.thread("C1", ts)) == ([], [])


async def test_a_shortcut_brings_the_message(slack):
    ts = await slack.say("U2", "what is leave?", "C1")
    hook = await slack.shortcut("U1", "research", "C1", ts)
    payload = hook.delivery.envelope["payload"]
    assert (payload["type"], payload["callback_id"], payload["user"]["id"]) == ("message_action", "research", "U1")
    assert (payload["message"]["text"], payload["message"]["user"], payload["message_ts"]) == (
        "what is leave?",
        "U2",
        ts,
    )
    with pytest.raises(AssertionError, match="no message shortcut"):
        await slack.shortcut("U1", "other", "C1", ts)


async def test_an_app_without_interactivity_has_no_working_buttons(slack, client):
    slack.app.manifest["settings"]["interactivity"] = {"is_enabled": False}
    with pytest.raises(AssertionError, match="interactivity off"):
        await slack.click("U1", "C1", await posted(client, button()), "stop")


async def test_a_trigger_opens_one_modal_within_three_seconds(slack, client):
    view = MODAL | {"blocks": [INPUT]}
    ts = await posted(client, button())
    first, second = [await slack.click("U1", "C1", ts, "stop") for _ in range(2)]
    trigger = first.delivery.envelope["payload"]["trigger_id"]
    opened = await client.views_open(trigger_id=trigger, view=view)
    assert slack.api.views.modal("U1")["id"] == opened["view"]["id"]
    assert await error(client.views_open(trigger_id=trigger, view=view)) == "exchanged_trigger_id"
    assert await error(client.views_open(trigger_id="what", view=view)) == "invalid_trigger_id"
    slack.clock.advance(3.1)
    late = second.delivery.envelope["payload"]["trigger_id"]
    assert await error(client.views_open(trigger_id=late, view=view)) == "expired_trigger_id"


async def test_a_modal_is_submitted_with_what_was_entered(slack, client):
    choice = {"type": "radio_buttons", "action_id": "web", "options": [_option("on"), _option("off")]}
    await modal(slack, client, INPUT, {"type": "input", "block_id": "c", "label": TITLE, "element": choice})
    async with socket(slack) as requests:
        with pytest.raises(AssertionError, match="does not go without 'web'"):
            await slack.submit("U1", reason="wrong")
        await slack.submit("U1", reason="wrong", web="off")
        await slack.until(lambda: not slack.api.views.modals["U1"])
    view = requests[-1].payload["view"]
    assert (view["callback_id"], view["private_metadata"]) == ("why", "run 1")
    assert view["state"]["values"]["b"]["reason"] == {"type": "plain_text_input", "value": "wrong"}
    assert view["state"]["values"]["c"]["web"]["selected_option"]["value"] == "off"


def _option(value):
    return {"text": {"type": "plain_text", "text": value}, "value": value}


@pytest.mark.parametrize(
    ("response", "titles", "errors"),
    [
        ({"response_action": "errors", "errors": {"b": "too short"}}, ["Title"], {"b": "too short"}),
        (
            {"response_action": "update", "view": MODAL | {"title": TITLE | {"text": "Two"}, "blocks": []}},
            ["Two"],
            None,
        ),
        (
            {"response_action": "push", "view": MODAL | {"title": TITLE | {"text": "Two"}, "blocks": []}},
            ["Title", "Two"],
            None,
        ),
        ({"response_action": "clear"}, [], None),
    ],
)
async def test_the_acknowledgement_of_a_submission_says_what_becomes_of_the_modal(
    slack, client, response, titles, errors
):
    await modal(slack, client)
    async with socket(slack, response=response):
        submitted = await slack.submit("U1", reason="wrong")
        await slack.until(lambda: submitted.acknowledged)
    views = slack.api.views.modals["U1"]
    assert [view["title"]["text"] for view in views] == titles
    assert (views[-1].get("errors") if views else None) == errors


async def test_an_open_modal_can_be_updated_while_it_is_the_one_that_was_seen(slack, client):
    view = (await modal(slack, client))["view"]
    changed = MODAL | {"blocks": [{"type": "divider"}]}
    await client.views_update(view_id=view["id"], hash=view["hash"], view=changed)
    assert [block["type"] for block in slack.api.views.modal("U1")["blocks"]] == ["divider"]
    assert await error(client.views_update(view_id=view["id"], hash=view["hash"], view=changed)) == "hash_conflict"
    assert await error(client.views_update(view_id="V0", view=changed)) == "not_found"


async def test_a_button_in_a_modal_says_in_which(slack, client):
    view = (await modal(slack, client, *actions(button("more"))))["view"]
    payload = (await slack.click_in_view("U1", "more")).envelope["payload"]
    assert payload["container"] == {"type": "view", "view_id": view["id"]}
    pushed = await client.views_push(trigger_id=payload["trigger_id"], view=MODAL | {"blocks": []})
    assert pushed["view"]["root_view_id"] == view["id"]


@pytest.mark.parametrize(
    "view",
    [
        pytest.param({**MODAL, "title": {"type": "plain_text", "text": "x" * 25}, "blocks": []}, id="a long title"),
        pytest.param({**MODAL, "submit": None, "blocks": [INPUT]}, id="an input without a submit button"),
        pytest.param({**MODAL, "private_metadata": "x" * 3_001, "blocks": []}, id="much private metadata"),
        pytest.param({**MODAL, "blocks": [{"type": "divider"}] * 101}, id="many blocks"),
        pytest.param({**MODAL, "blocks": [{"type": "markdown", "text": "x"}]}, id="a block of messages only"),
        pytest.param(HOME, id="a home view"),
    ],
)
async def test_a_modal_that_slack_would_not_show_is_refused(slack, client, view):
    hook = await slack.click("U1", "C1", await posted(client, button()), "stop")
    trigger = hook.delivery.envelope["payload"]["trigger_id"]
    assert await error(client.views_open(trigger_id=trigger, view=view)) == "invalid_arguments"


async def test_home_is_told_when_it_is_opened_and_shows_what_was_published_for_that_person(slack, client):
    await slack.open_home("U1")
    published = await client.views_publish(user_id="U1", view=HOME | {"blocks": actions(button("settings"))})
    await slack.open_home("U1")
    first, second = [delivery.event for delivery in slack.deliveries]
    assert (first["type"], first["tab"], first["channel"], "view" in first) == ("app_home_opened", "home", "DU1", False)
    assert second["view"]["id"] == published["view"]["id"]
    payload = (await slack.click_in_view("U1", "settings", home=True)).envelope["payload"]
    assert (payload["view"]["type"], payload["actions"][0]["action_id"]) == ("home", "settings")
    assert await error(client.views_publish(user_id="U9", view=HOME)) == "invalid_arguments"


async def test_home_cannot_be_published_where_the_manifest_has_none(slack, client):
    slack.app.features["app_home"]["home_tab_enabled"] = False
    assert await error(client.views_publish(user_id="U1", view=HOME)) == "not_enabled"
