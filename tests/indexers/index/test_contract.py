"""What every index promises; `index` is any of them."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from indexers.chunks import Chunk, chunks
from indexers.document import EVERYTHING
from indexers.excerpts import opening
from indexers.index import (
    DEGRADED,
    Entry,
    Filter,
    Fingerprint,
    IndexFault,
    IndexMismatch,
    Line,
    Question,
    chunk_id,
    document_of,
)
from tests.fakes.corpus import DIMENSIONS, NOON, FakeEmbedder, document, put

ALL = Filter(EVERYTHING)
EMBEDDER = FakeEmbedder()


async def asked(text):
    return Question(text, await EMBEDDER.embed_query(text))


async def found(index, text, where=ALL, k=10):
    """Document ids of the lexical and of the dense list."""
    ranking = await index.rank(await asked(text), where, k)
    return [[document_of(chunk) for chunk in one] for one in (ranking.lexical, ranking.dense)]


def day(number):
    return NOON + timedelta(days=number)


async def test_both_lists_come_best_first(index):
    texts = {"files:a": "parental leave is sixteen weeks", "files:b": "leave the keys at the desk, please, and go"}
    await put(index, *(document(id, text) for id, text in texts.items()), embedder=EMBEDDER)
    ranking = await index.rank(await asked("parental leave"), ALL, 10)
    assert list(ranking.lexical) == list(ranking.dense) == ["files:a#0", "files:b#0"]
    assert ranking.lexical["files:a#0"] > ranking.lexical["files:b#0"] > 0
    assert 1.0 >= ranking.dense["files:a#0"] > ranking.dense["files:b#0"] > 0


async def test_no_more_than_k_of_each_list(index):
    await put(index, *(document(f"d{number}", "the same words") for number in range(6)), embedder=EMBEDDER)
    ranking = await index.rank(await asked("same words"), ALL, 4)
    assert (len(ranking.lexical), len(ranking.dense)) == (4, 4)


async def test_equal_scores_come_in_the_same_order_each_time(index):
    await put(index, *(document(f"d{number}", "equal words", title="") for number in range(8)), embedder=EMBEDDER)
    first = await index.rank(await asked("equal words"), ALL, 5)
    again = await index.rank(await asked("equal words"), ALL, 5)
    assert (list(first.lexical), list(first.dense)) == (list(again.lexical), list(again.dense))


async def test_a_document_without_vectors_is_in_the_lexical_list_alone(index):
    await put(index, document("a", "parental leave"))
    await put(index, document("b", "parental leave"), embedder=EMBEDDER)
    lexical, dense = await found(index, "parental leave")
    assert (sorted(lexical), dense) == (["files:a", "files:b"], ["files:b"])


async def test_a_row_of_zeros_is_no_vector(index):
    zeros = np.zeros((1, DIMENSIONS), np.float32)
    await index.write(document("a", "words"), [Chunk(0, (), "words")], zeros, Fingerprint("", "", "fake"))
    assert await found(index, "words") == [["files:a"], []]


async def test_scores_of_given_chunks_are_those_of_the_lists(index):
    await put(index, *(document(f"d{number}", f"word{number} shared") for number in range(5)), embedder=EMBEDDER)
    question = await asked("word1 shared")
    ranking = await index.rank(question, ALL, 10)
    completion = await index.complete(question, list(ranking.lexical), ALL)
    assert completion.lexical == pytest.approx(ranking.lexical)
    assert completion.dense == pytest.approx(ranking.dense, abs=1e-5)
    assert completion.refined == {}


async def test_the_nearest_to_a_refined_vector_join_the_given_chunks(index):
    await put(index, document("a", "alpha"), document("b", "beta"), document("c", "gamma"), embedder=EMBEDDER)
    refined = await EMBEDDER.embed_query("beta")
    completion = await index.complete(await asked("alpha"), ["files:a#0"], ALL, refined=refined, k=1)
    assert set(completion.refined) == set(completion.dense) == {"files:a#0", "files:b#0"}
    assert set(completion.lexical) == {"files:a#0"}
    assert completion.refined["files:b#0"] == pytest.approx(1, abs=1e-3)


async def test_scores_are_not_told_of_what_the_filter_keeps_out(index):
    await put(index, document("a", "alpha", access=frozenset({"user:U1"})), embedder=EMBEDDER)
    question = await asked("alpha")
    where = Filter((frozenset({"workspace"}),))
    completion = await index.complete(question, ["files:a#0"], where, refined=question.vector, k=5)
    assert (completion.lexical, completion.dense, completion.refined) == ({}, {}, {})


async def test_a_vector_comes_back_as_it_was_but_for_rounding(index):
    await put(index, document("a", "alpha beta"), document("b"), embedder=EMBEDDER)
    vectors = await index.vectors(["files:a#0", "files:gone#0"])
    assert list(vectors) == ["files:a#0"]
    assert vectors["files:a#0"] == pytest.approx(await EMBEDDER.embed_query("alpha beta"), abs=1e-3)


async def test_a_passage_has_all_that_was_stored(index):
    zone = timezone(timedelta(hours=-5))
    stored = document(
        "slack:C1:1.0",
        "Hello",
        title="In #general",
        timestamp=datetime(2026, 11, 2, 9, 30, 0, 123456, tzinfo=zone),
        participants=("Ada Lovelace <ada@example.com>", "Bob"),
        thread_id="C1:1.0",
        url="https://acme.slack.com/archives/C1/p10",
    )
    await index.write(stored, [Chunk(0, ("Top", "Below"), "Hello")], None, Fingerprint("", ""))
    passage = (await index.passages(["slack:C1:1.0#0"], ALL))["slack:C1:1.0#0"]
    assert (passage.document_id, passage.ordinal, passage.headings, passage.text) == (
        stored.id,
        0,
        ("Top", "Below"),
        "Hello",
    )
    assert (passage.timestamp, passage.timestamp.utcoffset()) == (stored.timestamp, timedelta(hours=-5))
    assert (passage.source, passage.title, passage.url) == (stored.source, stored.title, stored.url)
    assert (passage.participants, passage.thread_id) == (stored.participants, stored.thread_id)


async def test_passages_that_are_gone_or_kept_out_are_left_out(index):
    await put(index, document("a"), document("b", access=frozenset({"user:U1"})))
    passages = await index.passages(
        ["files:a#0", "files:b#0", "files:c#0", "files:a#7"], Filter((frozenset({"workspace"}),))
    )
    assert list(passages) == ["files:a#0"]


async def test_writing_again_replaces_the_whole_document(index):
    await put(index, document("a", "# One\n\n" + "first words " * 400 + "\n\n# Two\n\nlast"), embedder=EMBEDDER)
    assert len(await index.passages([chunk_id("files:a", number) for number in range(9)], ALL)) > 1
    await put(index, document("a", "replaced"), embedder=EMBEDDER)
    assert await found(index, "first words last") == [[], ["files:a"]]
    assert await found(index, "replaced") == [["files:a"], ["files:a"]]
    assert list(await index.passages([chunk_id("files:a", number) for number in range(9)], ALL)) == ["files:a#0"]


async def test_a_write_that_fails_leaves_what_was_there(index):
    await put(index, document("a", "old words"), embedder=EMBEDDER)
    cut = [Chunk(0, (), "new"), Chunk(0, (), "the same place twice")]
    with pytest.raises(IndexFault):
        await index.write(document("a", "new"), cut, None, Fingerprint("", ""))
    assert await found(index, "old words") == [["files:a"], ["files:a"]]
    assert (await found(index, "new"))[0] == []


async def test_describing_changes_facts_and_leaves_text_and_vectors(index):
    await put(index, document("a", "words"), embedder=EMBEDDER)
    changed = document("a", url="https://x.test/a", access=frozenset({"user:U1"}), participants=("Ada",))
    await index.describe(replace(changed, timestamp=day(3), thread_id="t"), Fingerprint("same", "new", "fake"))
    assert await found(index, "words", Filter((frozenset({"workspace"}),))) == [[], []]
    assert await found(index, "words", Filter((frozenset({"user:U1"}),), person="ada")) == [["files:a"], ["files:a"]]
    [passage] = (await index.passages(["files:a#0"], ALL)).values()
    assert (passage.text, passage.url, passage.timestamp, passage.thread_id) == (
        "words",
        "https://x.test/a",
        day(3),
        "t",
    )
    assert await index.fingerprints(["files:a"]) == {"files:a": Fingerprint("same", "new", "fake")}


async def test_describing_what_is_not_stored_stores_nothing(index):
    await index.describe(document("a"), Fingerprint("", ""))
    assert await index.fingerprints(["files:a"]) == {}


async def stream(*entries):
    for entry in entries:
        yield entry


async def outcomes(index, *entries):
    return [(one.document_id, one.written, one.failure) async for one in index.write_all(stream(*entries))]


def entry(name, text="", version=None, **changes):
    made = document(name, text, **changes)
    versioned = {} if version is None else {"version": version}
    return Entry(made, [Chunk(0, (), made.text)], None, Fingerprint(made.text, "facts"), **versioned)


async def test_each_document_of_a_stream_has_its_outcome(index):
    names = [f"d{number}" for number in range(70)]
    told = await outcomes(index, *(entry(name) for name in names))
    assert sorted(told) == sorted((f"files:{name}", True, "") for name in names)
    assert len(await index.fingerprints(["files:d0", *(f"files:{name}" for name in names[1:])])) == 70


async def test_a_document_may_come_twice_in_a_stream(index):
    await outcomes(index, entry("a", "first"), entry("b", "other"), entry("a", "second"))
    assert (await found(index, "first"))[0] == []
    assert (await found(index, "second"))[0] == ["files:a"]


async def test_an_older_state_that_comes_late_is_not_taken(index):
    assert await outcomes(index, entry("a", "newer", 20)) == [("files:a", True, "")]
    assert await outcomes(index, entry("a", "older", 10)) == [("files:a", False, "")]
    described = replace(entry("a", "older", 10, access=frozenset({"public"})), chunks=None)
    assert await outcomes(index, described) == [("files:a", False, "")]
    assert (await found(index, "newer", Filter((frozenset({"workspace"}),))))[0] == ["files:a"]
    assert (await found(index, "older"))[0] == []
    assert await outcomes(index, entry("a", "newest", 30)) == [("files:a", True, "")]
    assert (await found(index, "newest"))[0] == ["files:a"]


async def test_an_older_state_that_comes_after_the_deletion_is_not_taken(index):
    def read_ago(seconds, text):
        return entry("a", text, time.time_ns() // 1000 - seconds * 1_000_000)

    await outcomes(index, read_ago(20, "deleted"), entry("b", "another"))
    assert await index.delete(["files:a"]) == 1
    assert await outcomes(index, read_ago(10, "late")) == [("files:a", False, "")]
    assert (await found(index, "deleted late"))[0] == []
    assert (await index.count(), list(await index.fingerprints(["files:a"]))) == (1, [])
    assert [one.document.id async for one in index.stored()] == ["files:b"]
    assert await index.delete(["files:a"]) == 0
    assert await outcomes(index, entry("a", "back again")) == [("files:a", True, "")]
    assert (await found(index, "again"))[0] == ["files:a"]


async def test_a_stream_that_breaks_off_leaves_whole_documents_or_none(index):
    long = "\n\n".join(f"Paragraph {number} " + "word " * 200 for number in range(12))
    cut = chunks(long)

    async def breaking():
        for number in range(9):
            yield Entry(document(f"d{number}", long), cut, None, Fingerprint("new", ""))
        raise ConnectionResetError

    await outcomes(index, entry("d0", "the old text"))
    with pytest.raises(ConnectionResetError):
        [_ async for _ in index.write_all(breaking())]
    for number in range(9):
        ids = [chunk_id(f"files:d{number}", place) for place in range(len(cut))]
        passages = await index.passages(ids, ALL)
        assert len(passages) in ((1, len(cut)) if number == 0 else (0, len(cut)))
        assert len({passage.text == "the old text" for passage in passages.values()}) <= 1


async def test_every_stored_document_comes_back_as_it_was_written(index):
    zone = timezone(timedelta(hours=-5))
    one = document(
        "slack:C1:1.0",
        "# Top\n\n" + "some words " * 300 + "\n\n## Below\n\nlast",
        title="In #general",
        timestamp=datetime(2026, 11, 2, 9, 30, 0, 123456, tzinfo=zone),
        participants=("Ada Lovelace <ada@example.com>", "Bob"),
        thread_id="C1:1.0",
        url="https://acme.slack.com/archives/C1/p10",
        access=frozenset({"channel:C1", "user:U1"}),
    )
    cut = chunks(one.text, title=one.title)
    vectors = await EMBEDDER.embed_documents([chunk.text for chunk in cut])
    vectors[-1] = 0
    written = Entry(one, cut, vectors, Fingerprint("content", "facts", "fake"), 1234)
    await outcomes(index, entry("b", "without vectors"), written, *(entry(f"d{number}") for number in range(40)))
    stored = [one async for one in index.stored()]
    assert [one.document.id for one in stored] == sorted(one.document.id for one in stored)
    assert len(stored) == await index.count() == 42
    [first], [other] = [[one for one in stored if one.document.id == id] for id in (one.id, "files:b")]
    assert replace(first, vectors=None) == replace(written, vectors=None)
    assert first.vectors == pytest.approx(vectors, abs=1e-3)
    assert not first.vectors[-1].any()
    assert (other.document, other.vectors) == (document("b", "without vectors"), None)


async def test_deleting_tells_how_many_there_were(index):
    await put(index, document("a", "words"), document("b", "words"), embedder=EMBEDDER)
    assert await index.delete(["files:a", "files:none"]) == 1
    assert await found(index, "words") == [["files:b"], ["files:b"]]
    assert await index.sources(EVERYTHING) == ["files"]
    assert await index.count() == 1
    assert await index.delete(["files:b"]) == 1
    assert await index.sources(EVERYTHING) == []
    assert await index.count() == 0


async def test_it_tells_when_what_somebody_may_read_of_a_source_was_last_read(index):
    def read(id, second, *access):
        one = replace(entry(id, "words"), version=second * 1_000_000)
        return replace(one, document=replace(one.document, access=frozenset(access)))

    await outcomes(index, read("a", 100, "workspace"), read("b", 200, "workspace"), read("c", 300, "user:U1"))
    assert await index.read_at(EVERYTHING) == {"files": datetime.fromtimestamp(300, UTC)}
    assert await index.read_at((frozenset({"workspace"}),)) == {"files": datetime.fromtimestamp(200, UTC)}
    assert await index.read_at((frozenset({"public"}),)) == {}


def at(second):
    return datetime.fromtimestamp(second, UTC)


async def with_folders(index):
    """Two folders, one for all and one for few, and another source."""
    of_all, of_few = frozenset({"workspace"}), frozenset({"group:hr"})
    documents = [document("/docs/a", "words", access=of_all), document("/hr/b", "words", access=of_few)]
    documents.append(document("c", "words", id="mail:c", source="mail", access=of_all))
    entries_ = [replace(entry(str(number), "words"), document=one) for number, one in enumerate(documents)]
    await outcomes(index, *(replace(one, version=100 * 1_000_000) for one in entries_))


async def test_a_visit_makes_fresh_what_it_saw_though_nothing_has_changed(index):
    await with_folders(index)
    await index.visited({"files:/docs": at(200.000001)})
    assert await index.read_at(EVERYTHING) == {"files": at(200.000001), "mail": at(100)}
    await index.visited({"mail:c": at(50), "files:/hr": at(150)})
    assert await index.read_at(EVERYTHING) == {"files": at(200.000001), "mail": at(100)}
    assert list((await index.visits()).items()) == [
        ("files:/docs", at(200.000001)),
        ("files:/hr", at(150)),
        ("mail:c", at(50)),
    ]


async def test_an_earlier_visit_that_is_told_late_leaves_the_later_one(index):
    await with_folders(index)
    await index.visited({"files:/docs": at(200)})
    await index.visited({"files:/docs": at(150), "files:/hr": at(120)})
    assert await index.visits() == {"files:/docs": at(200), "files:/hr": at(120)}
    assert (await index.read_at(EVERYTHING))["files"] == at(200)


async def test_a_visit_says_nothing_to_who_may_read_nothing_of_what_it_saw(index):
    await with_folders(index)
    await index.visited({"files:/hr": at(200), "files:/docs/a": at(150), "files:/doc": at(300)})
    everybody, hr = frozenset({"workspace"}), frozenset({"workspace", "group:hr"})
    assert await index.read_at((everybody,)) == {"files": at(150), "mail": at(100)}
    assert await index.read_at((hr,)) == {"files": at(200), "mail": at(100)}
    assert await index.read_at((everybody, hr)) == {"files": at(150), "mail": at(100)}
    assert await index.read_at((frozenset({"public"}),)) == {}
    await index.delete(["files:/docs/a"])
    assert await index.read_at((everybody,)) == {"mail": at(100)}


async def test_a_visit_is_no_document(index):
    await put(index, document("/docs/a", "files visits"), embedder=EMBEDDER)
    await index.visited({"files:/docs": at(200), "files:/docs/a": at(10), "files:/docs/b": at(10)})
    assert [one.document.id async for one in index.stored()] == ["files:/docs/a"]
    assert await index.count() == 1
    assert list(await index.fingerprints(["files:/docs", "files:/docs/b"])) == ["files:/docs/a"]
    assert await found(index, "files visits docs") == [["files:/docs/a"], ["files:/docs/a"]]
    assert await index.recent(ALL, 5) == await index.recent(replace(ALL, start=at(0)), 5) == ["files:/docs/a#0"]
    assert list(await index.passages(["files:/docs/a#0", "files:/docs/b#0", "files:/docs#0"], ALL)) == [
        "files:/docs/a#0"
    ]
    assert await index.sources(EVERYTHING) == ["files"]
    assert await index.delete(["files:/docs", "files:/docs/b"]) == 0
    assert len(await index.visits()) == 3


async def test_what_cannot_stand_in_an_index_is_not_visited(index):
    await index.visited({"files:/\udc80": at(100), "files:/\0": at(100)})
    await index.visited({})
    assert await index.visits() == {}


async def test_a_scope_is_a_document_or_what_lies_below_it(index):
    ids = ["/docs/a.md", "/docs/sub/b.md", "/docs.md", "/docs2/c.md", "/docs-old/d.md", "/docs"]
    await put(index, *(document(f"files:{id}") for id in ids))
    stored = await index.fingerprints(["files:/docs"])
    assert sorted(stored) == ["files:/docs", "files:/docs/a.md", "files:/docs/sub/b.md"]
    assert stored["files:/docs/a.md"] == Fingerprint("content of files:/docs/a.md", "facts", "")
    assert sorted(await index.fingerprints(["files:/docs/sub", "files:/docs.md"])) == [
        "files:/docs.md",
        "files:/docs/sub/b.md",
    ]


async def test_a_fingerprint_tells_the_access_that_is_stored(index):
    narrow, both = frozenset({"channel:C1"}), frozenset({"user:ada@example.com", "group:S1"})
    await put(index, document("/docs/a", access=narrow), document("/docs/b", access=both), document("/docs/c"))
    stored = await index.fingerprints(["files:/docs"])
    assert {id: one.access for id, one in stored.items()} == {
        "files:/docs/a": narrow,
        "files:/docs/b": both,
        "files:/docs/c": frozenset({"workspace"}),
    }
    await index.describe(document("/docs/a", access=both), Fingerprint("same", "new"))
    assert (await index.fingerprints(["files:/docs/a"]))["files:/docs/a"].access == both


PEOPLE = ("Zoë Müller", "@zoe", "Zoe.Mueller@example.com")


@pytest.mark.parametrize(
    ("person", "matches"),
    [
        pytest.param("zoë", True, id="part of a name"),
        pytest.param("ZOE MULLER", True, id="without accents and in capitals"),
        pytest.param("müller zoë", True, id="the words in another order"),
        pytest.param("@zoe", True, id="a handle"),
        pytest.param("mueller@EXAMPLE", True, id="part of an address"),
        pytest.param("Zoë Müller <zoe.mueller@example.com>", True, id="a name with its address"),
        pytest.param("Z. M. <zoe.mueller@example.com>", True, id="the address is enough"),
        pytest.param("Zoë Müller <bob@example.com>", False, id="the address is what counts"),
        pytest.param("mailto:zoe.mueller@example.com", True, id="a link to an address"),
        pytest.param("@EXAMPLE.com", True, id="the people of a domain"),
        pytest.param("Müller, Zoë", True, id="the family name first"),
        pytest.param('"Zoë" (Müller)', True, id="in quotes and brackets"),
        pytest.param("Zoë's", True, id="in the genitive"),
        pytest.param("zoe bob", False, id="words of two people"),
        pytest.param("z%e", False, id="a percent sign is no wildcard"),
        pytest.param("z_e", False, id="an underscore is no wildcard"),
        pytest.param("'; DROP TABLE people; --", False, id="a quote is a character"),
    ],
)
async def test_a_person_is_matched_by_part_of_a_name_handle_or_address(index, person, matches):
    await put(index, document("a", "words", participants=(*PEOPLE, "Bob")), document("b", "words"), embedder=EMBEDDER)
    expected = ["files:a"] if matches else []
    assert await found(index, "words", Filter(EVERYTHING, person=person)) == [expected, expected]


async def test_time_is_compared_by_instant_whatever_the_zone(index):
    late = datetime(2026, 11, 2, 1, 30, tzinfo=timezone(timedelta(hours=2)))  # 23:30 of the day before, in UTC
    await put(index, document("a", "words", timestamp=late), embedder=EMBEDDER)
    first, second = datetime(2026, 11, 1, 23, tzinfo=NOON.tzinfo), datetime(2026, 11, 2, tzinfo=NOON.tzinfo)
    assert await found(index, "words", Filter(EVERYTHING, start=first, end=second)) == [["files:a"]] * 2
    assert await found(index, "words", Filter(EVERYTHING, start=second)) == [[], []]
    assert await found(index, "words", Filter(EVERYTHING, start=late, end=late)) == [["files:a"]] * 2


async def test_sources_narrow_both_lists(index):
    await put(index, document("a", "words"), document("slack:b", "words"), embedder=EMBEDDER)
    assert await found(index, "words", Filter(EVERYTHING, sources=("slack",))) == [["slack:b"]] * 2
    assert await found(index, "words", Filter(EVERYTHING, sources=("gmail",))) == [[], []]


async def test_recent_lists_the_first_chunk_of_each_document_newest_first(index):
    long = "words and words " * 400
    await put(index, document("old", timestamp=day(-2)), document("new", long, timestamp=day(2)), document("now"))
    assert await index.recent(ALL, 10) == ["files:new#0", "files:now#0", "files:old#0"]
    assert await index.recent(Filter(EVERYTHING, start=day(-1)), 1) == ["files:new#0"]


async def test_upcoming_lists_the_nearest_first(index):
    await put(index, *(document(f"d{number}", timestamp=day(number)) for number in (3, 1, 2)))
    listed = await index.recent(Filter(EVERYTHING, start=day(0)), 2, upcoming=True)
    assert listed == ["files:d1#0", "files:d2#0"]


def message(number, thread="t", source="slack", **changes):
    return document(
        f"{source}:{thread}-{number}", f"message {number}", thread_id=thread, timestamp=day(number), **changes
    )


async def around(index, chunk, audience=EVERYTHING, k=10):
    [passage] = (await index.passages([chunk], ALL)).values()
    surroundings = (await index.around([passage], audience, k))[chunk]
    return [[one.text for one in side] for side in (surroundings.before, surroundings.after)]


async def test_around_a_message_is_its_thread_oldest_first(index):
    await put(index, *(message(number) for number in (4, 2, 1, 3, 0)))
    assert await around(index, "slack:t-2#0") == [["message 0", "message 1"], ["message 3", "message 4"]]
    assert await around(index, "slack:t-2#0", k=1) == [["message 1"], ["message 3"]]


async def test_messages_of_the_same_moment_keep_an_order(index):
    same = [replace(message(number), timestamp=NOON) for number in range(4)]
    await put(index, *same)
    assert await around(index, "slack:t-1#0") == [["message 0"], ["message 2", "message 3"]]


async def test_the_same_thread_id_in_another_source_is_another_thread(index):
    await put(index, message(1), message(2, source="gmail"))
    assert await around(index, "slack:t-1#0") == [[], []]


async def test_around_a_message_are_the_openings_of_others_and_who_wrote_them(index):
    long = "  words and words " * 100
    told = replace(message(1), text=long, participants=("Ada", "ada@example.com"))
    await put(index, message(0), told, replace(message(2), participants=()))
    [passage] = (await index.passages(["slack:t-0#0"], ALL)).values()
    [surroundings] = (await index.around([passage], EVERYTHING, 2)).values()
    assert surroundings.after == [
        Line("slack:t-1#0", 0, message(1).timestamp.isoformat(), "Ada", opening(long)),
        Line("slack:t-2#0", 0, message(2).timestamp.isoformat(), "", "message 2"),
    ]


async def test_what_is_around_is_the_same_whether_it_was_foretold_or_not(index):
    await put(index, message(1), message(2), document("alone", "message alone"), message(7, "u"), message(8, "u"))
    found = list((await index.rank(Question("message"), ALL, 9)).lexical)
    assert len(found) == 5

    async def shown(threads, where=ALL):
        passages = await index.passages(["slack:u-8#0", "files:gone#0", *sorted(found)], where, threads=threads)
        around = await index.around(list(passages.values()), where.audience, 5)
        return list(passages), {
            id: [[one.text for one in side] for side in (of.before, of.after)] for id, of in around.items()
        }

    once = await shown(0)
    assert once[1]["slack:u-8#0"] == [["message 7"], []]
    assert [await shown(threads) for threads in (1, 3, 99)] == [once] * 3
    await put(index, replace(message(2), thread_id="u"))
    moved = await shown(99)
    assert moved[1]["slack:t-1#0"] == [[], []]
    assert moved[1]["slack:t-2#0"] == [[], ["message 7", "message 8"]]
    await put(index, replace(message(2), access=frozenset({"user:U1"})))
    everyone = Filter((frozenset({"workspace"}),))
    assert await shown(99, everyone) == await shown(0, everyone)
    assert "slack:t-2#0" not in (await shown(99, everyone))[0]


async def test_around_many_messages_of_a_long_thread_are_the_nearest(index):
    await put(index, *(message(number) for number in range(1_100)))
    ids = [f"slack:t-{number}#0" for number in (0, 500, 1_099)]
    passages = await index.passages(ids, ALL)
    around = await index.around(list(passages.values()), EVERYTHING, 2)
    texts = {id: [[one.text for one in side] for side in (around[id].before, around[id].after)] for id in ids}
    assert texts == {
        ids[0]: [[], ["message 1", "message 2"]],
        ids[1]: [["message 498", "message 499"], ["message 501", "message 502"]],
        ids[2]: [["message 1097", "message 1098"], []],
    }


async def test_what_the_audience_may_not_read_is_not_around(index):
    await put(index, message(1), message(2, access=frozenset({"user:U1"})), message(3))
    assert await around(index, "slack:t-1#0", (frozenset({"workspace"}),)) == [[], ["message 3"]]


async def test_around_a_chunk_without_a_thread_is_its_document(index):
    cut = [Chunk(number, (), f"part {number}") for number in range(4)]
    await index.write(document("a"), cut, None, Fingerprint("", ""))
    await put(index, document("b"))
    assert await around(index, "files:a#1") == [["part 0"], ["part 2", "part 3"]]


async def test_the_embedding_is_remembered_from_the_first_vectors_on(index):
    assert await index.embedding() == ""
    await put(index, document("a"))
    assert await index.embedding() == ""
    await index.expect("anything")
    await put(index, document("a"), embedder=EMBEDDER)
    assert await index.embedding() == "fake"
    await index.expect("fake")
    await index.expect("")


async def test_vectors_of_another_model_are_refused_with_the_mend(index):
    await put(index, document("a"), embedder=EMBEDDER)
    with pytest.raises(
        IndexMismatch, match=r"vectors of fake \(128 dimensions\).*of other.*(delete the index|footnote index rebuild)"
    ):
        await index.expect("other")
    with pytest.raises(IndexMismatch, match="64 dimensions"):
        await index.write(document("b"), [Chunk(0, (), "b")], np.ones((1, 64), np.float32), Fingerprint("", "", "fake"))


async def test_a_question_of_other_dimensions_finds_by_words_alone_which_is_told(index):
    await put(index, document("a", "words"), embedder=EMBEDDER)
    question = Question("words", np.ones(3, np.float32) / np.sqrt(np.float32(3)))
    ranking = await index.rank(question, ALL, 5)
    assert (list(ranking.lexical), ranking.dense) == (["files:a#0"], {})
    assert ranking.degraded == (DEGRADED["dense"],)
    assert (await index.complete(question, ["files:a#0"], ALL)).dense == {}


async def test_an_empty_index_finds_nothing(index):
    question = await asked("words")
    assert await found(index, "words") == [[], []]
    assert (await index.rank(question, ALL, 5)).degraded == ()
    assert (await index.complete(question, ["files:a#0"], ALL, refined=question.vector, k=3)).refined == {}
    assert await index.recent(ALL, 5) == []


@pytest.mark.parametrize("audience", [frozenset({"public"}), [frozenset()], ("public",)])
def test_an_audience_of_another_shape_is_refused(audience):
    with pytest.raises(TypeError, match="tuple of frozensets"):
        Filter(audience)


def test_a_range_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="aware"):
        Filter(EVERYTHING, start=datetime(2026, 1, 1))
