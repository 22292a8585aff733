"""Time ranges, as planners give them."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.research.timerange import BadTimeRange, parse_time_range

PARIS = ZoneInfo("Europe/Paris")
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=PARIS)


@pytest.mark.parametrize(
    ("raw", "start", "end"),
    [
        pytest.param(
            {"start": "2026-11-01", "end": "2026-11-30"},
            datetime(2026, 11, 1, tzinfo=PARIS),
            datetime(2026, 11, 30, 23, 59, 59, 999999, tzinfo=PARIS),
            id="dates are whole days",
        ),
        pytest.param({"start": "2026-11-24"}, datetime(2026, 11, 24, tzinfo=PARIS), None, id="only a start"),
        pytest.param(
            {"start": None, "end": "2026-11-24"},
            None,
            datetime(2026, 11, 24, 23, 59, 59, 999999, tzinfo=PARIS),
            id="only an end",
        ),
        pytest.param(
            {"start": "2026-11-24T09:00:00Z", "end": ""}, datetime(2026, 11, 24, 9, tzinfo=UTC), None, id="with a zone"
        ),
        pytest.param(
            {"start": "2026-11-24 09:00"},
            datetime(2026, 11, 24, 9, tzinfo=PARIS),
            None,
            id="without one it is the asker's",
        ),
        pytest.param(
            '{"start": "2026-11-24"}', datetime(2026, 11, 24, tzinfo=PARIS), None, id="the JSON of an object is one"
        ),
        pytest.param(
            {"start": "2026-11-24", "unit": "day"},
            datetime(2026, 11, 24, tzinfo=PARIS),
            None,
            id="other keys are no harm",
        ),
        pytest.param(
            {"start": "2026-11-24T10:00+02:00", "end": "2026-11-24T09:00+01:00"},
            datetime(2026, 11, 24, 8, tzinfo=UTC),
            datetime(2026, 11, 24, 8, tzinfo=UTC),
            id="a moment is a range",
        ),
    ],
)
def test_a_range_becomes_two_moments(raw, start, end):
    assert parse_time_range(raw, NOW) == (start, end)


@pytest.mark.parametrize(
    "raw", [None, "", "  ", {}, "{}", "null", {"start": None}, {"start": "", "end": None}, {"end": " "}]
)
def test_nothing_given_is_no_range(raw):
    assert parse_time_range(raw, NOW) is None


BAD = [
    "last week", "2026-11-24", "[1]", "{", 7, 1.5, True, [], ["2026-11-01", "2026-11-30"], "[" * 100_000,
    {"from": "2026-11-01"}, {"from": None}, {"start": "yesterday"}, {"start": "2026-11"}, {"start": "2026-W48"},
    {"start": 1_700_000_000}, {"start": "1700000000"}, {"start": "20261101"}, {"start": True}, {"start": {}},
    {"start": "2026-02-30"}, {"end": "2026-11-24T25:00"}, {"start": "٢٠٢٦-١١-٠١"},
    {"start": "2026-11-30", "end": "2026-11-01"}, {"start": "2026-11-24T09:00+01:00", "end": "2026-11-24T09:00+02:00"},
    {"start": "0001-01-01", "end": "9999-12-31T23:59-10:00"},
]  # fmt: skip


@pytest.mark.parametrize("raw", BAD)
def test_a_range_that_cannot_be_read_is_told_with_the_format_and_the_date(raw):
    with pytest.raises(BadTimeRange) as told:
        parse_time_range(raw, NOW)
    assert '{"start": "2026-11-01", "end": "2026-11-30"}' in str(told.value)
    assert "ISO 8601" in str(told.value)
    assert "2026-11-30." in str(told.value)


def test_a_day_on_which_the_clock_changes_is_whole():
    start, end = parse_time_range({"start": "2026-10-25", "end": "2026-10-25"}, NOW)
    assert end.astimezone(UTC) - start.astimezone(UTC) == timedelta(hours=25, microseconds=-1)


def test_in_the_hour_that_comes_twice_order_is_that_of_instants():
    raw = {"start": "2026-10-25T02:30:00+01:00", "end": "2026-10-25T02:45:00+02:00"}
    with pytest.raises(BadTimeRange, match="start is after end"):
        parse_time_range(raw, NOW)


@settings(max_examples=100, deadline=None)
@given(st.dates(datetime(1971, 1, 1).date(), datetime(2100, 1, 1).date()), st.integers(-12, 14))
def test_a_date_is_the_day_of_the_asker(day, hours):
    now = NOW.astimezone(timezone(timedelta(hours=hours)))
    start, end = parse_time_range({"start": day.isoformat(), "end": day.isoformat()}, now)
    assert start.utcoffset() == end.utcoffset() == timedelta(hours=hours)
    assert end - start == timedelta(days=1, microseconds=-1)


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("2026-11-01"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["start", "end", "x"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=200, deadline=None)
@given(json_like)
def test_whatever_a_model_gives_is_read_or_told(raw):
    try:
        moments = parse_time_range(raw, NOW) or ()
    except BadTimeRange:
        return
    assert all(moment is None or moment.tzinfo for moment in moments)
