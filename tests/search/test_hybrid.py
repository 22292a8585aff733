import asyncio
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from bot.research.types import SearchFailed, SearchHit, SearchResults
from bot.search import Fusion, HybridSearch
from bot.search.snippets import CHARS
from bot.sentences import in_language
from indexers.document import EVERYTHING
from indexers.embedding import EmbeddingError
from indexers.index.embedded import open_index
from tests.fakes.corpus import NOON, FakeEmbedder, document, put

SYNONYMS = {"holiday": "leave", "vacation": "leave"}
FUSIONS = [
    pytest.param(Fusion(), id="completed, with feedback"),
    pytest.param(Fusion(reach=100), id="with a second search"),
    pytest.param(Fusion(feedback=0.0), id="completed"),
    pytest.param(Fusion(completion=False), id="with feedback"),
    pytest.param(Fusion(completion=False, feedback=0.0), id="plain"),
    pytest.param(Fusion(reciprocal_rank=True), id="by rank"),
]


@pytest.fixture
def embedder():
    return FakeEmbedder(same=SYNONYMS)


def everything(index, embedder=None, **options):
    return HybridSearch(index, embedder, **options).for_audience(EVERYTHING)


async def titles(search, query, **filters):
    return [hit.title for hit in (await search.search(query, **filters)).hits]


async def test_a_hit_has_the_fields_of_the_contract(index, embedder):
    one = document(
        "slack:C1:1.0",
        "Parental leave is sixteen weeks.",
        title="In #hr",
        url="https://acme.slack.com/archives/C1/p10",
        participants=("Ada", "ada@example.com"),
        thread_id="C1:1.0",
    )
    await put(index, one, document("b", "something else"), embedder=embedder)
    results = await everything(index, embedder).search("parental leave")
    assert isinstance(results, SearchResults)
    [hit] = results.hits
    assert hit == SearchHit(
        chunk_id="slack:C1:1.0#0",
        document_id="slack:C1:1.0",
        chunk_idx=0,
        title="In #hr",
        content_snippet="Parental leave is sixteen weeks.",
        source="slack",
        timestamp="2026-11-02T12:00:00+00:00",
        participants=["Ada", "ada@example.com"],
        score=hit.score,
        bm25_score=hit.bm25_score,
        vector_score=hit.vector_score,
        thread_id="C1:1.0",
        thread_context=[],
        url="https://acme.slack.com/archives/C1/p10",
    )
    assert 0 < hit.score <= 1
    assert hit.bm25_score > 0
    assert hit.vector_score == pytest.approx(2 / np.sqrt(10), abs=1e-3)
    assert results.warnings == []


@pytest.mark.parametrize("fusion", FUSIONS)
async def test_words_and_meaning_are_found_together(index, embedder, fusion):
    await put(
        index,
        document("words", "The leave policy"),
        document("meaning", "Vacation policy for everyone here"),
        document("neither", "The canteen opens at noon"),
        embedder=embedder,
    )
    found = await titles(everything(index, embedder, fusion=fusion), "leave policy")
    assert found == ["words", "meaning"]
    assert await titles(everything(index, embedder, fusion=fusion), "holiday") == ["words", "meaning"]


@pytest.mark.parametrize("fusion", FUSIONS)
async def test_a_nonsense_query_finds_nothing(index, embedder, fusion):
    await put(
        index, *(document(f"d{number}", f"Some text about leave {number}") for number in range(5)), embedder=embedder
    )
    for search in (everything(index, embedder, fusion=fusion), everything(index, fusion=fusion)):
        for query in ("zxqv blorp wug", "!!! ???", "the", "what is it", "\0\x07", "ｑｗｅｒｔｙ"):
            assert await titles(search, query) == []


async def test_below_the_floor_only_what_shares_a_word_is_a_hit(index, embedder):
    await put(index, document("near", "vacation and much more besides of other things"), embedder=embedder)
    near = everything(index, embedder, floor=0.2)
    far = everything(index, embedder, floor=0.9)
    assert await titles(near, "holiday") == ["near"]
    assert await titles(far, "holiday") == []
    assert await titles(far, "vacation") == ["near"]


async def test_the_floor_is_the_embedders_unless_given(index, embedder):
    await put(index, document("near", "vacation and much more besides of other things"), embedder=embedder)
    embedder.floor = 0.9
    assert await titles(everything(index, embedder), "holiday") == []
    assert await titles(everything(index, embedder, floor=0.1), "holiday") == ["near"]


async def test_feedback_does_not_lift_what_is_below_the_floor(index, embedder):
    await put(
        index,
        document("hit", "leave canteen canteen canteen"),
        document("drawn along", "canteen canteen canteen"),
        embedder=embedder,
    )
    search = everything(index, embedder, fusion=Fusion(feedback=5.0), floor=0.3)
    assert await titles(search, "leave") == ["hit"]


async def test_without_an_embedder_the_search_is_by_words(index, embedder):
    await put(index, document("a", "leave policy"), embedder=embedder)
    results = await everything(index).search("leave")
    assert [(hit.title, hit.vector_score) for hit in results.hits] == [("a", 0.0)]
    assert results.warnings == []
    assert await titles(everything(index), "holiday") == []


async def test_an_embedder_that_fails_leaves_the_words_and_says_so(index, embedder):
    await put(index, document("a", "leave policy"), embedder=embedder)
    embedder.fails = EmbeddingError("Ollama does not answer at http://127.0.0.1:1.")
    results = await everything(index, embedder).search("leave")
    assert [hit.title for hit in results.hits] == ["a"]
    assert results.warnings == ["The search was by words only: Ollama does not answer at http://127.0.0.1:1."]
    assert in_language(results.warnings[0], "fr").startswith("La recherche s'est faite par les mots seuls : Ollama")


async def test_another_embedder_than_the_index_has_leaves_the_words_and_says_so(index, embedder):
    await put(index, document("a", "leave policy"), embedder=embedder)
    results = await everything(index, FakeEmbedder(name="another")).search("leave")
    assert [hit.title for hit in results.hits] == ["a"]
    assert "vectors of fake, not of another" in results.warnings[0]
    for language in ("en", "fr"):
        assert "`footnote index rebuild`" in in_language(results.warnings[0], language)


async def test_an_index_without_vectors_leaves_the_words_and_says_so(index, embedder):
    await put(index, document("a", "leave policy"))
    results = await everything(index, embedder).search("leave")
    assert [hit.title for hit in results.hits] == ["a"]
    assert "no vectors" in results.warnings[0]


@pytest.mark.parametrize(
    ("vector", "warned"),
    [
        pytest.param(np.full(128, np.nan, np.float32), True, id="not a number"),
        pytest.param(np.full(128, np.inf, np.float32), True, id="infinite"),
        pytest.param(np.zeros(128, np.float32), False, id="zero"),
        pytest.param(np.ones(7, np.float32), True, id="of another width"),
    ],
)
async def test_a_vector_that_cannot_be_used_leaves_the_words(index, embedder, vector, warned):
    class Odd(FakeEmbedder):
        async def embed_query(self, text):
            return vector

    await put(index, document("a", "leave policy"), embedder=embedder)
    results = await everything(index, Odd()).search("leave")
    assert [hit.title for hit in results.hits] == ["a"]
    assert bool(results.warnings) == warned


async def test_filters_hold_for_words_and_meaning(index, embedder):
    later = NOON + timedelta(days=5)
    await put(
        index,
        document("a", "leave words", participants=("Ada",), timestamp=later),
        document("slack:b", "vacation words", participants=("Bob",)),
        document("gmail:c", "vacation", participants=("Ada",)),
        embedder=embedder,
    )
    search = everything(index, embedder)
    assert sorted(await titles(search, "leave")) == ["a", "b", "c"]
    assert sorted(await titles(search, "leave", person="ada")) == ["a", "c"]
    assert await titles(search, "leave", time_range=(later, None)) == ["a"]
    assert sorted(await titles(search, "leave", time_range=(None, NOON))) == ["b", "c"]
    assert sorted(await titles(search, "leave", sources=["slack", "Gmail "])) == ["b", "c"]
    assert await titles(search, "leave", person="ada", sources=["gmail"]) == ["c"]
    assert sorted(await titles(search, "leave", person=" ", sources=[], time_range=(None, None))) == ["a", "b", "c"]


async def test_no_words_but_filters_list_the_newest_first(index):
    await put(index, *(document(f"d{day}", timestamp=NOON + timedelta(days=day)) for day in (2, 0, 1)))
    search = everything(index)
    assert await titles(search, "", sources=["files"]) == ["d2", "d1", "d0"]
    assert await titles(search, "  ", time_range=(NOON + timedelta(days=1), None), limit=1) == ["d2"]


async def test_neither_words_nor_filters_find_nothing(index):
    await put(index, document("a"))
    assert await titles(everything(index), "") == []
    assert await titles(everything(index), " \n", person="", sources=[], time_range=(None, None)) == []


def event(name, days, **changes):
    return document(f"gcalendar:{name}", f"Event {name}", timestamp=datetime.now(UTC) + timedelta(days=days), **changes)


@pytest.mark.parametrize(
    "query",
    ["What are my next meetings?", "upcoming events", "prochaines réunions", "show my upcoming calendar"],
)
async def test_coming_events_are_listed_nearest_first(index, query):
    await put(index, event("far", 9), event("near", 1), event("past", -2), document("meetings", "next meetings"))
    assert await titles(everything(index), query) == ["near", "far"]
    assert await titles(everything(index), query, sources=["gcalendar", "files"], limit=1) == ["near"]


async def test_a_list_of_the_calendar_from_today_on_is_nearest_first(index):
    await put(index, event("far", 9), event("near", 1), event("past", -2))
    search = everything(index)
    now = datetime.now(UTC)
    assert await titles(search, "", sources=["gcalendar"], time_range=(now, None)) == ["near", "far"]
    assert await titles(search, "", sources=["gcalendar"], time_range=(now - timedelta(days=5), None)) == [
        "far",
        "near",
        "past",
    ]


async def test_today_begins_at_midnight_where_the_asker_is(index):
    zone = ZoneInfo("Pacific/Kiritimati")
    midnight = datetime.now(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    await put(
        index,
        document("gcalendar:today", timestamp=midnight + timedelta(minutes=1)),
        document("gcalendar:yesterday", timestamp=midnight - timedelta(minutes=1)),
    )
    search = HybridSearch(index).for_audience(EVERYTHING, zone)
    assert await titles(search, "next meeting") == ["today"]


@pytest.mark.parametrize("query", ["next steps after the launch meeting", "the coming release", "meeting notes"])
async def test_other_questions_with_such_words_are_searched(index, query):
    await put(index, event("e", 1), document("steps", "next steps after the launch meeting, notes of coming release"))
    assert (await titles(everything(index), query))[0] == "steps"


async def test_without_a_calendar_coming_events_are_searched_by_words(index):
    await put(index, document("plan", "our next meetings"))
    assert await titles(everything(index), "next meetings") == ["plan"]


async def test_one_document_does_not_fill_the_list(index, embedder):
    long = "\n\n".join(f"## Leave {number}\n\n" + "leave policy words " * 90 for number in range(8))
    await put(index, document("long", long), document("short", "leave policy in short"), embedder=embedder)
    found = await titles(everything(index, embedder), "leave policy")
    assert sorted(found) == ["long", "long", "long", "short"]
    assert len(await titles(everything(index, embedder, per_document=1), "leave policy")) == 2
    assert len(await titles(everything(index, embedder, per_document=0), "leave policy")) > 4


@pytest.mark.parametrize(("limit", "count"), [(3, 3), (20, 12), (0, 0), (-4, 0)])
async def test_no_more_hits_than_the_limit(index, limit, count):
    await put(index, *(document(f"d{number}", "leave") for number in range(12)))
    assert len(await titles(everything(index), "leave", limit=limit)) == count


async def test_equal_hits_come_in_the_same_order_each_time(index, embedder):
    await put(index, *(document(f"d{number}", "leave", title="") for number in range(9)), embedder=embedder)
    search = everything(index, embedder)
    first = [hit.chunk_id for hit in (await search.search("leave")).hits]
    assert first == [hit.chunk_id for hit in (await search.search("leave")).hits] == sorted(first)


async def test_a_hit_in_a_thread_comes_with_what_was_said_around_it(index, embedder):
    words = ["Who knows?", "The leave policy is new.", "Thanks!"]
    await put(
        index,
        *(
            document(
                f"slack:m{number}",
                text,
                thread_id="t",
                timestamp=NOON + timedelta(minutes=number),
                participants=("Ada",),
            )
            for number, text in enumerate(words)
        ),
        embedder=embedder,
    )
    [hit] = (await everything(index, embedder).search("leave policy")).hits
    assert [entry["snippet"] for entry in hit.thread_context] == ["Who knows?", "Thanks!"]
    assert hit.thread_context[0] == {
        "chunk_idx": 0,
        "timestamp": "2026-11-02T12:00:00+00:00",
        "author": "Ada",
        "snippet": "Who knows?",
    }
    [hit] = (await everything(index, embedder, thread_cap=0).search("leave policy")).hits
    assert hit.thread_context == []


async def test_a_long_chunk_is_quoted_around_the_words_under_its_heading(index):
    filler = "Nothing of interest is said here in this sentence. " * 12
    text = f"# Handbook\n\n## Leave\n\n{filler}Parental leave is sixteen weeks. {filler}"
    await put(index, document("a", text, title="Handbook"))
    [hit] = (await everything(index).search("parental weeks")).hits
    assert hit.content_snippet.startswith("Leave: …")
    assert "Parental leave is sixteen weeks." in hit.content_snippet
    assert len(hit.content_snippet) <= CHARS


async def test_an_audience_finds_what_it_may_read_and_nothing_of_the_rest(index, embedder):
    plain = [
        document("open", "The budget of leave", access=frozenset({"workspace"})),
        document("slack:1", "budget?", thread_id="t", access=frozenset({"workspace"})),
    ]
    secret = frozenset({"user:U9"})
    secrets = [
        document("secret", "The budget of leave is 100", access=secret),
        document("slack:2", "budget is 100", thread_id="t", access=secret, timestamp=NOON + timedelta(minutes=1)),
        document("granola:n", "budget", access=secret),
    ]
    asker = (frozenset({"public", "workspace", "user:U1"}),)

    async def seen():
        search = HybridSearch(index, embedder).for_audience(asker)
        queries = ["budget", "100", "secret", "budget leave 100"]
        hits = [(await search.search(query)).hits for query in queries]
        hits.append((await search.search("", sources=["files", "slack", "granola"])).hits)
        told = [[(hit.chunk_id, hit.title, hit.content_snippet, hit.thread_context) for hit in some] for some in hits]
        return told, await search.available_sources()

    await put(index, *plain, embedder=embedder)
    without = await seen()
    await put(index, *secrets, embedder=embedder)
    assert await seen() == without
    boss = HybridSearch(index, embedder).for_audience((secret | {"workspace"},))
    assert sorted(await titles(boss, "budget")) == ["1", "2", "n", "open", "secret"]
    assert await boss.available_sources() == ["files", "granola", "slack"]


async def test_a_search_that_is_bound_to_sources_finds_nothing_else_whatever_it_is_asked(index, embedder):
    link = "https://files.test/b"
    docs = [document(id, "The budget of leave", url=link if id == "b" else "") for id in ("slack:1", "mail:2", "b")]
    await put(index, *docs, embedder=embedder)
    bound = HybridSearch(index, embedder).for_audience(EVERYTHING, sources=("slack", "Mail"))
    assert sorted(await titles(bound, "budget")) == ["1", "2"]
    assert await titles(bound, "budget", sources=["slack", "files"]) == ["1"]
    assert await titles(bound, "budget", sources=["files"]) == []
    assert await titles(bound, "", sources=["files"]) == await titles(bound, "") == []
    assert await bound.available_sources() == ["mail", "slack"]
    assert await bound.linked(link) == []


async def test_an_audience_that_is_no_tuple_of_sets_is_refused(index):
    with pytest.raises(TypeError):
        await HybridSearch(index).for_audience(frozenset({"public"})).search("x")


async def test_an_index_that_cannot_be_read_is_a_failed_search_without_its_path(tmp_path):
    path = tmp_path / "index.sqlite"
    async with open_index(path, create=True) as index:
        await put(index, document("a"))
        search = everything(index)
        for file in tmp_path.iterdir():
            file.unlink()
        with pytest.raises(SearchFailed) as failure:
            await search.search("about")
        assert str(tmp_path) not in str(failure.value)
        with pytest.raises(SearchFailed):
            await search.available_sources()


async def test_searches_at_the_same_time_do_not_disturb_each_other(index, embedder):
    await put(index, *(document(f"d{number}", f"leave word{number}") for number in range(20)), embedder=embedder)
    search = everything(index, embedder)
    async with asyncio.TaskGroup() as tasks:
        searches = [tasks.create_task(titles(search, f"word{number}")) for number in range(20)]
    assert [task.result()[0] for task in searches] == [f"d{number}" for number in range(20)]


@pytest.mark.parametrize("query", ["x" * 100_000, "leave " * 30_000, "acl:* OR 1=1", '"leave', "leave\0policy", "l"])
async def test_no_query_is_an_error(index, embedder, query):
    await put(index, document("a", "leave policy"), embedder=embedder)
    await everything(index, embedder).search(query)


async def test_one_long_document_does_not_hide_the_others(index, embedder):
    long = document("log", "\n\n".join(f"# Day {day}\n\nvacation vacation vacation" for day in range(60)))
    others = [
        document(f"policy{number}", f"The vacation policy of country {number}, in many more words.")
        for number in range(5)
    ]
    await put(index, long, *others)
    search = everything(index, fusion=Fusion(candidates=20))
    found = {hit.document_id for hit in (await search.search("vacation")).hits}
    assert found == {"files:log", *(f"files:policy{number}" for number in range(5))}


def talk(count, thread="t", first=0):
    return [
        document(f"slack:{thread}-{number}", "vacation", thread_id=thread, timestamp=NOON + timedelta(minutes=number))
        for number in range(first, first + count)
    ]


async def test_one_thread_does_not_fill_the_list(index, embedder):
    others = [document(f"policy{number}", "The vacation policy in many more words.") for number in range(3)]
    await put(index, *talk(30), *others, embedder=embedder)
    found = (await everything(index, embedder).search("vacation", limit=6)).hits
    assert [hit.thread_id for hit in found] == ["t", "t", "t", "", "", ""]
    assert len((await everything(index, embedder, per_document=0).search("vacation")).hits) == 20


async def test_one_thread_does_not_fill_a_list_by_recency(index):
    await put(index, *talk(40), document("slack:old", timestamp=NOON - timedelta(days=1)))
    assert await titles(everything(index), "", sources=["slack"], limit=5) == ["t-39", "t-38", "t-37", "old"]


async def test_one_long_thread_does_not_hide_the_others(index):
    others = [document(f"policy{number}", f"The vacation policy of country {number}, in words.") for number in range(3)]
    await put(index, *talk(60), *others)
    found = (await everything(index, fusion=Fusion(candidates=20)).search("vacation")).hits
    assert {hit.document_id for hit in found if not hit.thread_id} == {f"files:policy{number}" for number in range(3)}
