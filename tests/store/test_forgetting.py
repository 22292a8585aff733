"""A question is deleted: what later ones of its thread were told of it goes, too."""

import pytest

from bot.store import Feedback, Run, Step, Store, StoreError, Turn
from tests.fakes.search import hit

TURN = Turn(ts="2.0", asker="U1", question="And in summer?", answer="31 days.")
ORIGIN = ("C1", "1.0", "2.0")
TRACE = {"state": "{}", "steps": (Step(what="model"),), "quotes": (hit(1),), "said": ("Monday",), "lines": ("a",)}
BARE = ("", (), (), (), ())


def question(ts, **more):
    return Run(key=f"C1:{ts}", channel="C1", thread_ts="1.0", user="U1", asked={}, **more)


def trace(run):
    return tuple(getattr(run, name) for name in TRACE)


class Broken:
    """Documents that can be read, and of which none can be changed."""

    def __init__(self, documents):
        self.get, self.find, self.create = documents.get, documents.find, documents.create

    async def replace(self, kind, id, document):
        raise StoreError("The disk is full.")


async def begun(store, clock, run):
    """It has a trace, and somebody finds its answer bad."""
    clock.now += 1
    kept = await store.begin(run.model_copy(update=TRACE))
    await store.add_feedback(Feedback(run=run.key, user="U9", good=False, reason="Wrong.", trace=kept))


async def test_of_what_was_asked_after_it_in_its_thread_no_trace_stays(store, clock):
    await begun(store, clock, question("0.5", status="done"))
    await begun(store, clock, question("1.0", status="done"))
    for number in range(3):
        await begun(store, clock, question(f"2.{number}", status="done"))
    private = Run(key="C1:2.0:private:U2:1", channel="D2", thread_ts="5.0", user="U2", asked={"origin": ORIGIN})
    await begun(store, clock, private.model_copy(update={"status": "done"}))
    others = [
        Run(key="C1:3.0", channel="C1", thread_ts="3.0", user="U1", asked={}, status="done"),
        Run(key="D2:6.0", channel="D2", thread_ts="5.0", user="U2", asked={}, status="done"),
    ]
    for other in others:
        await begun(store, clock, other)
    await store.forget(await store.run("C1:1.0"))
    after = [f"C1:2.{number}" for number in range(3)] + [private.key]
    assert {trace(await store.run(key)) for key in after} == {BARE}
    assert {len((await store.run(key)).state) for key in ("C1:0.5", *(other.key for other in others))} == {2}
    kept = {one.run: one for one in await store.feedback(good=False)}
    assert {kept[key].trace for key in after} == {None}
    assert {kept[key].reason for key in after} == {"Wrong."}
    assert all(kept[key].trace for key in ("C1:0.5", *(other.key for other in others)))


async def test_with_the_question_of_a_private_answer_go_the_traces_of_the_thread_where_it_was_asked_too(store, clock):
    private = Run(key="C1:2.0", channel="D2", thread_ts="5.0", user="U2", asked={"origin": ORIGIN}, status="done")
    await begun(store, clock, private)
    await begun(store, clock, question("3.0", status="done"))
    await begun(store, clock, Run(key="D2:6.0", channel="D2", thread_ts="5.0", user="U2", asked={}, status="done"))
    await store.forget(await store.run("C1:2.0"))
    assert {trace(await store.run(key)) for key in ("C1:3.0", "D2:6.0")} == {BARE}


@pytest.mark.parametrize("status", ["open", "waiting"])
@pytest.mark.parametrize("end", ["done", "stopped"])
async def test_one_that_is_on_its_way_goes_on_and_loses_its_trace_when_it_ends(store, clock, documents, status, end):
    await begun(store, clock, question("1.0", status="done"))
    await begun(store, clock, question("2.0", status=status))
    await store.forget(await store.run("C1:1.0"))
    assert (await store.run("C1:2.0")).state == "{}"
    assert (await store.feedback_of("C1:2.0", "U9")).trace is None
    other = Store(documents, clock=clock)
    ended = await other.change(
        "C1:2.0", lambda run: run.model_copy(update={"status": end, "state": "{}", "turn": TURN}), own=False
    )
    assert (trace(ended), ended.turn) == (BARE, TURN)
    assert await store.run("C1:2.0") == ended


async def test_an_opinion_that_comes_when_the_trace_is_gone_is_kept_without_one(store, clock):
    await begun(store, clock, question("1.0", status="done"))
    seen = await store.begin(question("2.0", status="done", **TRACE))
    await store.forget(await store.run("C1:1.0"))
    await store.add_feedback(Feedback(run="C1:2.0", user="U1", good=False, trace=seen))
    assert (await store.feedback_of("C1:2.0", "U1")).trace is None
    await store.add_feedback(Feedback(run="C1:1.0", user="U1", good=False, trace=seen))
    assert await store.feedback_of("C1:1.0", "U1") is None


async def test_a_forgetting_that_was_broken_off_is_done_again(store, documents, clock):
    await begun(store, clock, question("1.0", status="stopping", deleted=True))
    await begun(store, clock, question("2.0", status="done"))
    run = await store.run("C1:1.0")
    with pytest.raises(StoreError):
        await Store(Broken(documents), clock=clock).forget(run)
    assert (await store.run("C1:1.0")).deleted
    await store.forget(run)
    assert trace(await store.run("C1:2.0")) == BARE
