"""A second look at the best hits: what stands around them, without a further request where it can be helped."""

import asyncio
from datetime import timedelta

import pytest

from bot.search import HybridSearch
from bot.search.reading import BESIDE, CHARS, beside, whole
from bot.search.snippets import CHARS as SNIPPET_CHARS
from indexers.chunks import chunks
from indexers.document import EVERYTHING
from indexers.excerpts import OPENING, opening
from indexers.index import IndexFault, Line, Passage, Surroundings
from tests.fakes.corpus import NOON, document, put
from tests.fakes.research import play, says, searches

FILLER = "Nothing of interest is said here in this sentence. "
QUESTION = "parental leave"
ANSWER = "It is granted for exactly sixteen weeks."


def long_document(access=frozenset({"workspace"})):
    """The words stand at the end of one chunk, the answer at the beginning of the next."""
    text = (
        f"# Handbook\n\n{FILLER * 34}Whoever asks for parental leave reads on.\n\n## Duration\n\n{ANSWER} {FILLER * 20}"
    )
    assert [ANSWER in chunk.text for chunk in chunks(text)] == [False, True]
    return document("handbook", text, access=access)


async def first(index, query=QUESTION, audience=EVERYTHING, **options):
    return (await HybridSearch(index, **options).for_audience(audience).search(query)).hits[0]


async def test_an_answer_in_the_chunk_beside_the_words_is_read(index):
    await put(index, long_document(), document("other"))
    plain = await first(index)
    assert plain.chunk_idx == 0
    assert (ANSWER in plain.content_snippet, plain.more) == (False, "")
    read = await first(index, read_more=3)
    assert read.content_snippet == plain.content_snippet
    assert "parental leave reads on" in read.more
    assert ANSWER in read.more
    assert SNIPPET_CHARS < len(read.more) <= CHARS


async def test_a_short_document_is_read_whole(index):
    text = f"# Leave\n\n{FILLER * 12}\n\n## Parental leave\n\n{FILLER * 12}\n\n## Duration\n\n{ANSWER}\n"
    await put(index, document("short", text))
    assert len(chunks(text)) > 1
    assert (await first(index, read_more=1)).more == text.strip()


async def test_what_a_snippet_shows_whole_is_not_read_again(index):
    await put(index, document("a", "Parental leave is sixteen weeks."))
    assert (await first(index, read_more=3)).more == ""


async def test_only_the_best_hits_are_read(index):
    await put(index, *(document(f"d{number}", f"parental leave {FILLER * 20}") for number in range(5)))
    found = (await HybridSearch(index, read_more=2).for_audience(EVERYTHING).search(QUESTION)).hits
    assert [bool(hit.more) for hit in found] == [True, True, False, False, False]


async def test_what_was_read_for_one_hit_is_not_read_for_the_next(index):
    text = "\n\n".join(f"## Part {number}\n\nparental leave {FILLER * 20}" for number in range(3))
    await put(index, document("a", text))
    found = (await HybridSearch(index, read_more=3).for_audience(EVERYTHING).search(QUESTION)).hits
    assert [bool(hit.more) for hit in found] == [True, False, False]


def messages(*texts, access=()):
    return [
        document(
            f"slack:{number}",
            text,
            thread_id="t",
            timestamp=NOON + timedelta(minutes=number),
            participants=(("Ada", "Ben")[number % 2],),
            access=frozenset({access[number] if access else "workspace"}),
        )
        for number, text in enumerate(texts)
    ]


async def test_in_a_thread_the_messages_around_are_read_whole(index):
    long = f"{FILLER * (OPENING // len(FILLER) + 2)}{ANSWER}"
    await put(index, *messages("Hello", "Who knows about parental leave?", long, "Thanks!"))
    assert ANSWER not in str((await first(index)).thread_context)
    assert (await first(index, read_more=1)).more == (
        f"Ada: Hello\nBen: Who knows about parental leave?\nAda: {long}\nBen: Thanks!"
    )


async def test_what_the_audience_may_not_read_is_not_read(index):
    secret = messages("open", "parental leave?", f"{FILLER * 9}{ANSWER}", access=("workspace", "workspace", "user:U9"))
    await put(index, *secret)
    asker = (frozenset({"workspace"}),)
    assert (await first(index, audience=asker, read_more=1)).more == "Ada: open\nBen: parental leave?"
    assert ANSWER in (await first(index, read_more=1)).more


@pytest.mark.parametrize("read_more", [0, 3])
async def test_the_answer_beside_the_words_reaches_the_model(index, read_more):
    await put(index, long_document())
    search = HybridSearch(index, read_more=read_more).for_audience(EVERYTHING)
    given = await play(searches(QUESTION), says("Sixteen weeks [1]."), search=search)
    assert (ANSWER in given.tool_contents()[0]["hits"][0].get("more", "")) == bool(read_more)
    forced = await play(searches(QUESTION), RuntimeError("lost"), says("Sixteen weeks [1]."), search=search)
    assert forced.messages()[-1].content.count(ANSWER) == bool(read_more)


class Counting:
    """An index that counts what it is asked, and fails where it is told to."""

    def __init__(self, index, fails=None):
        self._index = index
        self._fails = fails
        self.asked = []

    def __getattr__(self, name):
        async def ask(*given, **named):
            self.asked.append(name)
            if self._fails is not None and self.asked.count(name) == self._fails:
                raise IndexFault("It does not answer.")
            return await getattr(self._index, name)(*given, **named)

        return ask


async def test_reading_more_of_documents_asks_the_index_no_more(index):
    await put(index, long_document())
    asked = {}
    for read_more in (0, 3):
        counting = Counting(index)
        await first(counting, read_more=read_more)
        asked[read_more] = counting.asked
    assert asked[0] == asked[3]


async def test_messages_that_cannot_be_read_whole_are_shown_as_far_as_they_are_known(index):
    long = f"{FILLER * 9}{ANSWER}"
    await put(index, *messages("parental leave?", long))
    hit = await first(Counting(index, fails=2), read_more=1)
    assert hit.more.startswith("Ada: parental leave?\nBen: Nothing of interest")


@pytest.mark.parametrize(("chunk", "around"), [("d#0", 0), ("d#7", BESIDE), ("a#b#1", 1)])
def test_the_ids_beside_a_chunk(chunk, around):
    document, _, ordinal = chunk.rpartition("#")
    wanted = [f"{document}#{place}" for place in range(int(ordinal) - around, int(ordinal) + BESIDE + 1)]
    assert beside([chunk]) == wanted


class Hanging:
    async def passages(self, chunks, where):
        await asyncio.Event().wait()


async def test_messages_that_are_not_there_in_time_are_not_waited_for():
    hit = Passage("slack:0#0", "slack:0", 0, "slack", "", (), "parental leave?", NOON, ("Ada",), "t", "")
    cut = Line("slack:1#0", 0, NOON.isoformat(), "Ada", opening(FILLER * 9))
    near = {hit.chunk_id: Surroundings(after=[cut])}
    async with asyncio.timeout(5):
        assert await whole(Hanging(), [hit], near, EVERYTHING, seconds=0.01) == {}
