"""The fake takes the blocks that Slack takes, and no others."""

import pytest
from slack_sdk.errors import SlackApiError

from tests.fakes.slack_clients import error
from tests.fakes.slack_forms import actions, button

PLAIN = {"type": "plain_text", "text": "x"}


def section(text, **more):
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}, **more}


def table(*rows):
    return {"type": "table", "rows": [[{"type": "raw_text", "text": cell} for cell in row] for row in rows]}


def options(count):
    return [{"text": PLAIN, "value": str(number)} for number in range(count)]


@pytest.mark.parametrize(
    ("block", "refusal"),
    [
        pytest.param({"type": "banner"}, "invalid_blocks", id="a block that there is not"),
        pytest.param({"type": "section"}, "invalid_blocks", id="a section without text"),
        pytest.param(section(""), "invalid_blocks", id="a section with an empty text"),
        pytest.param(section("x" * 3_001), "invalid_blocks", id="a section of more than 3,000 characters"),
        pytest.param(section("x", fields=[PLAIN | {"text": "x" * 2_001}]), "invalid_blocks", id="a field too long"),
        pytest.param(section("x", accessory={"type": "lever"}), "invalid_blocks", id="an element that there is not"),
        pytest.param(section("x", block_id="x" * 256), "invalid_blocks", id="a block_id too long"),
        pytest.param({"type": "header", "text": PLAIN | {"text": "x" * 151}}, "invalid_blocks", id="a header too long"),
        pytest.param({"type": "header", "text": {"type": "mrkdwn", "text": "x"}}, "invalid_blocks", id="a rich header"),
        pytest.param({"type": "context", "elements": [PLAIN] * 11}, "invalid_blocks", id="eleven context elements"),
        pytest.param({"type": "actions", "elements": []}, "invalid_blocks", id="actions without any"),
        pytest.param(actions(*[button(f"{n}") for n in range(26)])[0], "invalid_blocks", id="26 buttons"),
        pytest.param(actions(button(text="x" * 76))[0], "invalid_blocks", id="a button's text of 76 characters"),
        pytest.param(actions(button(value="x" * 2_001))[0], "invalid_blocks", id="a button's value too long"),
        pytest.param(actions(button() | {"url": "x" * 3_001})[0], "invalid_blocks", id="a button's url too long"),
        pytest.param(actions(button() | {"style": "loud"})[0], "invalid_blocks", id="a style that there is not"),
        pytest.param(actions(button("x" * 256))[0], "invalid_blocks", id="an action_id too long"),
        pytest.param(actions(button(), button())[0], "invalid_blocks", id="two buttons of one action_id"),
        pytest.param(
            actions({"type": "overflow", "options": options(6)})[0], "invalid_blocks", id="an overflow of six options"
        ),
        pytest.param(
            actions({"type": "static_select", "options": options(2), "initial_option": {"value": "9"}})[0],
            "invalid_blocks",
            id="an initial option that is none",
        ),
        pytest.param(table(["x"], [""]), "invalid_blocks", id="an empty cell"),
        pytest.param(table(*[["x"]] * 101), "invalid_blocks", id="a table of 101 rows"),
        pytest.param(table(["x"] * 21), "invalid_blocks", id="a table of 21 columns"),
        pytest.param({"type": "context_actions", "elements": [button()]}, "invalid_blocks", id="a button among icons"),
        pytest.param({"type": "markdown", "text": "x" * 12_001}, "msg_blocks_too_long", id="12,001 of Markdown"),
    ],
)  # fmt: skip
async def test_a_block_that_slack_would_not_show_is_refused(client, block, refusal):
    assert await error(client.api_call("chat.postMessage", json={"channel": "C1", "blocks": [block]})) == refusal


@pytest.mark.parametrize(
    ("blocks", "refusal"),
    [
        pytest.param([section("x" * 2_900)] * 5, "msg_blocks_too_long", id="more than 13,000 characters in all"),
        pytest.param(
            [{"type": "markdown", "text": "x" * 6_001}] * 2, "msg_blocks_too_long", id="more than 12,000 of Markdown"
        ),
        pytest.param([section("x", block_id="one")] * 2, "invalid_blocks", id="two blocks of one block_id"),
        pytest.param([table(["x"])] * 2, "invalid_attachments", id="two tables"),
        pytest.param({"type": "divider"}, "invalid_blocks_format", id="no list"),
        pytest.param("what", "invalid_blocks_format", id="no JSON"),
    ],
)
async def test_blocks_that_do_not_go_together_are_refused(client, blocks, refusal):
    assert await error(client.api_call("chat.postMessage", json={"channel": "C1", "blocks": blocks})) == refusal


async def test_a_refusal_says_where(client):
    with pytest.raises(SlackApiError) as raised:
        await client.chat_postMessage(channel="C1", text="x", blocks=[{"type": "divider"}, section("")])
    assert raised.value.response["response_metadata"]["messages"] == [
        "[ERROR] must be more than 0 characters [json-pointer:/blocks/1/text]"
    ]


async def test_what_slack_shows_is_taken_and_gets_its_ids(slack, client):
    feedback = {"text": PLAIN, "value": "x"}
    elements = [{"type": "feedback_buttons", "positive_button": feedback, "negative_button": feedback}]
    elements.append({"type": "icon_button", "icon": "trash", "text": PLAIN})
    blocks = [
        {"type": "header", "text": PLAIN},
        section("Words", accessory={"type": "overflow", "options": options(5)}),
        {"type": "divider"},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "More"}]},
        {"type": "markdown", "text": "# Title"},
        *actions(button(), {"type": "static_select", "action_id": "s", "options": options(100), "placeholder": PLAIN}),
        {"type": "context_actions", "elements": elements},
        table(["a", "b"]),
        {"type": "task_card", "task_id": "1", "title": "Searching", "status": "complete"},
        {"type": "rich_text", "elements": []},
        {"type": "container", "child_blocks": [section("Within")]},
    ]
    ts = (await client.chat_postMessage(channel="C1", text="fallback", blocks=blocks))["ts"]
    seen = slack.thread("C1", ts)[0]
    assert all(block["block_id"] for block in seen.blocks)
    assert all(element["action_id"] for element in seen.blocks[6]["elements"])
    assert seen.shown.split("\n")[:4] == ["x", "Words", "More", "# Title"]
    assert "Within" in seen.shown


async def test_an_edit_of_the_text_alone_takes_the_blocks_away_and_keeps_the_metadata(slack, client):
    metadata = {"event_type": "run", "event_payload": {"id": "1"}}
    posted = await client.chat_postMessage(channel="C1", text="x", blocks=[section("x")], metadata=metadata)
    await client.chat_update(channel="C1", ts=posted["ts"], text="y")
    message = slack.workspace.message("C1", posted["ts"])
    assert (slack.thread("C1", posted["ts"])[0].blocks, message["metadata"]) == ((), metadata)
    await client.chat_update(channel="C1", ts=posted["ts"], text="y", metadata={})
    assert "metadata" not in message


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"markdown_text": "x", "blocks": [section("x")]}, "markdown_text_conflict"),
        ({"text": "x", "attachments": [{"text": "x"}] * 101}, "too_many_attachments"),
        ({"text": "x", "metadata": {"event_type": "x", "event_payload": {"x": "x" * 16_000}}}, "metadata_too_large"),
    ],
)
async def test_what_is_too_much_is_refused_in_posts_edits_and_whispers(client, arguments, refusal):
    ts = (await client.chat_postMessage(channel="C1", text="x"))["ts"]
    for method, more in {"postMessage": {}, "update": {"ts": ts}, "postEphemeral": {"user": "U1"}}.items():
        call = client.api_call(f"chat.{method}", json={"channel": "C1", **more, **arguments})
        assert await error(call) == refusal
