"""`footnote feedback export`: the answers that people found bad, each as a case that can be run again."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import typer

from bot import wiring
from bot.cli.index import count
from bot.cli.running import Failed
from bot.config import Config
from bot.eval.case import Case, case_of
from bot.store import Feedback


async def export(config: Config, folder: Path) -> int:
    """A file a case; one that is there already is written anew."""
    async with wiring.open_state(config) as store:
        opinions = await store.feedback(good=False)
    cases = [case for case in map(case_of, opinions) if case is not None]
    await asyncio.to_thread(_write, folder, cases)
    typer.echo(f"Wrote {count(len(cases), 'case')} to {folder}.")
    private = sum(_is_private(opinion) for opinion in opinions)
    if private:
        typer.echo(
            f"Note: {private} of them from direct messages or private answers, with what only their asker may read.",
            err=True,
        )
    if len(cases) < len(opinions):
        gone = len(opinions) - len(cases)
        typer.echo(f"Left out {gone}, of which it is not kept any more how the answer came to be.", err=True)
    return 0


def _is_private(opinion: Feedback) -> bool:
    run = opinion.trace if case_of(opinion) else None
    return run is not None and (run.channel.startswith("D") or bool(run.asked.get("origin")))


def _write(folder: Path, cases: Sequence[Case]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for case in cases:
            file = folder / f"{re.sub(r'[^A-Za-z0-9.]+', '-', case.id)}.json"
            file.touch(mode=0o600)
            file.write_text(case.model_dump_json(indent=2), "utf-8")
    except OSError as error:
        raise Failed(f"{error.filename or folder} cannot be written: {error.strerror}. Name another folder.") from error
