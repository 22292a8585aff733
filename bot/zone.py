"""The time zone of this machine, with its summer time: a date of another season has the offset of that season."""

from datetime import datetime, tzinfo

from dateutil.tz import tzlocal


def here() -> tzinfo:
    zone: tzinfo = tzlocal()
    return zone


def now() -> datetime:
    return datetime.now(here())
