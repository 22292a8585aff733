import time
from datetime import datetime, timedelta

import pytest

from bot import zone
from bot.research.timerange import parse_time_range


@pytest.fixture
def paris():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Europe/Paris")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("paris")
@pytest.mark.parametrize(("day", "hours"), [("2026-07-01", 2), ("2026-12-01", 1)])
def test_a_date_has_the_offset_of_its_own_season(day, hours):
    start, _ = parse_time_range({"start": day}, zone.now())
    assert start.utcoffset() == timedelta(hours=hours)


@pytest.mark.usefixtures("paris")
def test_now_is_now():
    assert abs(zone.now() - datetime.now().astimezone()) < timedelta(minutes=1)
