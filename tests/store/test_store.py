"""What every store holds to, whatever it is kept in."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import pytest

from bot.research import WebHit
from bot.store import CLAIMS_KEPT, LEASE, ChannelSettings, Feedback, Lost, Part, Run, Step, Store, Thread, Turn
from bot.store.documents import Document
from tests.fakes.search import hit

SOURCE = {
    "ref": 1,
    "title": "Leave",
    "sender": "Ada",
    "date": "2026-01-02",
    "source": "files",
    "source_id": "leave.md",
    "url": "https://wiki.test/leave",
}
TURN = Turn(
    ts="1.0",
    asker="U1",
    question="How much leave?",
    answer="30 days [1].",
    sources=(SOURCE,),
    audience=(frozenset({"public", "channel:C1"}),),
)
DAY = 86_400


def question(ts="1.0", user="U1", **more):
    return Run(key=f"C1:{ts}", channel="C1", thread_ts="1.0", user=user, asked={"text": "Why?"}, **more)


def marked(**values):
    return lambda run: run.model_copy(update=values)


async def test_a_message_is_claimed_once(store):
    assert await store.claim("C1:1.0")
    assert not await store.claim("C1:1.0")
    assert await store.claim("C2:1.0")


async def test_of_many_callers_at_once_one_has_the_claim(store):
    async with asyncio.TaskGroup() as tasks:
        claims = [tasks.create_task(store.claim("C1:1.0")) for _ in range(20)]
    assert [claim.result() for claim in claims].count(True) == 1


async def test_claims_go_after_a_day_while_the_process_runs_and_questions_stay(store, clock):
    await store.claim("C1:1.0")
    await store.begin(question("2.0"))
    clock.now += CLAIMS_KEPT - 60
    assert not await store.claim("C1:1.0")
    clock.now += 3700
    await store.claim("C1:9.0")
    assert await store.claim("C1:1.0")
    assert await store.begin(question("2.0")) is None


async def test_a_question_is_taken_up_once_and_a_claimed_message_is_none(store, clock):
    begun = await store.begin(question())
    assert begun == question(owner=store.process, at=clock.now)
    assert await store.begin(question()) is None
    assert not await store.claim("C1:1.0")
    await store.claim("C1:2.0", target="C1:1.0")
    assert await store.begin(question("2.0")) is None
    assert await store.claimed_for("C1:2.0") == "C1:1.0"
    assert await store.claimed_for("C1:1.0") == ""


async def test_changes_of_a_run_are_made_one_after_the_other(store):
    await store.begin(question())

    def more(run):
        return run.model_copy(update={"attempt": run.attempt + 1})

    async with asyncio.TaskGroup() as tasks:
        for _ in range(10):
            tasks.create_task(store.change("C1:1.0", more))
    assert (await store.run("C1:1.0")).attempt == 11


async def test_a_run_comes_back_with_all_that_was_kept_of_it(store):
    await store.begin(question())
    kept = await store.change(
        "C1:1.0",
        marked(
            status="waiting",
            audience=TURN.audience,
            state='{"query": "é"}',
            parts=(Part(text="a", blocks=({"type": "divider"},)), Part(text="b")),
            turn=TURN,
            steps=(Step(what="search", text="q", found=3, kept=2, seconds=0.5, tokens=7),),
        ),
    )
    assert await store.run("C1:1.0") == kept


async def test_the_runs_of_a_dead_process_go_to_one_living_process(store, documents, clock):
    await store.live()
    first = await store.begin(question("1.0"))
    clock.now += 1
    await store.begin(question("2.0"))
    await store.begin(question("3.0"))
    await store.change("C1:3.0", marked(status="done"))
    others = [Store(documents, clock=clock) for _ in range(3)]
    for other in others:
        await other.live()
        assert await other.orphans() == []
    clock.now += LEASE + 1
    for other in others:
        await other.live()
    async with asyncio.TaskGroup() as tasks:
        taken = [tasks.create_task(other.orphans()) for other in others]
    assert sorted(run.key for runs in taken for run in runs.result()) == ["C1:1.0", "C1:2.0"]
    with pytest.raises(Lost):
        await store.change(first.key, marked(status="done"))


async def test_a_process_that_leaves_gives_its_runs_at_once(store, documents, clock):
    await store.live()
    await store.begin(question())
    other = Store(documents, clock=clock)
    await store.leave()
    assert [run.key for run in await other.orphans()] == ["C1:1.0"]
    assert await other.processes() == set()


async def test_a_run_that_its_own_process_has_left_is_taken_up_at_the_second_look(store):
    await store.begin(question("1.0"))
    await store.begin(question("2.0"))
    assert await store.orphans(busy={"C1:2.0"}) == []
    assert [run.key for run in await store.orphans(busy={"C1:2.0"})] == ["C1:1.0"]
    assert await store.orphans(busy={"C1:1.0"}) == []
    assert await store.orphans() == []
    await store.change("C1:2.0", marked(status="done"))
    assert await store.orphans(busy=()) == []


async def test_a_process_that_is_known_to_be_gone_is_not_waited_for(store, documents):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "from bot.store.alive import mark; print(mark()); input()", stdout=PIPE, stdin=PIPE
    )
    left_behind = (await process.stdout.readline()).strip()
    await documents.put("process", "other", Document(left_behind, store.now()))
    await store.begin(question())
    await store.change("C1:1.0", marked(owner="other"))
    assert await store.processes() == {"other"}
    assert await store.orphans() == []
    process.kill()
    await process.communicate()
    assert [run.key for run in await store.orphans()] == ["C1:1.0"]


async def test_of_a_process_elsewhere_nothing_is_known_but_its_signs_of_life(store, documents, clock):
    for id, mark in (("one", b""), ("two", b"another-machine 1 999999 1"), ("three", b"words that nobody wrote")):
        await documents.put("process", id, Document(mark, clock.now))
    assert await store.processes() == {"one", "two", "three"}
    clock.now += LEASE + 1
    assert await store.processes() == set()


async def test_runs_that_wait_too_long_are_found(store, clock):
    await store.begin(question("1.0"))
    await store.change("C1:1.0", marked(status="waiting", since=clock.now))
    assert await store.overdue(clock.now - 10) == []
    clock.now += 11
    assert [run.key for run in await store.overdue(clock.now - 10)] == ["C1:1.0"]


async def test_a_thread_knows_who_has_asked_and_whether_its_root_did(store):
    assert await store.thread("C1", "1.0") is None
    await store.asked("C1", "1.0", "U1", root=True, web=True)
    await store.asked("C1", "1.0", "U2", root=False)
    await store.asked("C1", "1.0", "U2", root=False)
    await store.asked("C2", "1.0", "U3", root=False)
    both = frozenset({"U1", "U2"})
    assert await store.thread("C1", "1.0") == Thread(root_asked=True, askers=both, web=True)
    assert await store.thread("C2", "1.0") == Thread(askers=frozenset({"U3"}))


async def test_a_question_answered_again_has_one_turn_and_turns_come_oldest_first(store):
    await store.add_turn("C1", "1.0", TURN)
    later = TURN.model_copy(update={"ts": "2.0", "question": "Et en été ?"})
    await store.add_turn("C1", "1.0", later)
    assert await store.turns("C1", "1.0") == [TURN, later]
    again = TURN.model_copy(update={"answer": "31 days."})
    await store.add_turn("C1", "1.0", again)
    assert await store.turns("C1", "1.0") == [later, again]
    assert await store.turns("C1", "1.0", limit=1) == [again]
    assert await store.turns("C1", "3.0") == []


async def test_the_newest_questions_of_a_person_are_found(store, clock):
    for ts in ("1.0", "2.0", "3.0"):
        await store.begin(question(ts))
        clock.now += 1
    await store.begin(question("4.0", user="U2"))
    assert [run.key for run in await store.runs_of("U1", limit=2)] == ["C1:3.0", "C1:2.0"]


async def test_a_question_that_is_forgotten_leaves_nothing_and_stays_taken_up(store):
    await store.begin(question())
    await store.add_turn("C1", "1.0", TURN)
    await store.add_feedback(Feedback(run="C1:1.0", user="U1", good=False, reason="wrong"))
    await store.add_feedback(Feedback(run="C1:2.0", user="U1", good=False))
    await store.forget(await store.run("C1:1.0"))
    assert await store.turns("C1", "1.0") == []
    assert [one.run for one in await store.feedback(good=False)] == ["C1:2.0"]
    assert (await store.run("C1:1.0")).asked == {}
    assert await store.begin(question()) is None


async def test_of_however_many_opinions_all_of_a_forgotten_question_go_and_those_of_its_private_answers(store, clock):
    await store.begin(question())
    for number in range(150):
        await store.add_feedback(Feedback(run="C1:1.0", user=f"U{number}", good=number % 2 == 0))
    await store.add_feedback(Feedback(run="C1:1.0:private:U2:1", user="U2", good=False))
    clock.now += 1
    others = [Feedback(run=run, user="U1", good=False) for run in ("C1:1.00", "C1:1", "C2:1.0")]
    for other in others:
        await store.add_feedback(other)
    await store.forget(await store.run("C1:1.0"))
    assert await store.feedback(good=True) == []
    assert {one.run for one in await store.feedback(good=False)} == {other.run for other in others}


async def test_the_questions_at_work_in_a_thread_are_found_oldest_first(store, clock):
    await store.begin(question("2.0"))
    clock.now += 1
    await store.begin(question("1.0"))
    await store.begin(question("3.0"))
    await store.change("C1:3.0", marked(status="done"))
    await store.begin(Run(key="C1:4.0", channel="C1", thread_ts="4.0", user="U1", asked={}))
    clock.now += 1
    await store.begin(Run(key="C1:trigger", channel="C1", thread_ts="", user="U1", asked={}))
    assert [run.key for run in await store.at_work("C1", "1.0")] == ["C1:2.0", "C1:1.0"]
    await store.change("C1:trigger", marked(thread_ts="1.0"))
    assert [run.key for run in await store.at_work("C1", "1.0")] == ["C1:2.0", "C1:1.0", "C1:trigger"]


async def test_a_channel_has_settings(store):
    assert await store.settings("C1") == ChannelSettings()
    chosen = ChannelSettings(sources=("files",), unmentioned=True, web="off", language="fr", tone="Short.")
    await store.set_settings("C1", chosen)
    assert await store.settings("C1") == chosen
    assert await store.settings("C2") == ChannelSettings()


async def test_of_several_opinions_of_one_person_the_latest_stands(store):
    await store.add_feedback(Feedback(run="C1:1.0", user="U1", good=True))
    await store.add_feedback(Feedback(run="C1:1.0", user="U1", good=False, reason="old"))
    await store.add_feedback(Feedback(run="C1:1.0", user="U2", good=True))
    assert [(one.user, one.reason) for one in await store.feedback(good=False)] == [("U1", "old")]
    assert [one.user for one in await store.feedback(good=True)] == ["U2"]


async def test_traces_go_before_questions_and_open_runs_stay(store, clock):
    await store.begin(question("1.0"))
    await store.change("C1:1.0", marked(status="done", state="{}", steps=(Step(what="model"),)))
    await store.begin(question("2.0"))
    await store.change("C1:2.0", marked(state="{}"))
    await store.add_turn("C1", "1.0", TURN)
    await store.prune(traces=30, threads=180)
    assert (await store.run("C1:1.0")).state == "{}"
    clock.now += 31 * DAY
    await store.prune(traces=30, threads=180)
    bare = await store.run("C1:1.0")
    assert (bare.status, bare.state, bare.steps) == ("done", "", ())
    assert (await store.run("C1:2.0")).state == "{}"
    clock.now += 150 * DAY
    await store.prune(traces=30, threads=180)
    assert await store.run("C1:1.0") is None
    assert await store.thread("C1", "1.0") is None
    assert await store.run("C1:2.0") is not None


async def test_the_trace_of_an_opinion_goes_with_that_of_its_question_and_the_opinion_stays(store, clock):
    run = await store.begin(question(state="{}", quotes=(hit(1), WebHit("A page", "https://web.test"))))
    clock.now += 20 * DAY
    await store.add_feedback(Feedback(run=run.key, user="U2", good=False, reason="Wrong.", trace=run))
    assert (await store.feedback_of(run.key, "U2")).trace == run
    clock.now += 11 * DAY
    await store.prune(traces=30, threads=180)
    (bare,) = await store.feedback(good=False)
    assert (bare.reason, bare.trace) == ("Wrong.", None)
    assert await store.feedback_of(run.key, "U1") is None


async def test_however_many_traces_are_old_all_of_them_go(store, clock):
    for number in range(250):
        await store.begin(question(f"{number}.0", status="done", state="{}"))
        clock.now += 1
    clock.now += 31 * DAY
    for _ in range(2):  # The second time there are only such without a trace.
        await store.prune(traces=30, threads=180)
        assert {run.state for run in await store.runs_of("U1", limit=300)} == {""}


async def test_everything_can_be_forgotten(store):
    await store.begin(question())
    await store.add_turn("C1", "1.0", TURN)
    await store.forget_all()
    assert await store.run("C1:1.0") is None
    assert await store.thread("C1", "1.0") is None
