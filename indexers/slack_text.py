"""Slack's inbound markup as text.

A message is first brought into the form of its `text` field, where `& < >` are entities and everything else that Slack
understood is a token between `<` and `>` (`markup`); then tokens become words, and entities characters (`plain`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

Json: TypeAlias = Mapping[str, Any]

_TOKEN = re.compile(r"<([^<>\n]+)>")
_MANY = re.compile(r"<!(here|channel|everyone|subteam\^[A-Z0-9]+)(\|[^<>\n]*)?>")
_TABLES = ("table", "data_table")
_NOTHING = ("This content can't be displayed.", "This message contains interactive elements.", "[no preview available]")
"""What stands in Slack for what it has no words for."""
_MARKS = re.compile(r"[*_~`\s]")
_ENTITY = re.compile(r"&(amp|lt|gt);")
_CHARACTER = {"amp": "&", "lt": "<", "gt": ">"}
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def markup(message: Json) -> str:
    """The whole text of a message: its `text`, or its blocks where that is blank; pasted tables, which are in no
    `text`; and what it forwards.  Of what a program posts `text` may be a summary of its blocks and attachments."""
    blocks = _list(message, "blocks")
    # What somebody pastes is theirs, and comes before what they forward.
    attachments = sorted(_list(message, "attachments"), key=is_forwarded)
    written = _written(message.get("text"))
    if message.get("bot_id"):
        blocked = _beside(written, blocks)
        parts = [written, *blocked, *map(_attached, attachments)]
    else:
        parts = [written or "\n".join(filter(None, map(_block, blocks))), *map(_shared, attachments)]
    tables = [_table(block) for block in _and_within(blocks, attachments) if block.get("type") in _TABLES]
    return "\n".join(part for part in (parts[0], *tables, *parts[1:]) if part.strip())


def _written(text: object) -> str:
    return text if isinstance(text, str) and text.strip() and text.strip() not in _NOTHING else ""


def _beside(written: str, blocks: Iterable[Json]) -> list[str]:
    """What blocks say that was not written in words; in these the same may be marked as bold, where it is not here."""
    bare = _MARKS.sub("", written)
    return [part for part in map(_block, blocks) if _MARKS.sub("", part) not in bare]


def plain(text: str, names: Mapping[str, str], *, own: str = "") -> str:
    """Tokens as words, then the entities, once.

    `names` holds names by user, channel and group id; mentions of the user `own` are left out.
    """
    if own:
        # Blanks are looked at once, however many there are: each run of them from its beginning.
        text = re.sub(rf"(?:(?<![ \t])[ \t]++)?<@{own}(\|[^<>\n]*)?>[ \t]*+[,:]?[ \t]*+", " ", text)
    spoken = _TOKEN.sub(lambda token: _spoken(token[1], names), text)
    return _ENTITY.sub(lambda entity: _CHARACTER[entity[1]], spoken).strip()


def is_forwarded(attachment: Json) -> bool:
    """Whether it is a message that somebody passes on."""
    return bool(attachment.get("is_share"))


def escaped(text: object) -> str:
    """Text as it stands, in the form of a `text` field."""
    return re.sub(r"[&<>]", lambda found: _ENTITIES[found[0]], str(text))


def users(text: str) -> list[str]:
    """The ids of the users that a text mentions, in order, each once."""
    return list(dict.fromkeys(re.findall(r"<@([A-Z0-9]+)(?:\|[^<>\n]*)?>", text)))


def unnamed_channels(text: str) -> list[str]:
    """The ids of the channels that a text mentions without their names."""
    return list(dict.fromkeys(re.findall(r"<#([A-Z0-9]+)\|?>", text)))


def unnamed_groups(text: str) -> list[str]:
    """The ids of the user groups that a text mentions without their names."""
    return list(dict.fromkeys(re.findall(r"<!subteam\^([A-Z0-9]+)\|?>", text)))


def addresses_others(text: str, own: str) -> bool:
    """Whether a text mentions anybody but the user `own`: a person, a group, everyone here."""
    return any(user != own for user in users(text)) or bool(_MANY.search(text))


def _spoken(token: str, names: Mapping[str, str]) -> str:
    kind, (target, _, label) = token[0], token[1:].partition("|")
    match kind:
        case "@":
            return names.get(target) or label.lstrip("@") or target
        case "#":
            return "#" + (label or names.get(target) or target)
        case "!":
            return _special(target, label, names)
        case _:
            return _link(*token.partition("|")[::2])


def _special(target: str, label: str, names: Mapping[str, str]) -> str:
    name, _, rest = target.partition("^")
    if name == "subteam":
        return label or "@" + names.get(rest, rest)
    if name == "date":
        return label or _day(rest.partition("^")[0])
    return label or f"@{name}"


def _link(address: str, label: str) -> str:
    bare = address.removeprefix("mailto:").removeprefix("tel:")
    if not label or label in (bare, re.sub(r"^https?://", "", bare)):
        return bare
    return label if bare != address else f"{label} ({bare})"


def _day(timestamp: str) -> str:
    """Seconds since the epoch as a date; what is none as it stands."""
    try:
        return datetime.fromtimestamp(int(timestamp), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return timestamp


def _block(block: Json) -> str:
    match block.get("type"):
        case "rich_text":
            return "\n".join(_rich(element) for element in _list(block, "elements"))
        case "section" | "header":
            return "\n".join(filter(None, map(_text, (block.get("text"), *_list(block, "fields")))))
        case "context":
            return " ".join(filter(None, map(_text, _list(block, "elements"))))
        case "markdown":
            return escaped(block.get("text") or "")
        case "image":
            titled = [_text(block.get("title")), escaped(block.get("alt_text") or "")]
            return "\n".join(dict.fromkeys(filter(None, titled)))
        case "carousel":
            return "\n".join(filter(None, map(_block, _list(block, "elements"))))
        case "alert" | "card" | "container" | "plan" | "task_card" | "video":
            return "\n".join(filter(None, _composed(block)))
        case _:
            return ""


def _composed(block: Json) -> Iterator[str]:
    for name in ("title", "subtitle", "text", "description", "body", "details", "output"):
        yield _text(block.get(name))
    for name in ("rich_text_title", "child_blocks", "tasks"):
        yield from map(_block, [block[name]] if name == "rich_text_title" and name in block else _list(block, name))


def _text(text: object) -> str:
    if isinstance(text, str):
        return escaped(text)
    if not isinstance(text, Mapping):
        return ""
    if text.get("type") == "rich_text":
        return _block(text)
    written = str(text.get("text") or "")
    return escaped(written) if text.get("type") == "plain_text" else written


def _rich(element: Json) -> str:
    words = _unquoted(element)
    quoted = element.get("type") == "rich_text_quote" or bool(_number(element, "border"))
    return "\n".join(f"&gt; {line}" for line in words.split("\n")) if quoted else words


def _unquoted(element: Json) -> str:
    inside = _list(element, "elements")
    match element.get("type"):
        case "rich_text_list":
            return "\n".join(_items(inside, element))
        case "rich_text_preformatted":
            return f"```\n{_inline(inside)}\n```"
        case _:
            return _inline(inside)


def _items(items: Sequence[Json], of: Json) -> Iterator[str]:
    margin = "  " * _number(of, "indent")
    ordered = of.get("style") == "ordered"
    # A list that goes on after one within it says how many items came before.
    for number, item in enumerate(items, 1 + _number(of, "offset")):
        yield f"{margin}{f'{number}.' if ordered else '•'} {_rich(item)}"


def _number(value: Json, key: str) -> int:
    number = value.get(key)
    return min(max(number, 0), 1_000) if isinstance(number, int) else 0


def _inline(elements: Iterable[Json]) -> str:
    return "".join(map(_piece, elements))


def _piece(element: Json) -> str:
    match element.get("type"):
        case "link":
            label = element.get("text")
            return f"<{escaped(element.get('url', ''))}{f'|{escaped(label)}' if label else ''}>"
        case "user":
            return f"<@{element.get('user_id', '')}>"
        case "usergroup":
            return f"<!subteam^{element.get('usergroup_id', '')}>"
        case "channel":
            return f"<#{element.get('channel_id', '')}>"
        case "broadcast":
            return f"<!{element.get('range', 'here')}>"
        case "emoji":
            return f":{element.get('name', '')}:"
        case "date":
            return escaped(element.get("fallback") or _day(str(element.get("timestamp") or "")))
        case _:
            known = (element.get(name) for name in ("text", "value", "label", "fallback"))
            return _styled(escaped(next(filter(None, known), "")), element.get("style"))


def _styled(text: str, style: object) -> str:
    """Code is told from words, and so is what was struck out; bold or in italics the words are the same."""
    if not text.strip() or not isinstance(style, Mapping):
        return text
    for name, mark in (("code", "`"), ("strike", "~")):
        text = f"{mark}{text}{mark}" if style.get(name) else text
    return text


def _table(block: Json) -> str:
    rows = block.get("rows")
    lines = [" | ".join(map(_cell, row)) for row in rows if isinstance(row, list)] if isinstance(rows, list) else []
    return "\n".join(filter(None, (escaped(block.get("caption") or ""), *lines)))


def _cell(cell: object) -> str:
    if not isinstance(cell, Mapping):
        return ""
    if cell.get("type") == "rich_text":
        return " ".join(map(_rich, _list(cell, "elements")))
    told = (cell.get(name) for name in ("text", "value"))
    return escaped(next((one for one in told if one not in (None, "")), ""))


def _shared(attachment: Json) -> str:
    """A forwarded message; anything else attached to a message is a preview of what its text links."""
    if not is_forwarded(attachment):
        return ""
    name, id = attachment.get("author_name"), attachment.get("author_id")
    author = escaped(name) if name else f"<@{id}>" if id else ""
    words, blocks = _written(attachment.get("text")), _within(attachment)
    # What a person writes is in rich text as it is in the text.
    parts = [words, *_beside(words, [block for block in blocks if not words or block.get("type") != "rich_text"])]
    said = "\n".join(filter(None, parts)) or _written(attachment.get("fallback"))
    return f"{author}: {said}" if author and said else said


def _attached(attachment: Json) -> str:
    """What a program says in an attachment; not what Slack shows there of a link."""
    if is_forwarded(attachment) or _is_preview(attachment):
        return _shared(attachment)
    fields = [f"{field.get('title') or ''}: {field.get('value') or ''}" for field in _list(attachment, "fields")]
    blocks = map(_block, _within(attachment))
    said = [*(str(attachment.get(key) or "") for key in ("pretext", "title", "text")), *fields, *blocks]
    return "\n".join(filter(None, said)) or _written(attachment.get("fallback"))


def _within(attachment: Json) -> list[Json]:
    """The blocks of an attachment, and of the messages that it forwards."""
    blocks = _list(attachment, "blocks")
    for one in _list(attachment, "message_blocks"):
        message = one.get("message")
        blocks += _list(message, "blocks") if isinstance(message, Mapping) else [one]
    return blocks


def _is_preview(attachment: Json) -> bool:
    """Slack shows it of a link."""
    linked = ("from_url", "original_url", "is_app_unfurl", "is_msg_unfurl")
    return not is_forwarded(attachment) and any(map(attachment.get, linked))


def _and_within(blocks: Sequence[Json], attachments: Sequence[Json]) -> list[Json]:
    """All of them, and what is in containers."""
    said = [*blocks, *(block for one in attachments if not _is_preview(one) for block in _within(one))]
    return [each for block in said for each in (block, *_and_within(_list(block, "child_blocks"), ()))]


def _list(value: Json, key: str) -> list[Json]:
    items = value.get(key)
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
