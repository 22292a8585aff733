"""`footnote index migrate` and `footnote index rebuild`: an index goes to Elasticsearch, and is made anew there."""

import typer

from bot import wiring
from bot.cli.index import count, progress_bar
from bot.cli.running import Failed
from bot.config import Config
from bot.research.untrusted import readable
from indexers.index.elasticsearch.rebuilding import rebuild
from indexers.index.embedded import open_index
from indexers.index.migration import Moved, migrate


async def migrate_index(config: Config) -> int:
    """1 when a document could not be moved, else 0."""
    file = wiring.index_file(config)
    if config.elasticsearch_url is None:
        raise Failed("ELASTICSEARCH_URL is not set, so there is nowhere to move to; set it to your Elasticsearch.", 2)
    if not file.exists():
        raise Failed(f"There is nothing to move: no index at {file}. Index with `footnote index files PATH`.")
    async with open_index(file) as source, wiring.open_configured(config, create=True) as target:
        with progress_bar("Moving") as on_progress:
            moved = await migrate(source, target, on_progress=on_progress)
    typer.echo(_summary("Moved to Elasticsearch", moved))
    if not moved.failed:
        typer.echo(f"{file} is searched no more while ELASTICSEARCH_URL is set; delete it when you do not need it.")
    return 1 if moved.failed else 0


async def rebuild_index(config: Config) -> int:
    url = config.elasticsearch_url
    if url is None:
        raise Failed(
            "ELASTICSEARCH_URL is not set, and only an index in Elasticsearch is made anew so; delete "
            f"{wiring.index_file(config)} in place of that, and run `footnote index files PATH`.",
            2,
        )
    async with wiring.open_embedder(config) as (embedder, note):
        if embedder is None and config.footnote_embeddings != "none":
            reason = note.removeprefix(wiring.BY_WORDS_ONLY)
            raise Failed(
                f"Nothing can embed the text anew: {reason} Or take the vectors over: FOOTNOTE_EMBEDDINGS=none."
            )
        with progress_bar("Embedding" if embedder else "Copying") as on_progress:
            moved = await rebuild(url, embedder=embedder, on_progress=on_progress, **wiring.in_elasticsearch(config))
    vectors = f"vectors of {embedder.name}" if embedder else "the vectors that it had"
    typer.echo(_summary("Made anew, with " + vectors, moved))
    typer.echo("A `footnote run` under way searches the new index; restart it if another model embeds now.")
    return 0


def _summary(what: str, moved: Moved) -> str:
    for name, reason in moved.failed:
        typer.echo(f"failed: {readable(name)}: {readable(reason)}", err=True)
    parts = [f"{what}: {count(moved.documents, 'document')} ({count(moved.chunks, 'passage')})."]
    parts += [f"There already, or removed there lately: {moved.kept}."] if moved.kept else []
    parts += [f"Failed: {len(moved.failed)}."] if moved.failed else []
    return " ".join(parts)
