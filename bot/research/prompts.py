"""The system prompts, filled in, and the few words that the loop says to the planner."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

NOTHING_CONNECTED = "none. Nothing is connected yet: tell the user that a source has to be connected first."
BUDGET_SPENT = (
    "The budget of tool calls is spent; no tool is available any more. "
    "Write your synthesis now from what is above, citing as [1], [2]."
)
WRITE_NOW = "Write the final answer now from the results above, citing as [1], [2]."
EARLIER = "Earlier in this conversation:"
REPAIR = (
    "None of the numbers that you cited exists. The evidence is numbered 1 to {last}. "
    "Write the answer again, citing only those numbers, and only for what that evidence says."
)
REPAIR_WITHOUT = (
    "There is no evidence to cite. Write the answer again without any number, and say that nothing was found."
)


def system_prompt(now: datetime, sources: Sequence[str], budget: int, *, web: bool) -> str:
    text = _read("prompt.md") + (_read("prompt_web.md") if web else "")
    return text.format(now=spoken(now), sources=", ".join(sources) or NOTHING_CONNECTED, budget=budget)


def synthesis_prompt(now: datetime) -> str:
    return _read("prompt_synthesis.md").format(now=spoken(now))


def spoken(now: datetime) -> str:
    """To the minute, with the offset: without it a model reads the time as UTC and reports past meetings as coming."""
    zone = getattr(now.tzinfo, "key", None) or now.tzname()
    return f"{now.isoformat(timespec='minutes')} ({now:%A}, {zone})"


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")
