import asyncio
from collections import Counter
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.engine import Message, Role
from bot.engine.queue import ModelQueue
from bot.engine.scripted import ScriptedEngine


class Line:
    """Askers in front of one queue; each holds its slot until it is let go."""

    def __init__(self, queue, tasks):
        self.queue, self.tasks = queue, tasks
        self.served, self.running, self.most = [], Counter(), 0
        self.places = {}
        self._gates = {}

    async def come(self, name, *, synthesis=False):
        """Someone comes; `a1` and `a2` are two requests of the asker `a`."""
        self._gates[name] = asyncio.Event()
        self.places[name] = []
        task = self.tasks.create_task(self._hold(name, synthesis))
        await settle()
        return task

    async def _hold(self, name, synthesis):
        async with self.queue.slot(name[0], synthesis=synthesis, on_place=self.places[name].append):
            self.served.append(name)
            self.running[name] += 1
            self.most = max(self.most, self.running.total())
            try:
                await self._gates[name].wait()
            finally:
                self.running[name] -= 1

    async def go(self, name):
        self._gates[name].set()
        await settle()

    async def all_go(self):
        """Let go of whoever is served until nobody is left."""
        gone = 0
        while gone < len(self.served):
            await self.go(self.served[gone])
            gone += 1


@asynccontextmanager
async def line_before(queue):
    """Waits for everybody at its end, but not for ever."""
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        yield Line(queue, tasks)


async def settle():
    for _ in range(4):
        await asyncio.sleep(0)


async def test_no_more_than_the_slots_are_held_at_once():
    async with line_before(ModelQueue(2)) as line:
        for name in ("a1", "b1", "c1", "d1"):
            await line.come(name)
        assert line.served == ["a1", "b1"]
        await line.all_go()
    assert (sorted(line.served), line.most) == (["a1", "b1", "c1", "d1"], 2)


async def test_an_asker_with_many_requests_does_not_keep_the_others_waiting():
    async with line_before(ModelQueue(1)) as line:
        for name in ("a1", "a2", "a3", "b1", "c1"):
            await line.come(name)
        await line.all_go()
    assert line.served == ["a1", "b1", "c1", "a2", "a3"]


async def test_askers_take_turns():
    async with line_before(ModelQueue(1)) as line:
        for name in ("a1", "a2", "a3", "b1", "b2", "b3"):
            await line.come(name)
        await line.all_go()
    assert line.served == ["a1", "b1", "a2", "b2", "a3", "b3"]


async def test_who_holds_fewest_slots_is_next_even_if_served_later():
    async with line_before(ModelQueue(3)) as line:
        for name in ("a1", "a2", "b1", "a3", "b2"):
            await line.come(name)
        await line.go("b1")
        assert line.served[3:] == ["b2"]
        await line.all_go()


async def test_the_places_told_are_those_of_the_turns_to_come():
    async with line_before(ModelQueue(1)) as line:
        for name in ("x1", "a1", "a2", "b1"):
            await line.come(name)
        assert line.places == {"x1": [], "a1": [1], "a2": [2, 3], "b1": [2]}
        await line.all_go()
    assert line.served == ["x1", "a1", "b1", "a2"]


async def test_syntheses_go_first():
    async with line_before(ModelQueue(1)) as line:
        for name in ("a1", "b1", "c1"):
            await line.come(name)
        await line.come("a2", synthesis=True)
        await line.all_go()
    assert line.served == ["a1", "a2", "b1", "c1"]


async def test_who_waits_is_told_the_place_in_line_and_when_it_changes():
    async with line_before(ModelQueue(1)) as line:
        for name in ("a1", "b1", "c1"):
            await line.come(name)
        await line.come("d1", synthesis=True)
        assert line.places == {"a1": [], "b1": [1, 2], "c1": [2, 3], "d1": [1]}
        await line.all_go()
    assert line.places == {"a1": [], "b1": [1, 2, 1, 0], "c1": [2, 3, 2, 1, 0], "d1": [1, 0]}


async def test_who_gives_up_waiting_leaves_no_trace():
    async with line_before(ModelQueue(1)) as line:
        await line.come("a1")
        waiting = await line.come("b1")
        await line.come("c1")
        waiting.cancel()
        await settle()
        assert line.places["c1"] == [2, 1]
        await line.all_go()
    assert line.served == ["a1", "c1"]


async def test_who_gives_up_at_the_very_moment_of_its_turn_passes_it_on():
    async with line_before(ModelQueue(1)) as line:
        holding = await line.come("a1")
        waiting = await line.come("b1")
        await line.come("c1")
        holding.cancel()
        waiting.cancel()
        await settle()
        assert line.served == ["a1", "c1"]
        await line.all_go()


async def test_a_failing_on_place_hurts_only_its_own_asker():
    def fail(place):
        raise RuntimeError("no screen")

    queue = ModelQueue(1)
    async with line_before(queue) as line:
        await line.come("a1")
        with pytest.raises(RuntimeError, match="no screen"):
            async with queue.slot("b", on_place=fail):
                pass
        await line.come("c1")
        await line.all_go()
    assert line.served == ["a1", "c1"]


async def test_what_fails_while_it_holds_a_slot_gives_it_back():
    queue = ModelQueue(1)
    with pytest.raises(ValueError, match="mine"):
        async with queue.slot("a"):
            raise ValueError("mine")
    async with asyncio.timeout(1), queue.slot("b"):
        pass


async def test_a_bound_engine_waits_in_its_slot_and_delegates_unchanged():
    scripted = ScriptedEngine([{"content": "Hello"}])
    places, queue = [], ModelQueue(1)
    engine = queue.bind(scripted, asker="a", on_place=places.append)
    async with engine.slot(synthesis=True):
        messages = [Message(Role.USER, "Hi")]
        reply = await engine.generate(messages, model="m", temperature=0.3, max_tokens=9, num_ctx=99, tools=[{}])
    assert reply["content"] == "Hello"
    assert scripted.calls == [{"messages": messages, "tools": [{}]}]
    assert places == []


def test_a_queue_without_slots_is_refused():
    with pytest.raises(ValueError, match="at least one slot"):
        ModelQueue(0)


visits = st.tuples(st.sampled_from("abc"), st.booleans(), st.sampled_from(["stay", "leave", "cancel"]))


@settings(max_examples=60, deadline=None)
@given(parallel=st.integers(1, 3), script=st.lists(visits, max_size=25))
def test_however_askers_come_and_give_up_nobody_starves_and_no_slot_is_lost(parallel, script):
    async def play():
        cancelled = set()
        async with line_before(ModelQueue(parallel)) as line:
            tickets = {}
            for number, (asker, synthesis, then) in enumerate(script):
                name = f"{asker}{number}"
                tickets[name] = await line.come(name, synthesis=synthesis)
                if then == "leave" and line.running.total():
                    await line.go(next(iter(+line.running)))
                elif then == "cancel":
                    victim = list(tickets)[number // 2]
                    cancelled.add(victim)
                    tickets[victim].cancel()
                    await settle()
            await line.all_go()
            for asker in "xyz"[:parallel]:
                await line.come(asker)
            assert line.running.total() == parallel  # every slot was free again
            await line.all_go()
        assert line.most <= parallel
        assert set(line.served) >= set(tickets) - cancelled

    asyncio.run(play())
