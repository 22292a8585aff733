from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.search.threads import CAP, context
from indexers.index import Line, Surroundings
from tests.fakes.corpus import NOON


def entry(number):
    at = (NOON + timedelta(minutes=number)).isoformat()
    return Line(f"slack:t-{number}#0", 0, at, "Ada Lovelace", f"message {number}")


def thread(before, after):
    """So many messages before and after message 100."""
    return Surroundings(
        [entry(number) for number in range(100 - before, 100)], [entry(number) for number in range(101, 101 + after)]
    )


def numbers(entries):
    return [int(one["snippet"].split()[-1]) for one in entries]


def test_an_entry_has_the_shape_of_the_contract():
    assert context(thread(1, 0)) == [
        {"chunk_idx": 0, "timestamp": "2026-11-02T13:39:00+00:00", "author": "Ada Lovelace", "snippet": "message 99"}
    ]


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 25))
def test_the_entries_nearest_the_hit_are_kept_oldest_first(before, after, cap):
    shown = numbers(context(thread(before, after), cap))
    assert len(shown) == min(cap, before + after)
    assert shown == sorted(shown)
    assert 100 not in shown
    assert [one for one in range(min([*shown, 100]), max([*shown, 100]) + 1) if one != 100] == shown


def test_the_hit_is_in_the_middle_of_a_long_thread():
    assert numbers(context(thread(40, 40))) == [*range(90, 100), *range(101, 111)]


def test_at_the_end_of_a_thread_more_of_what_came_before_is_shown():
    assert numbers(context(thread(40, 3))) == [*range(83, 100), *range(101, 104)]
    assert len(context(thread(40, 3))) == CAP
