import json

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.engine import Message, Role, ToolCall
from bot.research.ledger import fit_history, fold_results, room, tokens_of
from bot.research.shaping import shape_results_for_model
from tests.fakes.search import hits


def user(text):
    return Message(Role.USER, text)


def assistant(text):
    return Message(Role.ASSISTANT, text)


def round_of(first):
    content = json.dumps(shape_results_for_model(hits(20), ref_offset=first - 1))
    call = ToolCall("call_0", "search", {"query": "x"})
    return [
        Message(Role.ASSISTANT, tool_calls=[call]),
        Message(Role.TOOL, content, name="search", tool_call_id="call_0"),
    ]


def test_the_oldest_turns_go_first_question_and_answer_together():
    history = [user("old " * 300), assistant("older answer"), user("new"), assistant("newer answer")]
    kept = fit_history([user("the question")], history, 100)
    assert kept == history[2:]


def test_a_history_that_begins_with_an_answer_loses_that_first():
    history = [assistant("a" * 900), user("q"), assistant("a")]
    assert fit_history([], history, 100) == history[1:]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.text(max_size=60), st.text(max_size=60)), max_size=8), st.integers(1, 300))
def test_what_is_kept_is_the_newest_turns_and_fits(turns, limit):
    history = [message for q, a in turns for message in (user(q), assistant(a))]
    kept = fit_history([user("now")], history, limit)
    assert kept == history[len(history) - len(kept) :]
    assert len(kept) % 2 == 0
    assert not kept or tokens_of([user("now"), *kept]) <= limit


def test_older_results_are_folded_before_the_newest():
    transcript = [*round_of(1), *round_of(21)]
    folded = fold_results(transcript, tokens_of(transcript) - 200)
    assert json.loads(folded[1].content)["folded"] is True
    assert [entry["ref"] for entry in json.loads(folded[1].content)["hits"]] == list(range(1, 21))
    assert folded[3] == transcript[3]
    assert fold_results(folded, 0)[3] == transcript[3]


def test_folding_goes_on_until_it_fits_and_keeps_every_tool_message_readable():
    transcript = [*round_of(1), *round_of(21), *round_of(41)]
    folded = fold_results(fold_results(transcript, 200), 200, newest_too=True)
    assert tokens_of(folded) < tokens_of(transcript) / 10
    for message in folded:
        if message.role is Role.TOOL:
            assert json.loads(message.content)["num_results"] == 20
            assert (message.name, message.tool_call_id) == ("search", "call_0")


def test_what_fits_is_left_as_it_is():
    transcript = round_of(1)
    assert fold_results(transcript, 100_000) == transcript


def test_the_room_is_the_window_less_the_reply_and_the_tools():
    assert room(16384, 1500, None) > 14_500
    assert room(16384, 1500, [{"a": "x" * 3000}]) < room(16384, 1500, None) - 900
    assert room(1000, 5000, None) == 250
