"""Work that is started and looked after by somebody else."""

import asyncio
import gc
import warnings

from bot.slack.assembly import _surely
from bot.slack.tasks import survived


async def works():
    """Never comes to it."""


async def cancelled_before_it_begins(start):
    """The warnings that this gives."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        async with asyncio.TaskGroup() as tasks:
            start(tasks).cancel()
        gc.collect()
    return [str(one.message) for one in given]


async def test_work_that_is_cancelled_before_it_begins_leaves_nothing_behind():
    assert await cancelled_before_it_begins(lambda tasks: tasks.create_task(survived(works, "a look"))) == []


async def test_so_does_what_is_to_be_said():
    assert await cancelled_before_it_begins(lambda tasks: _surely(tasks)(works())) == []
