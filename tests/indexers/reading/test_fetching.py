"""Pages are fetched from a site on loopback through the real client; names resolve as a test says."""

import asyncio
import socket
import time

import pytest
from yarl import URL

from indexers.reading import FetchFailed, Refused, fetch, fetching
from indexers.reading.guard import Guard
from tests.indexers.reading.vectors import BLOCKED_URLS

PUBLIC = "93.184.216.34"


async def refusal(url, **options):
    with pytest.raises(Refused) as refused:
        await fetch(url, **options)
    return refused.value.kind


async def failure(url, **options):
    with pytest.raises(FetchFailed) as failed:
        await fetch(url, **options)
    return failed.value.kind


async def test_a_page_comes_with_its_status_type_and_body(site):
    site.page("/a", "<p>Hello</p>")
    page = await fetch(site.at("/a"), allow=site.allow)
    assert page.url == site.at("/a")
    assert page.status == 200
    assert page.content_type == "text/html; charset=utf-8"
    assert page.body == b"<p>Hello</p>"


async def test_a_missing_page_comes_with_its_status(site):
    assert (await fetch(site.at("/none"), allow=site.allow)).status == 404


@pytest.mark.parametrize("url", BLOCKED_URLS)
async def test_a_closed_address_is_refused_before_anything_is_resolved_or_connected(url, names, sockets):
    with sockets.watched() as seen:
        await refusal(url, resolver=names)
    assert seen == []
    assert names.asked == []


async def test_loopback_is_closed_unless_a_test_opens_the_pair(site):
    assert await refusal(site.at("/")) == "port"
    assert await refusal(site.at("/"), ports=frozenset({site.port})) == "address"
    assert await refusal(site.at("/"), allow=frozenset({("127.0.0.2", site.port)})) == "address"
    assert site.paths == []


@pytest.mark.parametrize(
    "addresses",
    [
        ["10.0.0.1"],
        ["127.0.0.1"],
        [PUBLIC, "127.0.0.1"],
        ["127.0.0.1", PUBLIC],
        ["::1", PUBLIC],
        ["fe80::1%lo", PUBLIC],
        ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["not an address"],
    ],
)
async def test_a_name_is_refused_whole_when_one_of_its_addresses_is_closed(addresses, site, names, sockets):
    names.set("public.example", addresses)
    with sockets.watched() as seen:
        assert await refusal(site.at("/", "public.example"), resolver=names, ports=frozenset({site.port})) == "address"
    assert seen == []
    assert site.paths == []


async def test_a_name_is_resolved_once_and_that_very_address_is_connected_to(site, names, sockets):
    site.page("/", "here")
    names.set("rebinding.example", ["127.0.0.1"], ["127.0.0.2"])
    with sockets.watched() as seen:
        page = await fetch(site.at("/", "rebinding.example"), allow=site.allow, resolver=names)
    assert page.body == b"here"
    assert names.asked == ["rebinding.example"]
    assert [event for event, _ in seen] == ["socket.connect"]
    assert seen[0][1][1] == ("127.0.0.1", site.port)
    assert site.headers[0]["host"] == f"rebinding.example:{site.port}"


async def test_the_socket_itself_refuses_whatever_was_checked_before(site, sockets):
    guard = Guard(ports=frozenset({site.port}))
    with sockets.watched() as seen, pytest.raises(Refused) as refused:
        await fetching._ask(URL(site.at("/", "public.example")), "", guard, ["127.0.0.1"])
    assert refused.value.kind == "address"
    assert seen == []
    assert site.paths == []


async def test_each_hop_resolves_anew_and_is_checked_anew(site, names):
    site.redirects("/", to=site.at("/again", "public.example"))
    names.set("public.example", ["127.0.0.1"], ["10.0.0.1"])
    assert await refusal(site.at("/", "public.example"), allow=site.allow, resolver=names) == "address"
    assert site.paths == ["/"]


@pytest.mark.parametrize(
    ("location", "kind"),
    [
        ("http://10.0.0.1/", "address"),
        ("//169.254.169.254/", "address"),
        ("//localhost/", "host"),
        ("http://[::ffff:7f00:1]/", "address"),
        ("http://2130706433/", "host"),
        ("file:///etc/passwd", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("//user:pw@example.com/", "user_info"),
        ("http://user@example.com/", "user_info"),
        ("http://example.com:6379/", "port"),
        ("http:\\\\127.0.0.1\\", "url"),
        ("/\\127.0.0.1/", "url"),
        ("\\\\127.0.0.1/", "url"),
        ("http:///x", "url"),
        ("http:x", "url"),
        ("http://exa mple.com/", "url"),
    ],
)
async def test_a_redirect_to_a_closed_address_is_refused(location, kind, site, sockets):
    site.redirects("/", to=location)
    with sockets.watched() as seen:
        assert await refusal(site.at("/"), allow=site.allow) == kind
    assert len(seen) == 1
    assert site.paths == ["/"]


async def test_a_redirect_to_another_port_of_an_open_address_reaches_nobody(site):
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.setblocking(False)
        site.redirects("/", to=f"http://127.0.0.1:{other.getsockname()[1]}/admin")
        assert await refusal(site.at("/"), allow=site.allow) == "port"
        with pytest.raises(BlockingIOError):
            other.accept()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed(status, site):
    site.redirects("/a/b", to="../c?x=1", status=status)
    site.page("/c", "there")
    page = await fetch(site.at("/a/b"), allow=site.allow)
    assert (page.url, page.body) == (site.at("/c?x=1"), b"there")
    assert site.paths == ["/a/b", "/c?x=1"]


async def test_five_redirects_are_followed_and_no_sixth(site):
    for number in range(6):
        site.redirects(f"/{number}", to=f"/{number + 1}")
    site.page("/6", "the end")
    assert (await fetch(site.at("/1"), allow=site.allow)).body == b"the end"
    site.paths.clear()
    assert await failure(site.at("/0"), allow=site.allow) == "redirects"
    assert "/6" not in site.paths


async def test_a_loop_ends(site):
    site.redirects("/a", to="/b")
    site.redirects("/b", to="/a")
    assert await failure(site.at("/a"), allow=site.allow) == "redirects"
    assert site.paths == ["/a", "/b"]


async def test_a_redirect_without_a_target_is_the_answer(site):
    site.page("/", "", status=302)
    assert (await fetch(site.at("/"), allow=site.allow)).status == 302


async def test_no_cookie_no_password_and_no_referrer_is_sent(site, names):
    names.set("site.example", ["127.0.0.1"])
    site.page("/", "", status=302, Location="/b", Set_Cookie="session=1; Path=/")
    site.page("/b", "there")
    for path in ("/", "/b"):
        await fetch(site.at(path, "site.example"), allow=site.allow, resolver=names)
    assert len(site.headers) == 3
    assert not {"cookie", "authorization", "referer"} & {name for headers in site.headers for name in headers}


async def test_a_proxy_of_the_environment_is_not_used(site, monkeypatch):
    site.page("/", "direct")
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    assert (await fetch(site.at("/"), allow=site.allow)).body == b"direct"


async def test_a_name_without_an_address_is_told_apart(names, site):
    assert await failure("http://nobody.example/", resolver=names) == "dns"
    names.set("empty.example", [])
    assert await failure("http://empty.example/", resolver=names) == "dns"


async def test_a_name_is_resolved_by_this_machine_by_default(sockets):
    with sockets.watched() as seen, pytest.raises(FetchFailed) as failed:
        await fetch("http://nobody.example/", seconds=2)
    assert failed.value.kind in ("dns", "timeout")
    assert [event for event, _ in seen if event == "socket.connect"] == []


async def test_a_resolver_that_hangs_ends_at_the_limit(names):
    async def hangs(host):
        await asyncio.Event().wait()

    assert await failure("http://hangs.example/", resolver=hangs, seconds=0.2) == "timeout"


async def test_a_page_may_not_lead_from_a_secured_site_to_an_unsecured_one_elsewhere():
    secured, elsewhere = URL("https://example.com/"), URL("http://example.org/")
    with pytest.raises(Refused) as refused:
        fetching.check_downgrade(secured, elsewhere)
    assert refused.value.kind == "downgrade"
    fetching.check_downgrade(secured, URL("http://example.com/"))
    fetching.check_downgrade(elsewhere, secured)


async def test_nobody_at_the_port_is_told_apart():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert await failure(f"http://127.0.0.1:{port}/", allow=frozenset({("127.0.0.1", port)})) == "unreachable"


async def test_what_speaks_no_tls_is_told_apart(site):
    assert await failure(site.at("/").replace("http:", "https:"), allow=site.allow) == "tls"


async def test_a_site_that_never_answers_ends_at_the_limit(site):
    site.hangs("/")
    began = time.monotonic()
    assert await failure(site.at("/"), allow=site.allow, seconds=0.3) == "timeout"
    assert time.monotonic() - began < 2


async def test_a_site_that_dribbles_ends_at_the_limit(site):
    site.dribbles("/")
    began = time.monotonic()
    assert await failure(site.at("/"), allow=site.allow, seconds=0.5) == "timeout"
    assert time.monotonic() - began < 2
    await site.until(lambda: site.left)


async def test_a_bomb_is_not_unpacked(site):
    site.bombs("/", megabytes=50)
    assert await failure(site.at("/"), allow=site.allow) == "too_large"


@pytest.mark.parametrize("length", [True, False])
async def test_a_huge_page_is_left_early(length, site):
    site.pours("/", 50, length=length)
    assert await failure(site.at("/"), allow=site.allow) == "too_large"
    await site.until(lambda: site.left)
    assert site.sent < 25_000_000


async def test_a_page_that_is_said_to_be_huge_is_not_waited_for(site):
    site.stalls("/", 50)
    assert await failure(site.at("/"), allow=site.allow, seconds=5) == "too_large"


async def test_a_page_that_breaks_off_is_no_page(site):
    site.breaks_off("/")
    assert await failure(site.at("/"), allow=site.allow) == "bad_answer"


async def test_an_answer_that_is_no_http_is_told_apart():
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"220 mail.example ESMTP\r\n")
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert await failure(f"http://127.0.0.1:{port}/", allow=frozenset({("127.0.0.1", port)})) == "bad_answer"


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, br", "x"])
async def test_a_compression_that_was_not_asked_for_is_not_read(encoding, site):
    site.page("/", b"\x8b\x02\x80hello\x03", Content_Encoding=encoding)
    assert await failure(site.at("/"), allow=site.allow) == "bad_answer"
    assert site.headers[0]["accept-encoding"] == "gzip, deflate"


async def test_what_claims_to_be_compressed_and_is_not_is_not_read(site):
    site.page("/", b"<p>plain</p>", Content_Encoding="gzip")
    assert await failure(site.at("/"), allow=site.allow) == "bad_answer"


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("image/png", b"\x89PNG\r\n\x1a\n"),
        ("text/html", b"\x89PNG\r\n\x1a\n\0\0"),
        ("text/html", b"PK\x03\x04rest"),
        ("text/html", b"\x1f\x8b\x08rest"),
        ("text/plain", b"some\0thing"),
        ("application/octet-stream", b"whatever"),
        ("video/mp4", b"%PDF-1.7"),
    ],
)
async def test_what_is_no_text_is_not_read(content_type, body, site):
    site.page("/", body, content_type)
    assert await failure(site.at("/"), allow=site.allow) == "unsupported"


@pytest.mark.parametrize("content_type", ["application/pdf", "application/octet-stream", "text/html", ""])
async def test_a_pdf_is_known_by_its_bytes(content_type, site):
    site.page("/", b"\n%PDF-1.7 rest", content_type)
    assert (await fetch(site.at("/"), allow=site.allow)).body.endswith(b"rest")


async def test_an_error_with_a_picture_is_still_that_error(site):
    site.page("/", b"\x89PNG\r\n", "image/png", status=404)
    page = await fetch(site.at("/"), allow=site.allow)
    assert (page.status, page.body) == (404, b"")


async def test_of_a_huge_error_only_the_beginning_is_read(site):
    site.page("/", "x" * 1_000_000, status=500)
    assert len((await fetch(site.at("/"), allow=site.allow)).body) == 256_000


async def test_cancelling_closes_the_connection(site):
    site.dribbles("/")
    async with asyncio.TaskGroup() as group:
        fetching = group.create_task(fetch(site.at("/"), allow=site.allow))
        await site.until(lambda: site.paths)
        fetching.cancel()
    await site.until(lambda: site.left)
    assert fetching.cancelled()
