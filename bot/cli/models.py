"""`footnote models fetch`: the embedding model, for vectors without a server."""

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from bot.config import Config
from indexers.embedding.fetch import fetch_minilm


async def fetch_model(config: Config) -> int:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("Fetching", total=None)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(bar, description=what, completed=done, total=total or None)

        folder = await fetch_minilm(config.footnote_home, named=config.footnote_minilm, on_progress=tell)
    typer.echo(f"The embedding model all-MiniLM-L6-v2 (English) is in {folder}.")
    return 0
