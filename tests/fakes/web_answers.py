"""Any answer that an engine could give: JSON of any shape, most of it in the words that engines use."""

from typing import Any

from hypothesis import strategies as st

KEYS = [
    "results", "web", "news", "data", "success", "entries", "type", "title", "url", "link", "snippet", "snippets",
    "content", "description", "error", "message", "detail", "metadata", "unresponsive_engines", "date", "age",
    "page_age", "publishedDate", "published_date", "published", "source", "sourceURL", "markdown", "warning", "code",
    "excerpt",
]  # fmt: skip
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["https://a.example/x", "http://[::1", "javascript:x", "search", "news", "2026-11-30", "\ud800"])
)
keys = st.sampled_from(KEYS) | st.text(max_size=4)
anything: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5), max_leaves=25
)
rows = st.lists(st.dictionaries(st.sampled_from(KEYS), scalars, max_size=8) | anything, max_size=4)
sections = st.dictionaries(
    st.sampled_from(["web", "news"]), rows | st.fixed_dictionaries({"results": rows}), max_size=2
)
likely = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["search", "news", "ErrorResponse"]) | scalars,
        "success": st.booleans() | scalars,
        "results": rows | sections | anything,
        "entries": rows | anything,
        "data": sections | rows | anything,
        "web": st.fixed_dictionaries({"results": rows}) | anything,
        "news": st.fixed_dictionaries({"results": rows}) | anything,
        "unresponsive_engines": anything,
        "error": anything,
        "detail": anything,
        "message": anything,
    },
)
answers: st.SearchStrategy[Any] = likely | anything
