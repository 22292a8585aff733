"""Whatever is asked for or handed over, an index answers with what there is, or names the document that is wrong."""

import numpy as np
import pytest

from indexers.chunks import Chunk
from indexers.document import EVERYTHING
from indexers.index import DEGRADED, Entry, Filter, Fingerprint, IndexFault, Question
from indexers.index.filters import person_words
from indexers.index.names import LONGEST
from tests.fakes.corpus import DIMENSIONS, FakeEmbedder, document, put

ALL = Filter(EVERYTHING)
EMBEDDER = FakeEmbedder()
URL = "https://wiki.test/a"
ODD = {
    "nothing": "",
    "a space": " ",
    "one letter": "l",
    "stop words": "what is it to the",
    "half a surrogate pair": "a\ud800b",
    "control characters": "\0\x1b\x07",
    "100,000 characters": "x" * 100_000,
    "20,000 words": " ".join(f"word{number}" for number in range(20_000)),
    "a query": 'acl:* OR access:(public) AND NOT "x" /.*/ {"match_all": {}}',
    "a pattern": ".*",
    "brackets": "((([[[{{{",
    "quotes": "\"'\\`",
    "a wildcard": "%_*?",
    "beyond the first plane": "𝒳🙂",
}


@pytest.fixture
async def index(index):
    await put(index, document("a", "leave policy", participants=("Ada",), url=URL), embedder=EMBEDDER)
    return index


async def test_an_odd_question_is_answered_by_both_lists(index):
    for name, odd in ODD.items():
        question = Question(odd, await EMBEDDER.embed_query("leave"))
        ranking = await index.rank(question, ALL, 5, again=True)
        completion = await index.complete(question, ["files:a#0"], ALL, refined=question.vector, k=5)
        assert set(ranking.lexical) <= {"files:a#0"}, name
        assert (list(ranking.dense), ranking.degraded) == (["files:a#0"], ()), name
        assert list(completion.dense) == ["files:a#0"], name


async def test_what_an_odd_filter_names_is_not_there(index):
    question = Question("leave", await EMBEDDER.embed_query("leave"))
    for name, odd in ODD.items():
        filters = [Filter(EVERYTHING, sources=(odd,)), Filter((frozenset({odd}),)), Filter((frozenset({odd, "x"}),))]
        for where in [*filters, *([Filter(EVERYTHING, person=odd)] if any(person_words(odd)) else [])]:
            ranking = await index.rank(question, where, 5)
            assert (ranking.lexical, ranking.dense, await index.recent(where, 5)) == ({}, {}, []), name
            assert await index.passages(["files:a#0"], where) == {}, name
        assert await index.sources((frozenset({odd}),)) == [], name


async def test_an_odd_name_is_that_of_nothing(index):
    for name, odd in ODD.items():
        assert await index.linked([odd], ALL, 5) == [], name
        for chunk in (odd, f"{odd}#0", f"files:a#{odd}", f"files:a#0{odd or '#'}"):
            assert (await index.passages([chunk], ALL), await index.vectors([chunk])) == ({}, {}), name
        assert (await index.fingerprints([odd]), await index.delete([odd])) == ({}, 0), name
    assert list(await index.fingerprints(["files:a"])) == ["files:a"]


async def test_any_number_of_hits_may_be_asked_for(index):
    question = Question("leave", await EMBEDDER.embed_query("leave"))
    [passage] = (await index.passages(["files:a#0"], ALL)).values()
    for k in (0, -1, 20_000, 10**9):
        found = ["files:a#0"] if k > 0 else []
        ranking = await index.rank(question, ALL, k, again=True)
        assert (list(ranking.lexical), list(ranking.dense)) == (found, found), k
        assert list((await index.complete(question, [], ALL, refined=question.vector, k=k)).refined) == found, k
        assert (await index.recent(ALL, k), await index.linked([URL], ALL, k)) == (found, found), k
        assert list(await index.around([passage], EVERYTHING, k)) == ["files:a#0"], k


async def test_thousands_of_chunks_may_be_asked_for_at_once(index):
    many = ["files:a#0", *(f"files:d{number}#0" for number in range(5_000))]
    assert list(await index.passages(many, ALL)) == ["files:a#0"]
    assert list((await index.complete(Question("leave"), many, ALL)).lexical) == ["files:a#0"]


async def test_a_vector_that_cannot_be_compared_leaves_the_words(index):
    for vector in (*(np.full(DIMENSIONS, value) for value in (0, np.nan, np.inf)), np.ones(3), np.ones(0)):
        question = Question("leave", vector.astype(np.float32))
        ranking = await index.rank(question, ALL, 5, again=True)
        told = () if len(vector) == DIMENSIONS else (DEGRADED["dense"],)
        assert (list(ranking.lexical), ranking.dense, ranking.degraded) == (["files:a#0"], {}, told), vector
        completion = await index.complete(question, ["files:a#0"], ALL, refined=question.vector, k=5)
        assert (list(completion.lexical), completion.dense, completion.refined) == (["files:a#0"], {}, {}), vector


def entry(one, vectors=None, texts=("words",), ordinals=None):
    cut = [Chunk(ordinal, (), text) for ordinal, text in zip(ordinals or range(len(texts)), texts, strict=True)]
    return Entry(one, cut, vectors, Fingerprint("content", "facts", "" if vectors is None else "fake"))


def rows(*values):
    return np.array([[value] * DIMENSIONS for value in values], np.float32)


REFUSED = {
    "no character in the text": entry(document("bad"), texts=("half a pair: \ud800",)),
    "no character in the title": entry(document("bad", title="\udfff")),
    "no character in the id": entry(document("bad\udc80")),
    "no character in a name": entry(document("bad", participants=("A\ud800",))),
    "no character in a principal": entry(document("bad", access=frozenset({"user:\ud800"}))),
    "no character in the link": entry(document("bad", url="https://x.test/\ud800")),
    "a zero in a principal": entry(document("bad", access=frozenset({"user:U1\0"}))),
    "a long id": entry(document("x" * (LONGEST + 1))),
    "a long principal": entry(document("bad", access=frozenset({"x" * 40_000}))),
    "a name that is long without accents": entry(document("bad", participants=("ﷺ" * 2_600,))),
    "two chunks in one place": entry(document("bad"), texts=("a", "b"), ordinals=(0, 0)),
    "fewer vectors than chunks": entry(document("bad"), rows(1), texts=("a", "b")),
    "more vectors than chunks": entry(document("bad"), rows(1, 1)),
    "a vector that is no number": entry(document("bad"), rows(np.nan)),
    "a vector without an end": entry(document("bad"), rows(np.inf)),
}


async def stream(*entries):
    for one in entries:
        yield one


async def test_a_document_that_cannot_be_stored_is_named_and_the_others_are_written(index):
    one, two = [entry(document(name), await EMBEDDER.embed_documents(["words"])) for name in ("one", "two")]
    for name, bad in REFUSED.items():
        told = [outcome async for outcome in index.write_all(stream(one, bad, two))]
        failed = {outcome.document_id: outcome.failure for outcome in told if outcome.failure}
        assert list(failed) == [bad.document.id], name
        assert "pair" not in failed[bad.document.id], name
    assert sorted([one.document.id async for one in index.stored()]) == ["files:a", "files:one", "files:two"]
    ranking = await index.rank(Question("words", await EMBEDDER.embed_query("words")), ALL, 5)
    assert set(ranking.lexical) == {"files:one#0", "files:two#0"} < set(ranking.dense)


async def test_a_document_that_cannot_be_stored_leaves_what_was_stored_of_it(index):
    cut = [Chunk(0, (), "half a pair: \ud800")]
    with pytest.raises(IndexFault, match="what is no character"):
        await index.write(document("a", "new"), cut, None, Fingerprint("", ""))
    with pytest.raises(IndexFault, match="what is no character"):
        await index.describe(document("a", title="\ud800"), Fingerprint("", ""))
    assert [one.text for one in (await index.passages(["files:a#0"], ALL)).values()] == ["leave policy"]


async def test_control_characters_are_kept_and_the_words_around_them_found(index):
    text = "before\0after \x1b[0m red\x07 \u202ebidi \ufeff"
    await index.write(document("b"), [Chunk(0, (), text)], None, Fingerprint("", ""))
    assert (await index.passages(["files:b#0"], ALL))["files:b#0"].text.replace("\0", " ") == text.replace("\0", " ")
    for word in ("before", "after", "red", "bidi"):
        assert list((await index.rank(Question(word), ALL, 5)).lexical) == ["files:b#0"], word


async def test_a_text_of_three_million_characters_is_stored_whole(index):
    text = "leave " * 500_000
    await index.write(document("b"), [Chunk(0, (), text)], None, Fingerprint("", ""))
    assert (await index.passages(["files:b#0"], ALL))["files:b#0"].text == text


async def test_a_document_that_twenty_thousand_may_read_is_found_by_each(index):
    access = frozenset(f"user:U{number}" for number in range(20_000))
    await put(index, document("b", "secret words", access=access))
    assert list((await index.rank(Question("words"), Filter((frozenset({"user:U19999"}),)), 5)).lexical) == [
        "files:b#0"
    ]
