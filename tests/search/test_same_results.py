"""The same documents, the same questions: both backends find the same."""

from datetime import timedelta

import pytest

from bot.search import HybridSearch
from indexers.document import EVERYTHING
from tests.fakes.corpus import NOON, FakeEmbedder, document, put
from tests.fakes.indexes import elasticsearch, embedded

pytestmark = pytest.mark.elasticsearch

FILLER = "Nothing else is said of it in this sentence. "
DOCUMENTS = [
    *(
        document(f"news{number}", f"The company news of month {number}", timestamp=NOON - timedelta(days=30 * number))
        for number in range(14)
    ),
    document(
        "handbook",
        f"# Handbook\n\nParental leave is sixteen weeks. {FILLER * 40}\n\n## Rules\n\nAsk first. {FILLER * 20}",
    ),
    document("conges", "Les congés parentaux durent seize semaines.", participants=("Zoë Müller", "zoe@example.com")),
    document("ticket", "See PROJ-123 and src/app/main.py for the elephant.", participants=("Ada Lovelace", "@ada")),
    document("code", "It cites PROJ and 123 on their own."),
    *(
        document(
            f"slack:{number}",
            f"The vacation of team {number}",
            thread_id="t",
            timestamp=NOON + timedelta(minutes=number),
            participants=("Ada Lovelace",),
        )
        for number in range(9)
    ),
    document("secret", "The takeover of Borealis", access=frozenset({"user:U9"})),
    document("gcalendar:review", "The review", timestamp=NOON + timedelta(days=40_000)),
]
QUESTIONS = [
    {"query": "parental leave"},
    {"query": "PROJ-123"},
    {"query": "congés"},
    {"query": "elephants"},
    {"query": "latest company news"},
    {"query": "company flurb zorch wubble"},
    {"query": "company flurb zorch wubble elephant"},
    {"query": "zxqv blorp wug"},
    {"query": "the"},
    {"query": 'acl:* OR "leave'},
    {"query": "vacation"},
    {"query": "holiday"},
    {"query": "Borealis"},
    {"query": "my next meetings"},
    {"query": ""},
    {"query": "", "person": "Zoë Müller <zoe@example.com>"},
    {"query": "", "person": "@ada", "limit": 5},
    {"query": "", "sources": ["slack"]},
    {"query": "news", "time_range": (NOON - timedelta(days=100), NOON)},
]


async def found(search, question):
    results = await search.search(**question)
    assert results.warnings == []
    return [(hit.chunk_id, hit.content_snippet, hit.thread_context, hit.more) for hit in results.hits]


@pytest.mark.parametrize("embedder", [None, FakeEmbedder(same={"holiday": "vacation"})], ids=["words", "both"])
@pytest.mark.parametrize("audience", [EVERYTHING, (frozenset({"workspace"}),)], ids=["everything", "workspace"])
async def test_both_backends_find_the_same(request, embedder, audience):
    async with embedded(request) as one, elasticsearch(request) as other:
        searches = []
        for index in (one, other):
            await put(index, *DOCUMENTS, embedder=embedder)
            searches.append(HybridSearch(index, embedder, read_more=3).for_audience(audience))
        for question in QUESTIONS:
            here, there = [await found(search, question) for search in searches]
            assert sorted(map(str, here)) == sorted(map(str, there)), question
            assert here[:1] == there[:1], question
