"""Block Kit as Slack checks it: which blocks there are, what they must hold, how long they may be."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.fakes.slack_call import Refused, Reply, invalid_arguments

MOST_BLOCKS = {"message": 50, "modal": 100, "home": 100}
LONGEST_MARKDOWN = 12_000
"""Over all markdown blocks of a message."""
LONGEST_IN_ALL = 13_000
"""Over all texts of a message."""
ONLY_IN_MESSAGES = {"markdown", "context_actions", "task_card", "plan", "table", "data_table", "data_visualization"}
CHOICES = {"static_select", "multi_static_select", "overflow", "radio_buttons", "checkboxes"}
ELEMENTS = CHOICES | {
    "button",
    "users_select",
    "multi_users_select",
    "conversations_select",
    "multi_conversations_select",
    "channels_select",
    "multi_channels_select",
    "datepicker",
    "timepicker",
    "plain_text_input",
    "number_input",
    "email_text_input",
    "url_text_input",
    "feedback_buttons",
    "icon_button",
    "external_select",
}

_numbers = itertools.count(1)


class Wrong(Exception):
    """A block is not what it should be; `args` say where and why."""


def _need(condition: Any, where: str, why: str) -> None:
    if not condition:
        raise Wrong(where, why)


def _text(part: Any, where: str, longest: int, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")) -> None:
    _need(isinstance(part, dict) and part.get("type") in kinds, where, f"must be of type {' or '.join(kinds)}")
    text = part.get("text")
    _need(isinstance(text, str) and text, where, "must be more than 0 characters")
    _need(len(text) <= longest, where, f"must be less than {longest + 1} characters")


def _plain(part: Any, where: str, longest: int) -> None:
    _text(part, where, longest, ("plain_text",))


def _many(part: Any, where: str, most: int, least: int = 1) -> list[Any]:
    _need(isinstance(part, list), where, "must be a list")
    _need(least <= len(part) <= most, where, f"must have {least} to {most} items")
    items: list[Any] = part
    return items


def _element(element: Any, where: str, kinds: set[str] | frozenset[str] = frozenset(ELEMENTS)) -> None:
    kind = element.get("type") if isinstance(element, dict) else None
    _need(kind in kinds, where, f"unsupported type: {kind}")
    _need(len(str(element.get("action_id", ""))) <= 255, f"{where}/action_id", "must be less than 256 characters")
    if kind == "button":
        _plain(element.get("text"), f"{where}/text", 75)
        _need(element.get("style", "primary") in ("primary", "danger"), f"{where}/style", "must be primary or danger")
        _need(len(element.get("value", "")) <= 2_000, f"{where}/value", "must be less than 2001 characters")
        _need(len(element.get("url", "")) <= 3_000, f"{where}/url", "must be less than 3001 characters")
    elif kind == "feedback_buttons":
        for name in ("positive_button", "negative_button"):
            _plain(element.get(name, {}).get("text"), f"{where}/{name}/text", 75)
            _need(0 < len(element[name].get("value", "")) <= 2_000, f"{where}/{name}/value", "1 to 2000 characters")
    elif kind == "icon_button":
        _plain(element.get("text"), f"{where}/text", 75)
        _need(element.get("icon"), f"{where}/icon", "is required")
    elif kind in CHOICES:
        _choices(element, where)
    if "placeholder" in element:
        _plain(element["placeholder"], f"{where}/placeholder", 150)


def _choices(element: Reply, where: str) -> None:
    most = {"overflow": 5, "radio_buttons": 10, "checkboxes": 10}.get(element["type"], 100)
    if element.get("option_groups"):
        options = [option for group in element["option_groups"] for option in group["options"]]
    else:
        options = _many(element.get("options"), f"{where}/options", most)
    for number, option in enumerate(options):
        _text(option.get("text"), f"{where}/options/{number}/text", 75)
        _need(
            0 < len(option.get("value", "")) <= 150, f"{where}/options/{number}/value", "must have 1 to 150 characters"
        )
    chosen = element.get("initial_option", options[0])
    _need(chosen in options, f"{where}/initial_option", "must be one of the options")


def _section(block: Reply, where: str) -> None:
    _need("text" in block or "fields" in block, where, "needs text or fields")
    if "text" in block:
        _text(block["text"], f"{where}/text", 3_000)
    for number, part in enumerate(_many(block["fields"], f"{where}/fields", 10) if "fields" in block else ()):
        _text(part, f"{where}/fields/{number}", 2_000)
    if block.get("accessory", {}).get("type") != "image" and "accessory" in block:
        _element(block["accessory"], f"{where}/accessory")


def _context(block: Reply, where: str) -> None:
    for number, part in enumerate(_many(block.get("elements"), f"{where}/elements", 10)):
        if part.get("type") != "image":
            _text(part, f"{where}/elements/{number}", 3_000)


def _actions(block: Reply, where: str) -> None:
    elements = _many(block.get("elements"), f"{where}/elements", 25)
    for number, part in enumerate(elements):
        _element(part, f"{where}/elements/{number}", ELEMENTS - {"plain_text_input", "feedback_buttons", "icon_button"})
    given = [part["action_id"] for part in elements if part.get("action_id")]
    _need(len(given) == len(set(given)), f"{where}/elements", "action_ids must differ")


def _context_actions(block: Reply, where: str) -> None:
    for number, part in enumerate(_many(block.get("elements"), f"{where}/elements", 5)):
        _element(part, f"{where}/elements/{number}", {"feedback_buttons", "icon_button"})


def _input(block: Reply, where: str) -> None:
    _plain(block.get("label"), f"{where}/label", 2_000)
    _element(block.get("element"), f"{where}/element", ELEMENTS - {"button", "feedback_buttons", "icon_button"})


def _table(block: Reply, where: str) -> None:
    for number, row in enumerate(_many(block.get("rows"), f"{where}/rows", 100)):
        for place, cell in enumerate(_many(row, f"{where}/rows/{number}", 20)):
            here, kind = f"{where}/rows/{number}/{place}", cell.get("type")
            _need(kind in ("rich_text", "raw_text", "raw_number"), here, f"unsupported type: {kind}")
            _need(cell.get("text") or cell.get("elements") or "value" in cell, here, "must not be empty")


def _task_card(block: Reply, where: str) -> None:
    _need(block.get("task_id") and block.get("title"), where, "needs task_id and title")
    known = ("pending", "in_progress", "complete", "error")
    _need(block.get("status", "pending") in known, f"{where}/status", f"must be one of {', '.join(known)}")


def _container(block: Reply, where: str) -> None:
    for number, part in enumerate(_many(block.get("child_blocks"), f"{where}/child_blocks", 10)):
        _block(part, f"{where}/child_blocks/{number}", "message")


def _card(block: Reply, where: str) -> None:
    for name, longest in {"title": 150, "subtitle": 150, "body": 200}.items():
        if name in block:
            _text(block[name], f"{where}/{name}", longest)


def _markdown(block: Reply, where: str) -> None:
    _need(isinstance(block.get("text"), str) and block["text"], f"{where}/text", "must be more than 0 characters")


def _any(block: Reply, where: str) -> None:
    pass


BLOCKS: Mapping[str, Callable[[Reply, str], None]] = {
    "section": _section,
    "context": _context,
    "actions": _actions,
    "context_actions": _context_actions,
    "input": _input,
    "markdown": _markdown,
    "table": _table,
    "data_table": _table,
    "task_card": _task_card,
    "container": _container,
    "card": _card,
    "header": lambda block, where: _plain(block.get("text"), f"{where}/text", 150),
    "plan": lambda block, where: _need(block.get("title"), f"{where}/title", "is required"),
    "rich_text": lambda block, where: _need(_many(block.get("elements"), where, 1_000, 0) is not None, where, ""),
    "image": lambda block, where: _need(block.get("alt_text"), f"{where}/alt_text", "is required"),
    "alert": lambda block, where: _need(block.get("text"), f"{where}/text", "is required"),
    "carousel": lambda block, where: _need(_many(block.get("elements"), f"{where}/elements", 10), where, ""),
    "divider": _any,
    "video": _any,
    "data_visualization": _any,
}


def _block(block: Any, where: str, surface: str) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    allowed = kind in BLOCKS and not (surface != "message" and kind in ONLY_IN_MESSAGES)
    _need(allowed, f"{where}/type", f"unsupported type: {kind}")
    _need(len(str(block.get("block_id", ""))) <= 255, f"{where}/block_id", "must be less than 256 characters")
    BLOCKS[kind](block, where)


def taken(blocks: Any, surface: str = "message") -> list[Reply]:
    """Blocks as Slack keeps them, each with a block_id and its elements with an action_id; raises `Refused`."""
    if not isinstance(blocks, list):
        raise Refused("invalid_blocks_format")
    if len(blocks) > MOST_BLOCKS[surface]:
        raise Refused("msg_blocks_too_many") if surface == "message" else invalid_arguments("too many blocks")
    try:
        for number, block in enumerate(blocks):
            _block(block, f"/blocks/{number}", surface)
        given = [block["block_id"] for block in blocks if block.get("block_id")]
        _need(len(given) == len(set(given)), "/blocks", "block_ids must differ")
    except Wrong as wrong:
        where, why = wrong.args
        refused = invalid_arguments(f"{why} [json-pointer:{where}]")
        raise Refused("invalid_blocks" if surface == "message" else refused.error, **refused.more) from None
    if surface == "message":
        _check_sizes(blocks)
    return [_kept(block) for block in blocks]


def _check_sizes(blocks: list[Reply]) -> None:
    markdown = sum(len(block["text"]) for block in blocks if block["type"] == "markdown")
    if markdown > LONGEST_MARKDOWN or sum(map(len, _strings(blocks))) > LONGEST_IN_ALL:
        raise Refused("msg_blocks_too_long")
    if sum(block["type"] == "table" for block in blocks) > 1:
        raise Refused("invalid_attachments", response_metadata={"messages": ["only_one_table_allowed"]})


def _strings(part: Any) -> Iterator[str]:
    """All that is read in blocks."""
    if isinstance(part, dict):
        if isinstance(part.get("text"), str):
            yield part["text"]
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            yield from _strings(one)


def _kept(block: Reply) -> Reply:
    kept = {"block_id": f"b{next(_numbers)}", **block}
    for name in ("elements", "accessory", "element"):
        if name in kept and block["type"] != "rich_text":
            part = kept[name]
            kept[name] = [_named(one) for one in part] if isinstance(part, list) else _named(part)
    return kept


def _named(element: Reply) -> Reply:
    return {"action_id": f"a{next(_numbers)}", **element} if element.get("type") in ELEMENTS else element


def elements(blocks: Any) -> Iterator[tuple[str, Reply]]:
    """The block_id and the element, of everything in blocks with which people can do something."""
    for block in blocks:
        parts = [*block.get("elements", ()), block.get("accessory"), block.get("element")]
        yield from ((block["block_id"], part) for part in parts if isinstance(part, dict) and "action_id" in part)
        yield from elements(block.get("child_blocks", ()))
