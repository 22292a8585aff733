"""What a click on a block element tells the app, and what a modal holds when it is submitted."""

from typing import Any

from tests.fakes.slack_blocks import CHOICES, elements
from tests.fakes.slack_call import Reply

BUTTONS = ("button", "icon_button", "feedback_buttons")
MANY = {"checkboxes": "options", "multi_static_select": "options"}
VALUES = {
    "users_select": "selected_user",
    "multi_users_select": "selected_users",
    "conversations_select": "selected_conversation",
    "multi_conversations_select": "selected_conversations",
    "channels_select": "selected_channel",
    "multi_channels_select": "selected_channels",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
}


def find(blocks: Any, action_id: str, chosen: Any = None) -> tuple[str, Reply]:
    """The block_id and the element; an `AssertionError` says what there is, if there is none such."""
    there = [(block_id, element) for block_id, element in elements(blocks) if element["action_id"] == action_id]
    if len(there) > 1 and chosen is not None:
        there = [one for one in there if one[1].get("value") == chosen]
    if not there:
        found = [(element["action_id"], element.get("value")) for _, element in elements(blocks)]
        raise AssertionError(f"there is no {action_id!r}; there are {found}")
    return there[0]


def act(block_id: str, element: Reply, chosen: Any, at: str) -> Reply:
    """The action of somebody who uses the element."""
    kind = element["type"]
    action = {"type": kind, "action_id": element["action_id"], "block_id": block_id, "action_ts": at}
    if kind == "feedback_buttons":
        buttons = [element["positive_button"], element["negative_button"]]
        button = next((one for one in buttons if one["value"] == chosen), None)
        assert button, f"{chosen!r} is on neither button"
        return {**action, "text": button["text"], "value": button["value"]}
    if kind in BUTTONS:
        more = {name: element[name] for name in ("text", "value", "style") if name in element}
        return {**action, **more}
    return {**action, **entry(element, chosen)}


def state(blocks: list[Reply], entered: dict[str, Any]) -> Reply:
    """The values of a form, by block_id and action_id; an `AssertionError` says what is missing or unknown."""
    values: Reply = {}
    unknown = dict(entered)
    for block in blocks:
        for block_id, element in elements([block]):
            if element["type"] in BUTTONS:
                continue
            value = entry(element, unknown.pop(element["action_id"], None))
            empty = not any(value[name] for name in value if name != "type")
            if block["type"] == "input" and not block.get("optional"):
                assert not empty, f"the modal does not go without {element['action_id']!r}"
            values.setdefault(block_id, {})[element["action_id"]] = value
    assert not unknown, f"the modal has no {', '.join(unknown)}"
    return values


def entry(element: Reply, chosen: Any) -> Reply:
    """What an element holds once `chosen` is in it; its initial value if that is None."""
    kind = element["type"]
    if kind in MANY:
        initial = [option["value"] for option in element.get("initial_options", ())]
        wanted = initial if chosen is None else chosen
        return {"type": kind, "selected_options": [_option(element, value) for value in wanted]}
    if kind in CHOICES:
        initial = element.get("initial_option")
        return {"type": kind, "selected_option": initial if chosen is None else _option(element, chosen)}
    if kind in VALUES:
        name = VALUES[kind]
        return {"type": kind, name: element.get(name.replace("selected", "initial")) if chosen is None else chosen}
    return {"type": kind, "value": element.get("initial_value") if chosen is None else chosen}


def _option(element: Reply, value: str) -> Reply:
    groups = element.get("option_groups") or [element]
    options = {option["value"]: option for group in groups for option in group["options"]}
    assert value in options, f"{value!r} is no option; these are: {', '.join(options)}"
    return dict(options[value])
