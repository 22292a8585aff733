import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot import zone
from bot.research.timerange import parse_time_range

NAMES = ["Europe/Paris", "Europe/Dublin", "Europe/Istanbul", "Asia/Kolkata", "America/Sao_Paulo", "UTC"]


@pytest.fixture(params=NAMES)
def named(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield ZoneInfo(request.param)
    time.tzset()


@pytest.mark.parametrize("day", ["2026-07-01", "2026-12-01", "2013-01-15", "2026-10-25"])
def test_a_date_has_the_offset_of_its_own_day(named, day):
    start, _ = parse_time_range({"start": day}, zone.now())
    assert start == datetime.fromisoformat(day).replace(tzinfo=named)


def test_now_is_now_on_the_clock_of_this_machine(named):
    now = zone.now()
    assert abs(now - datetime.now(UTC)) < timedelta(minutes=1)
    assert now.utcoffset() == now.astimezone(named).utcoffset()
    assert now.replace(tzinfo=None) == now.astimezone(named).replace(tzinfo=None)


@pytest.mark.usefixtures("named")
@pytest.mark.parametrize("at", [datetime.min, datetime.max])
def test_the_first_and_the_last_year_have_an_offset(at):
    assert at.replace(tzinfo=zone.HERE).utcoffset() is not None
