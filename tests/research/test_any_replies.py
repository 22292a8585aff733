"""Whatever a model emits, in any order, a run keeps its promises."""

import json
import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.engine import EngineError, Role
from bot.research import AnswerDelta, ClarifyCall, FinalAnswer, SearchCall, SearchFailed, WebHit
from tests.fakes.markdown import outside_code
from tests.fakes.research import play
from tests.fakes.search import FakeSearch, hits

MOST_CALLS_BESIDE_THE_TURNS = 1 + 1 + 1  # a lost call asked again, the forced synthesis, its repair
NAMES = ["search", "web_search", "clarify", "search_web", "", "Search"]
FRAGMENTS = [
    "It flies", " ", "\n", "\n\n", "    ", "> ", "\\", "[", "]", "(", ")", ":", "é", "\u202e", "\u200b", "`", "```",
    "[1]", "[2, 3]", "[1-9]", "【2】", "［7］", "[40]", "[2024]", "[1](https://evil.example/a)", "https://a.example/0",
    "https://evil.example/x", "<https://evil.example>", "![a](https://evil.example/i)", "www.evil.example", "[x][r]",
    "[r]: https://evil.example/r", "```json\n", "<think>", "</think>", "<tool_call>", "</tool_call>", "{", "}",
    '"name": "search"', '{"name": "search"', ', "arguments": {"query": "x"}}', "<|im_start|>",
    '{"name": "search", "arguments": {"query": "x"}}',
]  # fmt: skip

EVIL_ADDRESS = re.compile(r"://evil\.example|(?<![\w.-])(?:www\.)?evil\.example")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
pieces = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=6), max_size=9).map("".join)
texts = pieces | pieces.map("It flies [1]. ".__add__)
arguments = json_values | st.fixed_dictionaries(
    {}, optional=dict.fromkeys(["query", "person", "time_range", "sources", "limit", "news", "question"], json_values)
)
good_calls = st.sampled_from(["search", "search", "web_search", "clarify"]).map(
    lambda name: {"name": name, "arguments": {"query": "x", "question": "Which?"}}
)
any_calls = st.fixed_dictionaries(
    {},
    optional={
        "id": st.none() | st.integers() | st.text(max_size=4),
        "name": st.sampled_from(NAMES) | json_values,
        "arguments": arguments | arguments.map(json.dumps),
        "function": json_values,
    },
)
replies = st.fixed_dictionaries(
    {},
    optional={
        "content": texts | json_values,
        "tool_calls": st.lists(good_calls | any_calls, max_size=7) | json_values,
        "usage": json_values | st.fixed_dictionaries({"completion_tokens": json_values}),
        "done_reason": st.sampled_from(["stop", "length", None, 7]),
    },
)
plain_calls = st.lists(good_calls, min_size=1, max_size=3).map(lambda listed: {"tool_calls": listed})
plain_texts = texts.map(lambda text: {"content": text})
with_both = st.builds(
    lambda text, listed: {"content": text, "tool_calls": listed}, texts, st.lists(any_calls, min_size=1)
)
failures = st.sampled_from([EngineError("down"), TimeoutError(), ValueError("x")])
found = st.integers(1, 3).map(hits) | st.just([]) | st.sampled_from([OSError("down"), SearchFailed("closed")])


async def played_from(script, results, budget, evidence, web_results):
    async def web_search(query, recency, news):
        count = web_results.pop() if web_results else 0
        if count is None:
            raise OSError
        return [WebHit(f"W{i}", f"https://a.example/{i}") for i in range(count)]

    async def clarify(question):
        return "That one [3]."

    return await play(
        *script,
        search=FakeSearch(*results),
        web_search=web_search,
        clarify_handler=clarify,
        max_iterations=budget,
        run={"evidence": hits(evidence)},
    )


def weighted(*strategies):
    return st.sampled_from(strategies).flatmap(lambda strategy: strategy)


@st.composite
def runs(draw):
    budget = draw(st.sampled_from([3, 2, 1, 2, 3, 0]))
    most = budget + 1 + MOST_CALLS_BESIDE_THE_TURNS
    first = weighted(plain_calls, plain_calls, plain_calls, plain_texts, replies, with_both, failures)
    later = weighted(
        plain_texts, plain_calls, plain_calls, plain_texts, replies, replies, with_both, with_both, failures
    )
    return {
        "script": [draw(first), *draw(st.lists(later, min_size=most - 1, max_size=most - 1))],
        "results": draw(st.lists(found, max_size=3)),
        "budget": budget,
        "evidence": draw(st.sampled_from([0, 0, 2])),
        "web_results": draw(st.lists(st.none() | st.integers(0, 2), max_size=3)),
    }


def check_text(text, last):
    shown, addresses = outside_code(text)
    assert not EVIL_ADDRESS.search(shown)
    assert not [address for address in addresses if not address.startswith("https://a.example/")]
    assert all(1 <= int(number) <= last for number in re.findall(r"\[(\d{1,3})\]", shown))


def check_result(played, budget):
    result = played.result
    assert result.answer.strip() == result.answer != ""
    assert (played.events[-1].text, played.events[-1].sources) == (result.answer, result.sources)
    assert [source["ref"] for source in result.sources] == list(range(1, len(result.sources) + 1))
    assert result.grounded == bool(result.sources)
    assert sum(not call.error for call in result.tool_calls) <= budget
    assert result.iterations == len(played.engine.calls) <= budget + 1 + MOST_CALLS_BESIDE_THE_TURNS
    assert all(isinstance(count, int) and count >= 0 for count in result.usage.values())


def check_events(played):
    kinds = [type(event) for event in played.events]
    assert kinds.count(FinalAnswer) == 1
    assert kinds[-1] is FinalAnswer
    rest = [
        kind for kind in played.types if kind in ("search_call", "search_result", "clarify_call", "clarify_response")
    ]
    opened = {"search_call": "search_result", "clarify_call": "clarify_response"}
    assert all(opened[first] == second for first, second in zip(rest[::2], rest[1::2], strict=True))
    json.dumps(played.dicts)


def check_drafts(played, evidence):
    refs = evidence + sum(call.num_results for call in played.result.tool_calls)
    draft = ""
    for event in played.events:
        draft += event.text if isinstance(event, AnswerDelta) else ""
        draft = "" if isinstance(event, SearchCall | ClarifyCall) else draft
        check_text(draft, refs)


def check_messages(played, budget):
    for call in played.engine.calls:
        awaited = []
        assert (
            sum("error" not in message.content for message in call["messages"] if message.role is Role.TOOL) <= budget
        )
        for message in call["messages"]:
            if message.role is Role.TOOL:
                wanted = awaited.pop(0)
                assert (message.tool_call_id, message.name) == (wanted.id, wanted.name)
                assert isinstance(json.loads(message.content), dict)
            else:
                assert awaited == []
                awaited = list(message.tool_calls)
        assert awaited == []


# Each example plays a whole run: its time is no sign of a fault.
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(runs())
async def test_any_run_ends_once_and_in_an_answer_that_holds_only_what_was_found(run):
    played = await played_from(**run)
    check_result(played, run["budget"])
    check_text(played.result.answer, len(played.result.sources))
    check_events(played)
    check_drafts(played, run["evidence"])
    check_messages(played, run["budget"])
