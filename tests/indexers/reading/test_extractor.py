"""The child processes: what they give back, and that nothing takes them, or us, down."""

import asyncio
import signal
import time
from pathlib import Path

import pytest
import pytest_asyncio

from indexers.reading import Extracted, Extractor, Unreadable
from tests.indexers.reading.files import pdf, word

PAGE = b"<html><head><title>A page</title></head><body><p>Hello there</p></body></html>"
HEAVY = b"<table><tr>" + b"<td>1" * 400_000
"""Takes far longer than a second to parse and read."""


pytestmark = pytest.mark.asyncio(loop_scope="module")  # a child process takes half a second to start


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def extractor():
    async with Extractor(workers=2) as extractor:
        yield extractor


async def unreadable(extractor, body, kind, **options):
    with pytest.raises(Unreadable) as unreadable:
        await extractor.extract(body, kind, **options)
    return unreadable.value.kind


async def test_every_kind_is_read(extractor):
    assert await extractor.extract(PAGE, "html") == Extracted("A page", "Hello there")
    assert await extractor.extract(pdf("Hello."), "pdf") == Extracted("", "Hello.")
    assert await extractor.extract(word(("Normal", "Hello.")), "word") == Extracted("", "Hello.")
    assert await extractor.extract(b"Hello.", "text") == Extracted("", "Hello.")
    assert await extractor.extract(b'{"a": 1}', "json") == Extracted("", '{"a": 1}')


async def test_limits_and_charset_reach_the_child(extractor):
    cut = await extractor.extract("été ".encode("koi8-r", "replace") * 50, "text", charset="koi8-r", chars=20)
    assert cut.notes == ("cut",)
    pages = await extractor.extract(pdf("One.", "Two.", "Three."), "pdf", pages=2)
    assert (pages.text, pages.notes) == ("One.\n\nTwo.", ("pages",))
    assert await unreadable(extractor, b"<title>Sign in</title><p>x</p>", "html", web=True) == "login"
    assert (await extractor.extract(b"<title>Sign in</title><p>x</p>", "html")).text == "x"


async def test_what_cannot_be_read_is_named_and_the_next_is_read(extractor):
    assert await unreadable(extractor, b"%PDF-1.7", "pdf") == "damaged"
    assert await unreadable(extractor, b"", "html") == "empty"
    assert (await extractor.extract(PAGE, "html")).title == "A page"


async def test_a_page_that_takes_too_long_is_ended_and_others_are_not_harmed():
    async with Extractor(workers=2, seconds=1) as extractor:
        await extractor.warm()
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            heavy = group.create_task(unreadable(extractor, HEAVY, "html"))
            light = [group.create_task(extractor.extract(PAGE, "html")) for _ in range(10)]
        assert heavy.result() == "too_heavy"
        assert [one.result().title for one in light] == ["A page"] * 10
        assert time.monotonic() - began < 10
        assert (await extractor.extract(PAGE, "html")).title == "A page"


async def test_a_page_that_takes_too_much_memory_is_ended():
    async with Extractor(workers=1, megabytes=200) as extractor:
        assert (await extractor.extract(PAGE, "html")).title == "A page"
        assert await unreadable(extractor, b"<p>a word</p>" * 800_000, "html") == "too_heavy"
        assert (await extractor.extract(PAGE, "html")).title == "A page"


async def test_a_child_that_dies_costs_one_page_at_most(extractor):
    await extractor.warm()
    [child] = extractor._idle
    child.process.send_signal(signal.SIGSTOP)
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(unreadable(extractor, PAGE, "html"))
        child.process.send_signal(signal.SIGSEGV)
        child.process.send_signal(signal.SIGCONT)
    assert reading.result() == "damaged"
    assert (await extractor.extract(PAGE, "html")).title == "A page"


async def test_a_child_that_died_idle_is_replaced(extractor):
    await extractor.warm()
    [child] = extractor._idle
    child.process.kill()
    await child.process.wait()
    assert (await extractor.extract(PAGE, "html")).title == "A page"


async def test_a_reader_that_is_cancelled_leaves_no_child_behind_and_the_place_is_free():
    async with Extractor(workers=1, seconds=30) as extractor:
        await extractor.warm()
        [child] = extractor._idle
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(extractor.extract(HEAVY, "html"))
            await asyncio.sleep(0)  # it has begun
            reading.cancel()
        assert reading.cancelled()
        assert await child.process.wait() == -signal.SIGKILL
        assert (await extractor.extract(PAGE, "html")).title == "A page"


async def test_light_work_shares_one_child(extractor):
    async with asyncio.TaskGroup() as group:
        for _ in range(12):
            group.create_task(extractor.extract(PAGE, "html"))
    await extractor.warm()
    assert len(extractor._idle) == 1


async def test_a_child_is_kept_and_not_for_ever(extractor):
    await extractor.extract(PAGE, "html")
    [first] = extractor._idle
    await extractor.extract(PAGE, "html")
    assert extractor._idle == [first]
    first.bodies = 200
    await extractor.extract(PAGE, "html")
    assert extractor._idle != [first]


async def test_a_child_gets_nothing_of_our_environment(monkeypatch):
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    async with Extractor(workers=1) as extractor:
        await extractor.warm()
        [child] = extractor._idle
        environment = await asyncio.to_thread(Path(f"/proc/{child.process.pid}/environ").read_bytes)
    assert b"PYTHONPATH" in environment
    assert b"xoxb" not in environment


async def test_after_the_end_no_child_is_left():
    async with Extractor() as extractor:
        await extractor.warm()
        [child] = extractor._idle
    assert child.process.returncode == -signal.SIGKILL
