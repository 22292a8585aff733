"""A private answer is shown to others by its owner: once, whole, and whatever fails is told."""

import asyncio

import pytest

from bot.slack.surfaces import sharing_sentences as ours
from bot.store import Run
from bot.store.sqlite import open_store
from tests.fakes.research import says, searches
from tests.fakes.slack_bot import running_bot
from tests.fakes.slack_private import ACCESS, PAY, answer, asked_in_a_channel, dm, preview, privately, root, shown, told


@pytest.fixture
async def asked(bot, slack):
    return await asked_in_a_channel(bot, slack)


def shared(slack, ts):
    """The messages of a thread in the channel that show something of the private answer."""
    return [text for text in slack.answers("C1", ts) if "Pay of Ada" in text or "The pay is 100" in text]


async def confirm(slack, user="U1"):
    """Somebody has a look and shares."""
    await preview(slack, user)
    await slack.submit(user)


def key_of(ts):
    return f"C1:{ts}:private:U1:1"


async def test_it_is_shared_only_after_its_owner_saw_what_that_reveals(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    text = await preview(slack, "U1")
    assert "The pay is 100" in text
    assert "Pay of Ada" in text
    assert "<#C1>" in text
    assert "Pay of Ada" not in slack.answer("C1", asked)
    await slack.submit("U1")
    await slack.until(lambda: "Pay of Ada" in slack.answer("C1", asked))
    assert slack.answer("C1", asked).startswith("Ada Lovelace shares")
    shared = slack.thread("C1", asked)[-1]
    assert shared.pings == ()
    await slack.until(lambda: told(slack, "U1"))
    (word,) = told(slack, "U1")
    assert word.startswith(ours.NOW_SHARED["en"].format(channel="<#C1>"))
    assert slack.permalink("C1", shared.ts) in word


async def test_what_its_owner_may_no_more_read_is_not_shared(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    await slack.leave("U1", "C4")
    assert await preview(slack, "U1") == ours.NOT_SHARED["en"]


async def test_where_a_source_is_no_more_theirs_to_read_it_is_not_shared(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    await preview(slack, "U1")
    bot.access[PAY.chunk_id] = frozenset({"user:U3"})
    await slack.submit("U1")
    await slack.until(lambda: shown(slack, "U1") == ours.NOT_SHARED["en"])
    assert shared(slack, asked) == []


async def test_what_its_sources_were_is_kept_no_longer_so_it_is_not_shared(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    async with asyncio.timeout(4):
        while (await bot.store.run(key_of(asked))).status != "done":
            pass
    await bot.store.prune(traces=-1, threads=180)
    assert await preview(slack, "U1") == ours.NOT_SHARED["en"]


async def test_where_a_source_is_no_more_theirs_when_it_is_gone_on_with_it_is_not_shared(slack, tmp_path):
    ts = await killed(slack, tmp_path)
    await confirmed_by_one_that_is_no_more(tmp_path, ts)
    async with running_bot(slack, tmp_path):
        await slack.until(lambda: told(slack, "U1") == [ours.NOT_SHARED["en"]], 8)
        assert shared(slack, ts) == []


async def test_whoever_left_between_the_look_and_the_sharing_shares_nothing(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    await preview(slack, "U1")
    await slack.leave("U1", "C1")
    await slack.submit("U1")
    await slack.until(lambda: shown(slack, "U1") == ours.NOT_SHARED["en"])
    assert "Pay of Ada" not in slack.answer("C1", asked)


async def test_what_was_answered_anew_since_the_look_is_not_shared(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    await preview(slack, "U1")
    bot.knows(searches("pay"), says("It is 100, and a bonus of 900 [1]."), finds=[[PAY]])
    await slack.react("U1", slack.workspace.direct("U1").id, root(slack, "U1"), "arrows_counterclockwise")
    await slack.until(lambda: "a bonus of 900" in answer(slack, "U1"))
    await slack.submit("U1")
    await slack.until(lambda: shown(slack, "U1") == ours.NOT_SHARED["en"])
    assert "Pay of Ada" not in slack.answer("C1", asked)


async def test_what_the_button_gave_and_what_was_shared_of_it_goes_with_the_question(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    await preview(slack, "U1")
    await slack.submit("U1")
    await slack.until(lambda: "Pay of Ada" in slack.answer("C1", asked))
    key = f"C1:{asked}:private:U1:1"
    await slack.delete("C1", asked)
    await slack.until(lambda: not dm(slack, "U1"))
    await slack.until(lambda: not any("Pay of Ada" in text for text in slack.answers("C1", asked)))
    async with asyncio.timeout(4):
        while (await bot.store.run(key)).status != "claim":
            pass


async def test_a_second_click_says_that_it_is_shared_and_where(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    await confirm(slack)
    await slack.until(lambda: told(slack, "U1"))
    text = await preview(slack, "U1")
    assert text.startswith(ours.ALREADY_SHARED["en"].format(channel="<#C1>"))
    assert slack.permalink("C1", slack.thread("C1", asked)[-1].ts) in text
    assert slack.api.views.modal("U1")["submit"] is None
    assert len(shared(slack, asked)) == 1


async def test_of_two_looks_at_the_same_answer_one_shares_it(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    await preview(slack, "U1")
    view = dict(slack.api.views.modal("U1"))
    await slack.submit("U1")
    await slack.until(lambda: told(slack, "U1") and not slack.api.views.modals["U1"])
    slack.api.views.modals["U1"] = [view]
    await slack.submit("U1")
    await slack.until(lambda: shown(slack, "U1").startswith(ours.ALREADY_SHARED["en"].format(channel="<#C1>")))
    assert len(shared(slack, asked)) == 1


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("not_in_channel", ours.NOT_THERE),
        ("is_archived", ours.ARCHIVED),
        ("restricted_action", ours.RESTRICTED),
        ("some_new_error", ours.REFUSED),
    ],
)
async def test_where_slack_does_not_take_it_its_owner_is_told_why_and_can_share_it_again(bot, slack, asked, code, why):
    await privately(bot, slack, "U1", asked)
    before = len(dm(slack, "U1"))
    slack.refuse("chat.postMessage", code)
    await confirm(slack)
    await slack.until(lambda: told(slack, "U1") == [why["en"].format(channel="<#C1>", code=code)])
    assert shared(slack, asked) == []
    assert len(dm(slack, "U1")) == before + 1  # that word, and not the answer for a second time
    await confirm(slack)
    await slack.until(lambda: len(told(slack, "U1")) == 2)
    assert len(shared(slack, asked)) == 1


async def test_while_slack_takes_no_posts_it_is_being_shared_and_comes_once_it_does(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    slack.limit("chat.postMessage", retry_after=1)
    await confirm(slack)
    await slack.until(lambda: any(one.error for one in slack.calls("chat.postMessage")))
    assert await preview(slack, "U1") == ours.BEING_SHARED["en"].format(channel="<#C1>")
    await slack.until(lambda: told(slack, "U1"))
    assert len(shared(slack, asked)) == 1


@pytest.mark.parametrize("done", [False, True])
async def test_a_connection_that_broke_shares_it_once(bot, slack, asked, done):
    await privately(bot, slack, "U1", asked)
    slack.drop("chat.postMessage", done=done)
    await confirm(slack)
    await slack.until(lambda: told(slack, "U1"))
    assert len(shared(slack, asked)) == 1


async def test_where_slack_does_not_take_its_blocks_it_is_shared_as_text(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    slack.refuse("chat.postMessage", "invalid_blocks")
    await confirm(slack)
    await slack.until(lambda: told(slack, "U1"))
    assert len(shared(slack, asked)) == 1


async def test_where_the_thread_is_gone_it_is_shared_in_the_channel(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    slack.refuse("chat.postMessage", "thread_not_found")
    await confirm(slack)
    await slack.until(lambda: told(slack, "U1"))
    assert told(slack, "U1")[0].startswith(ours.NOW_SHARED["en"].format(channel="<#C1>"))
    places = slack.workspace.messages["C1"].values()
    assert len([one for one in places if "Pay of Ada" in one["text"] and not one.get("thread_ts")]) == 1


async def killed(slack, tmp_path):
    """The bot of before, which gave the private answer; the ts of the question."""
    async with running_bot(slack, tmp_path) as bot:
        ts = await asked_in_a_channel(bot, slack)
        await privately(bot, slack, "U1", ts)
        await preview(slack, "U1")
        async with asyncio.timeout(4):
            while (await bot.store.run(key_of(ts))).status != "done":
                pass
    return ts


async def confirmed_by_one_that_is_no_more(tmp_path, ts):
    """It has noted that the answer is to be shared, and nothing else."""
    async with open_store(tmp_path / "state.sqlite") as store:
        run = await store.run(key_of(ts))
        sharing = Run(key=f"share:{run.key}:1", channel="C1", thread_ts="", user="U1", asked=run.asked, shares=run.key)
        await store.begin(sharing)


async def test_what_a_killed_process_was_to_share_is_shared(slack, tmp_path):
    ts = await killed(slack, tmp_path)
    await confirmed_by_one_that_is_no_more(tmp_path, ts)
    async with running_bot(slack, tmp_path, access=ACCESS):
        await slack.until(lambda: told(slack, "U1"), 8)
        assert len(shared(slack, ts)) == 1


async def killed_amid_sharing(slack, home):
    """A bot that is gone once it has shared an answer, and before it could note that."""
    async with running_bot(slack, home) as bot:
        ts = await asked_in_a_channel(bot, slack)
        await privately(bot, slack, "U1", ts)
        await preview(slack, "U1")
        slack.hold("chat.postMessage")
        await slack.submit("U1")
        await slack.until(lambda: shared(slack, ts))
    slack.release("chat.postMessage")
    return ts


async def test_what_a_killed_process_has_shared_is_not_shared_again(slack, tmp_path):
    ts = await killed_amid_sharing(slack, tmp_path)
    async with running_bot(slack, tmp_path, access=ACCESS):
        await slack.until(lambda: told(slack, "U1"), 8)
        assert len(shared(slack, ts)) == 1


async def test_what_its_owner_may_no_more_read_when_it_is_gone_on_with_is_taken_back(slack, tmp_path):
    ts = await killed_amid_sharing(slack, tmp_path)
    await slack.leave("U1", "C4")
    async with running_bot(slack, tmp_path, access=ACCESS):
        await slack.until(lambda: told(slack, "U1") == [ours.NOT_SHARED["en"]], 8)
        assert shared(slack, ts) == []


async def test_what_is_deleted_while_it_is_being_shared_is_taken_back(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    await preview(slack, "U1")
    slack.hold("chat.postMessage")
    await slack.submit("U1")
    await slack.until(lambda: shared(slack, asked))
    await slack.delete("C1", asked)
    slack.release("chat.postMessage")
    await slack.until(lambda: not shared(slack, asked) and not dm(slack, "U1"))


async def longer_by(bot, ts, titles):
    """The private answer has sources of these titles."""

    def longer(run):
        first = run.turn.sources[0]
        sources = [
            {**first, "ref": ref, "title": title, "source_id": title, "url": f"https://wiki.test/{ref}"}
            for ref, title in enumerate(titles, 1)
        ]
        return run.model_copy(update={"turn": run.turn.model_copy(update={"sources": tuple(sources)})})

    await bot.store.change(key_of(ts), longer, own=False)


async def test_what_is_longer_than_a_modal_is_looked_at_page_by_page_and_shared_whole(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    titles = [f"Paper {number:03}" for number in range(120)]
    await longer_by(bot, asked, titles)
    seen = await preview(slack, "U1")
    assert ours.PAGE["en"].format(page=1, pages=2) in seen
    assert titles[-1] not in seen
    await slack.submit("U1")
    await slack.until(lambda: ours.PAGE["en"].format(page=2, pages=2) in shown(slack, "U1"))
    assert slack.answers("C1", asked)[1:] == []
    seen += shown(slack, "U1")
    assert [title for title in titles if title not in seen] == []
    await slack.submit("U1")
    await slack.until(lambda: told(slack, "U1"), 10)
    everything = "\n".join(slack.answers("C1", asked))
    assert [title for title in titles if title not in everything] == []


async def test_a_wish_for_another_answer_on_what_was_shared_goes_to_its_owner(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    await confirm(slack)
    await slack.until(lambda: told(slack, "U1"))
    before = slack.answers("C1", asked)
    bot.knows(searches("pay"), says("It is 100, and a bonus of 900 [1]."), finds=[[PAY]])
    await slack.react("U1", "C1", slack.thread("C1", asked)[-1].ts, "arrows_counterclockwise")
    await slack.until(lambda: any("a bonus of 900" in one["text"] for one in dm(slack, "U1")))
    assert slack.answers("C1", asked) == before


async def test_what_is_longer_than_some_messages_is_shared_in_a_file_that_goes_with_the_question(bot, slack, asked):
    await privately(bot, slack, "U1", asked)
    titles = [f"Paper {number:03}" for number in range(250)]
    await longer_by(bot, asked, titles)
    await preview(slack, "U1")
    while slack.api.views.modal("U1")["submit"]["text"] == ours.NEXT["en"]:
        before = slack.api.views.modal("U1")["private_metadata"]
        await slack.submit("U1")
        await slack.until(lambda before=before: slack.api.views.modal("U1")["private_metadata"] != before)
    await slack.submit("U1")
    await slack.until(lambda: told(slack, "U1"))
    (file,) = slack.api.files.files.values()
    assert [title for title in titles if title not in file.content.decode()] == []
    await slack.delete("C1", asked)
    await slack.until(lambda: not slack.api.files.files and not dm(slack, "U1"))
    assert shared(slack, asked) == []
