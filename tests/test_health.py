"""Whether the process lives, whether it can answer, and its figures."""

import asyncio
from contextlib import asynccontextmanager

import aiohttp
import pytest

from bot.health import Health, HealthError, open_health
from bot.metrics import CALLS


async def fine():
    return "x"


async def model():
    return "gemma4:31b"


async def broken():
    raise OSError("http://user:hush@search is not there")


async def hangs():
    await asyncio.Event().wait()


@asynccontextmanager
async def asking(health):
    """Asks for a page: its status, and what is on it."""
    async with open_health(health, host="127.0.0.1", port=0) as port, aiohttp.ClientSession() as session:

        async def page(path):
            async with session.get(f"http://127.0.0.1:{port}{path}") as reply:
                return reply.status, (
                    await reply.json() if reply.content_type == "application/json" else await reply.text()
                )

        yield page


def of(**needed):
    return Health({"store": fine, "index": fine, **needed}, model)


async def test_a_process_that_lives_says_so_whatever_is_wrong():
    async with asking(of(store=broken)) as page:
        assert (await page("/healthz"))[0] == 200


async def test_it_is_ready_while_slack_reaches_it_and_all_that_is_needed_answers():
    health = of()
    health.connected(True)
    async with asking(health) as page:
        said = {"ready": True, "slack": "ok", "store": "ok", "index": "ok", "model": "gemma4:31b"}
        assert await page("/readyz") == (200, said)


async def test_it_is_not_ready_before_slack_reaches_it_nor_after_it_ceased_to():
    health = of()
    async with asking(health) as page:
        assert (await page("/readyz"))[0] == 503
        health.connected(True)
        assert (await page("/readyz"))[0] == 200
        health.connected(False)
        status, said = await page("/readyz")
    assert (status, said["slack"], said["ready"]) == (503, "not connected", False)


async def test_what_is_wrong_is_named_without_its_words():
    health = of(index=broken)
    health.connected(True)
    async with asking(health) as page:
        status, said = await page("/readyz")
    assert (status, said["index"], said["store"]) == (503, "failed: OSError", "ok")
    assert "hush" not in str(said)


async def test_what_hangs_is_not_waited_for():
    health = of(store=hangs)
    health.model = hangs
    async with asking(health) as page, asyncio.timeout(5):
        status, said = await page("/readyz")
    assert (status, said["store"], said["model"]) == (503, "failed: TimeoutError", "does not answer")


async def test_a_model_that_is_down_does_not_make_it_unready():
    health = of()
    health.connected(True)
    health.model = hangs
    async with asking(health) as page:
        assert (await page("/readyz"))[0] == 200


async def test_the_figures_are_there_for_prometheus():
    CALLS.labels("chat.update", "ok").inc()
    async with asking(of()) as page:
        status, said = await page("/metrics")
    assert status == 200
    assert 'footnote_slack_calls_total{method="chat.update",outcome="ok"}' in said
    assert "process_resident_memory_bytes" in said


async def test_there_is_no_other_page():
    async with asking(of()) as page:
        assert (await page("/"))[0] == 404


async def test_a_port_that_is_taken_is_named():
    async with open_health(of(), host="127.0.0.1", port=0) as port:
        with pytest.raises(HealthError, match=rf"FOOTNOTE_HEALTH_PORT: nothing can listen on 127\.0\.0\.1:{port} "):
            async with open_health(of(), host="127.0.0.1", port=port):
                pass
