"""`footnote index files`: folders and files into the index."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
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
from indexers.document import WORKSPACE
from indexers.index import Fingerprint
from indexers.reading import Extractor
from indexers.sources import SourceError
from indexers.sources.files import Files
from indexers.sources.walk import KINDS
from indexers.sync import Check, Report, sync
from indexers.sync import Progress as OnProgress

SECONDS_A_FILE = 60.0
"""Of CPU: a long PDF takes a while, and nobody waits for it as for a page."""
NAMED = 3
"""Of the kinds of access that are stored, in one sentence."""
UNSAID = frozenset({WORKSPACE})
NOTHING_TO_INDEX = (
    "There is no document to read in what you named; name a folder that holds "
    f"{', '.join(list(KINDS)[:-1])} or {list(KINDS)[-1]} files which are not hidden."
)
_BASE = re.compile(r"https?://\S+", re.IGNORECASE)


async def index_files(config: Config, *, paths: list[Path], access: list[str], base: str) -> int:
    """1 when a file failed or a PATH is missing, else 0."""
    readers = principals(access)
    if base and not _BASE.fullmatch(base):
        raise Failed(f"--url {base!r} is no web address; write https://wiki.example/handbook/ for instance.", 2)
    async with wiring.open_library(config, create=True) as library:
        report = await sync_files(library, paths, readers, base, check=None if readers else refuse_to_widen)
    for line in unread(report):
        typer.echo(line, err=True)
    notes = library.notes if has_documents(report) or report.failed else (NOTHING_TO_INDEX, *library.notes)
    for line in (summary(report), *(f"Note: {note}" for note in notes)):
        typer.echo(line)
    return 1 if report.failed else 0


def refuse_to_widen(stored: Mapping[str, Fingerprint]) -> None:
    """Raises `Failed` where a run that names no access would give some document another one than it has."""
    others = Counter(one.access for one in stored.values() if one.access not in (frozenset(), UNSAID))
    if not others:
        return
    kinds = [f"{options(access)} ({count(number, 'document')})" for access, number in others.most_common(NAMED)]
    more = [f"{len(others) - NAMED} more"] if len(others) > NAMED else []
    mend = f"give {options(next(iter(others)))}" if len(others) == 1 else "index each part with its own --access"
    raise Failed(
        f"What you named is indexed with {', '.join(kinds + more)}, and this command has no --access: {mend} again, or "
        "--access workspace to let every full member read all of it; nothing was indexed or removed.",
        2,
    )


def options(access: frozenset[str]) -> str:
    """As it is typed."""
    return " ".join(f"--access {readable(one)}" for one in sorted(access))


def has_documents(report: Report) -> bool:
    return bool(report.written + report.described + report.unchanged)


async def sync_files(
    library: wiring.Library,
    paths: list[Path],
    access: frozenset[str] = frozenset(),
    base: str = "",
    *,
    check: Check | None = None,
) -> Report:
    """Brings the index in line with the files, with a progress bar; raises `Failed` for a PATH that cannot be read."""
    async with Extractor(seconds=SECONDS_A_FILE) as extractor:
        source = Files(paths, extractor, access=access, base=base)
        with progress_bar("Indexing") as on_progress:
            try:
                return await sync(source, library.index, library.embedder, on_progress=on_progress, check=check)
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
    counts = {
        "Details updated": report.described,
        "Access widened": report.widened,
        "Unchanged": report.unchanged,
        "Removed": report.swept,
    }
    parts += [f"{what}: {count}." for what, count in counts.items() if count]
    if report.skipped:
        skipped = ", ".join(f"{count} {reason}" for reason, count in sorted(report.skipped.items()))
        parts.append(f"Skipped: {skipped}.")
    if report.failed:
        parts.append(f"Failed: {len(report.failed)}.")
    return " ".join(parts)


def count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
