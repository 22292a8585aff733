"""Public bug reports about answers and their sources, as tests of the loop.

Each test names its report: the address is `https://github.com/<repository>/issues/<number>`.
"""

import json

import pytest

from bot.research import AnswerDelta, WebHit
from tests.fakes.research import calls, play, says, searches
from tests.fakes.search import FakeSearch, hit, hits

ABSTENTION = "I found nothing about this in the sources I searched."
WEB_CALL = calls(("web_search", {"query": "x"}))


def drafted(played):
    return "".join(event.text for event in played.events if isinstance(event, AnswerDelta))


def titles(played):
    return [(source["ref"], source["title"]) for source in played.result.sources]


# assafelovic/gpt-researcher#1572, #1799: nothing was found and a confident report is written


@pytest.mark.parametrize(
    "text",
    ["Falcon flies [1][2].", "Falcon flies [1, 2].", "Falcon flies【1】.", "Falcon flies [1](https://a.example)."],
)
async def test_a_report_with_sources_out_of_nothing_is_an_abstention(text):
    played = await play(searches(), WEB_CALL, says(text), web_search=lambda *_: [])
    assert (played.result.answer, played.result.sources, played.result.grounded) == (ABSTENTION, [], False)
    assert (played.dicts[-1]["text"], played.result.stop_reason) == (ABSTENTION, "answered")


async def test_a_forced_synthesis_out_of_nothing_is_an_abstention_and_keeps_its_stop_reason():
    played = await play(*[searches("a"), calls("fly")], *[says("It flies [1].")] * 2, max_iterations=1)
    assert (played.result.answer, played.result.stop_reason) == (ABSTENTION, "budget")


@pytest.mark.parametrize("text", ["In [2024] it flew.", "Use `a[1]`.", "```\na[1]\n```"])
async def test_a_year_or_code_is_no_citation_and_no_reason_to_abstain(text):
    played = await play(searches(), says(text))
    assert (played.result.answer, played.result.dropped_citations) == (text, 0)


async def test_after_only_failed_searches_the_numbers_are_lost_and_the_text_stays():
    played = await play(searches(), says("I could not search [1]."), search=FakeSearch(OSError()))
    assert (played.result.answer, played.result.dropped_citations) == ("I could not search.", 1)


async def test_evidence_of_the_caller_can_be_cited_though_every_search_was_empty():
    played = await play(searches(), says("It flies [1]."), run={"evidence": [hit(title="The thread")]})
    assert (played.result.answer, titles(played)) == ("It flies [1].", [(1, "The thread")])


# github/copilot-cli#4093: a result without an address


async def test_a_web_result_without_an_address_has_no_number():
    found = [WebHit("Nowhere", ""), WebHit("A", "https://a.example"), WebHit("Blank", "  ")]
    played = await play(WEB_CALL, says("A [1], nowhere [2]."), web_search=lambda *_: found)
    assert (played.result.answer, titles(played)) == ("A [1], nowhere.", [(1, "A")])
    assert played.dicts[1]["num_hits"] == played.tool_contents()[0]["num_results"] == 1


# onyx-dot-app/onyx#1543: [5, 7] of four documents


@pytest.mark.parametrize(
    ("text", "answer", "dropped"),
    [
        ("It flies [5, 7].", "It flies.", 2),
        ("It flies [4, 7].", "It flies [1].", 1),
        ("It flies [3-4].", "It flies [1][2].", 0),
        ("It flies [4][9][1].", "It flies [1][2].", 1),
        ("It flies ［3］, fast 【4】.", "It flies [1], fast [2].", 0),
        ("It flies [0].", "It flies.", 1),
    ],
)
async def test_numbers_of_no_source_are_removed_and_counted(text, answer, dropped):
    played = await play(searches(), says(text), search=FakeSearch(hits(4)))
    assert (played.result.answer, played.result.dropped_citations) == (answer, dropped)


async def test_a_number_of_no_source_never_comes_to_point_at_a_renumbered_one():
    played = await play(
        searches("a"), searches("b"), says("A [5]. B [6]. Invented [9]."), search=FakeSearch(hits(4), hits(2, first=5))
    )
    assert played.result.answer == "A [1]. B [2]. Invented."
    assert titles(played) == [(1, "Document 5"), (2, "Document 6")]


async def test_an_answer_of_nothing_but_wrong_numbers_counts_them_too():
    played = await play(searches(), says("[7]"), search=FakeSearch(hits(1)))
    assert "The passage of document 1. [1]" in played.result.answer
    assert played.result.dropped_citations == 1


# thunderbird/thunderbolt#364, open-webui/open-webui#10979: a number that is looked up as a position


async def test_a_number_is_a_ref_and_never_a_position():
    played = await play(
        searches("a"), searches("b"), says("Last [21], first [2]."), search=FakeSearch(hits(20), hits(1, first=77))
    )
    assert titles(played) == [(1, "Document 77"), (2, "Document 2")]
    assert played.result.answer == "Last [1], first [2]."


async def test_hits_beyond_the_shown_twenty_have_no_number():
    played = await play(
        searches("a"), searches("b"), says("Next [21]."), search=FakeSearch(hits(25), hits(1, first=77))
    )
    assert played.dicts[1]["num_hits"] == 25
    assert [source["ref"] for source in played.dicts[1]["sources"]] == list(range(1, 21))
    assert [source["ref"] for source in played.dicts[3]["sources"]] == [21]
    assert titles(played) == [(1, "Document 77")]


# The report that the story begins with: an answer under new numbers, its sources under the old ones


async def test_the_text_and_the_sources_of_the_last_event_have_the_same_numbers():
    mail = hit(1, title="Bank", source="gmail", document_id="gmail:ab")
    played = await play(
        searches(), WEB_CALL, says("Play at CodinGame [2]."), search=FakeSearch([mail]),
        web_search=lambda *_: [WebHit("CodinGame", "https://www.codingame.com")],
    )  # fmt: skip
    assert played.dicts[-1]["text"] == "Play at CodinGame [1]."
    [source] = played.dicts[-1]["sources"]
    assert (source["ref"], source["title"]) == (1, "CodinGame")
    assert played.result.sources == played.dicts[-1]["sources"]
    assert drafted(played) == "Play at CodinGame [1]."


async def test_two_passages_of_one_document_keep_two_numbers():
    found = [hit(1, title="Mail", chunk_idx=0), hit(1, title="Mail", chunk_idx=1)]
    played = await play(searches(), says("Late [2], dear [1]."), search=FakeSearch(found))
    assert [source["source_id"] for source in played.result.sources] == ["doc1", "doc1"]


# unslothai/unsloth#10245, open-webui/open-webui#8706, ggml-org/llama.cpp#11861: thoughts in the report


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<think>[2] is wrong</think>It flies [1].", id="closed"),
        pytest.param("[2] is wrong\n</think>\n\nIt flies [1].", id="never opened"),
        pytest.param("It flies [1].\n<think>[2] is wrong", id="never closed"),
        pytest.param("<think>[2] is\n\nwrong</think>\nIt flies [1].<think>is [2] wrong?</think>", id="twice"),
        pytest.param("<THINK>[2] is wrong</THINK>It flies [1].", id="in capitals"),
    ],
)
async def test_a_thought_is_neither_shown_nor_cited(text):
    played = await play(searches(), says(text), search=FakeSearch(hits(2)))
    assert (played.result.answer, titles(played)) == ("It flies [1].", [(1, "Document 1")])


@pytest.mark.parametrize(
    "text",
    [
        "<think>[2] is wrong, said [someone](https://evil.example)</think>It flies [1].",
        "It flies [1].\n<think>[2] is wrong",
        "It flies [1].\n<think>[2] is wrong</think>",
        "<thinking>wrong, all of it</thinking>\nIt flies [1].",
    ],
)
async def test_a_thought_is_in_no_delta(text):
    played = await play(searches(), says(text), search=FakeSearch(hits(2)))
    assert drafted(played).strip() == "It flies [1]."


async def test_a_thought_beside_a_call_is_not_kept_in_the_transcript():
    reply = calls(("search", {"query": "x"}), content="<think>secret plan</think>Looking.")
    played = await play(reply, says("Done."), search=FakeSearch(hits(1)))
    assert [message.content for message in played.messages() if message.tool_calls] == ["Looking."]


# assafelovic/gpt-researcher#1767, #1100: another language than the question's

FRENCH = "Où en est le projet Falcon et qui s'en occupe ?"


@pytest.mark.parametrize(
    ("replies", "options", "words"),
    [
        pytest.param([searches(), says("It flies [1].")], {}, "Je n'ai rien trouvé", id="abstention"),
        pytest.param([OSError()], {}, "Le modèle de langage n'a pas répondu", id="no engine"),
        pytest.param([searches(), OSError(), OSError()], {"found": 1}, "voici les meilleurs passages", id="digest"),
        pytest.param([says("Il vole.", done_reason="length")], {}, "a atteint la limite de longueur", id="cut"),
        pytest.param([says("[7]")], {}, "Le modèle de langage n'a pas répondu", id="nothing left"),
    ],
)
async def test_the_sentences_of_the_loop_are_in_the_language_of_the_question(replies, options, words):
    search = FakeSearch(hits(options.get("found", 0)))
    played = await play(*replies, search=search, query=FRENCH)
    assert words in played.result.answer
    assert played.result.language == "fr"


async def test_warnings_are_in_the_language_of_the_question():
    history = [{"role": role, "content": "x" * 9000} for _ in range(9) for role in ("user", "assistant")]
    played = await play(says("Bonjour.", done_reason="length"), query=FRENCH, run={"history": history})
    english = await play(says("Hi.", done_reason="length"), run={"history": history})
    assert len(played.result.warnings) == len(english.result.warnings) == 2
    assert set(played.result.warnings).isdisjoint(english.result.warnings)


async def test_an_answer_in_another_language_is_never_asked_for_again():
    played = await play(searches(), says("It flies [1]."), search=FakeSearch(hits(1)), query=FRENCH)
    assert (played.result.answer, played.result.iterations) == ("It flies [1].", 2)


# onyx-dot-app/onyx#4020: the model decides that no search is needed


async def test_text_on_the_first_turn_is_the_answer_and_no_source_backs_it():
    played = await play(says("Paris is in France."))
    assert (played.result.answer, played.result.grounded, played.result.sources) == ("Paris is in France.", False, [])
    assert (played.events[-1].grounded, played.events[-1].stop_reason) == (False, "answered")


async def test_sources_have_every_key_and_none_is_none():
    odd = hit(1, title=None, participants=[], timestamp="", url=None, source="", document_id="")
    played = await play(
        searches(), WEB_CALL, says("A [1], b [2]."), search=FakeSearch([odd]),
        web_search=lambda *_: [WebHit(None, "https://b.example", None, None, None)],
    )  # fmt: skip
    for source in json.loads(json.dumps(played.dicts[-1]["sources"])):
        assert source.keys() == {"ref", "title", "sender", "date", "source", "source_id", "url"}
        assert None not in source.values()
