"""The token ledger: what is sent always fits the window, and the question and the rules are never pushed out.

Ollama cuts a prompt that is too long in silence, from the front, so the cut is made here (`ollama#17427`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.engine import Message, Role, ToolCall

BYTES_PER_TOKEN = 3
"""Of UTF-8, on the safe side: English has about 4, Chinese about 3 to 4."""
PER_MESSAGE = 8
"""Tokens that a chat template adds to a message."""
MARGIN = 64
LINE_CHARS = 120
CLIP_CHARS = 300


def tokens(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN + 1


def tokens_of(messages: Sequence[Message]) -> int:
    return sum(
        PER_MESSAGE
        + tokens(message.content)
        + sum(tokens(call.name) + tokens(json.dumps(call.arguments, default=str)) for call in message.tool_calls)
        for message in messages
    )


def room(num_ctx: int, max_tokens: int, tools: Sequence[Mapping[str, Any]] | None) -> int:
    """Tokens that the messages may take: the window less the reply and the tools, never less than a quarter of it."""
    offered = tokens(json.dumps(tools)) if tools else 0
    return max(num_ctx // 4, num_ctx - max_tokens - offered - MARGIN)


def fit_history(fixed: Sequence[Message], history: Sequence[Message], limit: int) -> list[Message]:
    """The newest turns of `history` that fit beside `fixed`; a turn, question and answer together, goes whole."""
    kept = list(history)
    while kept and tokens_of([*fixed, *kept]) > limit:
        del kept[: _first_turn(kept)]
    return kept


def fold_results(transcript: Sequence[Message], limit: int, *, newest_too: bool = False) -> list[Message]:
    """The transcript with its results folded from the oldest on, first to a line a hit, then to their count, until it
    is within `limit` tokens or nothing is left to fold.  The newest round is left alone unless `newest_too`."""
    folded = list(transcript)
    newest = _newest_round(folded)
    places = range(newest, len(folded)) if newest_too else range(newest)
    for fold in (_brief, _count):
        for place in places:
            if tokens_of(folded) <= limit:
                return folded
            folded[place] = fold(folded[place])
    return folded


def _first_turn(history: Sequence[Message]) -> int:
    """How many messages the oldest turn has: up to the next question."""
    return next((place for place, message in enumerate(history) if place and message.role is Role.USER), len(history))


def _newest_round(transcript: Sequence[Message]) -> int:
    calls = [place for place, message in enumerate(transcript) if message.tool_calls]
    return calls[-1] if calls else 0


def _brief(message: Message) -> Message:
    return replace(message, content=_shorter(message, _brief_hit), tool_calls=list(map(_clipped, message.tool_calls)))


def _count(message: Message) -> Message:
    return replace(message, content=_shorter(message, None), tool_calls=list(map(_clipped, message.tool_calls)))


def _shorter(message: Message, line: Callable[[dict[str, Any]], dict[str, Any]] | None) -> str:
    if message.role is not Role.TOOL:
        return str(_clip(message.content))
    content = json.loads(message.content)
    if "hits" not in content:
        return json.dumps({key: _clip(value) for key, value in content.items()}, ensure_ascii=False)
    hits = {"hits": [line(hit) for hit in content["hits"]]} if line else {}
    kept = {key: value for key, value in content.items() if key != "hits"}
    return json.dumps({**kept, **hits, "folded": True}, ensure_ascii=False)


def _clipped(call: ToolCall) -> ToolCall:
    """What a model wrote into a call can be as long as a result."""
    return replace(call, arguments={_clip(key): _clip(value) for key, value in call.arguments.items()})


def _clip(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= CLIP_CHARS else f"{text[:CLIP_CHARS]}…"


def _brief_hit(hit: dict[str, Any]) -> dict[str, Any]:
    line = str(hit.get("snippet", "")).replace("\n", " ")[:LINE_CHARS]
    return {"ref": hit.get("ref"), "title": hit.get("title"), **({"snippet": line} if line else {})}
