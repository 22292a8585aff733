"""`footnote index files`: folders and files into the index."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from bot import wiring
from bot.cli.principals import principals
from bot.cli.running import Failed
from bot.config import Config
from bot.research.untrusted import readable
from indexers.reading import Extractor
from indexers.sources import SourceError
from indexers.sources.files import Files
from indexers.sync import Progress as OnProgress
from indexers.sync import Report, sync

SECONDS_A_FILE = 60.0
"""Of CPU: a long PDF takes a while, and nobody waits for it as for a page."""
_BASE = re.compile(r"https?://\S+", re.IGNORECASE)


async def index_files(config: Config, *, paths: list[Path], access: list[str], base: str) -> int:
    """1 when a file failed or a PATH is missing, else 0."""
    readers = principals(access)
    if base and not _BASE.fullmatch(base):
        raise Failed(f"--url {base!r} is no web address; write https://wiki.example/handbook/ for instance.", 2)
    async with wiring.open_library(config, create=True) as library:
        report = await sync_files(library, paths, readers, base)
    for line in unread(report):
        typer.echo(line, err=True)
    for line in (summary(report), *(f"Note: {note}" for note in library.notes)):
        typer.echo(line)
    return 1 if report.failed else 0


async def sync_files(
    library: wiring.Library, paths: list[Path], access: frozenset[str] = frozenset(), base: str = ""
) -> Report:
    """Brings the index in line with the files, with a progress bar; raises `Failed` for a PATH that cannot be read."""
    async with Extractor(seconds=SECONDS_A_FILE) as extractor:
        source = Files(paths, extractor, access=access, base=base)
        with progress_bar("Indexing") as on_progress:
            try:
                return await sync(source, library.index, library.embedder, on_progress=on_progress)
            except SourceError as error:
                raise Failed(str(error)) from error


@contextmanager
def progress_bar(what: str) -> Iterator[OnProgress]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def unread(report: Report) -> list[str]:
    """A line for each file that was not read, with the reason."""
    return [f"failed: {readable(name)}: {readable(reason)}" for name, reason in report.failed]


def summary(report: Report) -> str:
    """`Indexed 3 documents (12 passages). Unchanged: 4. …`, without what was not."""
    parts = [f"Indexed {count(report.written, 'document')} ({count(report.chunks, 'passage')})."]
    counts = (("Details updated", report.described), ("Unchanged", report.unchanged), ("Removed", report.swept))
    parts += [f"{what}: {count}." for what, count in counts if count]
    if report.skipped:
        skipped = ", ".join(f"{count} {reason}" for reason, count in sorted(report.skipped.items()))
        parts.append(f"Skipped: {skipped}.")
    if report.failed:
        parts.append(f"Failed: {len(report.failed)}.")
    return " ".join(parts)


def count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
