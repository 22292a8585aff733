"""An `Engine` without a model: one search with the question as it stands, then the best passages, quoted and cited."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.engine import Message, Role
from bot.language import detect
from bot.sentences import EXTRACTIVE, NOTHING_FOUND, SEARCH_FAILED, SEARCH_FAILED_WEB, sentence

MOST = 4
"""Passages in an answer."""
LEAST_SCORE = 0.4
"""Of the best one's score; what is below is left out."""
LINES = 12

_FENCED = re.compile(r"^=== BEGIN EVIDENCE (\S+) ===\n(.*?)\n=== END EVIDENCE \1 ===$", re.DOTALL | re.MULTILINE)
_PAGE = re.compile(
    r"^\[(\d+)\] ([^\n]*)\nURL: [^\n]*\n=== BEGIN WEB PAGE (\S+) ===\n(.*?)\n=== END WEB PAGE \3 ===$",
    re.DOTALL | re.MULTILINE,
)
_WEB_FAILED = "A web search was asked for and did not work"
"""How `bot.web` begins what it gives the model then."""
_NUMBERED = re.compile(r"\[(\d+)\] (.*)")
_MARK = re.compile(
    r"\\?[\[【［]{1,2}\s*((?:\^|#|[^\W\d_]{1,12}\.?\s*:?\s*#?\s*)?\d[^\[\]【】［］\n]{0,60}?)\\?[\]】］]{1,2}"
)
"""Whatever may be read as a footnote mark, in any of the ways in which they are written."""


@dataclass(frozen=True, slots=True)
class _Passage:
    ref: int
    title: str
    text: str
    score: float = 0.0


class ExtractiveEngine:
    """`reason` says why there is no model, and the mend: for a surface that speaks to the operator.  It is not put
    into answers, whose readers can do nothing about it."""

    def __init__(self, reason: str = "") -> None:
        self.reason = reason

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
        question = _question(messages)
        results = [message for message in messages if message.role is Role.TOOL]
        if tools and not results:
            call = {"id": "call_0", "name": "search", "arguments": {"query": question}}
            return {"content": "", "tool_calls": [call], "usage": {}, "done_reason": "stop"}
        failed = any(message.content.startswith(_WEB_FAILED) for message in messages if message.role is Role.USER)
        result = _object(results[-1].content) if results else {}
        text = _answer(result, _given(messages), detect(question), web_failed=failed)
        if on_text is not None:
            on_text(text)
        return {"content": text, "tool_calls": [], "usage": {}, "done_reason": "stop"}


def _question(messages: Sequence[Message]) -> str:
    """The last thing that the user said, before any search and apart from the evidence that came with it."""
    question = ""
    for message in messages:
        if message.role is Role.TOOL or message.tool_calls:
            break
        if message.role is Role.USER:
            question = _said(message.content) or question
    return question


def _said(content: str) -> str:
    """What a user message holds beside evidence; the prompt of a synthesis puts the question after it."""
    after = _FENCED.split(content)[-1]
    return content.strip() if after == content else after.rpartition("Question: ")[2].strip()


def _answer(result: dict[str, Any], given: list[_Passage], language: str, *, web_failed: bool) -> str:
    passages = _best(_found(result)) or given[:MOST]
    if passages:
        return "\n\n".join([sentence(EXTRACTIVE, language), *map(_quote, passages)])
    if web_failed:
        return f"{sentence(SEARCH_FAILED_WEB, language)}."
    if "error" in result:
        return f"{sentence(SEARCH_FAILED, language)}."
    return sentence(NOTHING_FOUND, language)


def _object(content: str) -> dict[str, Any]:
    try:
        result = json.loads(content)
    except ValueError:
        return {}
    return result if isinstance(result, dict) else {}


def _found(result: dict[str, Any]) -> list[_Passage]:
    """The hits that came with their text."""
    return [
        _Passage(hit["ref"], hit.get("title", ""), hit["snippet"], hit.get("score", 0.0))
        for hit in result.get("hits", ())
        if hit.get("snippet", "").strip()
    ]


def _given(messages: Sequence[Message]) -> list[_Passage]:
    """The pages and passages that came with the question: a numbered title, a line about it, then its text."""
    pages = [
        _Passage(int(found[1]), found[2], found[4])
        for message in messages
        if message.role is Role.USER
        for found in _PAGE.finditer(message.content)
    ]
    fenced = [found[2] for message in messages for found in _FENCED.finditer(message.content)]
    passages = pages
    for block in re.split(r"\n\n(?=\[\d+\] )", "\n\n".join(fenced)):
        first, *rest = block.split("\n")
        numbered = _NUMBERED.fullmatch(first)
        text = "\n".join(line for line in rest[1:] if not line.startswith("URL: "))
        if numbered and text.strip():
            passages.append(_Passage(int(numbered[1]), numbered[2], text))
    return passages


def _best(passages: list[_Passage]) -> list[_Passage]:
    if not passages:
        return []
    least = LEAST_SCORE * max(passage.score for passage in passages)
    unlike = {passage.text: passage for passage in reversed(passages) if passage.score >= least}
    return [passage for passage in passages if unlike.get(passage.text) is passage][:MOST]


def _quote(passage: _Passage) -> str:
    title = _plain(" ".join(passage.title.replace("*", "").split()))
    lines = [_plain(line.rstrip()) for line in passage.text.splitlines() if line.strip()]
    head = f"**{title}** [{passage.ref}]" if title else f"[{passage.ref}]"
    return "\n".join([head, *(f"> {line}" for line in lines[:LINES])])


def _plain(line: str) -> str:
    """Without marks of its own, which would point at other sources, and without code that is left open, as where a
    passage was cut, which would hide the marks that follow."""
    line = _MARK.sub(r"(\1)", line).replace("~~~", "'''")
    return line.replace("`", "'") if line.count("`") % 2 or "```" in line else line
