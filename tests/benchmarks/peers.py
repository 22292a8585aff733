"""What three libraries send for a hybrid search without a paid licence, and what they make of the answers.

Their lexical and their vector request one after the other, and a fusion by reciprocal rank in Python, over documents as
they write them: the text under the standard analyzer, the vector as the server takes it by default.

langchain-elasticsearch 1.0.0        leaves both requests to elasticsearch.helpers.vectorstore (read in 9.5.1):
                                     AsyncBM25Strategy and AsyncDenseVectorStrategy
llama-index-vector-stores-…  0.7.0   vector_stores/elasticsearch/base.py (read at run-llama/llama_index@081576d2)
elasticsearch-haystack       7.1.0   document_store.py (read at deepset-ai/haystack-core-integrations@005385bd), which
                                     names no size for the vectors, so that it turns pages of ten
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from elasticsearch import AsyncElasticsearch
from elasticsearch.helpers import async_bulk

from bot.eval.collection import Collection
from indexers.embedding import Vectors

K = 100
SHOWN = 20
RANK_CONSTANT = 60

Hits: TypeAlias = list[dict[str, Any]]
Search: TypeAlias = Callable[[AsyncElasticsearch, str, str, list[float]], Awaitable[Hits]]


async def fill(client: AsyncElasticsearch, index: str, collection: Collection) -> None:
    assert collection.embedded
    vector = {"type": "dense_vector", "dims": collection.embedded.documents.shape[1], "index": True}
    await client.indices.create(index=index, mappings={"properties": {"vector": vector | {"similarity": "cosine"}}})
    rows = zip(collection.documents, collection.embedded.documents, strict=True)
    await async_bulk(client, [_action(one.id, one.title, one.text, row) for one, row in rows], index=index)
    await client.indices.refresh(index=index)


def _action(id: str, title: str, text: str, vector: Vectors) -> dict[str, Any]:
    metadata = {"title": title, "source": "files", "access": "workspace"}
    return {"_id": id, "_source": {"text": text, "metadata": metadata, "vector": vector.tolist()}}


async def langchain(client: AsyncElasticsearch, index: str, text: str, vector: list[float]) -> Hits:
    taken: dict[str, Any] = {"size": K, "source": True, "source_includes": ["metadata", "text"]}
    match = {"bool": {"must": [{"match": {"text": {"query": text}}}], "filter": []}}
    near = {"filter": [], "field": "vector", "k": K, "num_candidates": K, "query_vector": vector}
    return _fused(
        _hits(await client.search(index=index, query=match, **taken)),
        _hits(await client.search(index=index, knn=near, **taken)),
    )


async def llama_index(client: AsyncElasticsearch, index: str, text: str, vector: list[float]) -> Hits:
    taken: dict[str, Any] = {"size": K, "source": {"excludes": ["vector"]}}
    match = {"bool": {"must": {"match": {"text": {"query": text}}}, "filter": []}}
    near = {"filter": [], "field": "vector", "query_vector": vector, "k": K, "num_candidates": 10 * K}
    return _fused(
        _hits(await client.search(index=index, query=match, **taken)),
        _hits(await client.search(index=index, knn=near, **taken)),
    )


async def haystack(client: AsyncElasticsearch, index: str, text: str, vector: list[float]) -> Hits:
    match = {"query": text, "fuzziness": "AUTO", "type": "most_fields", "operator": "OR"}
    query = {"bool": {"must": [{"multi_match": match}]}}
    near = {"field": "vector", "query_vector": vector, "k": K, "num_candidates": 10 * K}
    lexical = _hits(await client.search(index=index, from_=0, size=K, query=query))
    dense: Hits = []
    while len(dense) < K and (page := _hits(await client.search(index=index, from_=len(dense), knn=near))):
        dense += page
    return _fused(lexical, dense)


PEERS: dict[str, Search] = {
    "langchain-elasticsearch": langchain,
    "llama-index": llama_index,
    "elasticsearch-haystack": haystack,
}


def _hits(answer: Mapping[str, Any]) -> Hits:
    hits: Hits = answer["hits"]["hits"]
    return hits


def _fused(*lists: Sequence[dict[str, Any]]) -> Hits:
    scores: dict[str, float] = defaultdict(float)
    found = {}
    for hits in lists:
        for rank, hit in enumerate(hits, 1):
            scores[hit["_id"]] += 1 / (RANK_CONSTANT + rank)
            found[hit["_id"]] = hit["_source"]
    return [found[id] for id in sorted(scores, key=lambda id: (-scores[id], id))[:SHOWN]]
