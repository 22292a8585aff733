"""What goes to Ollama's `/api/chat` and what comes back, without the network.

The `ollama` package is not used for chats: on the way out it drops what is nested in a tool's parameters
(`time_range.start`), the ids of calls, and `truncate` and `shift`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.engine import EngineError, Message, Role
from indexers.ollama_client import missing

USUAL_MODEL = "gemma4:31b"
BUSY = 503


def request_body(
    messages: Sequence[Message],
    *,
    model: str,
    options: Mapping[str, Any],
    tools: Sequence[Mapping[str, Any]] | None,
    think: bool | str | None,
    keep_alive: str,
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": wire_messages(messages),
        "options": dict(options),
        "stream": True,
        "keep_alive": keep_alive,
        # Without these the server cuts the oldest messages away in silence; it shall refuse instead.
        "truncate": False,
        "shift": False,
    }
    if tools:
        body["tools"] = [dict(tool) for tool in tools]
    if think is not None:
        body["think"] = think
    return body


def wire_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as Ollama takes them, all system messages folded into one at the head, in order.

    The templates of some models drop a later system message, or refuse the whole request for it.
    """
    system = [message.content for message in messages if message.role is Role.SYSTEM and message.content.strip()]
    head = [{"role": "system", "content": "\n\n".join(system)}] if system else []
    return head + [_wire(message) for message in messages if message.role is not Role.SYSTEM]


def _wire(message: Message) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message.role.value, "content": message.content}
    if message.tool_calls:
        wire["tool_calls"] = [
            {"id": call.id, "function": {"name": call.name, "arguments": dict(call.arguments)}}
            for call in message.tool_calls
        ]
    if message.role is Role.TOOL:
        # Both: some templates tell results apart by the tool's name, others by the call's id.
        wire |= {"tool_name": message.name, "tool_call_id": message.tool_call_id}
    return wire


class HalfLine(Exception):
    """The stream broke off in the middle of a line, or what came is not Ollama's."""


class Refused(Exception):
    """Ollama said no, by a status or by an error line amid the stream (status 0); `error` may hold message text."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(status)
        self.status, self.error = status, error

    @property
    def passing(self) -> bool:
        """Whether the same request may go well a moment later."""
        return self.status == BUSY or any(sign in self.error for sign in ("error parsing tool call", "unexpected EOF"))


@dataclass(slots=True)
class Reply:
    """One reply as its lines add up."""

    content: str = ""
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    done_reason: str = ""
    done: bool = False
    thought: bool = False

    def add(self, line: bytes) -> str:
        """Take in one line; the text that it brought.  Raises `Refused` and `HalfLine`."""
        part = _object(line)
        if part.get("error"):
            raise Refused(0, str(part["error"]))
        message = part.get("message") or {}
        text = str(message.get("content") or "")
        self.content += text
        self.thought = self.thought or bool(message.get("thinking"))
        self.tool_calls += [_call(call) for call in message.get("tool_calls") or ()]
        if part.get("done"):
            self._end(part)
        return text

    def _end(self, part: dict[str, Any]) -> None:
        self.done = True
        self.done_reason = str(part.get("done_reason") or "")
        self.prompt_tokens = int(part.get("prompt_eval_count") or 0)
        self.completion_tokens = int(part.get("eval_count") or 0)

    @property
    def empty(self) -> bool:
        return not (self.content or self.tool_calls)

    @property
    def lost_in_thought(self) -> bool:
        """The thinking took all the tokens that the reply had."""
        return self.thought and not (self.content.strip() or self.tool_calls) and self.done_reason == "length"

    def as_mapping(self) -> dict[str, Any]:
        total = self.prompt_tokens + self.completion_tokens
        return {
            "content": self.content,
            "tool_calls": self.tool_calls,
            "usage": {
                "prompt_tokens": self.prompt_tokens,
                "completion_tokens": self.completion_tokens,
                "total_tokens": total,
            },
            "done_reason": self.done_reason,
        }


def _object(line: bytes) -> dict[str, Any]:
    try:
        part = json.loads(line)
    except ValueError as error:
        raise HalfLine from error
    if not isinstance(part, dict):
        raise HalfLine
    return part


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function") or {}
    return {"id": call.get("id") or "", "name": function.get("name"), "arguments": function.get("arguments")}


def refusal(refused: Refused, *, model: str, host: str) -> EngineError:
    """What the refusal means, in a sentence without the server's own words, which may hold message text."""
    counts = _counts(refused.error)
    if counts:
        tokens, window = counts
        return EngineError(
            f"The question and what was found take {tokens} tokens, but {model} was given a window of {window}; "
            "raise FOOTNOTE_NUM_CTX."
        )
    if refused.status == 404:
        return EngineError(missing(model))
    for sign, sentence in SENTENCES.items():
        if sign in refused.error:
            return EngineError(sentence.format(model=model, usual=USUAL_MODEL))
    if refused.status == BUSY:
        return EngineError(f"Ollama is busy, too many requests wait for {model}; ask again in a moment.")
    if refused.status in range(300, 400) or refused.status in (401, 403):
        return EngineError(f"{host} answered {refused.status} in place of Ollama; set OLLAMA_HOST to Ollama itself.")
    how = f"answered {refused.status}" if refused.status else "broke off with an error"
    return EngineError(f"Ollama {how} for {model}; its log says why.")


SENTENCES = {
    "does not support tools": "{model} cannot call tools; set FOOTNOTE_MODEL to one that can: ollama pull {usual}",
    "does not support chat": "{model} cannot hold a conversation; set FOOTNOTE_MODEL to one that can: "
    "ollama pull {usual}",
    "error parsing tool call": "{model} wrote a tool call that Ollama could not read; ask again.",
    "system memory": "{model} needs more memory than is free; lower FOOTNOTE_NUM_CTX or choose a smaller model.",
    "unexpected EOF": "The process that runs {model} died; ask again, and look into Ollama's log if it goes on.",
    "runner process has terminated": "The process that runs {model} died; ask again, and look into Ollama's log if it "
    "goes on.",
}
"""What to say, by what the server's error holds."""


def error_text(body: bytes) -> str:
    """The error of an answer that is none."""
    try:
        return str(json.loads(body)["error"])
    except (ValueError, KeyError, TypeError):
        return ""


def _counts(error: str) -> tuple[int, int] | None:
    """The tokens of the request and of the window, where they are told: as JSON inside the error."""
    try:
        inner = json.loads(error)["error"]
        return int(inner["n_prompt_tokens"]), int(inner["n_ctx"])
    except (ValueError, KeyError, TypeError):
        return None
