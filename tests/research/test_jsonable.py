import json

from hypothesis import given
from hypothesis import strategies as st

from bot.research.jsonable import jsonable

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.builds(object),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers() | st.none(), inner) | st.tuples(inner),
    max_leaves=20,
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(anything)
def test_anything_becomes_json(value):
    json.loads(json.dumps(jsonable(value), allow_nan=False))


@given(json_values)
def test_json_stays_as_it_is(value):
    assert jsonable(value) == value


def test_what_is_too_large_or_too_deep_is_cut():
    deep: list = []
    for _ in range(10_000):
        deep = [deep]
    assert (
        json.dumps(jsonable({"n": 10**5000, "deep": deep})) == '{"n": 9007199254740992, "deep": [[[[[[["(list)"]]]]]]]}'
    )
