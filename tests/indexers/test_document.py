import pytest

from indexers.document import widens


@pytest.mark.parametrize(
    ("before", "now", "wider"),
    [
        ({"channel:C1"}, {"workspace"}, True),
        ({"channel:C1"}, {"channel:C2"}, True),
        ({"channel:C1"}, {"channel:C1", "user:U1"}, True),
        ({"workspace"}, {"public"}, True),
        ({"channel:C1", "user:U1"}, {"channel:C1"}, False),
        ({"workspace"}, {"channel:C1"}, False),
        ({"public"}, {"workspace", "channel:C1"}, False),
        ({"public"}, {"public", "workspace"}, False),
        ({"channel:C1"}, {"channel:C1"}, False),
    ],
)
def test_access_is_wider_where_somebody_may_read_who_might_not_before(before, now, wider):
    assert widens(frozenset(before), frozenset(now)) is wider
