import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexers.ollama_client import normalise_host, open_client, open_http, same_model
from tests.fakes.ollama import serve_ollama


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        (":56789", "http://127.0.0.1:56789"),
        ("1.2.3.4", "http://1.2.3.4:11434"),
        ("1.2.3.4:56789", "http://1.2.3.4:56789"),
        ("http://1.2.3.4", "http://1.2.3.4:80"),
        ("https://example.com", "https://example.com:443"),
        ("HTTPS://example.com:1", "https://example.com:1"),
        ("example.com/path", "http://example.com:11434/path"),
        ("example.com:56789/path/", "http://example.com:56789/path"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:1234", "http://127.0.0.1:1234"),
        ("[::]:1234", "http://[::1]:1234"),
        ("::1", "http://[::1]:11434"),
        ("[0001:002:003:0004::1]", "http://[0001:002:003:0004::1]:11434"),
        ("http://[::1]", "http://[::1]:80"),
        ("  'localhost:1234' ", "http://localhost:1234"),
    ],
)
def test_a_host_is_read_as_ollama_reads_it(host, url):
    assert normalise_host(host) == url


@pytest.mark.parametrize(
    "host", ["ftp://somewhere", "host:port", "host:99999", "two words", "http://x?y=1", "http://me:secret@x", "[::1"]
)
def test_what_is_no_address_is_refused_in_a_sentence_that_does_not_repeat_it(host):
    with pytest.raises(ValueError, match=r"address|use http|password") as raised:
        normalise_host(host)
    assert "secret" not in str(raised.value)


@given(host=st.from_regex(r"\A(https?://)?[a-z][a-z0-9.]{0,9}(:[1-9][0-9]{0,3})?(/[a-z]{1,5})?/?\Z"))
def test_a_host_that_was_read_once_stays_as_it_is(host):
    assert normalise_host(normalise_host(host)) == normalise_host(host)


async def test_the_key_for_ollamas_cloud_is_sent_to_nobody(monkeypatch):
    monkeypatch.setenv("OLLAMA_API_KEY", "secret")
    async with serve_ollama() as server:
        async with open_client(server.url, connect=1) as client, open_http(server.url, connect=1) as http:
            await client.list()
            await http.get("/api/version")
        assert [headers.get("authorization") for headers in server.headers] == [None, None]


async def test_a_proxy_of_the_company_is_not_asked_for_this_machine(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    async with serve_ollama() as server:
        for url in (server.url, server.url.replace("127.0.0.1", "localhost")):
            async with open_client(url, connect=1) as client:
                assert (await client.list()).models


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("bge-m3", "bge-m3:latest", True), ("gemma4:31b", "gemma4", False), ("a.b:5000/x/y", "a.b:5000/x/y:latest", True)],
)
def test_a_name_without_a_tag_means_the_latest(one, other, same):
    assert same_model(one, other) is same
