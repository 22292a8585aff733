"""An `Embedder` over Ollama: `/api/embed` in batches, each model with the words it was trained to see."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

import httpx
import numpy as np
import ollama

from indexers.embedding import EmbeddingError, Vectors
from indexers.embedding.families import family_of
from indexers.embedding.floor import NONSENSE, PAIRS, floor_of, keep_floor, kept_floor
from indexers.embedding.vectors import filled, spread, unit_rows
from indexers.ollama_client import DEFAULT_HOST, FAILURES, missing, open_client, same_model, unreachable

logger = logging.getLogger(__name__)

KEEP_ALIVE = "30m"
SHORTEST = 200
"""Characters: a text this short that is still too long for the model will not fit in parts either."""

Item = tuple[str, str]
"""What the model wants before the text, and the text."""


class _TooLong(Exception):
    pass


class OllamaEmbedder:
    """`floor` overrides what is known or measured of the model; `floors` is the file that keeps what was measured.

    `connect` and `total` are seconds: to reach the server, and for one batch, the loading of the model included.
    """

    def __init__(
        self,
        model: str,
        *,
        host: str = DEFAULT_HOST,
        batch_size: int = 32,
        connect: float = 5,
        total: float = 300,
        retry_pause: float = 1,
        floor: float | None = None,
        floors: Path | None = None,
    ) -> None:
        self._model = model
        self._family = family_of(model)
        self._host = host
        self._batch_size = batch_size
        self._total = total
        self._retry_pause = retry_pause
        self._client = open_client(host, connect=connect)
        self._dimensions: int | None = None
        self._floors = floors
        self._measuring = asyncio.Lock()
        kept = kept_floor(floors, self.name) if floors else None
        self._floor = next((known for known in (floor, self._family.floor, kept) if known is not None), None)

    @property
    def name(self) -> str:
        return f"ollama:{self._model.removesuffix(':latest')}"

    @property
    def dimensions(self) -> int | None:
        return self._dimensions

    @property
    def floor(self) -> float:
        return self._floor or 0.0

    @property
    def languages(self) -> str:
        return self._family.languages

    async def aclose(self) -> None:
        await self._client.close()

    async def check(self) -> None:
        """Whether the server is there and has the model, without loading it.  Raises `EmbeddingError`."""
        try:
            async with asyncio.timeout(min(self._total, 10)):
                shown = await self._client.show(self._model)
        except (ollama.ResponseError, *FAILURES) as error:
            raise self._failure(error) from error
        if shown.capabilities and "embedding" not in shown.capabilities:
            raise EmbeddingError(self._makes_none())

    async def embed_documents(self, texts: Sequence[str], *, titles: Sequence[str] = ()) -> Vectors:
        places = filled(texts)
        items = [(self._family.before_document(titles[place] if titles else ""), texts[place]) for place in places]
        vectors = await self._embed(items or [("", "a")])  # of blank texts alone, the width is asked for
        return spread(vectors[: len(places)], places, len(texts))

    async def embed_query(self, text: str) -> Vectors:
        vectors = await self._embed([(self._family.query, text if text.strip() else "a")])
        async with self._measuring:
            if self._floor is None:
                self._floor = await self._measure()
        return vectors[0] if text.strip() else np.zeros_like(vectors[0])

    async def _measure(self) -> float:
        questions, passages = zip(*PAIRS, strict=True)
        queries = [(self._family.query, text) for text in (*questions, *NONSENSE)]
        rows = await self._embed([*queries, *((self._family.before_document(""), text) for text in passages)])
        count = len(PAIRS)
        floor = floor_of(rows[len(queries) :], rows[:count], rows[count : len(queries)])
        logger.info("Measured the floor of %s: a cosine of %.3f.", self.name, floor)
        if self._floors is not None:
            keep_floor(self._floors, self.name, floor)
        return floor

    async def _embed(self, items: list[Item]) -> Vectors:
        rows: list[Sequence[float]] = []
        for start in range(0, len(items), self._batch_size):
            rows += await self._batch(items[start : start + self._batch_size])
        vectors = unit_rows(rows, count=len(items), dimensions=self._dimensions, name=self._model)
        self._dimensions = vectors.shape[1]
        return vectors

    async def _batch(self, items: list[Item]) -> list[Sequence[float]]:
        try:
            return await self._request(items)
        except _TooLong:
            if len(items) == 1:
                return [await self._in_parts(*items[0])]
        # The server refuses the batch and does not say for which text.
        half = len(items) // 2
        return [*await self._batch(items[:half]), *await self._batch(items[half:])]

    async def _in_parts(self, before: str, text: str) -> Sequence[float]:
        """The mean of the halves' vectors, so that nothing of a long text is lost in silence."""
        if len(text) <= SHORTEST:
            raise EmbeddingError(f"{self._model} takes not even {SHORTEST} characters; use another embedding model.")
        logger.warning("A text of %d characters is too long for %s; it is embedded in parts.", len(text), self._model)
        middle = text.rfind(" ", len(text) // 4, len(text) // 2) + 1 or len(text) // 2
        first, second = await self._batch([(before, text[:middle]), (before, text[middle:])])
        return list(np.asarray(first) * middle + np.asarray(second) * (len(text) - middle))

    async def _request(self, items: list[Item]) -> list[Sequence[float]]:
        texts = [before + text for before, text in items]
        try:
            return await self._post(texts)
        except EmbeddingError as error:
            if not _passing(error.__cause__):
                raise
        await asyncio.sleep(self._retry_pause)
        return await self._post(texts)

    async def _post(self, texts: list[str]) -> list[Sequence[float]]:
        # No options: a window of its own would make the server load the model again for every other caller.
        try:
            async with asyncio.timeout(self._total):
                reply = await self._client.embed(self._model, texts, truncate=False, keep_alive=KEEP_ALIVE)
        except ollama.ResponseError as error:
            if "exceeds the context length" in error.error:
                raise _TooLong from error
            raise self._failure(error) from error
        except FAILURES as error:
            raise self._failure(error) from error
        return list(reply.embeddings)

    def _failure(self, error: Exception) -> EmbeddingError:
        match error:
            case ollama.ResponseError(status_code=404):
                return EmbeddingError(missing(self._model))
            case ollama.ResponseError() if "does not support embed" in error.error:
                return EmbeddingError(self._makes_none())
            case ollama.ResponseError():
                # Its own words may hold the text that was sent.
                return EmbeddingError(f"Ollama answered {error.status_code} for {self._model}; its log says why.")
            case httpx.ConnectTimeout() | ConnectionError():
                return EmbeddingError(unreachable(self._host))
            case TimeoutError() | httpx.TimeoutException():
                return EmbeddingError(f"{self._model} gave no vectors within {self._total:g} s; is Ollama overloaded?")
            case ValueError() | TypeError() | AttributeError():
                return EmbeddingError(f"What answers at {self._host} is not Ollama; set OLLAMA_HOST to where it runs.")
        return EmbeddingError(f"The connection to Ollama at {self._host} broke off; is it still running?")

    def _makes_none(self) -> str:
        usual = "embeddinggemma"
        other = "" if same_model(self._model, usual) else f", such as {usual}: ollama pull {usual}"
        return f"{self._model} makes no vectors; set FOOTNOTE_EMBED_MODEL to a model that does{other}"


def _passing(cause: BaseException | None) -> bool:
    """Whether another try may go well: the server was busy, or its model's process died."""
    if isinstance(cause, ollama.ResponseError):
        return cause.status_code == 503 or "unexpected EOF" in cause.error
    return isinstance(cause, httpx.TransportError) and not isinstance(cause, httpx.TimeoutException)
