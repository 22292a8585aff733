"""Any answer that an engine could give: JSON of any shape, and its own answers with anything put wrong in them."""

import random
from typing import Any

from hypothesis import strategies as st

KEYS = [
    "results", "web", "news", "data", "success", "entries", "type", "title", "url", "link", "snippets", "content",
    "description", "error", "message", "detail", "metadata", "unresponsive_engines", "publishedDate", "source",
    "markdown",
]  # fmt: skip
ODD = [
    None, True, False, 0, -1, 10**30, 1e308, "", " ", "x", "\ud800", "\x00\u202e", "https://b.example/?q=1", "http://[::1",
    "javascript:alert(1)", "ftp://x.example/", "2026-11-30", "2 hours ago", "search", "x" * 3_000, [], {}, [[]], [{}],
    [None], {"": ""}, {"error": {"message": "no"}}, ["https://a.example/"],
]  # fmt: skip
scalars = st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(max_size=12)
anything: st.SearchStrategy[Any] = st.recursive(
    scalars | st.sampled_from(ODD),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner, max_size=5)
    ),
    max_leaves=25,
)


def spoiled(chance: random.Random, answer: Any, share: float = 0.08) -> Any:
    """An answer with about this share of its parts replaced, lost, doubled or joined by others."""
    if chance.random() < share:
        return chance.choice(ODD)
    if isinstance(answer, dict):
        kept = {key: spoiled(chance, value, share) for key, value in answer.items() if chance.random() > share / 2}
        return {**kept, chance.choice(KEYS): chance.choice(ODD)} if chance.random() < share else kept
    if isinstance(answer, list):
        kept_items = [spoiled(chance, item, share) for item in answer if chance.random() > share / 2]
        return kept_items * 2 if chance.random() < share else kept_items
    return answer
