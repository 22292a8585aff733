"""The fresh prompt of the forced synthesis: rules, numbered evidence, question; nothing of the transcript.  No I/O."""

from collections.abc import Sequence
from datetime import datetime

from bot.engine import Message, Role
from bot.research.evidence import render_evidence
from bot.research.ledger import BYTES_PER_TOKEN, tokens_of
from bot.research.prompts import EARLIER, REPAIR, REPAIR_WITHOUT, synthesis_prompt
from bot.research.state import RunState
from bot.research.untrusted import neutralise

EARLIER_CHARS = 500
ANSWER_CHARS = 2000


def synthesis_messages(state: RunState, now: datetime, nonce: str, limit: int) -> list[Message]:
    """Within about `limit` tokens: the evidence takes what the rules and the question leave."""
    system = Message(Role.SYSTEM, "\n".join([synthesis_prompt(now), *state.hints]))
    before, after = _earlier(state), [*_asked_back(state), f"Question: {state.query}"]
    fixed = tokens_of([system, Message(Role.USER, "\n\n".join([*before, *after]))])
    evidence = render_evidence(state.refs(), nonce, (limit - fixed) * BYTES_PER_TOKEN, state.ranks())
    return [system, Message(Role.USER, "\n\n".join([*before, evidence, *after]))]


def repair_messages(messages: Sequence[Message], text: str, state: RunState) -> list[Message]:
    """The same again, with the text that cites nothing that there is, and the numbers that there are."""
    refs = state.refs()
    repair = REPAIR.format(last=len(refs)) if refs else REPAIR_WITHOUT
    return [*messages, Message(Role.ASSISTANT, text), Message(Role.USER, repair)]


def _earlier(state: RunState) -> list[str]:
    """The last turn, which gives a follow-up its referent."""
    turns = [f"{turn.role}: {neutralise(turn.content, EARLIER_CHARS)}" for turn in state.history[-2:]]
    return ["\n".join([EARLIER, *turns])] if turns else []


def _asked_back(state: RunState) -> list[str]:
    return [
        neutralise(f"Asked back: {call.arguments['question']}\nThe user's answer: {call.response}", ANSWER_CHARS)
        for call in state.charged
        if call.tool_name == "clarify"
    ]
