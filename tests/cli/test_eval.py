"""`footnote eval retrieval`: its figures, where they come from, and what it leaves behind."""

import asyncio
import json
import signal
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch

from tests.cli.conftest import NOWHERE
from tests.fakes.collection import write_collection
from tests.fakes.elasticsearch import Gate, refuse, serve_relay
from tests.fakes.ollama import serve_ollama

METRICS = ["ndcg@10", "recall@100", "mrr"]
LEGS = ["lexical", "dense", "fused"]


@pytest.fixture
def collection(tmp_path):
    return write_collection(tmp_path / "small")


@pytest.fixture
def bare(tmp_path):
    """The same without vectors."""
    return write_collection(tmp_path / "bare", vectors=False)


@pytest.fixture(params=["embedded", pytest.param("elasticsearch", marks=pytest.mark.elasticsearch)])
def backend(request):
    """Each backend in turn; to be named before what clears the environment."""
    url = request.getfixturevalue("elasticsearch_url") if request.param == "elasticsearch" else ""
    request.getfixturevalue("env")(ELASTICSEARCH_URL=url)
    return request.param


def evaluated(footnote, folder, *arguments):
    done = footnote("eval", "retrieval", "--collection", folder, "--json", *arguments)
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_json_has_three_metrics_for_words_for_meaning_and_for_both(backend, footnote, collection):
    figures = evaluated(footnote, collection)
    assert list(figures) == LEGS
    assert all(list(one) == METRICS for one in figures.values())
    assert figures["lexical"]["recall@100"] == pytest.approx(2 / 3)
    assert figures["fused"]["ndcg@10"] > figures["dense"]["ndcg@10"] > 0


def test_the_table_says_what_was_measured_with_what(backend, footnote, collection):
    done = footnote("eval", "retrieval", "--collection", collection)
    named = {"embedded": "embedded", "elasticsearch": "Elasticsearch"}[backend]
    assert f"small: 5 documents, 3 judged queries; vectors: minilm-l6-v2; index: {named}" in done.out
    assert all(word in done.out for word in (*LEGS, "nDCG@10", "recall@100", "MRR", "0.6667"))
    assert (done.code, done.err) == (0, "")


def test_without_vectors_meaning_and_both_are_null_and_it_says_why(backend, footnote, bare):
    done = footnote("eval", "retrieval", "--collection", bare, "--json")
    assert done.err == "Note: Search is by words only, not by meaning: FOOTNOTE_EMBEDDINGS is none.\n"
    figures = json.loads(done.out)
    assert list(figures["lexical"]) == METRICS
    assert (figures["dense"], figures["fused"]) == (None, None)
    assert "–" in footnote("eval", "retrieval", "--collection", bare).out


def test_a_sweep_adds_the_figures_of_each_weight_and_the_best(backend, footnote, collection):
    figures = evaluated(footnote, collection, "--sweep")
    assert list(figures) == [*LEGS, "sweep"]
    weights = figures["sweep"]["weights"]
    assert [one["lexical_weight"] for one in weights] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert {name: weights[5][name] for name in METRICS} == figures["fused"]
    best = next(one for one in weights if one["lexical_weight"] == figures["sweep"]["best"])
    assert best["ndcg@10"] == max(one["ndcg@10"] for one in weights)


def test_the_table_of_a_sweep_names_the_setting(footnote, collection):
    out = footnote("eval", "retrieval", "--collection", collection, "--sweep").out
    assert "← best" in out
    assert "Best by nDCG@10: FOOTNOTE_LEXICAL_WEIGHT=0." in out


def test_a_sweep_without_vectors_is_refused_with_the_reason(footnote, bare):
    done = footnote("eval", "retrieval", "--collection", bare, "--sweep")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "no weight to sweep" in done.err
    assert "FOOTNOTE_EMBEDDINGS" in done.err


def test_the_settings_of_the_search_hold(footnote, env, collection):
    env(FOOTNOTE_LEXICAL_WEIGHT="1", FOOTNOTE_FEEDBACK="0")
    words = evaluated(footnote, collection, "--sweep")
    assert {name: words["sweep"]["weights"][-1][name] for name in METRICS} == words["fused"]


async def test_without_vectors_beside_it_the_configured_model_embeds(footnote, env, bare):
    async with serve_ollama() as ollama:
        env(OLLAMA_HOST=ollama.url, FOOTNOTE_EMBEDDINGS="ollama")
        figures = await asyncio.to_thread(evaluated, footnote, bare)
    assert list(figures["fused"]) == METRICS
    assert ollama.embeds


def test_the_index_of_the_user_stays_as_it_is(footnote, home, docs, collection):
    footnote("index", "files", docs)
    before = (home / "index.sqlite").read_bytes()
    evaluated(footnote, collection)
    assert (home / "index.sqlite").read_bytes() == before
    assert "Badges" not in footnote("search", "visitors sign in").out


def test_a_folder_that_is_not_there_is_2_and_one_line(footnote, tmp_path):
    done = footnote("eval", "retrieval", "--collection", tmp_path / "nowhere")
    assert (done.code, done.out, done.err) == (2, "", f"error: There is no folder {tmp_path / 'nowhere'}.\n")


def test_a_malformed_line_is_2_and_one_line(footnote, collection):
    (collection / "queries.jsonl").write_text("{\n")
    done = footnote("eval", "retrieval", "--collection", collection)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "queries.jsonl, line 1: " in done.err


def test_an_elasticsearch_that_is_down_is_one_line(footnote, env, collection):
    env(ELASTICSEARCH_URL=NOWHERE)
    done = footnote("eval", "retrieval", "--collection", collection)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"error: Elasticsearch does not answer at {NOWHERE}; start it, or correct ELASTICSEARCH_URL.\n"


@pytest.fixture
async def relay(elasticsearch_url, env, home):
    """Between the command and Elasticsearch, with a prefix of its own."""
    prefix = f"footnote-test-{uuid4().hex}"
    async with serve_relay(elasticsearch_url) as relay:
        env(ELASTICSEARCH_URL=relay.url, ELASTICSEARCH_PREFIX=prefix)
        yield relay
    with Elasticsearch(elasticsearch_url) as client:
        left = list(client.indices.get(index=f"{prefix}*"))
        for index in left:
            client.indices.delete(index=index)
    assert left == []  # whatever happened, nothing is left behind


@pytest.mark.elasticsearch
async def test_in_elasticsearch_only_a_scratch_index_is_written_under_the_prefix(footnote, relay, collection):
    await asyncio.to_thread(evaluated, footnote, collection)
    written = [call for call in relay.calls if call.method in ("PUT", "DELETE") or call.path.endswith("/_bulk")]
    names = {call.path.split("/")[1].rpartition("-")[0] for call in written}
    assert len(names) == 1
    assert "-scratch-" in names.pop()


@pytest.mark.elasticsearch
@pytest.mark.parametrize("path", ["/_bulk", "/_msearch"])
async def test_what_fails_leaves_no_index_behind(footnote, relay, collection, path):
    relay.at(path, 2, refuse(400, "broken"), times=99)
    done = await asyncio.to_thread(footnote, "eval", "retrieval", "--collection", collection)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)


@pytest.mark.elasticsearch
@pytest.mark.parametrize(("name", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_ctrl_c_and_sigterm_leave_no_index_behind(process, relay, collection, name, code):
    gate = Gate()
    relay.at("/_bulk", 1, gate)
    async with process("eval", "retrieval", "--collection", collection) as running, asyncio.timeout(30):
        await gate.reached.wait()
        running.send_signal(name)
        err = await running.stderr.read()
        assert (await running.wait(), err) == (code, b"")
    gate.opened.set()
