"""A model's reply, read so that nothing in it can raise.  No I/O."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.research.markup import outside_code
from bot.research.textcalls import arguments_of, name_of, take_calls
from bot.research.untrusted import is_blank, readable

_THOUGHT = "think|thinking|thought|reasoning"
_OPENS = re.compile(rf"\s*<(?:{_THOUGHT})>", re.IGNORECASE)
_OPEN = re.compile(rf"<(?:{_THOUGHT})>", re.IGNORECASE)
_CLOSE = re.compile(rf"</(?:{_THOUGHT})>", re.IGNORECASE)
_FINAL = re.compile(r"<\|channel\|>final\b[^<]{0,80}<\|message\|>")
_ANALYSIS = re.compile(r"\s*(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b(?![^<]{0,80}to=functions)")
_END = re.compile(
    r"(?:<\|(?:im_end|end|return|eot_id|endoftext|end_of_text|im_start)\|>|<end_of_turn>|<turn\|>|</s>|<eos>)\Z"
)
_LONE = re.compile(rf"^[ \t]*+</(?:{_THOUGHT})>[ \t]*+$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call as the model made it: its name may be no tool's, its arguments are a mapping of anything."""

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    calls: list[RawCall]
    lost: bool
    """Tokens were generated, and neither text nor a call came of them."""
    usage: dict[str, int]
    cut: bool
    """The length limit ended it."""


def read_reply(reply: object, offered: Collection[str], known: Collection[str]) -> Reply:
    """The text without thoughts and without calls written as text, and all calls, those as text too.

    `offered` are the tools of this call of the engine, `known` all of this run: a call written as text is read where
    it names one of either, or is the whole reply.
    """
    given: Mapping[Any, Any] = reply if isinstance(reply, Mapping) else {}
    written = without_thoughts(_content(given.get("content")))
    text, as_text = take_calls(written, {*offered, *known})
    text = "" if is_blank(text) else text
    native = _native(given.get("tool_calls"))
    calls = [
        RawCall(id or f"call_{place}", name, arguments)
        for place, (id, name, arguments) in enumerate(native or [("", *call) for call in as_text])
    ]
    usage = _usage(given.get("usage"))
    lost = not text and not calls and usage["completion_tokens"] > 0
    return Reply(text, calls, lost, usage, given.get("done_reason") == "length")


def without_thoughts(text: str) -> str:
    """Without what the model thought: between its marks, before a lone closing one, after one never closed."""
    if final := _last(_FINAL, text):
        text = text[final.end() :]
    elif _ANALYSIS.match(text):
        return ""
    while opening := _OPENS.match(text):
        closing = _CLOSE.search(text, opening.end())
        text = text[closing.end() :] if closing else ""
    lone = _LONE.search(text)
    if lone and not _OPEN.search(text, 0, lone.start()):
        text = text[lone.end() :]
    return _without_end(outside_code(text, _thoughtless))


def _thoughtless(prose: str) -> str:
    kept, position = "", 0
    while closing := _CLOSE.search(prose, position):
        opening = _OPEN.search(prose, position, closing.start())
        kept = _joined(kept, prose[position : opening.start()]) if opening else ""
        position = closing.end()
    unclosed = _OPEN.search(prose, position)
    return _joined(kept, prose[position : unclosed.start() if unclosed else len(prose)])


def _joined(before: str, after: str) -> str:
    return before + (after.lstrip(" ") if before.endswith(" ") else after)


def _without_end(text: str) -> str:
    """Without the tokens that end a turn, which some servers leave in."""
    text = text.rstrip()
    while end := _END.search(text, max(0, len(text) - 20)):
        text = text[: end.start()].rstrip()
    return text


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = None
    for found in pattern.finditer(text):  # noqa: B007 - the last one is wanted
        pass
    return found


def _content(content: object) -> str:
    """Text, or the text of a list of parts; anything else says nothing."""
    match content:
        case str():
            return readable(content)
        case list() | tuple():
            return "".join(_content(part.get("text") if isinstance(part, Mapping) else part) for part in content)
        case _:
            return ""


def _native(calls: object) -> list[tuple[str, str, dict[str, Any]]]:
    listed = [calls] if isinstance(calls, Mapping) else calls if isinstance(calls, list | tuple) else []
    return [(_id(call), name_of(call), arguments_of(call)) for call in listed if isinstance(call, Mapping)]


def _id(call: Mapping[Any, Any]) -> str:
    given = call.get("id")
    return given if isinstance(given, str) and given.strip() else ""


def _usage(usage: object) -> dict[str, int]:
    given: Mapping[Any, Any] = usage if isinstance(usage, Mapping) else {}
    prompt, completion = _count(given.get("prompt_tokens")), _count(given.get("completion_tokens"))
    total = _count(given.get("total_tokens")) or prompt + completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}


def _count(value: object) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
