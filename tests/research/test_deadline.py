import asyncio

import pytest

from bot.research.deadline import Deadline


async def test_what_runs_inside_is_cancelled_when_the_time_is_up():
    deadline = Deadline(0.01)
    async with deadline:
        await asyncio.Event().wait()
    assert deadline.expired


async def test_a_pause_counts_toward_nothing():
    deadline = Deadline(0.5)
    async with deadline:
        with deadline.paused(), pytest.raises(TimeoutError):
            async with asyncio.timeout(0.7):
                await asyncio.Event().wait()
        assert deadline.used < 0.5
    assert not deadline.expired


async def test_time_used_before_a_resume_counts():
    deadline = Deadline(10, used=9.99)
    async with deadline:
        await asyncio.Event().wait()
    assert deadline.expired
    assert deadline.used >= 10


async def test_a_cancel_from_outside_passes():
    async def wait():
        async with Deadline(10):
            await asyncio.Event().wait()

    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(wait())
        await asyncio.sleep(0)
        task.cancel()
    assert task.cancelled()
