"""Who may not read a document learns nothing of it, from either list or anything around a hit."""

from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexers.document import EVERYTHING, may_read
from indexers.index import Filter, Question, document_of
from tests.fakes.corpus import NOON, FakeEmbedder, document, put

PRINCIPALS = ["public", "workspace", "channel:C1", "group:S1", "user:U1", "user:ada@example.com"]
SETS = st.frozensets(st.sampled_from(PRINCIPALS), max_size=4)
EMBEDDER = FakeEmbedder()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SETS, min_size=1, max_size=6), st.lists(st.lists(SETS, max_size=3).map(tuple), min_size=1, max_size=4))
async def test_both_lists_give_exactly_what_may_be_read(index, accesses, audiences):
    await put(
        index,
        *(document(f"d{number}", "the words", access=access) for number, access in enumerate(accesses)),
        embedder=EMBEDDER,
    )
    question = Question("words", await EMBEDDER.embed_query("words"))
    for audience in audiences:
        may = {f"files:d{number}" for number, access in enumerate(accesses) if may_read(access, audience)}
        where = Filter(audience)
        ranking = await index.rank(question, where, 50)
        assert {document_of(chunk) for chunk in ranking.lexical} == may
        assert {document_of(chunk) for chunk in ranking.dense} == may
        assert {document_of(chunk) for chunk in await index.recent(where, 50)} == may
        assert await index.sources(audience) == (["files"] if may else [])
    await index.delete(f"files:d{number}" for number in range(len(accesses)))


async def test_a_member_of_fifty_sees_what_all_fifty_may_read(index):
    await put(
        index,
        document("all", "words", access=frozenset({"channel:C1"})),
        document("some", "words", access=frozenset(f"user:U{number}" for number in range(49))),
        embedder=EMBEDDER,
    )
    audience = tuple(frozenset({f"user:U{number}", "channel:C1"}) for number in range(50))
    ranking = await index.rank(Question("words", await EMBEDDER.embed_query("words")), Filter(audience), 10)
    assert (list(ranking.lexical), list(ranking.dense)) == (["files:all#0"], ["files:all#0"])


async def test_a_principal_is_compared_whole(index):
    await put(index, document("a", "words", access=frozenset({"channel:C1"})))
    for principal in ("channel:C", "channel:C11", "channel:C_", "CHANNEL:C1", "channel:c1", "%"):
        assert (await index.rank(Question("words"), Filter((frozenset({principal}),)), 5)).lexical == {}


@dataclass(frozen=True)
class Seen:
    """All that an asker gets to see of an index."""

    lists: list[str]
    recent: list[str]
    passages: list[str]
    around: list[list[str]]
    sources: list[str]


async def seen(index, audience):
    where = Filter(audience)
    question = Question("salary of the budget", await EMBEDDER.embed_query("salary of the budget"))
    ranking = await index.rank(question, where, 50)
    ids = ["slack:t-1#0", "slack:t-2#0", "files:secret#0", "files:budget#0"]
    completion = await index.complete(question, ids, where, refined=question.vector, k=50)
    passages = await index.passages(ids, where)
    around = await index.around(list(passages.values()), audience, 20)
    return Seen(
        [*ranking.lexical, "", *ranking.dense, "", *sorted(completion.lexical), *sorted(completion.refined)],
        await index.recent(where, 50),
        sorted(one.title for one in passages.values()),
        [[one.chunk_id for one in (*around[key].before, *around[key].after)] for key in sorted(around)],
        await index.sources(audience),
    )


PLAIN = [
    document("budget", "The budget of the year.", access=frozenset({"workspace"})),
    document("slack:t-1", "What of the budget?", thread_id="t", access=frozenset({"workspace"})),
    document("slack:t-3", "It is agreed.", thread_id="t", access=frozenset({"workspace"})),
]


@pytest.mark.parametrize("principal", ["channel:C1", "group:S1", "user:U9", "user:boss@example.com"])
async def test_an_asker_sees_the_same_whether_a_secret_exists_or_not(index, principal):
    held = frozenset({principal})
    secrets = [
        document("secret", "The salary in the budget is 100.", access=held),
        document("slack:t-2", "The salary is 100.", thread_id="t", access=held),
        document("granola:notes", "The salary of the boss.", access=held, timestamp=NOON),
    ]
    asker = (frozenset({"public", "workspace", "user:U1"}),)
    together = (frozenset({"workspace", principal}), frozenset({"workspace", "user:U1"}))
    await put(index, *PLAIN, embedder=EMBEDDER)
    without = [await seen(index, audience) for audience in (asker, together)]
    await put(index, *secrets, embedder=EMBEDDER)
    assert [await seen(index, audience) for audience in (asker, together)] == without
    assert "granola" in (await seen(index, (held,))).sources
    assert "granola" in (await seen(index, EVERYTHING)).sources


async def test_whether_a_word_stands_in_a_secret_document_changes_no_list(index):
    """Where most words of a question are unknown, the common ones are not looked for: known to whom, it is asked."""
    reports = [document(f"d{number}", f"the report number {number}") for number in range(12)]
    await put(index, *reports)
    asker = Filter((frozenset({"workspace", "user:U1"}),))
    questions = [Question(f"report zyxobrand {word}") for word in ("plover", "number", "zyxobrand", "")]
    before = [list((await index.rank(question, asker, 50)).lexical) for question in questions]
    await put(index, document("secret", "zyxobrand " * 3, access=frozenset({"user:U2"})))
    assert [list((await index.rank(question, asker, 50)).lexical) for question in questions] == before
    await put(index, *reports, document("secret", "plover and zyxobrand", access=frozenset({"user:U2"})))
    assert [list((await index.rank(question, asker, 50)).lexical) for question in questions] == before
