"""What the live message shows in its blocks: first what was found, then the answer with all that belongs to it."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.research import AnswerDelta, SearchCall, SearchFailed, SearchResult
from bot.slack.messages.blocks import FEEDBACK, HOW, PRIVATE
from bot.slack.messages.sentences import FIRST_FOUND, LOOKED_INTO
from bot.slack.messages.sources import WHY, age, today_in
from tests.fakes.research import says, searches
from tests.fakes.search import hit, hits
from tests.fakes.slack_bot import running_bot

AGO = (datetime.now(UTC) - timedelta(days=3)).isoformat()
LEAVE = hit(1, title="Leave <policy>", url="https://wiki.test/leave", timestamp=AGO, content_snippet="30 days.\n@here")
ASKED = "How much leave do I have?"


def texts(blocks):
    """What is read in blocks, in one line each."""
    return [one["text"]["text"] if "text" in one else str(one.get("elements")) for one in blocks]


def shown(slack, ts, channel="C1"):
    """The blocks of the bot's latest message in a thread."""
    return slack.workspace.message(channel, slack.thread(channel, ts)[-1].ts).get("blocks", [])


def ids(blocks):
    parts = [
        *(part for one in blocks for part in one.get("elements", ())),
        *(one.get("accessory", {}) for one in blocks),
    ]
    return [part["action_id"] for part in parts if "action_id" in part]


@pytest.fixture
async def told(bot, slack):
    """What tells the bot of an event of a question at which the model is at work."""
    bot.knows(says("Never."), held=True)
    await slack.mention("U1", ASKED, "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers("C1", ts_of(slack)))
    return bot.questions[0].options["on_event"]


def ts_of(slack):
    return next(iter(slack.workspace.messages["C1"]))


async def test_the_first_edit_quotes_the_best_passages_and_the_answer_takes_their_place(bot, slack, told):
    before = len(slack.calls("chat.update"))
    told(SearchCall({"query": "leave"}))
    second = hit(1, chunk_id="files:doc1#1", content_snippet="Of the same document.")
    told(SearchResult(5, [], [], hits=[LEAVE, second, *hits(3, first=2)]))
    await slack.until(lambda: len(slack.calls("chat.update")) > before)
    blocks = slack.calls("chat.update")[before].call.parsed("blocks")
    read = "\n".join(texts(blocks))
    assert FIRST_FOUND["en"] in read
    assert "> 30 days. @\u200bhere\n• <https://wiki.test/leave|Leave &lt;policy&gt;> · Ada Lovelace · " in read
    assert f"({age(AGO[:10], today_in(ZoneInfo('America/New_York')), 'en')})" in read  # where Ada is
    assert [f"passage of document {number}" in read for number in (2, 3, 4)] == [True, True, False]
    assert "Of the same document." not in read
    told(AnswerDelta("You have "))
    await slack.until(lambda: "You have" in slack.answer("C1", ts_of(slack)))
    assert FIRST_FOUND["en"] not in "\n".join(texts(shown(slack, ts_of(slack))))


async def test_a_first_search_that_takes_its_time_is_shown_without_what_it_finds(bot, slack, told):
    told(SearchCall({"query": "leave"}))
    await slack.until(lambda: "Searching the documents" in slack.answer("C1", ts_of(slack)))
    told(SearchResult(0, [], []))
    await slack.until(lambda: "0 found" in slack.answer("C1", ts_of(slack)))


async def test_an_answer_has_its_sources_what_was_searched_and_what_may_be_done_about_it(bot, slack):
    found = [[LEAVE, hit(2, timestamp="2020-01-02T00:00:00+00:00")]]
    bot.knows(searches("leave"), says("You have 30 days [1]."), finds=found)
    ts = await slack.mention("U1", ASKED, "C1")
    await slack.until(lambda: FEEDBACK in ids(shown(slack, ts)))
    body, title, source, footer, *_ = shown(slack, ts)
    assert body["text"]["text"] == "You have 30 days <https://wiki.test/leave|[1]>."
    assert title["text"]["text"] == "*Sources*"
    assert source["text"]["text"].startswith("[1] <https://wiki.test/leave|Leave &lt;policy&gt;> · Ada Lovelace · ")
    old = age(AGO[:10], today_in(ZoneInfo("America/New_York")), "en")
    assert source["text"]["text"].endswith(f"({old})")
    assert source["accessory"]["value"] == f"1:C1:{ts}"
    assert LOOKED_INTO["en"].format(sources="files", count=2) in footer["elements"][0]["text"]
    assert f"the newest is of {AGO[:10]} ({old})" in footer["elements"][0]["text"]
    assert ids(shown(slack, ts)) == [FEEDBACK, HOW, PRIVATE, WHY]


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])  # never on the same day
@pytest.mark.parametrize("channel", ["C1", "DU1"])
async def test_an_age_is_by_the_day_of_the_asker_from_what_is_found_first_to_the_last_word(bot, slack, channel, zone):
    slack.workspace.users["U1"].tz = zone
    old = f"({age(AGO[:10], today_in(ZoneInfo(zone)), 'en')})"
    bot.knows(says("You have 30 days [1]."), held=True)
    ts = await (slack.dm("U1", ASKED) if channel == "DU1" else slack.mention("U1", ASKED, channel))
    await slack.until(lambda: bot.questions and bot.questions[0].engine.asked and slack.answers(channel, ts))
    bot.questions[0].options["on_event"](SearchCall({"query": "leave"}))
    bot.questions[0].options["on_event"](SearchResult(1, [], [], hits=[LEAVE]))
    told = ("chat.update", "chat.startStream", "chat.appendStream")
    await slack.until(lambda: old in str([made.call for method in told for made in slack.calls(method)]))


class Indexed:
    """What is indexed: when the newest of it was read, or why that is not known."""

    def __init__(self, read):
        self.read = read
        self.audiences = []

    async def __call__(self, audience):
        self.audiences.append(audience)
        if isinstance(self.read, Exception):
            raise self.read
        return self.read


async def footer(slack, tmp_path, indexed, *replies):
    async with running_bot(slack, tmp_path, indexed=indexed) as bot:
        bot.knows(*replies, finds=[[LEAVE]])
        ts = await slack.mention("U1", ASKED, "C1")
        await slack.until(lambda: FEEDBACK in ids(shown(slack, ts)))
        asked = bot.questions[0].audience
    told = [one["elements"][0]["text"] for one in shown(slack, ts) if one["type"] == "context"]
    return "".join(told), asked


LOOKS = (searches("leave"), says("You have 30 days [1]."))


async def test_the_footer_says_how_fresh_what_was_searched_is_for_those_who_read_it(slack, tmp_path):
    evening = datetime(2026, 11, 29, 2, tzinfo=UTC)  # the day before where Ada is
    indexed = Indexed({"files": evening, "mail": evening})
    told, audience = await footer(slack, tmp_path, indexed, *LOOKS)
    assert "files indexed 2026-11-28 (" in told
    assert "mail" not in told
    assert indexed.audiences == [audience]


async def test_where_that_is_not_known_the_answer_comes_without(slack, tmp_path):
    told, _ = await footer(slack, tmp_path, Indexed(SearchFailed("the index could not be read")), *LOOKS)
    assert LOOKED_INTO["en"].format(sources="files", count=1) in told
    assert "indexed" not in told


async def test_an_answer_without_a_search_asks_nothing_of_the_index(slack, tmp_path):
    indexed = Indexed({})
    told, _ = await footer(slack, tmp_path, indexed, says("Hello."))
    assert told == ""
    assert indexed.audiences == []


async def test_an_answer_with_many_sources_keeps_to_the_limits_of_blocks(bot, slack):
    found = [hits(20), hits(20, 21), hits(20, 41)]
    text = "\n\n".join(f"Claim {number} [{number}]." for number in range(1, 61))
    bot.knows(*(searches(f"q{number}") for number in range(3)), says(text), finds=found)
    ts = await slack.mention("U1", ASKED, "C1")
    await slack.until(lambda: len(slack.answers("C1", ts)) > 1 and FEEDBACK in ids(shown(slack, ts)))
    messages = [slack.workspace.message("C1", seen.ts) for seen in slack.thread("C1", ts)[1:]]
    buttons = [action for message in messages for action in ids(message["blocks"])]
    assert buttons.count(WHY) == 60
    assert buttons.count(FEEDBACK) == 1


async def test_an_answer_in_a_direct_message_has_all_of_that_too(bot, slack):
    bot.knows(searches("leave"), says("You have 30 days [1]."), finds=[[LEAVE]])
    ts = await slack.dm("U1", ASKED)
    channel = next(name for name, place in slack.workspace.messages.items() if ts in place)
    await slack.until(lambda: FEEDBACK in ids(shown(slack, ts, channel)))
    assert sorted(ids(shown(slack, ts, channel))) == sorted([FEEDBACK, HOW, WHY])
