"""The commands with an index in Elasticsearch: what they do there, and what they say where it is of no use."""

import asyncio
import json
import signal
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch

from tests.cli.conftest import NOWHERE
from tests.fakes.elasticsearch import PRODUCT, change, refuse, serve_answer, serve_relay
from tests.fakes.ollama import serve_ollama


@pytest.fixture
def raw(elasticsearch_url):
    with Elasticsearch(elasticsearch_url) as client:
        yield client


@pytest.fixture
def there(footnote, env, elasticsearch_url, raw):
    """The command, with the index in Elasticsearch; gives the prefix of its indices there."""
    prefix = f"footnote-test-{uuid4().hex}"
    env(ELASTICSEARCH_URL=elasticsearch_url, ELASTICSEARCH_PREFIX=prefix)
    yield prefix
    for index in raw.indices.get(index=f"{prefix}-v*"):
        raw.indices.delete(index=index)


@pytest.mark.elasticsearch
def test_documents_are_indexed_there_and_found_there(footnote, there, docs, home):
    assert footnote("index", "files", docs).out.startswith("Indexed 2 documents (2 passages).")
    assert "Unchanged: 2." in footnote("index", "files", docs).out
    assert "Leave policy" in footnote("search", "paid leave").out
    assert "30 days" in json.loads(footnote("ask", "How long is paid leave?", "--json").out)["answer"]
    assert not (home / "index.sqlite").exists()


@pytest.mark.elasticsearch
@pytest.mark.parametrize("command", ["search", "ask"])
def test_where_nothing_was_indexed_the_command_that_begins_is_named(footnote, there, command):
    done = footnote(command, "leave")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "footnote index files PATH" in done.err


async def in_thread(footnote, *arguments):
    """So that the fake on this loop can answer."""
    return await asyncio.to_thread(footnote, *arguments)


COMMANDS = [["index", "files", "."], ["index", "rebuild"], ["search", "x"], ["ask", "x"]]
OF_NO_USE = {
    "version 8": (
        400,
        {"error": {"type": "media_type_header_exception"}, "status": 400},
        PRODUCT,
        "older than version 9",
    ),
    "no key": (401, {"error": {"type": "security_exception"}, "status": 401}, {}, "ELASTICSEARCH_API_KEY"),
    "a narrow key": (403, {"error": {"type": "security_exception"}, "status": 403}, PRODUCT, "ELASTICSEARCH_API_KEY"),
    "busy": (429, {"error": {"type": "circuit_breaking_exception"}, "status": 429}, PRODUCT, "try again in a moment"),
    "something else": (200, {"hello": "world"}, {}, "is not Elasticsearch; correct ELASTICSEARCH_URL"),
    "a page": (404, "<html>secret</html>", {}, "is not Elasticsearch; correct ELASTICSEARCH_URL"),
}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(("status", "body", "headers", "told"), OF_NO_USE.values(), ids=OF_NO_USE)
async def test_a_server_of_no_use_is_one_line_with_the_mend(footnote, env, command, status, body, headers, told):
    async with serve_answer(json.dumps(body), status=status, headers=headers) as url:
        env(ELASTICSEARCH_URL=url, ELASTICSEARCH_API_KEY="hush")
        done = await in_thread(footnote, *command)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert told in done.err
    assert url in done.err
    assert not {"secret", "hush", "Traceback"} & set(done.err.split())


async def test_a_server_of_no_use_ends_the_bot_with_the_same_line(slack, process, env):
    env(ELASTICSEARCH_URL=NOWHERE)
    async with process("run") as running:
        _, err = await running.communicate()
    assert running.returncode == 1
    assert err.decode().splitlines()[-1].startswith(f"error: Elasticsearch does not answer at {NOWHERE}; start it")


@pytest.mark.elasticsearch
def test_an_unknown_analyzer_is_one_line(footnote, there, env, docs):
    env(FOOTNOTE_ANALYZER="klingon")
    done = footnote("index", "files", docs)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert "no analyzer 'klingon'; set FOOTNOTE_ANALYZER" in done.err


@pytest.mark.elasticsearch
def test_a_read_only_index_is_one_line_and_searched_on(footnote, there, docs, raw):
    footnote("index", "files", docs)
    (docs / "more.md").write_text("# More\n\nMore leave.\n", "utf-8")
    raw.indices.put_settings(index=f"{there}-v1", settings={"index.blocks.write": True})
    done = footnote("index", "files", docs)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert "is read-only" in done.err
    assert "Leave policy" in footnote("search", "paid leave").out
    raw.indices.put_settings(index=f"{there}-v1", settings={"index.blocks.write": None})
    assert footnote("index", "files", docs).out.startswith("Indexed 1 document")


@pytest.mark.elasticsearch
async def test_an_outage_is_told_in_slack_and_over_when_it_is_over(
    slack, footnote, process, docs, env, there, elasticsearch_url
):
    await in_thread(footnote, "index", "files", docs, "--url", "https://wiki.test/")
    async with serve_relay(elasticsearch_url) as relay, serve_ollama() as ollama:
        env(ELASTICSEARCH_URL=relay.url, OLLAMA_HOST=ollama.url)
        async with process("run") as running:
            await slack.until(lambda: slack.sockets.connected, 20)
            for path in ("/_msearch", "/_mapping"):
                relay.at(path, 1, refuse(503), times=99)
            ollama.calls("search", query="paid leave")
            ollama.says("There is none.")
            ts = await slack.mention("U1", "How much leave do I have?", "C1")
            await slack.until(lambda: "There is none." in slack.answer("C1", ts), 20)
            assert "_The documents could not be searched._" in slack.answer("C1", ts)
            relay.heal()
            ollama.calls("search", query="paid leave")
            ollama.says("30 days [1].")
            ts = await slack.mention("U1", "How many days of leave?", "C1")
            await slack.until(lambda: "30 days <https://wiki.test/leave.md|[1]>" in slack.answer("C1", ts), 20)
            running.send_signal(signal.SIGTERM)
            await running.communicate()


@pytest.mark.parametrize("arguments", [["index", "files", "."], ["search", "x"], ["ask", "x"]])
def test_an_elasticsearch_that_is_down_is_one_line(footnote, env, arguments):
    env(ELASTICSEARCH_URL=NOWHERE)
    done = footnote(*arguments)
    assert (done.code, done.out) == (1, "")
    assert done.err == (f"error: Elasticsearch does not answer at {NOWHERE}; start it, or correct ELASTICSEARCH_URL.\n")


@pytest.fixture
async def ollama(footnote, env):
    async with serve_ollama() as ollama:
        env(OLLAMA_HOST=ollama.url, FOOTNOTE_EMBEDDINGS="ollama")
        yield ollama


@pytest.mark.elasticsearch
async def test_an_embedded_index_moves_there_and_nothing_is_embedded_again(footnote, ollama, env, docs, request):
    assert (await in_thread(footnote, "index", "files", docs)).code == 0
    request.getfixturevalue("there")
    ollama.embeds.clear()
    done = await in_thread(footnote, "index", "migrate")
    assert done.out.startswith("Moved to Elasticsearch: 2 documents (2 passages).\n")
    assert (done.code, done.err, ollama.embeds) == (0, "", [])
    found = json.loads((await in_thread(footnote, "search", "paid leave", "--json")).out)
    assert (found["hits"][0]["title"], found["warnings"]) == ("Leave policy", [])
    again = await in_thread(footnote, "index", "migrate")
    assert again.out.startswith(
        "Moved to Elasticsearch: 0 documents (0 passages). There already, or removed there lately: 2.\n"
    )
    assert "Unchanged: 2." in (await in_thread(footnote, "index", "files", docs)).out


def test_without_an_address_there_is_nowhere_to_move_to(footnote):
    done = footnote("index", "migrate")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "ELASTICSEARCH_URL is not set" in done.err


def test_without_an_embedded_index_there_is_nothing_to_move(footnote, env, home):
    env(ELASTICSEARCH_URL=NOWHERE)
    done = footnote("index", "migrate")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert f"nothing to move: no index at {home / 'index.sqlite'}" in done.err


@pytest.mark.elasticsearch
async def test_an_index_is_made_anew_with_the_vectors_of_another_model(footnote, there, ollama, env, docs):
    env(FOOTNOTE_EMBEDDINGS="none")
    await in_thread(footnote, "index", "files", docs)
    env(FOOTNOTE_EMBEDDINGS="ollama")
    done = await in_thread(footnote, "index", "rebuild")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Made anew, with vectors of ollama:embeddinggemma: 2 documents (2 passages).\n")
    found = json.loads((await in_thread(footnote, "search", "paid leave", "--json")).out)
    assert (found["hits"][0]["title"], found["warnings"]) == ("Leave policy", [])


def _fail(answer):
    answer["responses"][1] = {"status": 500, "error": {"type": "x", "reason": "secret"}}


async def without_meaning(call):
    """The second of the two lists fails."""
    return await (change(_fail)(call) if b'"knn"' in call.body else call.forward())


@pytest.mark.elasticsearch
async def test_a_list_that_fails_is_told_beside_the_answer_in_its_language(
    footnote, there, ollama, env, docs, elasticsearch_url
):
    await in_thread(footnote, "index", "files", docs)
    async with serve_relay(elasticsearch_url) as relay:
        env(ELASTICSEARCH_URL=relay.url)
        relay.at("/_msearch", 1, without_meaning, times=99)
        for question, answer, told in (
            ("How long is the paid leave?", "30 days [1].", "the search was by words only"),
            ("Combien de jours de congés payés avons-nous ?", "30 jours [1].", "par les mots seuls"),
        ):
            ollama.calls("search", query="paid leave")
            ollama.says(answer)
            done = json.loads((await in_thread(footnote, "ask", question, "--json")).out)
            assert (done["answer"].count("30"), told in str(done["warnings"]), len(done["sources"])) == (1, True, 1)
        shown = (await in_thread(footnote, "search", "paid leave")).out
        assert "Leave policy" in shown
        assert "Note: The index could not be searched by meaning, so the search was by words only." in shown


@pytest.mark.elasticsearch
async def test_what_a_refusal_names_mends_it(footnote, there, ollama, env, docs):
    await in_thread(footnote, "index", "files", docs)
    env(FOOTNOTE_ANALYZER="french")
    refused = await in_thread(footnote, "search", "leave")
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "`footnote index rebuild`" in refused.err
    assert (await in_thread(footnote, "index", "rebuild")).code == 0
    assert "Leave policy" in (await in_thread(footnote, "search", "leave")).out


@pytest.mark.elasticsearch
def test_vectors_are_taken_over_only_if_that_is_said(footnote, there, env, docs):
    footnote("index", "files", docs)
    env(FOOTNOTE_EMBEDDINGS="ollama")
    refused = footnote("index", "rebuild")
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert refused.err.startswith("error: Nothing can embed the text anew: Ollama does not answer")
    assert "FOOTNOTE_EMBEDDINGS=none" in refused.err
    env(FOOTNOTE_EMBEDDINGS="none")
    assert footnote("index", "rebuild").out.startswith("Made anew, with the vectors that it had: 2 documents")


@pytest.mark.elasticsearch
def test_what_is_not_there_cannot_be_made_anew(footnote, there):
    done = footnote("index", "rebuild")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "footnote index files PATH" in done.err


def test_an_embedded_index_is_made_anew_in_another_way_which_is_said(footnote, home):
    done = footnote("index", "rebuild")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"delete {home / 'index.sqlite'}" in done.err
