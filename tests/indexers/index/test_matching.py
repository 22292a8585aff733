import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexers.chunks import Chunk
from indexers.document import EVERYTHING
from indexers.index import Filter, Fingerprint, Question, Ranking
from indexers.index.matching import MOST_TERMS, MOST_WORDS, Expression, match, wanted
from tests.fakes.corpus import document, put

ALL = Filter(EVERYTHING)


def everywhere(word, most):
    return most


def nowhere(word, most):
    return 0


def counted(**counts):
    return lambda word, most: min(counts.get(word, 0), most)


@pytest.mark.parametrize(
    ("query", "expression"),
    [
        pytest.param("parental leave", '"parental" OR "leave"', id="any word may match"),
        pytest.param("Leave, LEAVE; leave", '"leave"', id="a word counts once"),
        pytest.param("How long is the leave?", '"long" OR "leave"', id="stop words are dropped"),
        pytest.param("Combien de congés ?", '"combien" OR "congés"', id="French ones too"),
        pytest.param("to be or not to be", '"to be or not to be"', id="stop words alone count as a phrase"),
        pytest.param("the", "", id="a stop word alone is nothing"),
        pytest.param("IT support", '"it" OR "support"', id="in capitals a stop word is a name"),
        pytest.param("WHAT IS THE LEAVE", '"leave"', id="unless everything is in capitals"),
        pytest.param("PROJ-123", '"proj 123" OR "proj" OR "123"', id="an identifier matches whole and in parts"),
        pytest.param("FOOTNOTE_HOME", '"footnote home" OR "footnote" OR "home"', id="with an underscore"),
        pytest.param("app/main.py", '"app main py" OR "app" OR "main" OR "py"', id="a path"),
        pytest.param("long-term", '"long" OR "term"', id="a hyphen alone makes no identifier"),
        pytest.param("l'ingénieur", '"ingénieur"', id="an elision is dropped"),
        pytest.param('acl:* NEAR("x") ^y -z', '"acl" OR "near" OR "x" OR "z"', id="query syntax is words"),
        pytest.param("What is C++?", '"c"', id="the letter of a programming language"),
        pytest.param("a C# guide", '"c" OR "guide"', id="or of another"),
        pytest.param("Plan C", '"plan"', id="another letter alone is an elision"),
        pytest.param("?! …", "", id="no word, nothing"),
        pytest.param(
            "What does https://www.wiki.example.com/hr/leave?page=2 say?",
            '"hr leave" OR "wiki example com hr leave" OR "hr" OR "leave" OR "say"',
            id="the host of a link is no word",
        ),
        pytest.param(
            "https://wiki.example.com/",
            '"wiki example" OR "wiki example com" OR "wiki" OR "example"',
            id="unless there is no other",
        ),
    ],
)
def test_a_question_becomes_an_expression(query, expression):
    assert match(query, lambda word, most: 1, 10) == Expression(expression)


def test_words_the_index_does_not_know_are_not_looked_for():
    assert match("leave xyzzy", counted(leave=1), 10).whole == '"leave"'


def test_common_words_of_a_question_about_something_else_find_nothing():
    frequency = counted(company=400, elephant=3)
    query = "company flurb zorch wubble"
    assert match(query, frequency, 1000).whole == ""
    assert match(f"{query} elephant", frequency, 1000).whole == '"elephant"'


def test_in_a_small_index_a_word_is_not_common():
    assert match("company flurb zorch", counted(company=1), 3).whole == '"company"'


def test_a_word_in_more_than_half_of_a_large_index_is_not_looked_for_unless_alone():
    frequency = counted(common=1500, rare=10)
    assert match("common rare", frequency, 2000).whole == '"rare"'
    assert match("common", frequency, 2000).whole == '"common"'


def test_the_rarest_words_are_those_that_stand_in_enough_chunks():
    frequency = counted(a1=2_900, b1=90_000, c1=40, d1=70_000)
    expected = Expression('"a1" OR "b1" OR "c1" OR "d1"', '"c1" OR "a1" OR "d1"')
    assert match("a1 b1 c1 d1", frequency, 200_000) == expected
    assert match("a1 c1", frequency, 200_000) == Expression('"a1" OR "c1"')


@given(st.text(max_size=300), st.sampled_from([everywhere, nowhere]))
def test_an_expression_holds_nothing_but_quoted_words(query, frequency):
    expression = match(query, frequency, 100).whole
    assert all(term[0] == term[-1] == '"' and '"' not in term[1:-1] for term in expression.split(" OR ") if expression)


def test_a_very_long_question_is_cut():
    query = " ".join(f"word{number}" for number in range(20_000))
    assert match(query, everywhere, 100).whole.count(" OR ") == MOST_WORDS - 1


@pytest.mark.parametrize(
    "query",
    [
        "PROJ-123",
        "proj-123",
        "FOOTNOTE_HOME",
        "src/app/main.py",
        "ada@example.com",
        "café",
        "CAFE",
        "running",
        "v1.2.3",
    ],
)
async def test_identifiers_paths_and_word_forms_are_found(index, query):
    text = "See PROJ-123, FOOTNOTE_HOME, src/app/main.py, ada@example.com, v1.2.3 in the Café: he runs."
    await put(index, document("a", text), document("b", "something else"))
    assert list((await index.rank(Question(query), Filter(EVERYTHING), 5)).lexical) == ["files:a#0"]


async def test_a_whole_identifier_ranks_above_its_parts(index):
    await put(
        index, document("a", "PROJ-12 and 123 PROJ"), document("b", "PROJ-123 and more"), document("c", "nothing")
    )
    lexical = (await index.rank(Question("PROJ-123"), Filter(EVERYTHING), 5)).lexical
    assert max(lexical, key=lexical.__getitem__) == "files:b#0"


async def test_titles_and_headings_are_found_too(index):
    await index.write(document("a", title="Handbook"), [Chunk(0, ("Parental",), "16 weeks")], None, Fingerprint("", ""))
    for query in ("handbook", "parental", "weeks"):
        assert list((await index.rank(Question(query), Filter(EVERYTHING), 5)).lexical) == ["files:a#0"]


@pytest.mark.parametrize(
    "query", ["", " ", '"', "a OR b", "NOT", "{", "\0", "x" * 100_000, "words " * 20_000, "col:umn*", "-- ; DROP"]
)
async def test_no_question_is_an_error(index, query):
    await put(index, document("a", "words"))
    await index.rank(Question(query), Filter(EVERYTHING), 5)


async def test_a_word_in_a_heading_counts_more_than_one_in_the_text(index):
    await put(
        index,
        document("a", "# Alpha\n\nText of the leave and other things.\n"),
        document("b", "# Beta\n\nText of.\n\n## Leave\n\nThe other things.\n"),
        document("c", "# Gamma\n\nNothing of it.\n"),
    )
    lexical = (await index.rank(Question("leave"), Filter(EVERYTHING), 5)).lexical
    assert list(lexical) == ["files:b#0", "files:a#0"]


async def test_common_words_of_a_question_about_something_else_find_nothing_in_an_index_either(index):
    await put(index, *(document(f"d{number}", "company news of the day") for number in range(12)), document("elephant"))
    question = "company flurb zorch wubble"
    assert (await index.rank(Question(question), ALL, 20)).lexical == {}
    assert list((await index.rank(Question(f"{question} elephant"), ALL, 20)).lexical) == ["files:elephant#0"]
    assert len((await index.rank(Question("company flurb"), ALL, 20)).lexical) == 12
    assert len((await index.rank(Question("company news flurb zorch"), ALL, 20)).lexical) == 12


@pytest.mark.parametrize(("apart", "found"), [("", []), (" ", ["files:chinese#0"]), ("-1", [])])
async def test_of_a_very_long_question_without_spaces_the_beginning_is_looked_for(index, apart, found):
    await put(index, document("chinese", "年 假 政 策"), document("other", "Nothing of it."))
    letters = [chr(number) for number in range(0x4E00, 0x4E00 + 10_000)]
    question = apart.join([*"年假政策", *("".join(letters[at : at + 150]) for at in range(0, 10_000, 150))])
    ranking = await index.rank(Question(question), ALL, 20)
    assert list(ranking.lexical) in (found, ["files:chinese#0"])  # Elasticsearch finds single letters in any case


@given(st.text("ab c年1._", max_size=3_000))
def test_no_question_has_more_terms_than_a_search_can_take(query):
    asked = wanted(query)
    for some in (asked.words, asked.phrases):
        assert len(some) <= MOST_WORDS
        assert sum(one.count("年") + len(one.replace("年", " ").split()) for one in some) <= MOST_TERMS


async def test_a_word_that_the_audience_may_not_read_is_none_that_the_index_knows(index):
    seen = Filter((frozenset({"workspace"}),))
    await put(index, *(document(f"d{number}", "company news") for number in range(12)))
    questions = [Question("company zorch wubble"), Question("company zorch wubble flurb")]
    assert [await index.rank(question, seen, 20) for question in questions] == [Ranking(), Ranking()]
    await put(index, document("secret", "zorch wubble flurb", access=frozenset({"user:U9"})))
    assert [await index.rank(question, seen, 20) for question in questions] == [Ranking(), Ranking()]
    assert len((await index.rank(questions[0], ALL, 20)).lexical) == 13


async def test_a_word_is_looked_for_as_soon_as_it_is_written(index):
    await put(index, *(document(f"d{number}", "company news") for number in range(12)))
    question = Question("company zorch wubble")
    assert (await index.rank(question, ALL, 20)).lexical == {}
    await put(index, document("new", "zorch"))
    assert next(iter((await index.rank(question, ALL, 20)).lexical)) == "files:new#0"
