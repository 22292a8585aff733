import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from indexers.reading import Refused
from indexers.reading.guard import Guard
from tests.indexers.reading.vectors import BLOCKED_URLS, OPEN_URLS


@pytest.mark.parametrize("url", BLOCKED_URLS)
def test_such_an_address_is_refused(url):
    with pytest.raises(Refused):
        Guard().check_url(url)


@pytest.mark.parametrize("url", OPEN_URLS)
def test_such_an_address_passes(url):
    assert isinstance(Guard().check_url(url), URL)


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("file:///etc/passwd", "scheme"),
        ("http://user:pw@example.com/", "user_info"),
        ("http://example.com:22/", "port"),
        ("http://10.0.0.1/", "address"),
        ("http://intranet/", "host"),
        ("http://wiki.corp/", "host"),
        ("http://a b/", "url"),
    ],
)
def test_a_refusal_says_why_and_whether_the_address_is_private(url, kind):
    with pytest.raises(Refused) as refused:
        Guard().check_url(url)
    assert refused.value.kind == kind
    assert refused.value.private == (kind in ("host", "address"))
    assert "10.0.0.1" not in str(refused.value)


def test_only_the_very_pair_of_address_and_port_is_opened():
    guard = Guard(allow=frozenset({("127.0.0.1", 8123), ("::1", 8124)}))
    assert guard.check_url("http://127.0.0.1:8123/")
    assert guard.check_url("http://[0:0:0:0:0:0:0:1]:8124/")
    for other in ("127.0.0.1:8124", "127.0.0.2:8123", "[::1]:8123", "127.0.0.1", "localhost:8123", "8.8.8.8:8123"):
        with pytest.raises(Refused):
            guard.check_url(f"http://{other}/")


def test_more_ports_can_be_opened_for_public_addresses_alone():
    guard = Guard(ports=frozenset({80, 443, 8080}))
    assert guard.check_url("http://example.com:8080/")
    with pytest.raises(Refused):
        guard.check_url("http://127.0.0.1:8080/")


def test_the_names_of_our_own_services_are_no_pages():
    guard = Guard(own_hosts=frozenset({"Search.Example.com", "8.8.8.8", "2606:4700:4700::1111"}))
    for url in ("http://search.example.com./", "http://8.8.8.8/", "http://[2606:4700:4700::1111]/"):
        with pytest.raises(Refused):
            guard.check_url(url)
    assert guard.check_url("http://www.example.com/")


@given(st.text(alphabet="htps:/.@\\[]%#?127:0xa \t\r\n。①-", max_size=40))
def test_whatever_passes_has_one_meaning(text):
    try:
        url = Guard().check_url(text)
    except Refused:
        return
    assert url.scheme in ("http", "https")
    assert url.raw_host
    assert url.port in (80, 443)
    assert url.user is None
    assert Guard().check_url(str(url)) == url
