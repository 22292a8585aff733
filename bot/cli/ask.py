"""`footnote ask`: one question, researched and answered."""

import json as json_
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from bot import wiring, zone
from bot.cli.links import link_of
from bot.cli.principals import audience
from bot.cli.prompt import read_line, typed, write_json
from bot.cli.running import Failed
from bot.cli.view import View
from bot.config import Config
from bot.research import Message, ResearchResult, Role, SearchHit, ToolInvocation
from bot.research.clarify import EMPTY_ANSWER, NO_ANSWER
from bot.ways import Research, without_model
from bot.web import asked, links_in


async def answer(config: Config, *, question: str, json: bool, history: Path | None, principals: list[str]) -> int:
    """1 when the engine failed, else 0."""
    question = typed(question)
    if not asked(question).question.strip():
        raise Failed("The question is empty; ask something.", 2)
    turns = read_history(history) if history else []
    who = audience(principals)
    async with (
        wiring.open_library(config) as library,
        wiring.open_writer(config) as writer,
        wiring.open_ways(config) as ways,
    ):
        search = library.search(config).for_audience(who, zone.HERE, question=question)
        known = await search.linked(next(iter(links_in(question)), ""))
        wanted = asked(question, setting=config.footnote_web, known_link=bool(known))
        way = wanted if writer.model else without_model(wanted)
        research = partial(Research, ways, way, writer.engine, search)
        run = partial(_run, question=wanted.question, turns=turns, known=known)
        if json:
            result = await run(research())
            result.warnings = list(dict.fromkeys([*result.warnings, *library.notes, *filter(None, [writer.note])]))
            write_json(as_json(result))
        else:
            console = Console(highlight=False)
            with View(console, link_of) as view:
                for note in (writer.note, *library.notes):
                    if note:
                        view.say(f"Note: {note}", style="dim")
                result = await run(research(on_event=view, clarify_handler=clarify(view)))
    return 1 if result.stop_reason == "engine_failed" else 0


async def _run(
    research: Research, *, question: str, turns: list[dict[str, str]], known: list[SearchHit]
) -> ResearchResult:
    history = [Message(Role(turn["role"]), turn["content"]) for turn in turns if turn["role"] in ("user", "assistant")]
    said = [turn.content for turn in history if turn.role is Role.USER]
    return await research.run(question, history=history, evidence=known, said=said)


def clarify(view: View) -> Callable[[str], Awaitable[str]]:
    """Asks at the prompt, with the live view out of the way."""

    async def handler(question: str) -> str:
        view.pause()
        view.say(question, style="bold")
        answer = read_line("> ")
        view.resume()
        return NO_ANSWER if answer is None else answer.strip() or EMPTY_ANSWER

    return handler


def read_history(file: Path) -> list[dict[str, str]]:
    """Earlier turns from a file; raises `Failed` for one that does not hold a JSON array of `role` and `content`."""
    try:
        turns = json_.loads(file.read_text("utf-8"))
    except OSError as error:
        raise Failed(f"The history {file} cannot be read: {error.strerror}.", 2) from None
    except ValueError:
        raise Failed(
            f"The history {file} is not JSON; it should be an array of objects with role and content.", 2
        ) from None
    if not isinstance(turns, list) or not all(map(_is_turn, turns)):
        raise Failed(f"The history {file} should be a JSON array of objects with role and content, both text.", 2)
    return [{"role": turn["role"], "content": turn["content"]} for turn in turns]


def _is_turn(turn: object) -> bool:
    return isinstance(turn, dict) and isinstance(turn.get("role"), str) and isinstance(turn.get("content"), str)


def as_json(result: ResearchResult) -> dict[str, Any]:
    return {
        "answer": result.answer,
        "sources": result.sources,
        "grounded": result.grounded,
        "stop_reason": result.stop_reason,
        "warnings": result.warnings,
        "usage": result.usage,
        "tool_calls": [_call(call) for call in result.tool_calls],
    }


def _call(call: ToolInvocation) -> dict[str, Any]:
    names = ("tool_name", "arguments", "num_results", "top_titles", "response", "error")
    return {name: getattr(call, name) for name in names}
