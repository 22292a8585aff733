"""Reports that other projects got about searching by words and by meaning at once, each as it would show here.

The same in short; what a rule holds beyond the report is tested beside the rule, and named in `ELSEWHERE`.
"""

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from elasticsearch import AsyncElasticsearch

from bot.search import HybridSearch
from indexers.chunks import Chunk
from indexers.document import EVERYTHING
from indexers.index import Entry, Filter, Fingerprint, IndexFault, Question, document_of
from indexers.index.elasticsearch import open_elasticsearch
from indexers.index.elasticsearch.rebuilding import rebuild
from tests.fakes.corpus import DIMENSIONS, NOON, FakeEmbedder, document, put
from tests.fakes.elasticsearch import Gate, serve_relay

ALL = Filter(EVERYTHING)
EMBEDDER = FakeEmbedder()
TESTS = Path(__file__).parents[2]

ELSEWHERE = {
    "elastic/elasticsearch-py#864": "test_one_record_that_is_refused_for_a_moment_is_sent_again_alone",
    "elastic/elasticsearch-py#1085": "test_what_the_server_did_not_confirm_is_sent_again_and_nothing_is_doubled",
    "elastic/elasticsearch-py#2923, #2927; elastic/kibana#219874": "test_what_is_no_elasticsearch_9_is_said_to_be_none",
    "elastic/elasticsearch#81167": "test_a_vector_that_cannot_be_compared_leaves_the_words",
    "langchain4j/langchain4j#5383": "test_both_lists_give_exactly_what_may_be_read",
    "langchain4j/langchain4j#4017": "test_a_vector_comes_back_as_it_was_but_for_rounding",
    "i-dot-ai/redbox#203; run-llama/llama_index#12510": "test_nothing_that_is_asked_needs_a_licence",
    "run-llama/llama_index#14129": "test_filters_hold_for_words_and_meaning",
    "infiniflow/ragflow#1003, #15395": "test_vectors_of_another_model_are_refused_with_the_mend",
    "deepset-ai/haystack#2113": "test_an_asker_sees_the_same_whether_secrets_exist_or_not",
    "elastic/ai-dotnet#18": "test_a_search_is_two_lists_in_one_request_with_the_filter_in_both",
    "freelawproject/courtlistener#7219": "test_the_mapping_is_strict_and_the_vectors_are_as_we_say",
    "agno-agi/agno#10018, a crash that surfaces as nothing": "test_what_is_late_partial_or_refused_is_no_answer",
    "lancedb/lancedb#3095": "test_what_becomes_secret_is_gone_at_once_and_what_is_opened_is_there",
    "lancedb/lancedb#3352": "test_a_member_of_fifty_sees_what_all_fifty_may_read",
    "ggozad/haiku.rag#591": "test_what_was_embedded_is_searched_in_elasticsearch_without_embedding_anew",
    "opensearch-project/neural-search#1411, #1732": "test_one_document_does_not_fill_the_list",
}
"""elastic/elasticsearch-py#3290 is of a layer above the client that we do not use."""


def test_what_is_tested_elsewhere_is_there():
    written = "".join(path.read_text() for path in TESTS.rglob("test_*.py"))
    assert [name for name in ELSEWHERE.values() if f"def {name}(" not in written] == []


async def lists(index, text, where=ALL, k=50):
    """Document ids of the lexical and of the dense list, by name."""
    ranking = await index.rank(Question(text, await EMBEDDER.embed_query(text)), where, k)
    return [sorted(map(document_of, one)) for one in (ranking.lexical, ranking.dense)]


async def write(index, name, vector):
    rows = np.asarray([vector], np.float32)
    rows /= np.linalg.norm(rows)
    await index.write(document(name), [Chunk(0, (), "words")], rows, Fingerprint("", "", "fake"))


def direction(*values):
    return np.array([*values, *[0.0] * (DIMENSIONS - len(values))], np.float32)


async def test_mem0_5909_more_than_ten_are_found_by_meaning(index):
    await put(index, *(document(f"d{number}", f"leave {number}") for number in range(30)), embedder=EMBEDDER)
    ranking = await index.rank(Question("leave", await EMBEDDER.embed_query("leave")), ALL, 25)
    assert (len(ranking.lexical), len(ranking.dense)) == (25, 25)


async def test_elasticsearch_109416_what_eight_bits_take_for_equal_is_told_apart(index):
    steps = [3, 0, 5, 1, 4, 2]
    for step in steps:
        await write(index, f"d{step}", direction(1, 0.003 * step))
    question = Question("", direction(1, 1) / np.float32(np.sqrt(2)))
    dense = (await index.rank(question, ALL, 10)).dense
    assert [document_of(chunk) for chunk in dense] == [f"files:d{step}" for step in sorted(steps, reverse=True)]
    assert len(set(dense.values())) == len(steps)


async def test_elasticsearch_100975_haystack_3418_all_that_pass_a_narrow_filter_are_found(index):
    near = [document(f"d{number}", "leave") for number in range(300)]
    await put(index, *near, embedder=EMBEDDER)
    for number in range(5):
        far = document(f"slack:far{number}", "leave at last")
        opposite = -(await EMBEDDER.embed_documents(["leave"]))
        await index.write(far, [Chunk(0, (), far.text)], opposite, Fingerprint("", "", "fake"))
    question = Question("leave", await EMBEDDER.embed_query("leave"))
    ranking = await index.rank(question, Filter(EVERYTHING, sources=("slack",)), 5)
    assert len(ranking.lexical) == len(ranking.dense) == 5
    assert list(ranking.dense.values()) == pytest.approx([-1.0] * 5, abs=1e-3)


async def test_llama_index_17786_9439_any_of_several_values_is_enough(index):
    kinds = [document("slack:a", "words"), document("gmail:b", "words"), document("c", "words")]
    await put(index, *kinds, document("d", "words", access=frozenset({"user:U1", "user:U2"})), embedder=EMBEDDER)
    some = ["gmail:b", "slack:a"]
    assert await lists(index, "words", Filter(EVERYTHING, sources=("slack", "gmail"))) == [some, some]
    mine = Filter((frozenset({"user:U1", "user:U3", "group:none"}),))
    assert await lists(index, "words", mine) == [["files:d"], ["files:d"]]


async def test_llama_index_16990_21328_mem0_7157_values_with_capitals_and_spaces_are_found(index):
    odd = document(
        "My Notes:The One",
        "words",
        source="My Notes",
        participants=("Ada King Lovelace",),
        access=frozenset({"group:The Board"}),
        thread_id="Thread One",
        url="https://Wiki.test/A Page",
    )
    beside = document("My Notes:Two", "more", source="My Notes", thread_id="Thread One", timestamp=NOON + timedelta(1))
    await put(index, odd, beside, document("other", "words"), embedder=EMBEDDER)
    board = (frozenset({"group:The Board"}),)
    for where in (
        Filter(board),
        Filter(board, sources=("My Notes",)),
        Filter(EVERYTHING, person="King LOVELACE"),
    ):
        assert await lists(index, "words", where) == [[odd.id], [odd.id]]
    assert await index.linked(["https://Wiki.test/A Page"], ALL, 5) == [f"{odd.id}#0"]
    [passage] = (await index.passages([f"{odd.id}#0"], ALL)).values()
    assert [one.text for one in (await index.around([passage], EVERYTHING, 5))[f"{odd.id}#0"].after] == ["more"]


async def test_agno_10018_what_looks_like_a_date_or_a_number_is_a_name(index):
    for first, second in (("2024-01-15", "yesterday"), ("1", "one"), ("true", "maybe"), ("127.0.0.1", "home")):
        for name in (first, second):
            facts = {"title": name, "url": name, "thread_id": name, "participants": (name,), "source": name}
            one = document(f"x:{name}", name, access=frozenset({name}), **facts)
            await index.write(one, [Chunk(0, (name,), name)], None, Fingerprint(name, name))
        for name in (first, second):
            where = Filter((frozenset({name}),), person=name, sources=(name,), start=NOON, end=NOON)
            assert list((await index.rank(Question(name), where, 5)).lexical) == [f"x:{name}#0"]
            assert await index.linked([name], where, 5) == [f"x:{name}#0"]


async def test_haystack_core_integrations_125_one_word_of_many_is_enough(index):
    await put(index, document("a", "Parental leave is sixteen weeks."), document("b", "Lunch is at noon."))
    query = "how much parental time off does somebody get here in total"
    assert [document_of(one) for one in (await index.rank(Question(query), ALL, 5)).lexical] == ["files:a"]


async def test_haystack_core_integrations_3198_a_word_is_not_taken_for_another(index):
    await put(index, document("a", "Parental leave."))
    for query in ("parentel", "lave", "par*", "parentaal~2"):
        assert (await index.rank(Question(query), ALL, 5)).lexical == {}


async def test_lancedb_2649_what_is_found_by_words_is_what_was_written_last(index):
    await put(index, *(document(f"d{number}", f"first{number}") for number in range(20)))
    await put(index, *(document(f"d{number}", f"second{number}") for number in range(0, 20, 2)))
    await index.delete(f"files:d{number}" for number in range(0, 20, 4))
    for number in range(20):
        found = [f"files:d{number}#0"]
        first, second = [
            list((await index.rank(Question(f"{which}{number}"), ALL, 5)).lexical) for which in ("first", "second")
        ]
        assert (first, second) == (found if number % 2 else [], found if number % 4 == 2 else [])


@pytest.fixture
def prefix():
    return f"footnote-test-{uuid4().hex}"


@pytest.mark.elasticsearch
async def test_elasticsearch_py_2651_neural_search_1411_nothing_is_asked_that_others_broke_on(
    prefix, elasticsearch_url
):
    async with (
        serve_relay(elasticsearch_url) as relay,
        open_elasticsearch(relay.url, prefix=prefix, create=True) as index,
    ):
        await put(index, document("a", "some words", thread_id="t", participants=("Ada",)), embedder=EMBEDDER)
        search = HybridSearch(index, EMBEDDER).for_audience(EVERYTHING)
        assert (await search.search("some words", person="ada")).hits
        await search.search("", sources=["files"])
        sent = b"".join(call.body for call in relay.calls).decode()
        for broken in (
            "rank",
            "sub_searches",
            "fuzziness",
            "operator",
            "collapse",
            "excludes",
            "query_string",
            "post_filter",
        ):
            assert f'"{broken}"' not in sent
        await index.remove()


@pytest.mark.elasticsearch
def test_elasticsearch_py_2614_2051_2349_an_index_may_be_opened_in_one_event_loop_after_another(
    prefix, elasticsearch_url
):
    async def use(last):
        async with open_elasticsearch(elasticsearch_url, prefix=prefix, create=True) as index:
            await put(index, document("a", "words"), embedder=EMBEDDER)
            assert await lists(index, "words") == [["files:a"], ["files:a"]]
            if last:
                await index.remove()

    asyncio.run(use(False))
    asyncio.run(use(True))


@pytest.mark.elasticsearch
async def test_elasticsearch_py_446_464_544_a_slow_bulk_is_waited_for_longer_than_a_search(prefix, elasticsearch_url):
    bulk, search = Gate(), Gate()
    async with (
        serve_relay(elasticsearch_url) as relay,
        open_elasticsearch(relay.url, prefix=prefix, create=True, patience=0.03) as index,
    ):
        relay.at("/_bulk", 1, bulk)
        async with asyncio.TaskGroup() as tasks:
            writing = tasks.create_task(put(index, document("a", "words"), embedder=EMBEDDER))
            async with asyncio.timeout(20):
                await bulk.reached.wait()
            relay.at("/_msearch", 1, search, times=9)
            with pytest.raises(IndexFault, match="did not answer in time"):
                await index.rank(Question("words"), ALL, 5)
            assert not writing.done()
            search.opened.set()
            bulk.opened.set()
        assert relay.count("/_bulk") == 2  # the chunk, then the head; neither was sent again
        assert await lists(index, "words") == [["files:a"], ["files:a"]]
        await index.remove()


class Wide(FakeEmbedder):
    """Of another model, with vectors twice as wide."""

    async def embed_documents(self, texts, *, titles=()):
        rows = await super().embed_documents(texts, titles=titles)
        return np.concatenate([rows, rows], axis=1) / np.float32(np.sqrt(2))


@pytest.mark.elasticsearch
@pytest.mark.parametrize(
    ("embedder", "width"),
    [
        pytest.param(None, DIMENSIONS, id="elasticsearch_137173: none is lost"),
        pytest.param(Wide(name="wide"), 2 * DIMENSIONS, id="OpenMetadata_29404: none of the old model stays"),
    ],
)
async def test_every_vector_comes_through_a_rebuild(prefix, elasticsearch_url, embedder, width):
    async def entries():
        for number in range(150):
            text = f"words {number}"
            vectors = await EMBEDDER.embed_documents([text])
            yield Entry(document(f"d{number}", text), [Chunk(0, (), text)], vectors, Fingerprint(text, "", "fake"))

    ids = [f"files:d{number}#0" for number in range(150)]
    async with open_elasticsearch(elasticsearch_url, prefix=prefix, create=True) as index:
        assert [one.failure async for one in index.write_all(entries()) if one.failure] == []
        before = await index.vectors(ids)
    await rebuild(elasticsearch_url, embedder=embedder, prefix=prefix, analyzer="english")
    async with open_elasticsearch(elasticsearch_url, prefix=prefix) as index:
        after = await index.vectors(ids)
        assert after.keys() == before.keys() == set(ids)
        assert {len(vector) for vector in after.values()} == {width}
        assert all(
            after[one][:DIMENSIONS] / np.linalg.norm(after[one][:DIMENSIONS]) == pytest.approx(before[one], abs=2e-3)
            for one in ids
        )
        async with AsyncElasticsearch(elasticsearch_url) as raw:
            held = await raw.count(index=f"{prefix}-read", query={"exists": {"field": "embedding"}})
            [described] = (await raw.indices.get_mapping(index=f"{prefix}-read")).values()
        assert held["count"] == 150
        assert "_source" not in described["mappings"]
        await index.remove()
