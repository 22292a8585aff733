"""What generates: the seam between the research loop and a model.

Each file beside this one is one implementation: `ollama` (a local server), `extractive` (no model: quotes
passages), `scripted` (plays a list of replies, for tests), and `queue`, which lines callers up before another.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    """Parsed, never a JSON string."""


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str = ""
    name: str = ""
    """On a tool message: the tool as it was called."""
    tool_calls: list[ToolCall] = field(default_factory=list)
    tool_call_id: str = ""


class EngineError(Exception):
    """The model could not be reached, is missing, refused, stalled or broke off.

    Its text is one plain sentence that an operator can act on; it holds no secret and no message text.
    """


class ScriptExhausted(AssertionError):
    """A scripted engine was asked for more replies than it was given: a fault of the test, never of an engine."""


class Engine(Protocol):
    async def generate(
        self,
        messages: Sequence[Message],
        *,
        model: str,
        temperature: float,
        max_tokens: int,
        num_ctx: int,
        tools: Sequence[Mapping[str, Any]] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Mapping[str, Any]:
        """Generate one reply.

        `tools` are OpenAI-style specifications; None withholds them.  `on_text` is told each piece of text as
        it comes.  The reply is a mapping with `content` (str), `tool_calls` (a list of mappings with `id`,
        `name`, `arguments`), `usage` (`prompt_tokens`, `completion_tokens`, `total_tokens`) and `done_reason`
        (`stop`, `length`, …); the loop trusts none of it.  Any exception is an engine failure.
        """
        ...
