"""The planner's `time_range`, read strictly: a bad one is told, never dropped in silence.  No I/O."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time

from bot.research.types import TimeRange

_FORMAT = 'Give ISO 8601 dates, such as {"start": "2026-11-01", "end": "2026-11-30"}; either may be left out.'
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class BadTimeRange(ValueError):
    """A time range that cannot be read; its text is the error that the planner is told."""

    def __init__(self, wrong: str, now: datetime) -> None:
        super().__init__(f"time_range cannot be read: {wrong}. {_FORMAT} Today is {now.date().isoformat()}.")


def parse_time_range(raw: object, now: datetime) -> TimeRange | None:
    """The range as aware datetimes, None for an end that is left out; None when nothing was given.

    A date alone is the start, or as `end` the end, of that day; what has no offset is in the zone of `now`, which is
    aware.  Raises `BadTimeRange`.
    """
    given = _given(raw, now)
    if given is None:
        return None
    start = _bound(given, "start", time.min, now)
    end = _bound(given, "end", time.max, now)
    if start is None and end is None:
        return None
    if start is not None and end is not None and _later(start, end, now):
        raise BadTimeRange("start is after end", now)
    return start, end


def _given(raw: object, now: datetime) -> Mapping[str, object] | None:
    if isinstance(raw, str):
        raw = _decoded(raw, now)
    if raw is None or raw == {}:
        return None
    if not isinstance(raw, Mapping):
        raise BadTimeRange("it is no object with start and end", now)
    if not {"start", "end"} & raw.keys():
        raise BadTimeRange("it has neither start nor end", now)
    return raw


def _decoded(raw: str, now: datetime) -> object:
    if not raw.strip():
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        raise BadTimeRange("it is no object with start and end", now) from None


def _bound(given: Mapping[str, object], name: str, time_of_day: time, now: datetime) -> datetime | None:
    value = given.get(name)
    if value is None or value == "":
        return None
    text = value.strip() if isinstance(value, str) else ""
    if isinstance(value, str) and not text:
        return None
    try:
        if _DATE.fullmatch(text):
            return datetime.combine(date.fromisoformat(text), time_of_day, tzinfo=now.tzinfo)
        if _DATE.match(text):
            moment = datetime.fromisoformat(text)
            return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
    except ValueError:
        pass
    raise BadTimeRange(f"{name} is no ISO 8601 date", now)


def _later(start: datetime, end: datetime, now: datetime) -> bool:
    """Compared as instants: within one zone Python would compare what the clocks show."""
    try:
        return start.astimezone(UTC) > end.astimezone(UTC)
    except OverflowError:
        raise BadTimeRange("its years are out of range", now) from None
