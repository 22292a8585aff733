"""Buttons and modals, as the tests of the fake post and open them."""

TITLE = {"type": "plain_text", "text": "Title"}
MODAL = {"type": "modal", "title": TITLE, "submit": TITLE, "callback_id": "why", "private_metadata": "run 1"}
REASON = {"type": "plain_text_input", "action_id": "reason"}
INPUT = {"type": "input", "block_id": "b", "label": TITLE, "element": REASON}


def button(action_id="stop", value="1", text="Stop"):
    return {"type": "button", "action_id": action_id, "value": value, "text": {"type": "plain_text", "text": text}}


def actions(*elements):
    return [{"type": "actions", "block_id": "b", "elements": list(elements)}]


async def posted(client, *elements, **more):
    return (await client.chat_postMessage(channel="C1", text="x", blocks=actions(*elements), **more))["ts"]


async def modal(slack, client, *blocks):
    """A modal that Ada has open."""
    ts = await posted(client, button())
    hook = await slack.click("U1", "C1", ts, "stop")
    view = MODAL | {"blocks": list(blocks) or [INPUT]}
    return await client.views_open(trigger_id=hook.delivery.envelope["payload"]["trigger_id"], view=view)
