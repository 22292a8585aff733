"""What is of Elasticsearch alone: what it is opened for, what it is asked, and each way in which it is of no use."""

import asyncio
import json
from dataclasses import asdict, replace
from uuid import uuid4

import numpy as np
import pytest
from aiohttp import web
from elasticsearch import AsyncElasticsearch, BadRequestError

from bot.research.types import SearchFailed
from bot.search import HybridSearch
from bot.search.hybrid import UNREADABLE
from indexers.chunks import Chunk
from indexers.document import EVERYTHING
from indexers.index import DEGRADED, Entry, Filter, Fingerprint, IndexFault, IndexMismatch, IndexMissing, Question
from indexers.index.elasticsearch import each, mapping, open_elasticsearch
from indexers.index.elasticsearch.mapping import SCHEMA, Meta
from tests.fakes.corpus import FakeEmbedder, document, put
from tests.fakes.elasticsearch import (
    OTHERS,
    PRODUCT,
    Gate,
    change,
    drop,
    refuse,
    serve_answer,
    serve_other,
)

ALL = Filter(EVERYTHING)
EMBEDDER = FakeEmbedder()
QUICK = 0.02


@pytest.fixture
async def raw(elasticsearch_url):
    async with AsyncElasticsearch(elasticsearch_url) as client:
        yield client


async def opened(url, **options):
    async with open_elasticsearch(url, **{"patience": QUICK, **options}):
        pass


async def asked(text):
    return Question(text, await EMBEDDER.embed_query(text))


@pytest.mark.elasticsearch
async def test_what_was_never_indexed_is_missing_and_says_how_to_begin(elasticsearch_url):
    prefix = f"footnote-test-{uuid4().hex}"
    with pytest.raises(IndexMissing, match=f"no index {prefix}-read .*footnote index files.*footnote index migrate"):
        await opened(elasticsearch_url, prefix=prefix, patience=1)


@pytest.mark.elasticsearch
async def test_two_processes_may_make_the_index_at_once(elasticsearch_url, raw):
    prefix = f"footnote-test-{uuid4().hex}"
    async with asyncio.TaskGroup() as tasks:
        for _ in range(4):
            tasks.create_task(opened(elasticsearch_url, prefix=prefix, create=True, patience=1))
    async with open_elasticsearch(elasticsearch_url, prefix=prefix) as index:
        await put(index, document("a", "words"))
        await index.remove()
    assert not await raw.indices.exists(index=f"{prefix}-v1")


@pytest.mark.elasticsearch
async def test_the_mapping_is_strict_and_the_vectors_are_as_we_say(elasticsearch_url, prefix, raw):
    async with open_elasticsearch(elasticsearch_url, prefix=prefix) as index:
        await put(index, document("a", "words"), embedder=EMBEDDER)
    [described] = (await raw.indices.get(index=f"{prefix}-read")).values()
    mappings = described["mappings"]
    assert mappings["dynamic"] == "strict"
    embedding = mappings["properties"]["embedding"]
    assert (embedding["dims"], embedding["similarity"], embedding["index_options"]["type"]) == (
        128,
        "cosine",
        "int8_hnsw",
    )
    assert mappings["properties"]["body"]["analyzer"] == "english"
    assert mappings["_meta"] == {
        "schema": SCHEMA,
        "analyzer": "english",
        "embedding": "fake",
        "dimensions": 128,
        "prompt": "",
    }
    assert sorted(described["aliases"]) == [f"{prefix}-read", f"{prefix}-write"]


@pytest.mark.elasticsearch
@pytest.mark.parametrize(
    ("meta", "told"),
    [
        pytest.param(Meta("english", schema=SCHEMA + 1), f"schema {SCHEMA + 1}", id="another schema"),
        pytest.param(Meta("french"), "french text", id="another analyzer"),
        pytest.param(Meta("english", embedding="ollama:nomic-embed-text", prompt="old"), "other words", id="prompt"),
    ],
)
async def test_an_index_that_does_not_fit_is_refused_with_the_mend(elasticsearch_url, prefix, raw, meta, told):
    await raw.indices.put_mapping(index=f"{prefix}-write", meta=asdict(meta))
    with pytest.raises(IndexMismatch, match=f"(?s){told}.*footnote index rebuild"):
        await opened(elasticsearch_url, prefix=prefix, patience=1)


@pytest.mark.elasticsearch
async def test_an_index_that_another_version_has_put_in_its_place_is_refused_too(elasticsearch_url, prefix, raw):
    async with open_elasticsearch(elasticsearch_url, prefix=prefix) as index:
        await raw.indices.put_mapping(index=f"{prefix}-write", meta=asdict(Meta("english", schema=SCHEMA + 1)))
        with pytest.raises(IndexMismatch, match=f"schema {SCHEMA + 1}"):
            await index.expect("fake")


@pytest.mark.elasticsearch
async def test_an_index_that_is_not_ours_or_one_of_several_is_refused(elasticsearch_url, raw):
    prefix = f"footnote-test-{uuid4().hex}"
    await raw.indices.create(index=f"{prefix}-a", aliases={f"{prefix}-read": {}})
    with pytest.raises(IndexMismatch, match="schema 0"):
        await opened(elasticsearch_url, prefix=prefix, patience=1)
    await raw.indices.create(index=f"{prefix}-b", aliases={f"{prefix}-read": {}})
    with pytest.raises(IndexFault, match=f"{prefix}-read stands for 2 indices"):
        await opened(elasticsearch_url, prefix=prefix, patience=1)
    await raw.indices.delete(index=[f"{prefix}-a", f"{prefix}-b"])


@pytest.mark.elasticsearch
async def test_a_record_with_a_field_that_is_not_ours_is_refused(prefix, raw):
    with pytest.raises(BadRequestError, match="strict_dynamic_mapping_exception"):
        await raw.index(index=f"{prefix}-write", document={"document": "a", "surprise": "2024-01-15"})


@pytest.mark.elasticsearch
async def test_the_analyzer_is_a_setting(elasticsearch_url):
    prefix = f"footnote-test-{uuid4().hex}"
    async with open_elasticsearch(elasticsearch_url, prefix=prefix, create=True, analyzer="french") as index:
        await put(index, document("a", "Les congés de l'ingénieure sont accordés : PROJ-123."), document("b", "rien"))
        for query in ("congé", "accorder", "ingénieure", "PROJ-123", "proj-123", "accordés"):
            assert list((await index.rank(Question(query), ALL, 5)).lexical) == ["files:a#0"], query
        await index.remove()


@pytest.mark.elasticsearch
async def test_an_unknown_analyzer_is_a_clear_sentence(elasticsearch_url):
    with pytest.raises(IndexFault, match="FOOTNOTE_ANALYZER"):
        await opened(elasticsearch_url, prefix=f"footnote-test-{uuid4().hex}", create=True, analyzer="klingon")


@pytest.mark.elasticsearch
async def test_what_another_process_writes_is_found(elasticsearch_url, prefix):
    async with (
        open_elasticsearch(elasticsearch_url, prefix=prefix) as reader,
        open_elasticsearch(elasticsearch_url, prefix=prefix) as writer,
    ):
        assert (await reader.rank(await asked("words"), ALL, 5)).dense == {}
        await put(writer, document("a", "words"), embedder=EMBEDDER)
        ranking = await reader.rank(await asked("words"), ALL, 5)
        assert (list(ranking.lexical), list(ranking.dense)) == (["files:a#0"], ["files:a#0"])


@pytest.mark.elasticsearch
async def test_a_search_is_two_lists_in_one_request_with_the_filter_in_both(elasticsearch_url, prefix, relay):
    audience = (frozenset({"workspace", "user:U1"}), frozenset({"public", "workspace"}))
    where = Filter(audience, person="ada", sources=("files",))
    async with open_elasticsearch(relay.url, prefix=prefix) as index:
        await put(index, document("a", "words", participants=("Ada",)), embedder=EMBEDDER)
        relay.calls.clear()
        ranking = await index.rank(await asked("words"), where, 5, again=True)
        await index.vectors(list(ranking.lexical))
        await index.complete(await asked("words"), list(ranking.lexical), where)
    [call] = relay.calls
    lexical, dense = call.lines()[1:4:2]
    assert lexical["query"]["bool"]["filter"] == dense["query"]["bool"]["must"][0]["knn"]["filter"]
    assert {"terms": {"access": ["user:U1", "workspace"]}} in lexical["query"]["bool"]["filter"]
    assert len(lexical["query"]["bool"]["filter"]) == 4
    assert call.lines()[0]["allow_partial_search_results"] is False


@pytest.mark.elasticsearch
async def test_nothing_that_is_asked_needs_a_licence(prefix, relay):
    async with open_elasticsearch(relay.url, prefix=prefix) as index:
        await put(index, document("a", "some words", thread_id="t"), embedder=EMBEDDER)
        search = HybridSearch(index, EMBEDDER).for_audience(EVERYTHING)
        assert (await search.search("some words")).hits
    sent = b"".join(call.body for call in relay.calls).decode()
    for licensed in ("rrf", "linear", "retriever", "semantic", "rerank", "inference", "bbq", "script"):
        assert f'"{licensed}' not in sent


@pytest.mark.elasticsearch
@pytest.mark.parametrize("name", ["lexical", "dense"])
async def test_a_list_that_fails_leaves_the_other_and_is_told(prefix, relay, name):
    def fail(answer):
        answer["responses"][["lexical", "dense"].index(name)] = {
            "status": 500,
            "error": {"type": "x", "reason": "secret"},
        }

    async with open_elasticsearch(relay.url, prefix=prefix) as index:
        await put(index, document("a", "some words"), embedder=EMBEDDER)
        search = HybridSearch(index, EMBEDDER).for_audience(EVERYTHING)
        relay.at("/_msearch", 1, change(fail))
        results = await search.search("some words")
        assert [hit.title for hit in results.hits] == ["a"]
        assert results.warnings == [DEGRADED[name]]
        assert (await search.search("some words")).warnings == []


@pytest.mark.elasticsearch
async def test_words_are_counted_once_and_in_the_same_request(prefix, relay):
    async with open_elasticsearch(relay.url, prefix=prefix) as index:
        await put(index, document("a", "some words"))
        relay.calls.clear()
        for text in ("leave policy", "policy leave", "leave", "new leave policy"):
            await index.rank(Question(text), ALL, 5)
    counted = [
        [body for body in call.lines() if "words" in body.get("aggs", {})]
        for call in relay.calls
        if call.path.endswith("/_msearch")
    ]
    assert [len(bodies) for bodies in counted] == [1, 0, 0, 1]
    assert len(counted[-1][0]["aggs"]["words"]["filters"]["filters"]) == 2  # of the new word, and of all chunks


@pytest.mark.elasticsearch
async def test_words_that_cannot_be_counted_are_all_looked_for(prefix, relay):
    async with open_elasticsearch(relay.url, prefix=prefix) as index:
        await put(index, *(document(f"d{number}", "company news") for number in range(12)))
        relay.at("/_msearch", 1, change(lambda answer: answer["responses"].__setitem__(1, {"status": 500})))
        ranking = await index.rank(Question("company zorch wubble"), ALL, 20)
        assert (len(ranking.lexical), ranking.degraded) == (12, ())
        assert (await index.rank(Question("company zorch wubble"), ALL, 20)).lexical == {}


def late(answer):
    answer["responses"][0]["timed_out"] = True


def partial(answer):
    answer["responses"][0]["_shards"] = {"failed": 1}


def broken(answer):
    answer["responses"][0] = {"status": 400, "error": {"type": "parsing_exception", "reason": "the text of a document"}}


@pytest.mark.elasticsearch
@pytest.mark.parametrize(
    ("edit", "told"), [(late, "a part of the index"), (partial, "a part of the index"), (broken, "refused")]
)
async def test_what_is_late_partial_or_refused_is_no_answer(prefix, relay, edit, told):
    async with open_elasticsearch(relay.url, prefix=prefix, patience=QUICK) as index:
        await put(index, document("a", "words"))
        asks = {
            "rank": lambda: index.rank(Question("words"), ALL, 5),
            "complete": lambda: index.complete(Question("words"), ["files:a#0"], ALL),
            "passages": lambda: index.passages(["files:a#0"], ALL),
            "recent": lambda: index.recent(ALL, 5),
            "sources": lambda: index.sources(EVERYTHING),
        }
        for name, ask in asks.items():
            relay.at("/_msearch", 1, change(edit))
            with pytest.raises(IndexFault, match=told) as fault:
                await ask()
            assert "document" not in str(fault.value), name


@pytest.mark.elasticsearch
async def test_a_server_that_is_slow_or_gone_is_a_failed_search_that_names_no_address(prefix, relay):
    async with open_elasticsearch(relay.url, prefix=prefix, patience=QUICK) as index:
        await put(index, document("a", "words", url="https://x.test/a"))
        search = HybridSearch(index, EMBEDDER).for_audience(EVERYTHING)
        asks = [
            lambda: search.search("words"),
            lambda: search.search("", sources=["files"]),
            lambda: search.linked("https://x.test/a"),
            search.available_sources,
        ]
        slow = Gate()
        for act in (slow, drop, refuse(503), refuse(404, "index_not_found_exception")):
            for ask in asks:
                relay.at("/_msearch", 1, act, times=9)
                with pytest.raises(SearchFailed) as failure:
                    await ask()
                assert str(failure.value) == UNREADABLE
                relay.heal()
        slow.opened.set()
        assert [hit.title for hit in (await search.search("words")).hits] == ["a"]


@pytest.mark.elasticsearch
@pytest.mark.parametrize("act", [drop, refuse(429), refuse(503)], ids=["a lost connection", "429", "503"])
async def test_what_fails_once_is_tried_again(prefix, relay, act):
    async with open_elasticsearch(relay.url, prefix=prefix, patience=QUICK) as index:
        await put(index, document("a", "words"))
        relay.at("/_msearch", 1, act)
        assert list((await index.rank(Question("words"), ALL, 5)).lexical) == ["files:a#0"]
        for number, path in enumerate(("/_mget", "/_refresh", "/_bulk")):
            relay.at(path, 1, act)
            await put(index, document("a", f"words {number}"))
        relay.heal()
        relay.at("/_msearch", 1, refuse(503), times=9)
        with pytest.raises(IndexFault, match="busy"):
            await index.rank(Question("words"), ALL, 5)


@pytest.mark.elasticsearch
async def test_half_a_character_in_a_filter_finds_nothing(elasticsearch_url, prefix):
    async with open_elasticsearch(elasticsearch_url, prefix=prefix) as index:
        await put(index, document("a", "words"), embedder=EMBEDDER)
        where = Filter(EVERYTHING, "\ud83d", sources=("\ud83d",))
        assert not (await index.rank(await asked("words"), where, 5)).lexical
        assert (await index.rank(await asked("words"), ALL, 5)).dense


@pytest.mark.elasticsearch
@pytest.mark.parametrize("name", ["𠀀" * 600, "é" * 999, "a" * 1_200, "* " * 600])
async def test_a_very_long_person_is_nobody(prefix, elasticsearch_url, name):
    async with open_elasticsearch(elasticsearch_url, prefix=prefix) as index:
        await put(index, document("a", "words", participants=("Ada",)))
        assert not (await index.rank(Question("words"), Filter(EVERYTHING, name), 5)).lexical


ANYTHING = ["<html>Sign in</html>", "[]", "null", '"hi"', "{}", '{"responses": []}', '{"responses": [1, 2]}']
ANYTHING += ['{"responses": [{"status": 500, "error": "boom"}, {"status": 500, "error": []}]}']
ANYTHING += ['{"responses": [{"status": 200}, {"status": 200}]}']


@pytest.mark.elasticsearch
@pytest.mark.parametrize("said", ANYTHING)
async def test_an_answer_that_is_none_of_elasticsearch_is_a_failed_search(prefix, relay, said):
    async def answer(call):
        return web.Response(text=said, content_type="application/json", headers=PRODUCT)

    async with open_elasticsearch(relay.url, prefix=prefix, patience=QUICK) as index:
        relay.at("/_msearch", 1, answer, times=9)
        with pytest.raises(IndexFault, match=r"is not Elasticsearch|refused the request"):
            await index.rank(Question("words"), ALL, 5)
        with pytest.raises(SearchFailed):
            await HybridSearch(index).for_audience(EVERYTHING).search("words")


@pytest.mark.elasticsearch
@pytest.mark.parametrize(
    "meta", [{"created_by": "x"}, {"schema": SCHEMA}, {"schema": SCHEMA, "analyzer": "english", "dimensions": "x"}]
)
async def test_what_another_program_notes_in_an_index_is_no_schema_of_ours(raw, elasticsearch_url, meta):
    prefix = f"footnote-test-{uuid4().hex}"
    await raw.indices.create(index=f"{prefix}-v1", aliases={f"{prefix}-read": {}}, mappings={"_meta": meta})
    with pytest.raises(IndexMismatch, match="schema 0"):
        await opened(elasticsearch_url, prefix=prefix)
    await raw.indices.delete(index=f"{prefix}-v1")


async def test_a_server_that_is_down_is_named_with_the_mend(unused_tcp_port):
    with pytest.raises(IndexFault, match=r"does not answer at http://127\.0\.0\.1:.*ELASTICSEARCH_URL"):
        await opened(f"http://somebody:secret@127.0.0.1:{unused_tcp_port}")


REFUSED = {
    "older": (
        400,
        {"error": {"type": "media_type_header_exception", "reason": "x"}, "status": 400},
        "older than version 9",
    ),
    "no key": (401, {"error": {"type": "security_exception"}, "status": 401}, "ELASTICSEARCH_API_KEY"),
    "too narrow a key": (403, {"error": {"type": "security_exception"}, "status": 403}, "ELASTICSEARCH_API_KEY"),
    "busy": (429, {"error": {"type": "circuit_breaking_exception"}, "status": 429}, "too busy"),
    "a path that is not its own": (400, {"error": "no handler found for uri [/es/x] and method [GET]"}, "the path in"),
    "no master": (503, {"error": {"type": "master_not_discovered_exception"}, "status": 503}, "too busy or not whole"),
}


@pytest.mark.parametrize(("status", "body", "told"), REFUSED.values(), ids=REFUSED)
async def test_a_refusal_is_one_sentence(status, body, told):
    async with serve_answer(json.dumps(body), status=status, headers=PRODUCT) as url:
        with pytest.raises(IndexFault, match=told):
            await opened(url)


TOLD = {"version 8": "older than version 9; upgrade it", "version 7": "older than version 9; upgrade it"}


@pytest.mark.parametrize("create", [False, True], ids=["reading", "writing"])
@pytest.mark.parametrize("name", OTHERS)
async def test_what_is_no_elasticsearch_9_is_said_to_be_none(name, create):
    async with serve_other(OTHERS[name]) as url:
        told = TOLD.get(name, "is not Elasticsearch; correct ELASTICSEARCH_URL")
        with pytest.raises(IndexFault, match=told) as fault:
            await opened(url, create=create)
        assert type(fault.value) is IndexFault


async def test_an_answer_that_cannot_be_read_is_said_to_be_none():
    async with serve_answer("<html>", headers=PRODUCT) as url:
        with pytest.raises(IndexFault, match="is not Elasticsearch; correct ELASTICSEARCH_URL, or look at the proxy"):
            await opened(url)


@pytest.mark.parametrize("said", ["[]", "null", '"hi"', "{}", '{"a": 1}', '{"a": {}}', '{"a": {"mappings": "b"}}'])
async def test_an_answer_that_describes_no_index_is_said_to_be_none(said):
    async with serve_answer(said, headers=PRODUCT) as url:
        with pytest.raises(IndexFault, match="is not Elasticsearch; correct ELASTICSEARCH_URL, or look at the proxy"):
            await opened(url)


async def test_a_server_that_never_answers_is_given_up():
    async def accept(reader, writer):
        accepted.append(writer)

    accepted = []
    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        with pytest.raises(IndexFault, match="did not answer in time"):
            await opened(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", patience=0.01)
    finally:
        server.close()
        for writer in accepted:
            writer.close()


def test_a_prompt_is_known_by_the_name_of_the_model():
    meta = Meta("english").with_vectors("ollama:nomic-embed-text:v1.5", 768)
    assert meta.prompt == "search_query: |search_document: "
    mapping.check(meta, "english")
    mapping.check(replace(meta, embedding="minilm-l6-v2", prompt=""), "english")


@pytest.mark.elasticsearch
async def test_what_may_not_be_seen_yet_hides_nothing_else(elasticsearch_url, prefix, relay):
    many = "\n\n".join(f"# Leave {number}\n\n" + "The leave policy, once more. " * 60 for number in range(150))
    async with open_elasticsearch(elasticsearch_url, prefix=prefix) as reader:
        await put(reader, document("small", "Something of the leave, at length."), embedder=EMBEDDER)
        async with open_elasticsearch(relay.url, prefix=prefix, patience=QUICK) as writer:
            relay.at("/_bulk", 3, drop, times=99)
            with pytest.raises(IndexFault):
                await put(writer, document("big", many), embedder=EMBEDDER)
        staged = [call for call in relay.calls if call.path.endswith("/_bulk")]
        assert sum(b'"chunk"' in line for call in staged for line in call.body.splitlines()) > 100
        for again in (False, True):
            ranking = await reader.rank(await asked("leave policy"), ALL, 100, again=again)
            assert list(ranking.lexical) == list(ranking.dense) == ["files:small#0"]


@pytest.mark.elasticsearch
@pytest.mark.parametrize("number", [30, 31])
async def test_equal_vectors_are_equally_near(elasticsearch_url, prefix, number):
    chance = np.random.default_rng(7)
    vectors = chance.normal(size=(1, 384)).astype(np.float32)
    names = [f"d{one:03}" for one in range(number)]
    entries = [
        Entry(document(name, name), [Chunk(0, (), name)], vectors, Fingerprint(name, "", "fake"))
        for name in reversed(names)
    ]
    async with open_elasticsearch(elasticsearch_url, prefix=prefix) as index:
        async for outcome in index.write_all(each(entries)):
            assert outcome.written
        for _ in range(9):
            near = Question("zorch", chance.normal(size=384).astype(np.float32))
            for again in (False, True):
                dense = (await index.rank(near, ALL, 10, again=again)).dense
                assert list(dense) == [f"files:{name}#0" for name in names[:10]]


@pytest.mark.elasticsearch
async def test_which_of_many_equals_are_found_does_not_depend_on_when_they_were_written(elasticsearch_url, prefix):
    async with open_elasticsearch(elasticsearch_url, prefix=prefix) as index:
        equals = [document(f"d{number:03}", "The leave policy.", title="Leave") for number in range(60)]
        await put(index, *equals, embedder=EMBEDDER)
        first = [f"files:d{number:03}#0" for number in range(9)]
        for _ in range(2):
            for again in (False, True):
                ranking = await index.rank(await asked("leave policy"), ALL, 9, again=again)
                assert list(ranking.lexical) == list(ranking.dense) == first
            await put(index, *(replace(one, url="https://x.test/") for one in equals[:5]), embedder=EMBEDDER)
