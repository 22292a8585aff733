"""The line of a thread over several processes."""

import asyncio

from bot.slack.questions.line import Lines
from bot.store import Run, Store
from bot.store.sqlite import open_documents


class Looking(Store):
    """Counts the looks at a thread, and tells of each."""

    looks = 0
    looked: asyncio.Event

    async def at_work(self, channel, thread_ts):
        found = await super().at_work(channel, thread_ts)
        self.looks += 1
        self.looked.set()
        return found


def question(number):
    return Run(key=f"C1:{number}", channel="C1", thread_ts="1.0", user="U1", asked={})


async def test_one_question_of_a_thread_looks_at_other_processes_and_each_has_its_turn(tmp_path):
    async with open_documents(tmp_path / "state.sqlite") as documents:
        here, elsewhere = Looking(documents), Store(documents)
        here.looked = asyncio.Event()
        await elsewhere.live()
        await elsewhere.begin(question(1))
        lines, turns, waiting = Lines(here), [], {number: asyncio.Event() for number in (2, 3, 4)}

        async def wait(number, run):
            async with lines.of(run).turn(waiting[number].set):
                turns.append(run.key)

        async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
            for number in waiting:
                tasks.create_task(wait(number, await here.begin(question(number))))
            await here.looked.wait()
            for begun in waiting.values():
                await begun.wait()
            assert (here.looks, turns) == (1, [])
            await elsewhere.change("C1:1", lambda run: run.model_copy(update={"status": "done"}))
        assert turns == ["C1:2", "C1:3", "C1:4"]
