"""`footnote feedback export` and `footnote eval replay`: from a 👎 to the answer given again."""

import asyncio
import json

import pytest

from bot.slack.messages.blocks import FEEDBACK
from bot.store import Feedback
from bot.store.sqlite import open_store
from tests.fakes.research import calls, says, searches
from tests.fakes.search import hit
from tests.fakes.slack import serve_slack
from tests.fakes.slack_bot import running_bot


@pytest.fixture
async def disliked(home):
    """A question in Slack whose answer somebody finds bad."""
    home.mkdir()
    async with serve_slack() as slack, running_bot(slack, home) as bot:
        bot.knows(searches("leave"), says("You have 30 days [1]."), finds=[[hit(1), hit(2)]])
        ts = await slack.mention("U1", "How much leave do I have?", "C1")
        await slack.until(lambda: "*Sources*" in slack.answer("C1", ts))
        hook = await slack.click("U2", "C1", slack.thread("C1", ts)[-1].ts, FEEDBACK, f"bad:C1:{ts}")
        await slack.until(lambda: hook.delivery.acknowledged)


async def test_what_was_found_bad_is_written_and_gives_the_same_answer_from_its_record(disliked, footnote, tmp_path):
    done = await asyncio.to_thread(footnote, "feedback", "export", "--output", tmp_path / "cases")
    assert (done.code, done.out, done.err) == (0, f"Wrote 1 case to {tmp_path / 'cases'}.\n", "")
    (file,) = (tmp_path / "cases").iterdir()
    assert file.stat().st_mode & 0o077 == 0
    case = json.loads(file.read_text("utf-8"))
    assert (case["question"], case["answer"]) == ("How much leave do I have?", "You have 30 days [1].")
    done = await asyncio.to_thread(footnote, "eval", "replay", "--recorded", "--json", file)
    assert (done.code, done.err) == (0, "")
    (one,) = json.loads(done.out)["cases"]
    assert (one["same"], one["new"]["answer"]) == (True, "You have 30 days [1].")


async def test_a_follow_up_that_asked_back_gives_the_same_answer_from_its_record(home, footnote, tmp_path):
    home.mkdir()
    asks = calls(("clarify", {"question": "Which?\n- the rocket\n- the bird"}))
    async with serve_slack() as slack, running_bot(slack, home) as bot:
        bot.knows(searches("leave"), says("You have 30 days [1]."), finds=[[hit(1), hit(2)]])
        ts = await slack.dm("U1", "How much leave do I have?")
        await slack.until(lambda: "*Sources*" in slack.answer("DU1", ts))
        bot.knows(searches("falcon"), asks, searches("bird"), says("It flies [3]."), finds=[[hit(3)], [hit(4), hit(5)]])
        second = await slack.dm("U1", "And when does Falcon fly?", ts)
        await slack.until(lambda: "Which?" in slack.answer("DU1", ts))
        while (await bot.store.run(f"DU1:{second}")).status != "waiting":
            pass
        await slack.dm("U1", "the bird", ts)
        while (run := await bot.store.run(f"DU1:{second}")).status != "done":
            pass
        await bot.store.add_feedback(Feedback(run=run.key, user="U1", good=False, trace=run))
    await asyncio.to_thread(footnote, "feedback", "export", "--output", tmp_path / "cases")
    (file,) = (tmp_path / "cases").iterdir()
    case = json.loads(file.read_text("utf-8"))
    assert [turn["content"][:8] for turn in case["history"]] == ["How much", "You have"]
    assert len(case["replies"]) == 4
    done = await asyncio.to_thread(footnote, "eval", "replay", "--recorded", "--json", file)
    assert (done.code, json.loads(done.out)["cases"][0]["same"]) == (0, True)


async def test_what_was_found_bad_in_direct_messages_is_told_of(home, footnote, tmp_path):
    home.mkdir()
    async with serve_slack() as slack, running_bot(slack, home) as bot:
        bot.knows(searches("leave"), says("You have 30 days [1]."), finds=[[hit(1)]])
        ts = await slack.dm("U1", "How much leave do I have?")
        while (run := await bot.store.run(f"DU1:{ts}")) is None or run.status != "done":
            pass
        await bot.store.add_feedback(Feedback(run=run.key, user="U1", good=False, reason="Too short.", trace=run))
    done = await asyncio.to_thread(footnote, "feedback", "export", "--output", tmp_path / "cases")
    assert done.err.startswith("Note: 1 of them from direct messages or private answers")
    (file,) = (tmp_path / "cases").iterdir()
    assert json.loads(file.read_text("utf-8"))["reason"] == "Too short."


async def test_without_a_model_it_is_answered_with_quotes_in_a_table(disliked, footnote, tmp_path):
    await asyncio.to_thread(footnote, "feedback", "export", "--output", tmp_path)
    done = await asyncio.to_thread(footnote, "eval", "replay", tmp_path)
    assert done.code == 0
    assert "Note: " in done.err
    assert "old answer" in done.out


async def test_a_record_that_gives_another_answer_ends_with_1(disliked, footnote, tmp_path):
    await asyncio.to_thread(footnote, "feedback", "export", "--output", tmp_path)
    (file,) = tmp_path.glob("*.json")
    file.write_text(file.read_text("utf-8").replace('"answer": "You have 30', '"answer": "You had 30'), "utf-8")
    assert (await asyncio.to_thread(footnote, "eval", "replay", "--recorded", file)).code == 1


async def test_what_is_not_kept_any_more_is_counted(home, footnote, tmp_path):
    home.mkdir()
    async with open_store(home / "state.sqlite") as store:
        await store.add_feedback(Feedback(run="C1:1.0", user="U1", good=False))
    done = await asyncio.to_thread(footnote, "feedback", "export", "--output", tmp_path / "cases")
    assert done.out == f"Wrote 0 cases to {tmp_path / 'cases'}.\n"
    assert done.err.startswith("Left out 1,")


def test_a_folder_that_cannot_be_made_is_named(home, footnote, tmp_path):
    (tmp_path / "file").write_text("mine")
    done = footnote("feedback", "export", "--output", tmp_path / "file")
    assert (done.code, done.err) == (
        1,
        f"error: {tmp_path / 'file'} cannot be written: File exists. Name another folder.\n",
    )


def test_what_is_no_case_is_named_in_one_line(footnote, tmp_path):
    done = footnote("eval", "replay", tmp_path / "none.json")
    assert (done.code, done.err) == (2, f"error: {tmp_path / 'none.json'} cannot be read: No such file or directory.\n")
