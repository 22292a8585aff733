"""What a real Ollama refuses, the shape of its lines, and what the fake embeds.

Its vectors are a hashed bag of words: texts that share words are near each other.
"""

import hashlib
import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

DIMENSIONS = 768
NOW = "2026-11-30T12:00:00Z"


@dataclass
class Model:
    capabilities: list[str]
    context: int = 32768
    family: str = ""


class Refused(Exception):
    """What a real server answers with an HTTP error."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status, self.error = status, error


def check(model: Model, body: dict[str, Any]) -> int:
    """Refuse the chat that a real server refuses; else the tokens of its prompt, about four characters each."""
    name, options = body["model"], body.get("options") or {}
    for option in ("num_ctx", "num_predict"):
        if not isinstance(options.get(option, 0), int):
            raise Refused(500, f'option "{option}" must be of type integer')
    for asked, capability in ((True, "chat"), (body.get("think"), "thinking"), (body.get("tools"), "tools")):
        if asked and {"chat": "completion"}.get(capability, capability) not in model.capabilities:
            raise Refused(400, f'"{name}" does not support {capability}')
    calls = [call for message in body["messages"] for call in message.get("tool_calls") or ()]
    if not all(isinstance(call["function"]["arguments"], dict) for call in calls):
        raise Refused(400, "Value looks like object, but can't find closing '}' symbol")
    return _fitting(model, body, options)


def _fitting(model: Model, body: dict[str, Any], options: dict[str, Any]) -> int:
    sizes = [len(message.get("content") or "") // 4 for message in body["messages"]]
    window, tokens = min(options.get("num_ctx", 4096), model.context), sum(sizes)
    whole = body.get("truncate") is False and body.get("shift") is False
    if tokens > window and (whole or max(sizes) > window):
        message = f"request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
        error = {"code": 400, "message": message, "type": "exceed_context_size_error"}
        raise Refused(400, json.dumps({"error": error | {"n_prompt_tokens": tokens, "n_ctx": window}}))
    return min(tokens, window)


def embed(body: dict[str, Any], context: int) -> dict[str, Any]:
    """The reply to one request to `/api/embed`, for a model that reads `context` words."""
    texts = _texts(body.get("input"))
    words = [re.findall(r"\w+", text.lower()) for text in texts]
    if body.get("truncate") is False and any(len(each) > context for each in words):
        raise Refused(400, "the input length exceeds the context length")
    width = min(body.get("dimensions") or DIMENSIONS, DIMENSIONS)  # more than it has is ignored in silence
    return {
        "embeddings": [_unit(_bag(each[:context])[:width]) for each in words],
        "total_duration": 1,
        "load_duration": 1,
        "prompt_eval_count": sum(min(len(each), context) for each in words),
    }


def _texts(given: Any) -> list[str]:
    if given is None or given == "" or given == []:
        return []
    texts = [given] if isinstance(given, str) else given
    if not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
        raise Refused(400, "invalid input type")
    return texts


def _bag(words: list[str]) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for word in words or ["<nothing>"]:
        digest = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
        vector[digest % DIMENSIONS] += 1.0 if digest >> 63 else -1.0
    return vector


def _unit(vector: list[float]) -> list[float]:
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def call(number: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"index": 0, "name": tool, "arguments": arguments}
    return {"content": "", "tool_calls": [{"id": f"call_{number:08d}", "function": function}]}


def line(body: dict[str, Any], message: dict[str, Any], *, done: bool = False, **more: Any) -> dict[str, Any]:
    return {
        "model": body["model"],
        "created_at": NOW,
        "message": {"role": "assistant", **message},
        "done": done,
        **more,
    }


def merged(messages: list[dict[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = defaultdict(str, role="assistant", content="")
    for message in messages:
        for key, value in message.items():
            merged[key] = merged[key] + value if isinstance(value, str) else value
    return dict(merged)
