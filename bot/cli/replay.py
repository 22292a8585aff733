"""`footnote eval replay`: answers that people found bad, given again."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from bot import wiring
from bot.cli.prompt import write_json
from bot.cli.running import Failed
from bot.config import Config
from bot.eval.case import Case, CaseError, read
from bot.eval.replay import Replayed, replay

SHOWN = 300
"""Characters of an answer in the table."""


async def run_again(config: Config, paths: Sequence[Path], *, recorded: bool, json: bool) -> int:
    """1 where recorded replies do not give the recorded answer."""
    try:
        cases = list(read(paths))
    except CaseError as error:
        raise Failed(str(error), 2) from None
    replayed = await _replayed(config, cases, recorded)
    if json:
        write_json({"cases": [_as_json(one) for one in replayed]})
    else:
        _show(Console(highlight=False), replayed)
    return int(recorded and any(not one.same and one.case.way == "documents" for one in replayed))


async def _replayed(config: Config, cases: Sequence[Case], recorded: bool) -> list[Replayed]:
    agent = partial(wiring.agent, config)
    if recorded:
        return [await replay(case, agent) for case in cases]
    async with wiring.open_writer(config) as writer:
        if writer.note:
            typer.echo(f"Note: {writer.note}", err=True)
        return [await replay(case, agent, writer.engine) for case in cases]


def _as_json(one: Replayed) -> dict[str, Any]:
    return {
        "id": one.case.id,
        "question": one.case.question,
        "reason": one.case.reason,
        "old": {"answer": one.case.answer, "sources": list(one.case.sources)},
        "new": None if one.note else {"answer": one.answer, "sources": list(one.sources), "seconds": one.seconds},
        "same": one.same,
        "note": one.note,
    }


def _show(console: Console, replayed: Sequence[Replayed]) -> None:
    table = Table("question", "old answer", "new answer", "same", show_lines=True)
    for one in replayed:
        why = f"\n({one.case.reason})" if one.case.reason else ""
        cells = (f"{one.case.question}{why}", one.case.answer, one.note or one.answer)
        table.add_row(*map(_short, cells), "yes" if one.same else "–" if one.note else "no")
    console.print(table, markup=False)


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1].rstrip()}…"
