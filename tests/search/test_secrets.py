"""For whoever may not read a document, everything is as if there were none."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.search import Fusion, HybridSearch
from bot.search.hybrid import AudienceSearch
from indexers.document import PUBLIC, WORKSPACE
from indexers.index import Fingerprint
from tests.fakes.corpus import NOON, FakeEmbedder, document, put

EMBEDDER = FakeEmbedder(same={"pay": "salary"})
SOON = datetime.now(UTC) + timedelta(days=1)
PAGE = "https://wiki.test/budget"
SECRET_PAGE = "https://wiki.test/salaries"
ASKER = frozenset({PUBLIC, WORKSPACE, "channel:C1", "user:U1", "user:ada@example.com", "group:S1"})
GUEST = frozenset({PUBLIC, "channel:C1", "user:U7"})

PRINCIPALS = {
    "a channel": "channel:C9",
    "a group": "group:S9",
    "a user": "user:U9",
    "an address": "user:boss@example.com",
    "a channel whose name begins alike": "channel:C11",
    "an address in capitals": "user:ADA@example.com",
    "nobody": None,
}
AUDIENCES = {
    "a member": (ASKER,),
    "a guest": (GUEST,),
    "nobody": (frozenset(),),
    "a channel of two": (ASKER, GUEST),
    "a channel where one may read everything": (ASKER | {"channel:C9", "user:U9", "group:S9"}, ASKER),
}


def meeting(name, **changes):
    return document(f"gcalendar:{name}", "The budget meeting.", timestamp=SOON, participants=("Ada",), **changes)


def message(number, text, **changes):
    at = NOON + timedelta(minutes=int(str(number).partition(" ")[0]))
    return document(f"slack:t-{number}", text, thread_id="t", timestamp=at, participants=("Ada", "@ada"), **changes)


OPEN = [
    document("budget", "The budget of the year, for all.", url=PAGE, access=frozenset({WORKSPACE})),
    document("canteen", "Lunch and pay at noon.", participants=("Bob",), access=frozenset({PUBLIC})),
    message(1, "What of the budget?", access=frozenset({"channel:C1"})),
    message(3, "It is agreed.", access=frozenset({"channel:C1"})),
    message(5, "Then the budget holds.", access=frozenset({"channel:C1"})),
    meeting("open", access=frozenset({PUBLIC})),
    *(document(f"report{number}", f"The report {number}.", access=frozenset({PUBLIC})) for number in range(8)),
]


def secrets(held, mark=""):
    """One of every kind, each where it would show: nearer, newer, beside, under the same link, by the same people."""
    long = "\n\n".join(f"# Salary {number}\n\nThe salary of the budget." for number in range(30))
    return [
        document(f"a-secret{mark}", long, title="Budget", url=PAGE, participants=("Ada",), access=held),
        document(
            f"pay{mark}",
            "Salaries and budgets.",
            url=SECRET_PAGE,
            participants=("Boss", "boss@example.com"),
            access=held,
        ),
        document(f"newest{mark}", "zyxobrand plover", timestamp=NOON + timedelta(days=99), access=held),
        document(f"granola:notes{mark}", "The salary of the boss.", participants=("Bob",), access=held),
        document(f"gmail:mail{mark}", "budget salary", thread_id="t", access=held),
        message(f"2{mark}", "The salary in the budget is 100.", access=held),
        message(f"4{mark}", "zyxobrand!", access=held),
        meeting(f"secret{mark}", access=held),
    ]


QUERIES = [
    "budget",
    "salary",
    "pay",
    "zyxobrand",
    "plover budget",
    "budget of the salary 100",
    "report zyxobrand plover zyxobrand plover",
]
FILTERS = [
    {"sources": ["granola"]},
    {"sources": ["slack", "gmail", "files"]},
    {"person": "ada"},
    {"person": "boss@example"},
    {"time_range": (NOON + timedelta(minutes=2), None)},
    {"time_range": (datetime.now(UTC), None), "sources": ["gcalendar"]},
]


KINDS = ["", *(f" {kind}" for kind in PRINCIPALS)]
CHUNKS = [f"{name}#0" for name in ("files:budget", "slack:t-1", *(f"files:pay{kind}" for kind in KINDS))]


def told(hits):
    """All of a hit but its scores, and the order that they decide."""
    shown = ((hit, str(hit.participants), str(hit.thread_context)) for hit in hits)
    return sorted(
        (
            hit.chunk_id,
            hit.title,
            hit.content_snippet,
            hit.source,
            hit.timestamp,
            hit.url,
            hit.thread_id,
            people,
            thread,
        )
        for hit, people, thread in shown
    )


async def seen(index, audience):
    """Everything that an asker gets to see."""
    search = HybridSearch(index, EMBEDDER).for_audience(audience)
    asked = [(query, {}) for query in QUERIES]
    asked += [(query, filters) for query in ("", "budget", "salary") for filters in FILTERS]
    asked += [("upcoming meetings", {}), ("next meetings", {"sources": ["gcalendar"]}), ("", {})]
    views = []
    for query, filters in asked:
        results = await search.search(query, limit=50, **filters)
        views.append((query, str(filters), told(results.hits), results.warnings))
    for url in (PAGE, SECRET_PAGE, "https://wiki.test/"):
        views.append((url, "", told(await search.linked(url)), []))
    for chunk in CHUNKS:
        views.append((chunk, "", [], [await search.readable(chunk)]))
    return views, await search.available_sources()


def test_all_that_a_search_can_be_asked_is_compared_here():
    asked = {name for name in vars(AudienceSearch) if not name.startswith("_")}
    assert asked == {"search", "linked", "readable", "available_sources"}


async def test_an_asker_sees_the_same_whether_secrets_exist_or_not(index):
    hidden = {
        principal: secrets(frozenset({principal} if principal else ()), f" {kind}")
        for kind, principal in PRINCIPALS.items()
    }
    await put(index, *OPEN, embedder=EMBEDDER)
    without = {who: await seen(index, audience) for who, audience in AUDIENCES.items()}
    await put(index, *(one for some in hidden.values() for one in some), embedder=EMBEDDER)
    for who, audience in AUDIENCES.items():
        assert await seen(index, audience) == without[who], who
    for principal in filter(None, PRINCIPALS.values()):
        views, sources = await seen(index, (ASKER | {principal},))
        assert sources == ["files", "gcalendar", "gmail", "granola", "slack"]
        found = {chunk.partition("#")[0] for _, _, hits, _ in views for chunk, *_ in hits}
        assert found == {one.id for one in (*OPEN, *hidden[principal])}
        [kind] = [kind for kind, held in PRINCIPALS.items() if held == principal]
        assert [told for chunk, _, _, told in views if chunk == f"files:pay {kind}#0"] == [[True]]
    await index.delete(one.id for some in hidden.values() for one in some)
    for who, audience in AUDIENCES.items():
        assert await seen(index, audience) == without[who], who


@pytest.mark.parametrize("who", ["a guest", "nobody", "a channel of two"])
async def test_who_is_no_member_sees_the_same_whether_the_workspace_has_anything_or_not(index, who):
    await put(index, *OPEN, embedder=EMBEDDER)
    without = await seen(index, AUDIENCES[who])
    await put(index, *secrets(frozenset({WORKSPACE}), " of all"), embedder=EMBEDDER)
    assert await seen(index, AUDIENCES[who]) == without
    assert "files:pay of all#0" in str(await seen(index, (ASKER,)))


async def test_what_is_read_around_a_hit_holds_nothing_secret(index):
    await put(index, *OPEN, *secrets(frozenset({"user:U9"})), embedder=EMBEDDER)
    read = []
    for principals in (ASKER, ASKER | {"user:U9"}):
        search = HybridSearch(index, EMBEDDER, read_more=50).for_audience((principals,))
        found = [hit for query in (*QUERIES, "latest budget") for hit in (await search.search(query)).hits]
        read.append("\n".join(hit.more for hit in found))
    assert "Ada: What of the budget?\nAda: It is agreed.\nAda: Then the budget holds." in read[0]
    assert [word in read[0].lower() for word in ("salary", "zyxobrand")] == [False, False]
    assert [word in read[1].lower() for word in ("salary", "zyxobrand")] == [True, True]


async def test_what_becomes_secret_is_gone_at_once_and_what_is_opened_is_there(index):
    hidden = secrets(frozenset({"user:U9"}))
    await put(index, *OPEN, embedder=EMBEDDER)
    without = await seen(index, (ASKER,))
    await put(index, *secrets(frozenset({WORKSPACE})), embedder=EMBEDDER)
    assert await seen(index, (ASKER,)) != without
    for one in hidden:
        await index.describe(one, Fingerprint(f"content of {one.id}", "secret", "fake"))
    assert await seen(index, (ASKER,)) == without


@pytest.mark.parametrize(
    "fusion",
    [Fusion(), Fusion(completion=False, feedback=0.0), Fusion(reciprocal_rank=True)],
    ids=["full", "plain", "rank"],
)
async def test_hundreds_of_nearer_secrets_hide_nothing(index, fusion):
    held = frozenset({"user:U9"})
    hidden = [document(f"s{number}", "leave policy", title="leave policy", access=held) for number in range(400)]
    shown = [document(f"d{number}", f"Some words, then leave or {number}.", title="") for number in range(7)]
    await put(index, *shown, embedder=EMBEDDER)
    search = HybridSearch(index, EMBEDDER, fusion=fusion).for_audience((ASKER,))
    without = told((await search.search("leave policy")).hits)
    assert len(without) == 7
    await put(index, *hidden, embedder=EMBEDDER)
    assert told((await search.search("leave policy")).hits) == without


async def test_a_long_thread_of_secrets_hides_none_of_what_may_be_read_around_a_hit(index):
    mine = [message(3 * number, f"open {number}", access=frozenset({WORKSPACE})) for number in range(8)]
    theirs = [message(number, "budget " * 9, access=frozenset({"user:U9"})) for number in range(1, 1_300) if number % 3]
    await put(index, *mine)
    search = HybridSearch(index).for_audience((ASKER,))
    without = told((await search.search("4")).hits)
    assert [hit[0] for hit in without] == ["slack:t-12#0"]
    assert without[0][-1].count("open") == 7
    await put(index, *theirs)
    assert told((await search.search("4")).hits) == without
