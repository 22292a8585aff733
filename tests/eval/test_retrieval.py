"""The figures of a collection, on every backend."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from bot.eval import retrieval
from bot.eval.collection import read
from bot.search import Fusion
from indexers.index import IndexFault
from indexers.index.elasticsearch import scratch_elasticsearch
from tests.fakes.elasticsearch import change, serve_relay
from tests.fakes.indexes import BACKENDS


class Shown:
    """Keeps the last that was told of each piece of work."""

    def __init__(self):
        self.told = {}

    @contextmanager
    def __call__(self, name):
        yield lambda done, total: self.told.update({name: (done, total)})


@pytest.fixture(params=BACKENDS)
async def index(request):
    async with request.param(request) as index:
        yield index


@pytest.fixture
def progress():
    return Shown()


class Embedder:
    """Puts each text in a direction of its own, by its first letter."""

    name = "letters"
    dimensions = 26
    floor = 0.5
    languages = "English"

    async def embed_documents(self, texts, *, titles=()):
        return np.stack([self._row(text) for text in texts])

    async def embed_query(self, text):
        return self._row(text)

    def _row(self, text):
        row = np.zeros(26, np.float32)
        if text:
            row[ord(text[0].lower()) - ord("a")] = 1
        return row


async def test_words_find_some_meaning_finds_others_and_both_find_all(index, collection, progress):
    found = read(collection)
    await retrieval.fill(index, found, progress)
    figures = await retrieval.measure(index, found, Fusion(), progress=progress)
    assert figures.lexical.recall == pytest.approx(2 / 3)
    assert 2 / 3 < figures.dense.mrr < 1
    assert figures.fused.ndcg > max(figures.lexical.ndcg, figures.dense.ndcg)


async def test_without_vectors_only_words_are_measured(index, collection, progress):
    found = replace(read(collection), embedded=None)
    await retrieval.fill(index, found, progress)
    figures = await retrieval.measure(index, found, Fusion(), progress=progress)
    assert figures.lexical.recall == pytest.approx(2 / 3)
    assert (figures.dense, figures.fused) == (None, None)


async def test_the_weight_is_swept_from_meaning_alone_to_words_alone(index, collection, progress):
    found = read(collection)
    await retrieval.fill(index, found, progress)
    swept = await retrieval.sweep(index, found, Fusion(feedback=0.0), progress=progress)
    assert list(swept) == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert swept[0.0].ndcg < swept[0.5].ndcg
    assert swept[0.5] == await retrieval.fused(index, found, Fusion(feedback=0.0), progress=progress)


async def test_a_collection_is_embedded_document_by_document_and_query_by_query(index, collection, progress):
    found = await retrieval.with_vectors(replace(read(collection), embedded=None), Embedder(), progress)
    assert found.embedded.documents.shape == (5, 26)
    assert not found.embedded.documents[4].any()
    assert (found.embedded.name, found.embedded.floor) == ("letters", 0.5)
    await retrieval.fill(index, found, progress)
    assert await index.embedding() == "letters"


async def test_progress_ends_with_all_of_it(index, collection, progress):
    found = read(collection)
    await retrieval.fill(index, found, progress)
    await retrieval.measure(index, found, Fusion(), progress=progress)
    searched = ("Searching by words and by meaning", "Searching by both")
    assert progress.told == {"Indexing": (5, 5), **dict.fromkeys(searched, (3, 3))}


async def test_a_query_without_direction_is_searched_by_words(index, collection, progress):
    found = read(collection)
    nowhere = replace(found.embedded, queries=np.zeros_like(found.embedded.queries))
    await retrieval.fill(index, found, progress)
    figures = await retrieval.measure(index, replace(found, embedded=nowhere), Fusion(), progress=progress)
    assert figures.dense.recall == 0
    assert figures.fused.ndcg == figures.lexical.ndcg


def test_of_equal_weights_the_nearest_to_the_present_one_is_the_best():
    low, high = retrieval.Metrics(0.1, 1, 1), retrieval.Metrics(0.2, 0, 0)
    assert retrieval.best_weight({0.0: high, 0.4: high, 0.5: low, 0.9: high}, 0.5) == 0.4


@pytest.mark.elasticsearch
async def test_a_search_of_which_half_fails_gives_no_figures(elasticsearch_url, collection, progress):
    def break_one(answer):
        answer["responses"][1] = {"status": 500, "error": {"type": "broken"}}

    found = read(collection)
    async with serve_relay(elasticsearch_url) as relay, scratch_elasticsearch(relay.url) as index:
        await retrieval.fill(index, found, progress)
        relay.at("/_msearch", 1, change(break_one))
        with pytest.raises(IndexFault, match=r"^The figures would be wrong\. "):
            await retrieval.measure(index, found, Fusion(), progress=progress)
