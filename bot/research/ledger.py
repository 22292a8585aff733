"""The token ledger: what is sent always fits the window, and the question and the rules are never pushed out.

Ollama cuts a prompt that is too long in silence, from the front, so the cut is made here (`ollama#17427`).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bot.engine import Message, Role

BYTES_PER_TOKEN = 3
"""Of UTF-8, on the safe side: English has about 4, Chinese about 3 to 4."""
PER_MESSAGE = 8
"""Tokens that a chat template adds to a message."""
MARGIN = 64
LINE_CHARS = 120


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


def fold_results(transcript: Sequence[Message], limit: int) -> list[Message]:
    """The transcript with its oldest tool results folded, first to a line a hit, then to their count, until it is
    within `limit` tokens or nothing is left to fold.  The newest round is folded last."""
    folded = list(transcript)
    newest = _newest_round(folded)
    results = [place for place, message in enumerate(folded) if message.role is Role.TOOL]
    older, latest = [p for p in results if p < newest], [p for p in results if p >= newest]
    for places, fold in ((older, _brief), (older, _count), (latest, _brief), (latest, _count)):
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
    return _refolded(message, _brief_hit)


def _count(message: Message) -> Message:
    return _refolded(message, None)


def _refolded(message: Message, line: Any) -> Message:
    try:
        content = json.loads(message.content)
    except ValueError:
        return message
    if not isinstance(content, dict) or "hits" not in content:
        return message
    hits = {"hits": [line(hit) for hit in content["hits"]]} if line else {}
    kept = {key: value for key, value in content.items() if key != "hits"}
    shorter = json.dumps({**kept, **hits, "folded": True}, ensure_ascii=False)
    return Message(message.role, shorter, message.name, tool_call_id=message.tool_call_id)


def _brief_hit(hit: dict[str, Any]) -> dict[str, Any]:
    line = str(hit.get("snippet", "")).replace("\n", " ")[:LINE_CHARS]
    return {"ref": hit.get("ref"), "title": hit.get("title"), **({"snippet": line} if line else {})}
