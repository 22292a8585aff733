"""`footnote eval retrieval`: how good the search is, on questions whose answers are known."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from bot import wiring
from bot.cli.index import progress_bar
from bot.cli.prompt import write_json
from bot.cli.running import Failed
from bot.config import Config
from bot.eval.collection import Collection, CollectionError, read
from bot.eval.metrics import Metrics
from bot.eval.retrieval import Figures, best_weight, fill, measure, sweep, with_vectors

COLUMNS = ("nDCG@10", "recall@100", "MRR")


async def retrieval(config: Config, *, folder: Path, json: bool, sweeping: bool) -> int:
    try:
        collection = await asyncio.to_thread(read, folder)
    except CollectionError as error:
        raise Failed(str(error), 2) from None
    collection, note = await _embedded(config, collection)
    if sweeping and collection.embedded is None:
        raise Failed(f"Without vectors there is no weight to sweep. {note}", 2)
    fusion, floor = wiring.fusion(config), config.footnote_floor
    weights: dict[float, Metrics] = {}
    async with wiring.open_scratch(config) as index:
        await fill(index, collection, progress_bar)
        figures = await measure(index, collection, fusion, floor=floor, progress=progress_bar)
        if sweeping:
            weights = await sweep(index, collection, fusion, floor=floor, progress=progress_bar)
    best = best_weight(weights, fusion.lexical_weight) if weights else None
    if json:
        write_json(as_json(figures, weights, best))
    else:
        show(Console(highlight=False), described(folder, collection, config), figures, weights, best)
    if note:
        typer.echo(f"Note: {note}", err=True)
    return 0


async def _embedded(config: Config, collection: Collection) -> tuple[Collection, str]:
    """The collection with the vectors that lie beside it, else with those of what is configured; or without any, and a
    note that says why."""
    if collection.embedded is not None:
        return collection, ""
    async with wiring.open_embedder(config) as (embedder, note):
        if embedder is None:
            return collection, note
        return await with_vectors(collection, embedder, progress_bar), ""


def as_json(figures: Figures, weights: dict[float, Metrics], best: float | None) -> dict[str, Any]:
    """The three figures; `sweep` is there only where weights were swept."""
    legs = {"lexical": figures.lexical, "dense": figures.dense, "fused": figures.fused}
    shown: dict[str, Any] = {name: None if one is None else one.as_json() for name, one in legs.items()}
    if weights:
        swept = [{"lexical_weight": weight, **one.as_json()} for weight, one in weights.items()]
        shown["sweep"] = {"best": best, "weights": swept}
    return shown


def described(folder: Path, collection: Collection, config: Config) -> str:
    """What was measured with what, in a line."""
    vectors = "none" if collection.embedded is None else collection.embedded.name
    backend = "embedded" if config.elasticsearch_url is None else "Elasticsearch"
    documents, queries = len(collection.documents), len(collection.queries)
    name = folder.resolve().name
    return f"{name}: {documents:,} documents, {queries:,} judged queries; vectors: {vectors}; index: {backend}"


def show(console: Console, title: str, figures: Figures, weights: dict[float, Metrics], best: float | None) -> None:
    console.print(title, markup=False, soft_wrap=True)
    legs = [("lexical", figures.lexical), ("dense", figures.dense), ("fused", figures.fused)]
    console.print(_table("", legs))
    if best is not None:
        marked = ((f"{weight:.1f}{' ← best' if weight == best else ''}", one) for weight, one in weights.items())
        console.print(_table("share of the words", marked))
        console.print(f"Best by nDCG@10: FOOTNOTE_LEXICAL_WEIGHT={best:.1f}", soft_wrap=True)


def _table(first: str, rows: Iterable[tuple[str, Metrics | None]]) -> Table:
    table = Table(first)
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for name, one in rows:
        table.add_row(
            name, *(["–"] * len(COLUMNS) if one is None else [f"{value:.4f}" for value in one.as_json().values()])
        )
    return table
