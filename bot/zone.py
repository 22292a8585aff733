"""The time zone of this machine: a date of another season, or another year, has the offset of its own day."""

from datetime import UTC, datetime, timedelta, tzinfo


class _Here(tzinfo):
    """What the operating system says of each moment; of years that it does not know, what it says of now."""

    def utcoffset(self, at: datetime | None) -> timedelta | None:
        return None if at is None else _known(at.replace(tzinfo=None)).utcoffset()

    def dst(self, at: datetime | None) -> timedelta | None:
        return None

    def tzname(self, at: datetime | None) -> str | None:
        return None if at is None else _known(at.replace(tzinfo=None)).tzname()

    def fromutc(self, at: datetime) -> datetime:
        return at.replace(tzinfo=UTC).astimezone().replace(tzinfo=self)


def _known(at: datetime) -> datetime:
    try:
        return at.astimezone()
    except (OverflowError, OSError, ValueError):
        return datetime.now().astimezone()


HERE: tzinfo = _Here()


def now() -> datetime:
    return datetime.now(HERE)
