"""Opens every client once and closes it once: the index, what embeds, what generates.

What is missing is no error here, as long as something can be done without it: it becomes a note that names the mend.
"""

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

from bot import zone
from bot.config import Config
from bot.engine import Engine
from bot.engine.extractive import ExtractiveEngine
from bot.engine.ollama import Limits, OllamaEngine
from bot.research import Event, ResearchAgent, RunState, Search
from bot.search import Fusion, HybridSearch
from bot.store import Store, elasticsearch
from bot.store.elasticsearch import ElasticsearchDocuments
from bot.store.sqlite import open_store
from bot.ways import Ways
from bot.web import answer as answer_from_the_web
from bot.web import open_web, settings_from
from indexers.embedding import Embedder, EmbeddingError
from indexers.embedding.fetch import minilm_folder
from indexers.embedding.minilm import MiniLmEmbedder
from indexers.embedding.ollama import OllamaEmbedder
from indexers.index import Index
from indexers.index.elasticsearch import open_elasticsearch, scratch_elasticsearch
from indexers.index.embedded import open_index

OLLAMA = "ollama:"
"""What the names of Ollama's embedders begin with, in an index."""
BY_WORDS_ONLY = "Search is by words only, not by meaning: "
"""What a note on a missing embedder begins with."""


class InElasticsearch(TypedDict):
    """How an index is opened there, but for the address."""

    api_key: str
    ca_certs: Path | None
    prefix: str
    analyzer: str


@dataclass(frozen=True, slots=True)
class Library:
    """An open index, and what embeds for it; `notes` say what is missing."""

    index: Index
    embedder: Embedder | None
    notes: tuple[str, ...] = ()

    def search(self, config: Config) -> HybridSearch:
        return HybridSearch(
            self.index,
            self.embedder,
            fusion=fusion(config),
            floor=config.footnote_floor,
            fresh_days=config.footnote_freshness_days,
            read_more=config.footnote_read_more,
        )


@dataclass(frozen=True, slots=True)
class Writer:
    """What generates; `model` is empty where no model does, and `note` then says why and what mends it."""

    engine: Engine
    model: str
    note: str = ""

    async def state(self) -> str:
        """What there is of the model now, in a few words."""
        if not isinstance(self.engine, OllamaEngine):
            return "none, passages are quoted"
        status = await self.engine.check(self.model)
        return self.model if status.usable else f"{self.model} cannot be used now"


def fusion(config: Config) -> Fusion:
    return Fusion(
        candidates=config.footnote_candidates,
        lexical_weight=config.footnote_lexical_weight,
        completion=config.footnote_completion == "on",
        feedback=config.footnote_feedback,
        reciprocal_rank=config.footnote_fusion == "ranks",
    )


def index_file(config: Config) -> Path:
    return config.footnote_home / "index.sqlite"


@asynccontextmanager
async def open_library(config: Config, *, create: bool = False) -> AsyncIterator[Library]:
    """The index, with what made its vectors, or else what is configured.  Raises `IndexFault`."""
    async with (
        open_configured(config, create=create) as index,
        open_embedder(config, await index.embedding()) as (embedder, note),
    ):
        yield Library(index, embedder, (note,) if note else ())


def open_configured(config: Config, *, create: bool = False) -> AbstractAsyncContextManager[Index]:
    """The index in the Elasticsearch that is set, else the one in `FOOTNOTE_HOME`."""
    if config.elasticsearch_url is None:
        return open_index(index_file(config), create=create)
    return open_elasticsearch(config.elasticsearch_url, **in_elasticsearch(config), create=create)


def state_file(config: Config) -> Path:
    return config.footnote_home / "state.sqlite"


def open_state(config: Config) -> AbstractAsyncContextManager[Store]:
    """What the bot keeps: in the Elasticsearch that is set, for several replicas, else in `FOOTNOTE_HOME`."""
    return open_store(state_file(config)) if config.elasticsearch_url is None else _state_in_elasticsearch(config)


@asynccontextmanager
async def _state_in_elasticsearch(config: Config) -> AsyncIterator[Store]:
    async with open_elasticsearch_state(config) as documents:
        yield Store(documents)


def open_elasticsearch_state(config: Config) -> AbstractAsyncContextManager[ElasticsearchDocuments]:
    """What the bot keeps in the Elasticsearch that is set."""
    return elasticsearch.open_documents(
        config.elasticsearch_url or "",
        api_key=config.elasticsearch_api_key.get_secret_value(),
        ca_certs=config.elasticsearch_ca_certs,
        prefix=config.elasticsearch_prefix,
    )


@asynccontextmanager
async def open_scratch(config: Config) -> AsyncIterator[Index]:
    """An empty index of the configured kind, beside the user's own, which is gone afterwards."""
    if config.elasticsearch_url is None:
        with tempfile.TemporaryDirectory(prefix="footnote-") as folder:
            async with open_index(Path(folder) / "index.sqlite", create=True) as index:
                yield index
    else:
        async with scratch_elasticsearch(config.elasticsearch_url, **in_elasticsearch(config)) as there:
            yield there


def in_elasticsearch(config: Config) -> InElasticsearch:
    return {
        "api_key": config.elasticsearch_api_key.get_secret_value(),
        "ca_certs": config.elasticsearch_ca_certs,
        "prefix": config.elasticsearch_prefix,
        "analyzer": config.footnote_analyzer,
    }


@asynccontextmanager
async def open_embedder(config: Config, stored: str = "") -> AsyncIterator[tuple[Embedder | None, str]]:
    """What embeds, or none and a note that says why.  What made the vectors that are `stored` comes first, since only
    its vectors compare with them."""
    async with AsyncExitStack() as clients:
        yield await _embedder(config, stored, clients)


@asynccontextmanager
async def open_writer(config: Config) -> AsyncIterator[Writer]:
    """Ollama, where it answers, has the model, and the model can call tools; else what only quotes."""
    limits = Limits(
        connect=config.footnote_connect_timeout,
        first_token=config.footnote_first_token_timeout,
        silence=config.footnote_silence_timeout,
        total=config.footnote_step_timeout,
    )
    async with OllamaEngine(config.ollama_host, limits=limits) as engine:
        status = await engine.check(config.footnote_model)
        if status.usable:
            yield Writer(engine, config.footnote_model)
            return
        pull = f"ollama pull {config.footnote_model}"
        mend = "" if status.present or pull in status.problem else f" Then fetch the model: {pull}"
        problem = status.problem + mend
        yield Writer(ExtractiveEngine(problem), "", problem)


def agent(
    config: Config,
    engine: Engine,
    search: Search,
    *,
    on_event: Callable[[Event], None] | None = None,
    clarify_handler: Callable[[str], Any] | None = None,
    clock: Callable[[], datetime] | None = None,
    web_search: Callable[..., Any] | None = None,
    on_checkpoint: Callable[[RunState], Any] | None = None,
) -> ResearchAgent:
    """An agent as it is configured; `search` is bound to the audience of the question."""
    return ResearchAgent(
        engine,
        search,
        model=config.footnote_model,
        max_iterations=config.footnote_max_iterations,
        temperature=config.footnote_temperature,
        max_tokens=config.footnote_max_tokens,
        num_ctx=config.footnote_num_ctx,
        run_timeout=config.footnote_run_timeout,
        step_timeout=config.footnote_step_timeout,
        on_event=on_event,
        clarify_handler=clarify_handler,
        clock=clock or zone.now,
        web_search=web_search,
        on_checkpoint=on_checkpoint,
    )


@asynccontextmanager
async def open_ways(config: Config) -> AsyncIterator[Ways]:
    """What questions are answered with, the web among it; one a process, since it knows which engines rest."""
    async with open_web(settings_from(config)) as web:
        answer = partial(
            answer_from_the_web,
            model=config.footnote_model,
            temperature=config.footnote_temperature,
            max_tokens=config.footnote_max_tokens,
            num_ctx=config.footnote_num_ctx,
            step_timeout=config.footnote_step_timeout,
        )
        yield Ways(web, partial(agent, config), answer)


async def _embedder(config: Config, stored: str, clients: AsyncExitStack) -> tuple[Embedder | None, str]:
    setting, model = config.footnote_embeddings, config.footnote_embed_model
    if setting == "none":
        return None, f"{BY_WORDS_ONLY}FOOTNOTE_EMBEDDINGS is none."
    if setting == "auto" and stored.startswith(OLLAMA):
        setting, model = "ollama", stored.removeprefix(OLLAMA)
    elif setting == "auto" and stored:
        setting = "minilm"
    problems = []
    if setting != "minilm":
        try:
            return await _ollama(config, model, clients), ""
        except EmbeddingError as error:
            problems.append(str(error))
    if setting != "ollama":
        try:
            return MiniLmEmbedder(minilm_folder(config.footnote_home, config.footnote_minilm)), ""
        except EmbeddingError as error:
            problems.append(str(error))
    return None, BY_WORDS_ONLY + " Or: ".join(f"{problem.rstrip('.')}." for problem in reversed(problems))


async def _ollama(config: Config, model: str, clients: AsyncExitStack) -> OllamaEmbedder:
    embedder = OllamaEmbedder(
        model,
        host=config.ollama_host,
        connect=config.footnote_connect_timeout,
        floors=config.footnote_home / "floors.json",
    )
    clients.push_async_callback(embedder.aclose)
    await embedder.check()
    return embedder
