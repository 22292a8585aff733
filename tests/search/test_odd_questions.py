"""Whatever somebody asks, the answer is hits or none, never an error, and nothing that the filters keep out."""

from bot.search import HybridSearch
from indexers.document import EVERYTHING
from tests.fakes.corpus import FakeEmbedder, document, put

EMBEDDER = FakeEmbedder()
NOTHING = ["", " ", "\0\x1b", "l", "the", "what is it", "?!", "\ud800", "x" * 100_000, "zxqv blorp", "🙂", "«»"]
LEAVE = [
    "leave",
    "\ud800 leave \udfff",
    "le\x07 leave\0",
    'acl:* OR access:("public) leave',
    "/leave/ AND NOT [x TO *]",
    '{"match_all": {}} leave',
    "leave " * 20_000,
    f"{'x ' * 4_000}leave",
]
ODD = ["\ud800", "\0", "\0files", "x" * 100_000, "nobody here", ".*", "%", "files' OR 1=1"]


async def filled(index):
    mine = frozenset({"workspace"})
    await put(index, document("a", "leave policy", participants=("Ada",), access=mine), embedder=EMBEDDER)
    await put(index, document("secret", "leave l the", participants=("Ada",), access=frozenset({"acl:*"})))
    return HybridSearch(index, EMBEDDER).for_audience((mine,))


async def test_any_question_is_answered(index):
    search = await filled(index)
    for questions, found in ((NOTHING, []), (LEAVE, ["a"])):
        for question in questions:
            results = await search.search(question)
            assert ([hit.title for hit in results.hits], results.warnings) == (found, []), question[:20]


async def test_filters_that_name_nothing_find_nothing(index):
    search = await filled(index)
    for odd in ODD:
        for question in ("leave", ""):
            assert (await search.search(question, person=odd)).hits == [], odd[:20]
            assert (await search.search(question, sources=[odd])).hits == [], odd[:20]


async def test_any_number_of_hits_may_be_asked_for(index):
    search = await filled(index)
    for limit, count in ((-1, 0), (0, 0), (10**9, 1)):
        assert len((await search.search("leave", limit=limit)).hits) == count
        assert len((await search.search("", person="ada", limit=limit)).hits) == count


async def test_what_is_no_link_finds_nothing(index):
    search = HybridSearch(index).for_audience(EVERYTHING)
    await put(index, document("a"))
    for odd in ("http://[", "http://[::1", "http://[v1.x]/", "https://x.test:99999999/", "//", *ODD, *NOTHING):
        assert await search.linked(odd) == [], odd[:20]
