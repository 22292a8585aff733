"""A mention, from the event to the last edit."""

from datetime import timedelta

import pytest

from bot.research import AnswerDelta, SearchCall, SearchResult
from bot.sentences import HELP, NO_ANSWER, NO_CONTENT, NOTHING_FOUND, THINKING, UNSOURCED
from bot.slack.messages.links import words
from tests.fakes.research import says, searches
from tests.fakes.search import hit
from tests.fakes.slack import BOT

LEAVE = hit(1, title="Leave policy", url="https://wiki.test/leave", timestamp="2026-01-02T09:00:00+00:00")
SOURCES = "*Sources*\n[1] <https://wiki.test/leave|Leave policy> · Ada Lovelace · 2026-01-02"


async def answered(slack, ts, *parts, channel="C1"):
    await slack.until(lambda: slack.answers(channel, ts) == list(parts))


async def test_a_mention_is_answered_in_its_thread_with_footnotes_and_a_list_of_sources(bot, slack):
    bot.knows(searches("leave"), says("You have **30 days** [1]."), finds=[[LEAVE]])
    ts = await slack.mention("U1", "How much leave do I have?", "C1")
    await answered(slack, ts, f"You have *30 days* <https://wiki.test/leave|[1]>.\n\n{SOURCES}")
    assert bot.questions[0].run["query"] == "How much leave do I have?"


async def test_the_placeholder_comes_before_anything_else_is_asked_of_slack(bot, slack):
    bot.knows(says("Hello."), held=True)
    before = len(slack.made)
    ts = await slack.mention("U1", "How much leave do I have?", "C1")
    await answered(slack, ts, f"_{THINKING['en']}_")
    assert slack.made[before].call.method == "chat.postMessage"


async def test_what_is_done_is_shown_while_it_is_done(bot, slack):
    gate = bot.knows(says("Yes."), held=True)
    ts = await slack.mention("U1", "How much leave do I have?", "C1")
    await slack.until(lambda: bot.questions)
    told, placed = bot.questions[0].options["on_event"], bot.questions[0].options["on_place"]
    placed(2)
    await answered(slack, ts, "_Waiting for the language model: number 2 in line…_")
    placed(0)
    told(SearchCall({"query": "leave <policy>"}))
    await answered(slack, ts, "_Searching the documents for “leave &lt;policy&gt;”…_")
    told(SearchResult(2, ["Leave policy"], []))
    step = "✓ Searched the documents for “leave &lt;policy&gt;”: 2 found"
    await answered(slack, ts, f"{step}\n_{THINKING['en']}_")
    told(AnswerDelta("You have **30"))
    told(AnswerDelta(" days**"))
    await answered(slack, ts, f"{step}\n\nYou have *30 days*")
    gate.set()
    await slack.until(lambda: slack.answer("C1", ts).startswith("Yes."))


async def test_an_answer_in_french_has_french_words_around_it(bot, slack):
    bot.knows(searches("congés"), says("Trente jours [1]."), finds=[[LEAVE]], held=True)
    ts = await slack.mention("U1", "Combien de jours de congé est-ce que j'ai dans l'année ?", "C1")
    await answered(slack, ts, f"_{THINKING['fr']}_")


async def test_nothing_unfurls_and_nobody_is_pinged(bot, slack):
    text = "<!channel> <@U2> @here see [1] and [x](https://wiki.test/leave)"
    bot.knows(searches("leave"), says(text), finds=[[hit(1, title="<!here> Leave", url=LEAVE.url)]])
    ts = await slack.mention("U1", "How much leave do I have?", "C1")
    await slack.until(lambda: "Sources" in slack.answer("C1", ts))
    (seen,) = slack.thread("C1", ts)[1:]
    assert (seen.pings, seen.previews) == ((), ())
    assert "<https://wiki.test/leave|[1]>" in seen.text


async def test_an_answer_over_the_limit_goes_on_in_further_messages(bot, slack):
    lines = [f"{number}. The line with the number {number} of a very long list" for number in range(1, 201)]
    bot.knows(says("\n".join(lines)))
    ts = await slack.mention("U1", "Tell me all of it", "C1")
    await slack.until(lambda: UNSOURCED["en"] in slack.answer("C1", ts))
    parts = slack.answers("C1", ts)
    assert len(parts) > 2
    assert "\n".join(parts).split("\n")[:200] == lines
    assert {message.thread_ts for message in slack.thread("C1", ts)[1:]} == {ts}


async def test_an_answer_that_no_source_backs_says_so(bot, slack):
    bot.knows(says("Leave is 30 days."))
    ts = await slack.mention("U1", "How much leave do I have?", "C1")
    await answered(slack, ts, f"Leave is 30 days.\n\n_{UNSOURCED['en']}_")


async def test_that_nothing_was_found_needs_no_such_label(bot, slack):
    bot.knows(searches("leave"), says("It is 30 days [1]."), finds=[[]])
    ts = await slack.mention("U1", "How much leave do I have?", "C1")
    await answered(slack, ts, NOTHING_FOUND["en"])


@pytest.mark.parametrize(
    ("replies", "said"),
    [
        pytest.param([searches("leave"), *[says("")] * 9], NO_ANSWER["en"], id="with what was found"),
        pytest.param([says(""), says("")], NO_CONTENT["en"], id="where nothing was"),
    ],
)
async def test_a_model_that_gives_no_text_is_said_in_words(bot, slack, replies, said):
    bot.knows(*replies, finds=[[LEAVE]])
    ts = await slack.mention("U1", "How much leave do I have?", "C1")
    await slack.until(lambda: slack.answer("C1", ts).startswith(said))
    text = slack.answer("C1", ts)
    assert ("• <https://wiki.test/leave|Leave policy>" in text) == (said == NO_ANSWER["en"])
    assert "(no synthesis" not in text
    assert "(model returned" not in text


@pytest.mark.parametrize("text", ["", "help", "  HELP ", "?"])
async def test_an_empty_mention_or_help_says_what_the_bot_can_do(bot, slack, text):
    ts = await slack.mention("U1", text, "C1")
    await answered(slack, ts, words(HELP["en"]))
    assert bot.questions == []


async def test_help_can_be_asked_for_in_french(bot, slack):
    ts = await slack.mention("U1", "aide", "C1")
    await answered(slack, ts, words(HELP["fr"]))


@pytest.mark.parametrize("text", ["", None])
async def test_a_mention_in_blocks_alone_is_read(bot, slack, text):
    bot.knows(says("Hello."))
    elements = [{"type": "user", "user_id": BOT}, {"type": "text", "text": " is a < b?"}]
    section = {"type": "rich_text_section", "elements": elements}
    await slack.say("U1", text, "C1", blocks=[{"type": "rich_text", "elements": [section]}])
    await slack.until(lambda: bot.questions and bot.questions[0].run)
    assert bot.questions[0].run["query"] == "is a < b?"


async def test_a_question_is_read_as_a_person_would_read_it(bot, slack):
    bot.knows(says("Hello."))
    await slack.mention("U1", "what did <@U2> say in <#C2> about R&amp;D, &amp;lt;?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].run)
    assert bot.questions[0].run["query"] == "what did Grace Hopper say in #with-guest about R&D, &lt;?"


async def test_the_time_is_the_askers(bot, slack):
    bot.knows(says("Hello."))
    await slack.mention("U1", "What is on tomorrow?", "C1")
    await slack.until(lambda: bot.questions)
    assert str(bot.questions[0].options["clock"]().tzinfo) == "America/New_York"


async def test_where_slack_does_not_tell_the_zone_it_is_the_servers(bot, slack):
    bot.knows(says("Hello."))
    slack.refuse("users.info", "internal_error", times=9)
    await slack.mention("U1", "What is on tomorrow?", "C1")
    await slack.until(lambda: bot.questions)
    assert isinstance(bot.questions[0].options["clock"]().utcoffset(), timedelta)


async def test_many_questions_are_answered_at_once(bot, slack):
    gates = [bot.knows(says(f"Answer {number}."), held=True) for number in range(20)]
    asked = [await slack.mention("U1", f"Question {number}?", "C1") for number in range(20)]
    await slack.until(lambda: len(bot.questions) == 20)
    for gate in gates:
        gate.set()
    await slack.until(lambda: all("Answer" in slack.answer("C1", ts) for ts in asked))


async def test_the_model_learns_who_asks(bot, slack):
    bot.knows(says("Hello."))
    await slack.mention("U1", "What did I write?", "C1")
    await slack.until(lambda: bot.questions and bot.questions[0].run)
    assert bot.questions[0].run["hints"] == ("The person who asks is Ada Lovelace.",)


async def test_a_file_without_a_link_is_shown_by_its_path(bot, slack):
    found = hit(1, title="Leave policy", document_id="files:docs/leave.md", url="")
    bot.knows(searches("leave"), says("30 days [1]."), finds=[[found]])
    ts = await slack.mention("U1", "How much leave do I have?", "C1")
    await slack.until(lambda: "[1] Leave policy · `docs/leave.md` · Ada Lovelace" in slack.answer("C1", ts))


async def test_two_passages_of_one_document_are_one_line_of_the_list(bot, slack):
    bot.knows(searches("leave"), says("30 days [1], more later [2]."), finds=[[LEAVE, LEAVE]])
    ts = await slack.mention("U1", "How much leave do I have?", "C1")
    await slack.until(lambda: f"\n{SOURCES.replace('[1]', '[1] [2]')}" in slack.answer("C1", ts))


async def test_a_search_that_failed_is_shown_as_failed(bot, slack):
    gate = bot.knows(searches("leave"), says("It failed."), finds=[OSError("secret")], held=True)
    ts = await slack.mention("U1", "How much leave do I have?", "C1")
    await answered(slack, ts, f"_{THINKING['en']}_")
    gate.set()
    await slack.until(lambda: "It failed." in slack.answer("C1", ts))
    assert not any("secret" in made.call["text"] for made in slack.calls("chat.update"))
